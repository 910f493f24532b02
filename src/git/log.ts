/** The last commits of a branch in a line each. */
import type { Git } from "./git.ts";

/** What a prompt and a handoff say of them: more is for the agent to ask. */
const commitLinesMax = 10;

/** The last commits from `start`, which `head` goes on from, to `head`: a hash as short as it may be, and the subject. */
export async function logOf(git: Git, start: string, head: string): Promise<string[]> {
  if (start === head) return [];
  const told = await git(["log", "--format=%h %s", `--max-count=${commitLinesMax}`, `${start}..${head}`]);
  return told.split("\n").filter(Boolean);
}
