/** Marks claims of a handoff that a failing check contradicts, so that the next session does not believe them. */
import { claimsToPass, pathsIn } from "./lint.ts";
import type { HandoffItem } from "./handoff.ts";
import { sentences } from "../language/handoff-words.ts";
import type { Language } from "../language/handoff-words.ts";

export type FailedCheck = { command: string; tail: string };

/**
 * `done` with a mark at each item that a failing check contradicts: an item that names the check, that says that tests pass, or
 * that is about a file in the check's output. If the session called all its work `finished` and no item can be singled out, every
 * item is marked.
 */
export function markContradicted(
  done: readonly HandoffItem[],
  { failed, finished, language }: { failed: readonly FailedCheck[]; finished: boolean; language: Language },
): HandoffItem[] {
  const against = done.map((item) => failed.find((check) => contradicts(check, item.text)));
  const any = against.every((check) => check === undefined) && finished ? failed[0] : undefined;
  return done.map((item, index) => {
    const check = against[index] ?? any;
    return check ? { ...item, text: marked(item.text, sentences.claimed[language](check.command)) } : item;
  });
}

function contradicts({ command, tail }: FailedCheck, claim: string): boolean {
  return claim.includes(command) || claimsToPass(claim) || pathsIn(claim).some((path) => tail.includes(path));
}

function marked(text: string, mark: string): string {
  return text.endsWith(mark) ? text : `${text} ${mark}`;
}
