/** The end of a command, for the trial: its exit status, what it lacked, and the end of its output. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { stripVTControlCharacters } from "node:util";
import type { CheckResult } from "../../core/review/check-result.ts";
import type { NoRun, TreeRun } from "../../core/trial/due.ts";
import { failsByAbsence, ranNothing } from "../../core/trial/output.ts";
import type { Relay } from "../relay.ts";

export function endedOf(
  relay: Relay,
  result: CheckResult,
  { outOfTime }: { outOfTime: boolean },
): TreeRun | NoRun {
  const output = outputOf(relay, result);
  const { exitCode } = result;
  // A check that exceeds its own time limit has failed.
  if (exitCode === null) return outOfTime ? "time" : { exitCode: 124, output: output.slice(-outputCharsMax) };
  if (exitCode === 0) return { exitCode, ...(ranNothing(result.command, output) && { nothing: true }) };
  const missing = failsByAbsence(exitCode, output);
  return { exitCode, ...(missing && { missing }), output: output.slice(-outputCharsMax) };
}

export const outputCharsMax = 4_000;

/** A command's output, without colours and the line that names the command. */
export function outputOf(relay: Relay, { command, log }: CheckResult): string {
  const text = stripVTControlCharacters(readFileSync(join(relay.places.relay, log), "utf8"));
  const head = `$ ${command}\n`;
  return text.startsWith(head) ? text.slice(head.length) : text;
}
