/** Claims in one process, hundreds of rounds a minute: clones of one remote that claim at the same time, and claims that outlive their lease. */
import { setTimeout as sleep } from "node:timers/promises";
import { wholeCarrier } from "../../../src/app/carry/carrier.ts";
import { openHere } from "../../../src/app/here.ts";
import { leaseQueue } from "../../../src/app/queue/lease.ts";
import type { LeaseClaim } from "../../../src/app/queue/lease.ts";
import type { Held, Queue } from "../../../src/app/queue/port.ts";
import { keepGit } from "../../../src/git/git.ts";
import { within } from "../../../src/io/io.ts";
import { openWorld } from "./world.ts";
import type { Worker, World } from "./world.ts";

/** A clone as one of several machines; what it does has its own folder and environment. */
export type Machine = {
  name: string;
  claim(issue: string): Promise<LeaseClaim | Held>;
  release(claim: LeaseClaim): Promise<void>;
  close(): void;
};

export async function openMachines(
  count: number,
  minutes: number,
): Promise<{ world: World; machines: Machine[] }> {
  const world = await openWorld({ issues: [], workers: count, command: () => ["true"] });
  return {
    world,
    machines: await Promise.all(world.workers.map((worker) => machineOf(world, worker, minutes))),
  };
}

async function machineOf({ bare }: World, { name, clone, env }: Worker, minutes: number): Promise<Machine> {
  const on = <T>(act: () => Promise<T>): Promise<T> => within({ cwd: clone, env }, act);
  const [queue, close] = await on(async (): Promise<[Queue<LeaseClaim>, () => void]> => {
    const here = await openHere();
    const close = keepGit(here.repository.root);
    await here.repository.git(["remote", "set-url", "origin", bare]);
    return [leaseQueue(wholeCarrier(here, {}), { minutes, warn: () => undefined }), close];
  });
  return {
    name,
    claim: (issue) => on(() => queue.claim(issue)),
    release: (claim) => on(() => queue.release(claim)),
    close,
  };
}

/** All machines claim the same issue at the same time: one of them must get it. Returns what was wrong. */
export async function race(machines: readonly Machine[], issue: string): Promise<string[]> {
  const claims = await Promise.all(machines.map((machine) => machine.claim(issue)));
  const won = claims.flatMap((claim, at) => ("heldBy" in claim ? [] : [{ claim, machine: machines[at]! }]));
  for (const { claim, machine } of won) await machine.release(claim);
  return won.length === 1
    ? []
    : [`${issue}: ${won.map(({ machine }) => machine.name).join(" and ") || "nobody"} got it`];
}

/** One machine holds an issue several times as long as its lease; another one asks for it all the time. */
export async function outlive(
  { holder, rival, issue }: { holder: Machine; rival: Machine; issue: string },
  { ms, askMs }: { ms: number; askMs: number },
): Promise<string[]> {
  const claim = await holder.claim(issue);
  if ("heldBy" in claim) return [`${issue}: not claimed: ${claim.heldBy.message}`];
  const wrong: string[] = [];
  const untilMs = performance.now() + ms;
  while (performance.now() < untilMs && wrong.length === 0) {
    await sleep(askMs);
    const other = await rival.claim(issue);
    if ("heldBy" in other) continue;
    wrong.push(`${issue}: the rival got it while it was held`);
    await rival.release(other);
  }
  if (claim.lost.aborted) wrong.push(`${issue}: its lease was lost: ${String(claim.lost.reason)}`);
  await holder.release(claim);
  const after = await rival.claim(issue);
  if ("heldBy" in after) return [...wrong, `${issue}: it was not given back`];
  await rival.release(after);
  return wrong;
}
