/** What must hold of a remote that several machines work on, by the record of all moves of its refs, and by what the workers say. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parseLease } from "../../../src/core/lease/lease.ts";
import type { Lease } from "../../../src/core/lease/lease.ts";
import { saidIn } from "./said.ts";
import type { Said } from "./said.ts";
import type { World } from "./world.ts";

type Move = { from: string; to: string; ref: string };
type Transaction = { atMs: number; moves: Move[] };
/** A lease by its commit, with the time at which it came to the remote. */
type Leases = ReadonlyMap<string, Lease & { atMs: number }>;

const none = "0".repeat(40);

export type Figures = { pushes: number; leases: number; takenOver: number; sessions: number };
export type Judged = { wrong: string[]; figures: Figures };

export async function judge(world: World): Promise<Judged> {
  const transactions = transactionsIn(world);
  const leases = await leasesIn(world, transactions);
  const said = saidIn(world.said);
  const issueOf = await mergesIn(world, transactions);
  const wrong = [
    ...transactions.flatMap((one) => wrongPush(one, { leases, issueOf })),
    ...wrongTakeOvers(transactions, leases),
    ...(await wrongBase(world, transactions)),
    ...(await lostCommits(world, transactions, said)),
    ...overlaps(said),
  ];
  const figures = {
    pushes: transactions.length,
    leases: leases.size,
    takenOver: takeOvers(transactions, leases).length,
    sessions: said.filter(({ what }) => what === "start").length,
  };
  return { wrong, figures };
}

function transactionsIn({ bare }: World): Transaction[] {
  return readFileSync(join(bare, "moves"), "utf8")
    .split("\n")
    .filter(Boolean)
    .map((line) => {
      const [up = "", moved = ""] = line.split("\t");
      const moves = moved.split(",").flatMap((one): Move[] => {
        const [from = "", to = "", ref = ""] = one.split(" ");
        return ref === "" || ref === "HEAD" || from === to ? [] : [{ from, to, ref }];
      });
      return { atMs: Number(up) * 1_000, moves };
    })
    .filter(({ moves }) => moves.length > 0);
}

const partOf = (ref: string): { issue: string; part: string } | undefined => {
  const [, issue = "", part = ""] = /^refs\/monoco\/([^/]+)\/(.+)$/.exec(ref) ?? [];
  return part === "" ? undefined : { issue, part };
};

async function leasesIn(world: World, transactions: readonly Transaction[]): Promise<Leases> {
  const found = new Map<string, Lease & { atMs: number }>();
  for (const { atMs, moves } of transactions)
    for (const { to, ref } of moves) {
      if (partOf(ref)?.part !== "lease" || to === none) continue;
      const lease = parseLease(await world.git("log", "-1", "--format=%B", to));
      if (lease) found.set(to, { ...lease, atMs });
    }
  return found;
}

/** The issue of each merge that came to the base. */
async function mergesIn(world: World, transactions: readonly Transaction[]): Promise<Map<string, string>> {
  const tos = transactions.flatMap(({ moves }) =>
    moves.filter(({ ref }) => ref === "refs/heads/main").map(({ to }) => to),
  );
  const found = new Map<string, string>();
  for (const to of tos) {
    const text = await world.git("log", "-1", "--format=%B", to);
    const [, issue] = /^Monoco-Issue: (\S+)$/m.exec(text) ?? [];
    if (issue !== undefined) found.set(to, issue);
  }
  return found;
}

/** Each push of a relay's refs, or of its merge, moves the lease from one of the same holder: no stale holder's push was taken. */
function wrongPush(
  { moves }: Transaction,
  { leases, issueOf }: { leases: Leases; issueOf: ReadonlyMap<string, string> },
): string[] {
  const touched = moves.flatMap(({ ref, to }) => {
    const of = partOf(ref);
    if (of) return of.part === "lease" || of.part.startsWith("letters/") ? [] : [of.issue];
    return ref === "refs/heads/main" ? [issueOf.get(to) ?? "an unknown issue"] : [];
  });
  return [...new Set(touched)].flatMap((issue) => {
    const lease = moves.find(({ ref }) => ref === `refs/monoco/${issue}/lease`);
    const names = moves.map(({ ref }) => ref).join(" ");
    if (!lease) return [`${issue}: a push without its lease was taken: ${names}`];
    const [from, to] = [leases.get(lease.from), leases.get(lease.to)];
    if (!from) return [`${issue}: a push of nobody's lease was taken: ${names}`];
    if (lease.to !== none && from.slot !== to?.slot)
      return [`${issue}: a push of ${to?.slot} under the lease of ${from.slot} was taken: ${names}`];
    return [];
  });
}

type TakeOver = { issue: string; agedMs: number; before: Lease };

function takeOvers(transactions: readonly Transaction[], leases: Leases): TakeOver[] {
  return transactions.flatMap(({ atMs, moves }) =>
    moves.flatMap(({ ref, from, to }) => {
      const of = partOf(ref);
      const [before, after] = [leases.get(from), leases.get(to)];
      if (of?.part !== "lease" || !before || !after || before.slot === after.slot) return [];
      return [{ issue: of.issue, agedMs: atMs - before.atMs, before }];
    }),
  );
}

/** The record of a push is written a moment after it. */
const recordedMs = 300;

function wrongTakeOvers(transactions: readonly Transaction[], leases: Leases): string[] {
  return takeOvers(transactions, leases).flatMap(({ issue, agedMs, before }) =>
    agedMs + recordedMs >= before.minutes * 60_000
      ? []
      : [`${issue}: a lease of ${before.minutes * 60} s was taken over after ${agedMs / 1_000} s`],
  );
}

async function wrongBase(world: World, transactions: readonly Transaction[]): Promise<string[]> {
  const moves = transactions.flatMap((one) => one.moves.filter(({ ref }) => ref === "refs/heads/main"));
  const shrunk: string[] = [];
  for (const { from, to } of moves) {
    const grew = await world.git("merge-base", "--is-ancestor", from, to).then(
      () => true,
      () => false,
    );
    if (!grew) shrunk.push(`the base went from ${from} to ${to}`);
  }
  const text = (await world.git("log", "--first-parent", "--format=%B", "main")).split("\n");
  const merges = world.issues.flatMap((issue) => {
    const times = text.filter((line) => line === `Monoco-Issue: ${issue}`).length;
    return times === 1 ? [] : [`${issue}: merged ${times} times`];
  });
  const damage = await world.git("fsck", "--connectivity-only", "--no-dangling").catch(String);
  return [...shrunk, ...merges, ...(damage === "" ? [] : [`git fsck: ${damage}`])];
}

/** What the remote once had of work, and what it told a worker that it has, is there for good. */
async function lostCommits(
  world: World,
  transactions: readonly Transaction[],
  said: readonly Said[],
): Promise<string[]> {
  const kept = new Set((await world.git("rev-list", "--all")).split("\n"));
  const had = transactions.flatMap(({ moves }) =>
    moves.flatMap(({ ref, to }) =>
      /^(head$|submissions\/|sessions\/)/.test(partOf(ref)?.part ?? "") && to !== none ? [to] : [],
    ),
  );
  const told = said.flatMap(({ what, commit }) =>
    what === "pushed" || what === "taken" ? [commit ?? ""] : [],
  );
  return [...new Set([...had, ...told])]
    .filter((commit) => !kept.has(commit))
    .map((commit) => `a commit is lost: ${commit}`);
}

type Session = { worker: string; issue: string; fromMs: number; toMs: number };

/** Two sessions of an issue at the same time, none of whose machines was stopped: one that sleeps cannot end its own. */
function overlaps(said: readonly Said[]): string[] {
  const sessions = sessionsIn(said);
  const asleep = sleepsIn(said);
  const wrong: string[] = [];
  for (const [at, one] of sessions.entries())
    for (const other of sessions.slice(at + 1)) {
      const [fromMs, toMs] = [Math.max(one.fromMs, other.fromMs), Math.min(one.toMs, other.toMs)];
      if (one.issue !== other.issue || one.worker === other.worker || toMs - fromMs < 50) continue;
      const slept = asleep.some(
        (sleep) =>
          [one.worker, other.worker].includes(sleep.worker) &&
          sleep.fromMs < toMs &&
          sleep.toMs + wakeMs > fromMs,
      );
      if (slept) continue;
      wrong.push(
        `${one.issue}: sessions of ${one.worker} and ${other.worker} overlap from ${fromMs} to ${toMs} ms`,
      );
    }
  return wrong;
}

/** As long as a machine that wakes up needs to stop its session. */
const wakeMs = 2_000;

function sessionsIn(said: readonly Said[]): Session[] {
  return said.flatMap(({ what, worker, issue = "", atMs }, at) => {
    if (what !== "start") return [];
    const end = said
      .slice(at + 1)
      .find(
        (one) =>
          one.worker === worker && (one.what === "killed" || (one.what === "end" && one.issue === issue)),
      );
    return [{ worker, issue, fromMs: atMs, toMs: end?.atMs ?? Infinity }];
  });
}

function sleepsIn(said: readonly Said[]): { worker: string; fromMs: number; toMs: number }[] {
  return said.flatMap(({ what, worker, atMs }, at) => {
    if (what !== "stopped") return [];
    const end = said.slice(at + 1).find((one) => one.worker === worker && one.what === "woken");
    return [{ worker, fromMs: atMs, toMs: end?.atMs ?? Infinity }];
  });
}
