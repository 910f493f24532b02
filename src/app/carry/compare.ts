/** Compares a relay here with what a remote has of it, by way of what this clone last saw there. */
import { movingNames, sideOf, sideOfAll } from "../../core/carry/sides.ts";
import type { Side } from "../../core/carry/sides.ts";
import type { Fork, Tip } from "../../core/carry/outcome.ts";
import type { Git } from "../../git/git.ts";
import { refs } from "../../git/refs.ts";
import { commitOf, commitsBetween, isAncestor, mergeBase, moveRefs } from "../../git/repository.ts";
import { commitsBelow, textsIn } from "./own.ts";
import type { Carrier, Commits } from "./own.ts";

export type Compared = { own: Commits; seen: Commits; there: Commits; head: Side; journal: Side; all: Side };

/** `there`: the remote's refs by their names below the relay's id. Its objects may not be here. */
export async function compareSides(
  { here, remote, settings }: Carrier,
  issue: string,
  { own, there: all }: { own: Commits; there: Commits },
): Promise<Compared> {
  const { git } = here.repository;
  // What is not carried is none of this clone's business, and must not count as seen.
  const leftOut: readonly string[] = movingNames.filter(
    (name) => name !== "head" && !settings.carry.includes(name),
  );
  const there = new Map([...all].filter(([name]) => !leftOut.includes(name)));
  const seen = await commitsBelow(git, refs.seen(issue, remote.name));
  const side = async (name: "head" | "journal"): Promise<Side> => {
    const three = { here: own.get(name), seen: seen.get(name), there: there.get(name) };
    if (!three.here || !three.there || three.here === three.there) return sideOf(three);
    if (await contains(git, name, { newer: three.here, older: three.there })) return sideOf(three, "here");
    const isOlder = await contains(git, name, { newer: three.there, older: three.here });
    return sideOf(three, isOlder ? "there" : undefined);
  };
  const head = await side("head");
  const journal = settings.carry.includes("journal") ? await side("journal") : "same";
  return { own, seen, there, head, journal, all: sideOfAll([head, journal]) };
}

/** Whether nothing of `older` is lost with `newer`; not, if one of them is not here. */
export async function contains(
  git: Git,
  name: string,
  { newer, older }: { newer: string; older: string },
): Promise<boolean> {
  if (newer === older) return true;
  if (!(await commitOf(git, newer)) || !(await commitOf(git, older))) return false;
  if (name === "head") return isAncestor(git, older, newer);
  const texts = [await textsIn(git, newer), await textsIn(git, older)].map((parts) => parts.join(""));
  return texts[0]!.startsWith(texts[1]!);
}

/** The names and commits of `older` that `newer` replaces by what does not contain them. */
export async function replacedIn(
  git: Git,
  { newer, older }: { newer: Commits; older: Commits },
): Promise<{ name: string; commit: string }[]> {
  const replaced: { name: string; commit: string }[] = [];
  for (const name of movingNames) {
    const [to, commit] = [newer.get(name), older.get(name)];
    if (!to || !commit || (await contains(git, name, { newer: to, older: commit }))) continue;
    replaced.push({ name, commit });
  }
  return replaced;
}

/** Remembers what the remote has of the moving refs, unless another push or pull just did. */
export async function remember(
  { here, remote }: Carrier,
  issue: string,
  { seen, now }: { seen: Commits; now: Commits },
): Promise<void> {
  const moves = seenMoves(refs.seen(issue, remote.name), { seen, now });
  if (moves.length > 0) await moveRefs(here.repository.git, moves);
}

/** The moves of the refs that remember the remote's. */
export function seenMoves(
  folder: string,
  { seen, now }: { seen: Commits; now: Commits },
): { ref: string; to: string; expected: string }[] {
  return movingNames.flatMap((name) => {
    const to = now.get(name);
    const expected = seen.get(name) ?? "";
    return to === undefined || to === expected ? [] : [{ ref: `${folder}/${name}`, to, expected }];
  });
}

export async function forkOf(git: Git, { here, there }: { here: string; there: string }): Promise<Fork> {
  const from = await mergeBase(git, here, there);
  const tip = async (commit: string): Promise<Tip> => {
    const [by = "", at = ""] = (await git(["log", "-1", "--format=%an%x00%at", commit])).trim().split("\0");
    const commits = from === undefined ? 0 : await commitsBetween(git, from, commit);
    return { commit, commits, by, atMs: Number(at) * 1_000 };
  };
  return { from, here: await tip(here), there: await tip(there) };
}
