/** Pushes what a relay is to a remote: all of it or nothing, after a scan for secrets, and only onto what this clone has seen there. */
import { aliasOf, isGivenOnce, movingNames } from "../../core/carry/sides.ts";
import type { Outcome, Words } from "../../core/carry/outcome.ts";
import { pushMoves } from "../../git/carry/remote.ts";
import type { Move } from "../../git/carry/remote.ts";
import { tryRunnerLock } from "../runner-lock.ts";
import { placesFor } from "../here.ts";
import { compareSides, contains, remember } from "./compare.ts";
import type { Compared } from "./compare.ts";
import { ownCommits } from "./own.ts";
import type { Carrier, Commits, Locked } from "./own.ts";
import { secretsLeaving } from "./scan.ts";

/** `listed` are all refs of the remote, `allowed` the objects that hold no secret whatever the scan says. */
export type PushOf = {
  listed: ReadonlyMap<string, string>;
  allowed: readonly string[];
  /** Without it, the lock is tried: a journal that somebody else writes is pushed as last copied. */
  locked?: Locked;
  /** Moves of other refs, in the same push: it happens even if no ref of the relay moves. */
  also?: readonly Move[];
};

/** A relay that runs is pushed, too: with what its last session left. */
export async function pushRelay(carrier: Carrier, issue: string, of: PushOf): Promise<Outcome> {
  const { here, prefix, remote } = carrier;
  const { git } = here.repository;
  const { locked: held, also = [] } = of;
  const own = held
    ? await ownCommits(carrier, issue, held)
    : await withLock(carrier, issue, (locked) => ownCommits(carrier, issue, locked));
  const head = own.get("head") ?? "";
  if (head === "" && also.length === 0) return { is: "absent" };
  const listed = below(of.listed, `${prefix}/${issue}/`);
  const compared = await compareSides(carrier, issue, { own, there: listed });
  const { seen, there } = compared;
  if (hasUnseen(compared, also.length > 0)) return { is: "moved" };
  const moves = [...(await movesOf(carrier, issue, compared)), ...also];
  const now = new Map([...there, ...movingNames.flatMap((name) => pair(name, own.get(name)))]);
  if (moves.length === 0) {
    await remember(carrier, issue, { seen, now });
    return { is: "up_to_date", commit: head };
  }
  const tips = [...new Set(moves.map(({ to }) => to))].filter((to) => to !== "");
  const wordsOf = (commit: string): Words | undefined =>
    (["handoffs", "journal"] as const).find((name) => own.get(name) === commit);
  const found = await secretsLeaving(git, {
    tips,
    held: [...of.listed.values()],
    allowed: of.allowed,
    wordsOf,
  });
  if (found.length > 0) return { is: "secrets", found };
  const pushed = await pushMoves(remote, moves);
  if (pushed.is === "moved") return { is: "moved" };
  if (pushed.is !== "taken") return pushed;
  await remember(carrier, issue, { seen, now });
  return { is: "pushed", commit: head, refs: moves.length };
}

/** Whether the remote went on. Its lease, which `also` moves, says that nobody did since this clone last looked: a head that was taken back is this clone's own. */
function hasUnseen({ all, head, journal, seen, there }: Compared, isHeld: boolean): boolean {
  if (!isHeld) return all === "there" || all === "both";
  return Object.entries({ head, journal }).some(
    ([name, side]) => (side === "there" || side === "both") && there.get(name) !== seen.get(name),
  );
}

const pair = (name: string, commit: string | undefined): [string, string][] =>
  commit === undefined ? [] : [[name, commit]];

/** The refs below a folder, by the rest of their names. */
export function below(listed: ReadonlyMap<string, string>, folder: string): Commits {
  const inside = [...listed].filter(([ref]) => ref.startsWith(folder));
  return new Map(inside.map(([ref, commit]) => [ref.slice(folder.length), commit]));
}

async function withLock<T>(
  { here }: Carrier,
  issue: string,
  act: (locked: boolean) => Promise<T>,
): Promise<T> {
  const lock = tryRunnerLock(placesFor(here, issue).runnerLock);
  try {
    return await act(lock !== undefined);
  } finally {
    lock?.release();
  }
}

async function movesOf(
  { here, prefix, settings }: Carrier,
  issue: string,
  { own, seen, there }: Compared,
): Promise<Move[]> {
  const moves: Move[] = [];
  const move = (name: string, from: string, to: string): void =>
    void moves.push({ ref: `${prefix}/${issue}/${name}`, from, to });
  for (const name of movingNames) {
    const [to, from] = [own.get(name), there.get(name)];
    // Handoffs that this clone has not seen stay until they are pulled.
    if (!to || to === from || (name === "handoffs" && from && from !== seen.get(name))) continue;
    move(name, from ?? "", to);
    const kept = from && aliasOf(`earlier/${name}`, from);
    // What is replaced by something that does not contain it gets a name of its own.
    if (kept && !there.has(kept) && !(await contains(here.repository.git, name, { newer: to, older: from })))
      move(kept, "", from);
  }
  for (const [name, commit] of own) {
    if (!isGivenOnce(name, settings.carry) || there.get(name) === commit) continue;
    const free = there.has(name) ? aliasOf(name, commit) : name;
    if (!there.has(free)) move(free, "", commit);
  }
  return moves;
}
