/** What a piece of evidence is worth: whether it tells the submission from the base. */
import type { Margin } from "../issue/criterion-kind.ts";
import { isRun } from "../trial/due.ts";
import type { Ended } from "../trial/due.ts";
import type { Figures } from "../trial/output.ts";

/**
 * `shown`: it ends otherwise on the base, or without the work, or lies in lines that the diff adds. `shown_by_absence`: it fails
 * on the base because something does not exist there. `as_before`: it ends the same on both. `measured`: the contract's margin
 * lies between both. `hollow`: it could not have come out otherwise. `unseen`: it did not end in time, or the base could not run it.
 */
export const worths = ["shown", "shown_by_absence", "as_before", "measured", "hollow", "unseen"] as const;
export type Worth = (typeof worths)[number];

/** What a command tells of the work, as the journal holds it. `differs`: it ends otherwise without the work. `words` is of older journals. */
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

/** What a command is worth that ended on the submission with `exitCode`. */
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

function median(figures: readonly number[]): number {
  const sorted = figures.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}

/** A command with a fixed status, or that ends as an `echo` does. */
const constant =
  /^\s*(?:true|:|exit 0|(?:echo|printf)\b[^|&;]*)\s*;?\s*$|(?:\|\||;)\s*(?:true|:|exit 0|echo\b[^|&;]*)\s*$/;

/** A pipe ends as its last command does: these always succeed. */
const pipesAway = /\|\s*(?:tail|head|cat|tee|sort|wc|less|sed|awk)\b[^|&;]*$/;

export function isConstant(command: string): boolean {
  return constant.test(command) || (pipesAway.test(command) && !/pipefail/.test(command));
}

/** The programs that only read text or ask git. */
const readers =
  /^(?:[ef]?grep|rg|ag|cat|head|tail|less|ls|find|wc|diff|cmp|test|\[{1,2}|stat|file|git|sed|awk|sort|cut|tr|jq|true|false|:|echo|printf|cd|exit|set)$/;

/** Whether every part of a command is of a program that only reads: for kinds that are written in the contract. */
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
