/** One storm: workers with one backlog meet faults at times that a seed chooses, and in the end all of it must be merged, once. */
import { appendFileSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { attempt } from "../../../src/core/error/attempt.ts";
import { randomBy } from "../place/random.ts";
import type { Hit } from "./faults.ts";
import { judge } from "./oracle.ts";
import type { Figures } from "./oracle.ts";
import { saidIn } from "./said.ts";
import type { World } from "./world.ts";

export type Storm<Fault extends string> = {
  seed: number;
  /** What happens, each once: the seed deals them to the workers. */
  faults: readonly Fault[];
  hit(fault: Fault, on: Hit): Promise<void>;
  leaseMs: number;
  /** The longest calm between two faults of a worker. */
  calmMs: number;
  /** How long healthy workers may take for what is left when all faults are over. */
  patienceMs?: number;
};

export type Came = { hits: string[]; wrong: string[]; figures: Figures; seconds: number };

const lookMs = 250;

/** Long enough also where a busy machine lets leases run out. */
const tenMinutesMs = 10 * 60_000;

export async function rage<Fault extends string>(storm: Storm<Fault>, world: World): Promise<Came> {
  const began = performance.now();
  const hits: string[] = [];
  const over = new AbortController();
  for (const worker of world.workers) worker.start();
  const dealt = randomBy(storm.seed).shuffled(storm.faults);
  const raging = Promise.all(
    world.workers.map((_, at) => {
      const own = dealt.filter((_fault, place) => place % world.workers.length === at);
      return hitWorker({ ...storm, faults: own }, { world, at, hits, signal: over.signal });
    }),
  );
  const healthy = raging
    .then(() => sleep(storm.patienceMs ?? tenMinutesMs, undefined, { signal: over.signal }))
    .catch(() => undefined);
  const patience = new AbortController();
  void healthy.then(() => patience.abort());
  let left = await leftIn(world);
  while (left.length > 0 && !patience.signal.aborted) {
    await sleep(lookMs);
    left = await leftIn(world);
  }
  over.abort();
  await raging;
  for (const worker of world.workers) worker.kill();
  await sleep(100);
  const judged = await judge(world);
  const late = left.length === 0 ? [] : [`not finished: ${left.join(", ")}: ${lastWords(world)}`];
  return {
    hits,
    wrong: [...late, ...judged.wrong].map((one) => `seed ${storm.seed}: ${one}`),
    figures: judged.figures,
    seconds: Math.round((performance.now() - began) / 100) / 10,
  };
}

async function hitWorker<Fault extends string>(
  { seed, faults, hit, leaseMs, calmMs }: Storm<Fault>,
  { world, at, hits, signal }: { world: World; at: number; hits: string[]; signal: AbortSignal },
): Promise<void> {
  const worker = world.workers[at]!;
  const random = randomBy(seed * 100 + at);
  for (const fault of faults) {
    await sleep(random.whole(calmMs / 4, calmMs), undefined, { signal }).catch(() => undefined);
    if (signal.aborted) return;
    hits.push(fault);
    appendFileSync(join(world.folder, "faults"), `${worker.name} ${fault}\n`);
    await hit(fault, { world, worker, random, leaseMs, signal });
    // It may have ended by itself.
    worker.start();
  }
}

async function leftIn(world: World): Promise<string[]> {
  const text = (await world.git("log", "--first-parent", "--format=%B", "main")).split("\n");
  return world.issues.filter((issue) => !text.includes(`Monoco-Issue: ${issue}`));
}

/** What the workers said last of what failed. */
function lastWords({ folder, said, workers }: World): string {
  const failed = saidIn(said).filter(({ what }) => what === "failed");
  return workers
    .map(({ name }) => {
      const printed = attempt(
        () =>
          readFileSync(join(folder, `${name}.err`), "utf8")
            .trim()
            .slice(-300),
        "",
      );
      const last = failed.filter(({ worker }) => worker === name).slice(-3);
      return `${name}: ${[printed, ...last.map(({ issue, text }) => `${issue}: ${text}`)].join("; ")}`;
    })
    .join(" | ");
}
