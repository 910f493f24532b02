/**
 * A worker without agents: claims issues by leases, as a run does, works on each in some commits, pushes each of them under the
 * lease, and merges. Its log outside says what it did. `node holder.ts JSON`.
 */
import { appendFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { wholeCarrier } from "../../../src/app/carry/carrier.ts";
import { Fleet } from "../../../src/app/fleet/fleet.ts";
import { fleetQueue } from "../../../src/app/fleet/queue.ts";
import { openHere } from "../../../src/app/here.ts";
import { sharedBy } from "../../../src/app/lease/shared.ts";
import { leaseQueue } from "../../../src/app/queue/lease.ts";
import type { LeaseClaim } from "../../../src/app/queue/lease.ts";
import type { Queue } from "../../../src/app/queue/port.ts";
import { databaseOf } from "../../../src/core/lease/database.ts";
import { keepGit } from "../../../src/git/git.ts";
import { refs } from "../../../src/git/refs.ts";
import { commitOf, moveRef } from "../../../src/git/repository.ts";
import { randomBy } from "../place/random.ts";
import { claimsOfStorm, upMs } from "./said.ts";
import type { Said } from "./said.ts";

export type HolderOf = {
  name: string;
  log: string;
  issues: string[];
  minutes: number;
  /** Commits before an issue is merged. */
  steps: number;
  /** How long it works for each of them at most. */
  stepMs: number;
  seed: number;
  /** The address of PostgreSQL, where it claims by jobs in front of the leases. */
  database?: string;
};

// A test that is killed leaves no worker behind.
setInterval(() => process.ppid === 1 && process.exit(1), 1_000).unref();

const of = JSON.parse(process.argv[2] ?? "") as HolderOf;
const random = randomBy(of.seed);
const say = (said: Omit<Said, "atMs" | "worker">): void =>
  appendFileSync(of.log, `${JSON.stringify({ atMs: upMs(), worker: of.name, ...said })}\n`);

const here = await openHere();
keepGit(here.repository.root);
const { git } = here.repository;
const carrier = wholeCarrier(here, {});
const leases = leaseQueue(carrier, { minutes: of.minutes, warn: () => undefined });
const queue = of.database === undefined ? leases : await behindJobs(of.database);
const merged = new Set<string>();

while (merged.size < of.issues.length) {
  const left = random.shuffled(of.issues.filter((issue) => !merged.has(issue)));
  for (const issue of left)
    await tryOne(issue).catch((error: unknown) => say({ what: "failed", issue, text: String(error) }));
  await sleep(random.whole(20, 200));
}
process.exit(0);

/** As `monoco worker` that is started again for as long as the database is away. */
async function behindJobs(url: string): Promise<Queue<LeaseClaim>> {
  const tell = (text: string): void => say({ what: "told", text });
  const joining = {
    database: databaseOf(url, {}),
    queue: claimsOfStorm,
    slot: of.name,
    spent: () => [],
    tell,
  };
  for (;;) {
    const fleet = await Fleet.join(joining).catch((error: unknown) => tell(String(error)));
    if (fleet) return fleetQueue(fleet, { inner: leases, account: undefined });
    await sleep(200);
  }
}

async function tryOne(issue: string): Promise<void> {
  // Behind jobs the claim alone decides, also where a job was lost.
  if (of.database === undefined && (await queue.ready([issue])).length === 0) return;
  // What was never pushed here is nobody's: the remote says where the work is.
  const stale = await commitOf(git, refs.head(issue));
  if (stale !== undefined) await git(["update-ref", "-d", refs.head(issue), stale]);
  const claim = await queue.claim(issue);
  if ("heldBy" in claim) return;
  say({ what: "claimed", issue });
  try {
    await work(claim);
  } finally {
    await queue.release(claim);
    say({ what: "released", issue });
  }
}

async function work({ issue, holding, lost }: LeaseClaim): Promise<void> {
  const shared = sharedBy({ carrier, issue, holding }, "main");
  await shared.follow();
  const there = await commitOf(git, `${refs.there(issue)}/head`);
  if (there !== undefined) await moveRef(git, refs.head(issue), there);
  for (
    let at = await stepsDone(issue);
    at < of.steps && !(await isMerged(issue));
    at = await stepsDone(issue)
  ) {
    await session(issue, at, lost);
    await shared.push();
    say({ what: "pushed", issue, commit: (await commitOf(git, refs.head(issue)))! });
  }
  while (!(await isMerged(issue))) {
    lost.throwIfAborted();
    const base = (await commitOf(git, "refs/heads/main"))!;
    const to = await commit(`Merge ${issue}\n\nMonoco-Issue: ${issue}`, [
      base,
      (await commitOf(git, refs.head(issue)))!,
    ]);
    const landed = await shared.land({ branch: "main", from: base, to });
    say({ what: landed.is, issue, commit: to });
    if (landed.is === "refused") return;
    await shared.follow();
  }
  merged.add(issue);
}

/** A lost lease stops it, and it commits nothing more. */
async function session(issue: string, at: number, lost: AbortSignal): Promise<void> {
  say({ what: "start", issue });
  try {
    await sleep(random.whole(of.stepMs / 4, of.stepMs), undefined, { signal: lost });
    const on = await commitOf(git, refs.head(issue));
    const to = await commit(`${issue} step ${at + 1} by ${of.name}`, [
      on ?? (await commitOf(git, "refs/heads/main"))!,
    ]);
    await moveRef(git, refs.head(issue), to);
  } finally {
    say({ what: "end", issue });
  }
}

async function commit(message: string, parents: string[]): Promise<string> {
  const tree = `${parents[0]}^{tree}`;
  const text = await git(["commit-tree", tree, ...parents.flatMap((one) => ["-p", one]), "-m", message]);
  return text.trim();
}

async function stepsDone(issue: string): Promise<number> {
  const head = await commitOf(git, refs.head(issue));
  if (head === undefined) return 0;
  return (await git(["log", "--format=%s", head]))
    .split("\n")
    .filter((line) => line.startsWith(`${issue} step `)).length;
}

async function isMerged(issue: string): Promise<boolean> {
  const text = await git(["log", "--first-parent", "--format=%B", "main"]);
  return text.split("\n").includes(`Monoco-Issue: ${issue}`);
}
