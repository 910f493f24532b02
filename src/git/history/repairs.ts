/** Asks git for the commits that may say of an earlier one that it was wrong. */
import type { BaseCommit } from "../../core/report/escapes.ts";
import type { Git } from "../git.ts";
import { commitOf } from "../repository.ts";

/** The commits of a branch since a time whose message may revert or repair another, the newest first; none of a branch that is gone. */
export async function repairsSince(git: Git, base: string, sinceMs: number): Promise<BaseCommit[]> {
  const tip = await commitOf(git, `refs/heads/${base}`);
  if (tip === undefined) return [];
  const found = await git([
    ..."log --topo-order --extended-regexp --regexp-ignore-case".split(" "),
    "--format=%x00%H %ct%n%B",
    `--since=${new Date(sinceMs).toISOString()}`,
    "--grep=This reverts commit [0-9a-f]{7}",
    "--grep=^Fixes: [0-9a-f]{8}",
    "--grep=^fix(\\([^()]*\\))?!?: ",
    tip,
    "--",
  ]);
  return found.split("\0").flatMap((part) => {
    const end = part.indexOf("\n");
    const [commit = "", seconds] = part.slice(0, end).split(" ");
    return commit === ""
      ? []
      : [{ commit, base, atMs: Number(seconds) * 1000, message: part.slice(end + 1) }];
  });
}
