/** What a piece of evidence is worth: whether it tells the submission from the base. */
import type { Margin } from "../issue/criterion-kind.ts";
import { isRun } from "../trial/due.ts";
import type { Ended } from "../trial/due.ts";

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

/** What three runs have measured on each side: the last number that each printed, else its duration in ms. */
export type Figures = { branch: readonly number[]; base: readonly number[] };

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

/** The last number of an output, `1,234.5` too; undefined where it prints none. */
export function lastNumber(output: string): number | undefined {
  const last = [...output.matchAll(/(?<![\w.])-?\d{1,3}(?:,\d{3})+(?:\.\d+)?|(?<![\w.])-?\d+(?:\.\d+)?/g)].at(
    -1,
  )?.[0];
  return last === undefined ? undefined : Number(last.replaceAll(",", ""));
}

/** Outputs of a program that something is missing for, as compilers, interpreters and shells write them. */
const absences: readonly RegExp[] = [
  /cannot find (?:module|package|name|function|value|type|macro|symbol|crate)/i,
  /ERR_MODULE_NOT_FOUND|MODULE_NOT_FOUND|ERR_PACKAGE_PATH_NOT_EXPORTED|ENOENT/,
  /no such file or directory|no such (?:module|command|target|task)|does not exist/i,
  /does not provide an export named|has no exported member|is not exported by/,
  /ModuleNotFoundError|ImportError|NameError|NoMethodError|LoadError|UnknownCommand/,
  /has no attribute|object has no member|is not a function|is not a constructor|is not defined/,
  /command not found|: not found$|unknown (?:command|option|flag|subcommand)|unrecognized (?:arguments|option)/im,
  /undefined: \w|undefined reference|undefined (?:method|variable|symbol)|unresolved import|use of undeclared/,
  /missing script|no rule to make target|no test files? found|no tests? (?:found|ran)|file or directory not found/i,
  /no required module provides package|package \S+ is not in (?:std|GOROOT)|could not (?:find|resolve)/i,
];

/** Names that code uses and that are not there: whatever files stand next to it, the code that ran is at fault. */
const namesAbsent =
  /has no attribute|object has no member|is not a function|is not a constructor|is not defined|NameError|NoMethodError/;

/**
 * What it failed for want of: the line that says so, or that it is a name; undefined where nothing is wanting. Two runs lack the
 * same thing if this is the same.
 */
export function lackedBy(exitCode: number | null, output: string): string | undefined {
  if (!failsByAbsence(exitCode, output)) return undefined;
  const lines = output.split("\n");
  const told = lines.find((line) => absences.some((pattern) => pattern.test(line)));
  if (lines.some((line) => namesAbsent.test(line))) return "a name";
  return (told ?? `exit status ${exitCode}`).trim().slice(0, lacksCharsMax);
}

/** More of a line tells no more. */
const lacksCharsMax = 300;

/** Did it fail because something that it needs does not exist? 127 and 126 are a shell's for a program that it cannot find or run. */
export function failsByAbsence(exitCode: number | null, output: string): boolean {
  if (exitCode === 0 || exitCode === null) return false;
  return exitCode === 127 || exitCode === 126 || absences.some((pattern) => pattern.test(output));
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

/** Runners of tests whose filter has matched nothing, by what they print though they are green. */
const nothingRan =
  /^(?:# |\u2139 )tests 0$|^Ran 0 tests\b|\bno tests? (?:ran|found|to run|files? found)\b|\bcollected 0 items\b|^\s*0 passing\b|\bTests:?\s+0 total\b|^1\.\.0$/im;

/** Node names a file in which a filter has matched nothing as if it were a test. */
const named = /^[\u2714\u2139] (?!tests |suites |pass |fail |cancelled |skipped |todo |duration_ms )(.*)$/gm;

export function ranNothing(command: string, output: string): boolean {
  if (nothingRan.test(output)) return true;
  if (!/--test-name-pattern|--test-only/.test(command)) return false;
  const tests = [...output.matchAll(named)].map(([, name = ""]) => name);
  return tests.length > 0 && tests.every((name) => /^\S+\.[cm]?[jt]sx?(?: \(|$)/.test(name));
}
