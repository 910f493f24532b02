/** The last commits of a branch in a line each, read off them by a git that is kept. */
import { Recent } from "../core/text/recent.ts";
import type { Git } from "./git.ts";
import { remembered } from "./remembered.ts";

/** What a prompt and a handoff say of them: more is for the agent to ask. */
const commitLinesMax = 10;

/** The last commits from `start`, which `head` goes on from, to `head`: a hash as short as it may be, and the subject. */
export async function logOf(git: Git, start: string, head: string): Promise<string[]> {
  if (start === head) return [];
  return remembered("log", [start, head], async () => {
    const lines = await linesOf(git.ask, start, head);
    if (lines) return lines;
    const told = await git(["log", "--format=%h %s", `--max-count=${commitLinesMax}`, `${start}..${head}`]);
    return told.split("\n").filter(Boolean);
  });
}

type Commit = { parent: string; line: string };

/** Undefined if the history from `head` back to `start` is not linear, or if only `git log` can tell. */
async function linesOf(ask: Git["ask"], start: string, head: string): Promise<string[] | undefined> {
  const lines: string[] = [];
  for (let hash = head; hash !== start && lines.length < commitLinesMax;) {
    const commit = known.get(hash) ?? (await commitAt(ask, hash));
    if (!commit) return undefined;
    known.set(hash, commit, 1);
    lines.push(commit.line);
    hash = commit.parent;
  }
  return lines;
}

/** The last ones that were read: each log has all but one of the log before. */
const known = new Recent<Commit>(1_000);

async function commitAt(ask: Git["ask"], hash: string): Promise<Commit | undefined> {
  const answered = await ask?.("contents", hash);
  if (!answered || answered === "nothing" || answered.type !== "commit") return undefined;
  const text = answered.content.toString();
  const end = text.indexOf("\n\n");
  const header = end < 0 ? text : text.slice(0, end);
  const [parent, ...others] = [...header.matchAll(/^parent ([0-9a-f]+)$/gm)].map(([, hash]) => hash!);
  const short = await shortOf(ask, hash);
  // Of another encoding, git writes it anew.
  const isOdd = others.length > 0 || /^encoding /m.test(header) || text.includes("\0");
  if (parent === undefined || short === undefined || isOdd) return undefined;
  return { parent, line: `${short} ${end < 0 ? "" : subjectIn(text.slice(end + 2))}` };
}

/** As git has it: the lines before the first empty one, as one. */
function subjectIn(message: string): string {
  const lines = message.split("\n").map((line) => line.replace(/(?<![ \t\r])[ \t\r]+$/, ""));
  const from = lines.findIndex((line) => line !== "");
  const end = lines.indexOf("", from);
  return from < 0 ? "" : lines.slice(from, end < 0 ? lines.length : end).join(" ");
}

/** As git shortens a hash in a small repository: to seven digits, or more where others begin so. */
async function shortOf(ask: Git["ask"], hash: string): Promise<string | undefined> {
  for (let digits = 7; digits < hash.length; digits += 1) {
    const answered = await ask?.("info", hash.slice(0, digits));
    if (answered === undefined) return undefined;
    if (answered !== "nothing" && answered.hash === hash) return hash.slice(0, digits);
  }
  return hash;
}
