/** The worth of a piece of evidence: whether it tells the submission from the base. */
import type { Margin } from "../issue/criterion-kind.ts";
import { isRun } from "../trial/due.ts";
import type { Ended } from "../trial/due.ts";
import type { Figures } from "../trial/output.ts";

/**
 * `shown`: ends differently on the base or without the work, or is in lines that the diff adds. `shown_by_absence`: fails
 * on the base because something does not exist there. `as_before`: ends the same on both. `measured`: both differ by the contract's
 * margin. `hollow`: could not end otherwise. `unseen`: did not end in time, or the base could not run it.
 */
export const worths = ["shown", "shown_by_absence", "as_before", "measured", "hollow", "unseen"] as const;
export type Worth = (typeof worths)[number];

/** What a command shows of the work, in the journal's values. `differs`: it ends differently without the work. `words` is from older journals. */
export const emptieds = [
  "differs",
  "same",
  "text",
  "unused",
  "elsewhere",
  "words",
  "data",
  "tests",
  "not_tried",
] as const;
export type Emptied = (typeof emptieds)[number];

/** The worth of a command that ended on the submission with `exitCode`. */
export function worthOfCommand(exitCode: number, base: Ended | undefined): Worth {
  if (base === undefined || !isRun(base)) return "unseen";
  if (base.exitCode === exitCode) return "as_before";
  return base.missing ? "shown_by_absence" : "shown";
}

export function keepsMargin({ percent, direction }: Margin, { branch, base }: Figures): boolean {
  const [now, then] = [median(branch), median(base)];
  if (then <= 0) return false;
  const changed = ((now - then) / then) * 100;
  return direction === "more" ? changed >= percent : -changed >= percent;
}

export function median(figures: readonly number[]): number {
  const sorted = figures.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}

/** Commands with a fixed exit status, or that end with an `echo`. */
const constant =
  /^\s*(?:true|:|exit 0|(?:echo|printf)\b[^|&;]*)\s*;?\s*$|(?:\|\||;)\s*(?:true|:|exit 0|echo\b[^|&;]*)\s*$/;

/** Pipes into a command that always succeeds: a pipe has the exit status of its last command. */
const pipesAway = /\|\s*(?:tail|head|cat|tee|sort|wc|less|sed|awk)\b[^|&;]*$/;

/** A pipe in there is not the command's own, unless a shell runs what is quoted. */
const substituted = /\$\([^()]*\)|`[^`]*`/g;
const quoted = /'[^']*'|"[^"]*"/g;

export function isConstant(command: string): boolean {
  if (constant.test(command)) return true;
  const outer = command.replaceAll(substituted, "x").replaceAll(substituted, "x");
  const own = /\b(?:\w*sh|eval)\b/.test(outer) ? outer : outer.replaceAll(quoted, "x");
  // An awk or sed program can set the exit status.
  return pipesAway.test(own) && !/pipefail|\bexit\b|\bq\d/.test(command);
}

/** Programs that only read text or ask git. */
const readers =
  /^(?:[ef]?grep|rg|ag|cat|head|tail|less|ls|find|wc|diff|cmp|test|\[{1,2}|stat|file|git|sed|awk|sort|cut|tr|jq|true|false|:|echo|printf|cd|exit|set)$/;

/** Whether all parts of a command only read; used for kinds that the contract states. */
export function readsOnly(command: string): boolean {
  const parts = command.replaceAll(/'[^']*'|"[^"]*"/g, "x").split(/&&|\|\||[;|\n]/);
  return parts.every((part) => {
    const [first = ""] = part
      .trim()
      .replace(/^(?:!\s+|\w+=\S*\s+)+/, "")
      .split(/\s+/);
    return first === "" || readers.test(first);
  });
}
