/** One line for each of the last commits of a branch. */
import type { Git } from "./git.ts";

/** The number of commits in a prompt or handoff; the agent can ask git for more. */
const commitLinesMax = 10;

/** The short hash and subject of the last commits from `start` to its descendant `head`. */
export async function logOf(git: Git, start: string, head: string): Promise<string[]> {
  if (start === head) return [];
  const log = await git(["log", "--format=%h %s", `--max-count=${commitLinesMax}`, `${start}..${head}`]);
  return log.split("\n").filter(Boolean);
}
