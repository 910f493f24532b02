/** Asks git for the commits that may say of an earlier one that it was wrong. */
import type { BaseCommit } from "../../core/report/escapes.ts";
import type { Git } from "../git.ts";
import { commitsOf } from "../repository.ts";

/** The commits of branches since a time whose message may revert or repair another; branches that are gone are left out. */
export async function repairsSince(
  git: Git,
  branches: readonly string[],
  sinceMs: number,
): Promise<BaseCommit[]> {
  const tips = (
    await commitsOf(
      git,
      branches.map((branch) => `refs/heads/${branch}`),
    )
  ).flatMap((tip) => tip ?? []);
  if (tips.length === 0) return [];
  const found = await git([
    ..."log --extended-regexp --regexp-ignore-case".split(" "),
    "--format=%x00%H %ct%n%B",
    `--since=${new Date(sinceMs).toISOString()}`,
    "--grep=This reverts commit [0-9a-f]{7}",
    "--grep=^Fixes: [0-9a-f]{8}",
    "--grep=^fix(\\([^()]*\\))?!?: ",
    ...tips,
    "--",
  ]);
  return found.split("\0").flatMap((part) => {
    const end = part.indexOf("\n");
    const [commit = "", seconds] = part.slice(0, end).split(" ");
    return commit === "" ? [] : [{ commit, atMs: Number(seconds) * 1000, message: part.slice(end + 1) }];
  });
}
