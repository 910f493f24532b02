/** Claims in one process, hundreds of rounds a minute: clones of one remote that claim at the same time, and claims that outlive their lease. */
import { existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { execa } from "execa";
import { wholeCarrier } from "../../../src/app/carry/carrier.ts";
import { openHere } from "../../../src/app/here.ts";
import { leaseQueue } from "../../../src/app/queue/lease.ts";
import type { LeaseClaim } from "../../../src/app/queue/lease.ts";
import type { Held as Refused, Queue } from "../../../src/app/queue/port.ts";
import { keepGit } from "../../../src/git/git.ts";
import { within } from "../../../src/io/io.ts";
import { openWorld } from "./world.ts";
import type { Worker, World } from "./world.ts";

/** A clone as one of several machines; what it does has its own folder and environment. */
export type Machine = {
  name: string;
  clone: string;
  /** From now on, the machine's pushes of the issue wait before they begin. */
  hold(issue: string): Held;
  claim(issue: string): Promise<LeaseClaim | Refused>;
  release(claim: LeaseClaim): Promise<void>;
  close(): void;
};

export type Held = { isHeld(): boolean; go(): void };

/** A git whose pushes wait for as long as a file of the issue's name is there. */
const waitingGit = `#!/bin/sh
case " $* " in *" push "*)
  issue=$(printf %s "$*" | grep -o 'FEAT-[0-9]*' | head -n 1)
  if [ -e "$HELD/$issue" ]; then
    : >"$HELD/$issue.waits"
    while [ -e "$HELD/$issue" ]; do sleep 0.05; done
  fi ;;
esac
PATH=\${PATH#*:} exec git "$@"
`;

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

async function machineOf({ bare, folder }: World, worker: Worker, minutes: number): Promise<Machine> {
  const { name, clone } = worker;
  const held = join(folder, `${name}-held`);
  mkdirSync(held);
  writeFileSync(join(held, "git"), waitingGit, { mode: 0o755 });
  const env = { ...worker.env, HELD: held, PATH: `${held}:${worker.env["PATH"]}` };
  const on = <T>(act: () => Promise<T>): Promise<T> => within({ cwd: clone, env }, act);
  const [queue, close] = await on(async (): Promise<[Queue<LeaseClaim>, () => void]> => {
    const here = await openHere();
    const close = keepGit(here.repository.root);
    await here.repository.git(["remote", "set-url", "origin", bare]);
    return [leaseQueue(wholeCarrier(here, {}), { minutes, warn: () => undefined }), close];
  });
  return {
    name,
    clone,
    hold: (issue) => {
      writeFileSync(join(held, issue), "");
      return {
        isHeld: () => existsSync(join(held, `${issue}.waits`)),
        go: () => rmSync(join(held, issue)),
      };
    },
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

/**
 * A holder is caught between its look at the remote and the push of its merge, until another machine has the issue; a fetch in
 * the background has told its clone so meanwhile.
 */
export async function stale(
  { git }: World,
  { holder, rival, issue }: { holder: Machine; rival: Machine; issue: string },
): Promise<string[]> {
  const claim = await holder.claim(issue);
  if ("heldBy" in claim) return [`${issue}: not claimed: ${claim.heldBy.message}`];
  const base = await git("rev-parse", "main");
  const as = ["-c", "user.name=P", "-c", "user.email=p@example.com"];
  const make = ["commit-tree", `${base}^{tree}`, "-p", base, "-m", `Merge ${issue}`];
  const { stdout: to } = await execa("git", [...as, ...make], { cwd: holder.clone });
  const push = holder.hold(issue);
  const landing = claim.holding.land({ ref: "refs/heads/main", from: base, to }).then(
    ({ is }) => is,
    () => "refused",
  );
  let isOver = false;
  const over = landing.finally(() => {
    isOver = true;
  });
  while (!push.isHeld()) {
    await Promise.race([sleep(20), over]);
    if (isOver) return [`${issue}: not caught in time`];
  }
  let other = await rival.claim(issue);
  while ("heldBy" in other) {
    await sleep(200);
    other = await rival.claim(issue);
  }
  const refspec = `+refs/monoco/${issue}/*:refs/remotes/origin-monoco/${issue}/*`;
  await execa("git", ["fetch", "--quiet", "origin", refspec], { cwd: holder.clone });
  push.go();
  const landed = await landing;
  await holder.release(claim);
  await rival.release(other);
  const isLost = other.lost.aborted ? [`${issue}: the next holder lost it`] : [];
  return landed === "taken" ? [`${issue}: the merge of a stale holder was taken`, ...isLost] : isLost;
}
