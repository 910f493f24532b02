/** Decides which of two clones has gone on with a relay, from what a ref is here, was when the remote was last seen, and is there. */
import type { carried } from "../settings/finish-schema.ts";

/** Undefined: there is no such ref. */
export type Three = { here: string | undefined; seen: string | undefined; there: string | undefined };

/** Which clone went on. */
export type Side = "same" | "here" | "there" | "both";

/** `contains`: the side whose commit contains the other one, if that is known. */
export function sideOf({ here, seen, there }: Three, contains?: "here" | "there"): Side {
  if (here === there) return "same";
  if (there === undefined) return "here";
  if (here === undefined) return "there";
  if (contains !== undefined) return contains;
  // A rewritten head contains nothing of the earlier one, so only the clone that rewrote it went on.
  if (there === seen) return "here";
  return here === seen ? "there" : "both";
}

/** The side of a relay, from those of its refs. */
export function sideOfAll(sides: readonly Side[]): Side {
  const [one = "same", ...others] = new Set(sides.filter((side) => side !== "same"));
  return others.length > 0 ? "both" : one;
}

/** The name under which a commit is kept where its own name is taken by another one. */
export function aliasOf(name: string, commit: string): string {
  return `${name}-${commit.slice(0, 12)}`;
}

/** What a relay's push or pull begins with: names below `refs/monoco/ID/` that move, and names that are given once. */
export const movingNames = ["head", "journal", "handoffs"] as const;

/** `wip`, the uncommitted work of sessions, goes in a remote run alone. */
export type Carried = (typeof carried)[number] | "wip";

/** Whether a name is carried that is given once: its commit is never replaced. */
export function isGivenOnce(name: string, carry: readonly Carried[]): boolean {
  const [, , of] = /^(submissions\/\d+|sessions\/\d+\/(head|wip))$/.exec(name) ?? [];
  if (of === undefined) return /^submissions\/\d+$/.test(name);
  return carry.includes(of === "wip" ? "wip" : "sessions");
}

/** The beginning of the refs' names on the remote. Branches of this name are in nobody's way: `monoco/ID` is a work branch's. */
export function prefixOf(namespace: string): string {
  return namespace === "heads" ? "refs/heads/monoco-relays" : namespace;
}

/** The ref of the notes on the remote. */
export function notesRefOf(namespace: string): string {
  const prefix = prefixOf(namespace);
  return prefix.startsWith("refs/heads/") ? `${prefix}/notes` : "refs/notes/monoco";
}
