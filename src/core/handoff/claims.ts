/** What a session says is done, compared with what fails: marked, so that its successor does not take it for true. */
import { claimsToPass, pathsIn } from "./lint.ts";
import type { HandoffItem } from "./handoff.ts";
import { words } from "../language/handoff-words.ts";
import type { Language } from "../language/handoff-words.ts";

export type FailedCheck = { command: string; tail: string };

/**
 * `done` with a mark at each item that a failing check contradicts: one that names the check, that says that the tests pass, or
 * that is about a file in the check's output. Where the whole work is said to be `finished` and no item can be told apart, any of
 * them may be untrue, and each is marked.
 */
export function markContradicted(
  done: readonly HandoffItem[],
  { failed, finished, language }: { failed: readonly FailedCheck[]; finished: boolean; language: Language },
): HandoffItem[] {
  const against = done.map((item) => failed.find((check) => contradicts(check, item.text)));
  const any = against.every((check) => check === undefined) && finished ? failed[0] : undefined;
  return done.map((item, index) => {
    const check = against[index] ?? any;
    return check ? { ...item, text: marked(item.text, words.claimed[language](check.command)) } : item;
  });
}

function contradicts({ command, tail }: FailedCheck, claim: string): boolean {
  return claim.includes(command) || claimsToPass(claim) || pathsIn(claim).some((path) => tail.includes(path));
}

function marked(text: string, mark: string): string {
  return text.endsWith(mark) ? text : `${text} ${mark}`;
}
