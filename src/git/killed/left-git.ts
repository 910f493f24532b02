/** Finds a git that outlived a killed runner, by the commit that it lands. Only Linux shows it. */
import { readFileSync, readdirSync } from "node:fs";
import { attempt } from "../../core/error/attempt.ts";

const verbs = ["merge", "update-ref", "read-tree"];

/** The processes that move a branch or a checkout to or from `commit`. */
export function gitsLanding(commit: string): number[] {
  const pids = attempt(() => readdirSync("/proc"), []).filter((name) => /^\d+$/.test(name));
  const wordsOf = (pid: string): string[] =>
    attempt(() => readFileSync(`/proc/${pid}/cmdline`, "utf8"), "").split("\0");
  const isLanding = (argv: string[]): boolean =>
    argv.includes(commit) && verbs.some((verb) => argv.includes(verb));
  // Checks the process's name first: reading its command line can block for ever.
  const isGit = (pid: string): boolean =>
    attempt(() => readFileSync(`/proc/${pid}/comm`, "utf8"), "").startsWith("git");
  return pids.filter((pid) => isGit(pid) && isLanding(wordsOf(pid))).map(Number);
}
