/** What a piece of evidence is worth: whether it tells the submission from the base, and which criteria that supports. */
import type { CommandNature } from "./command-nature.ts";
import type { CriterionKind, Margin } from "../issue/criterion-kind.ts";

/**
 * `shown`: it ends otherwise on the base, or lies in lines that the diff adds. `shown_by_absence`: it fails on the base
 * because something does not exist there. `as_before`: it ends the same on both. `measured`: the contract's margin lies
 * between both. `hollow`: it could not have come out otherwise. `unseen`: it did not end in time, or the base could not run it.
 */
export const worths = ["shown", "shown_by_absence", "as_before", "measured", "hollow", "unseen"] as const;
export type Worth = (typeof worths)[number];

/**
 * How a command ends on the submission once all of its work is taken out, and its names, words and tests are left: what ends
 * the `same` has shown that something is there, and not that it works. `unused`: it does so while a new file is left that
 * nothing names. `words`: it ends otherwise where old words are put back in a comment. `data`: it does so while data, documents
 * and configuration are left. `tests`: it notices only that tests are taken out.
 */
export const emptieds = ["differs", "same", "unused", "words", "data", "tests", "not_tried"] as const;

/** What such evidence shows, a person decides. */
export const isForPerson = (emptied: Emptied | undefined): boolean =>
  emptied !== undefined && ["unused", "words", "data", "tests"].includes(emptied);

export type Emptied = (typeof emptieds)[number];

/** A command that has run on the submission or on the base. */
export type Ran = {
  /** null: it did not end in its time. */
  exitCode: number | null;
  /** It failed because something that it needs does not exist. */
  missing?: boolean;
  /** What that is, as far as two runs can be compared by it. */
  lacks?: string;
  /** What three runs have measured: the last number that each printed, else its duration in ms. */
  figures?: readonly number[];
};

/** What a command is worth that ended on the submission as its verdict says. */
export function worthOfCommand(of: {
  nature: CommandNature;
  branch: Ran;
  base: Ran | undefined;
  margin?: Margin | undefined;
}): Worth {
  const { nature, branch, base, margin } = of;
  if (nature === "constant") return "hollow";
  if (!base || base.exitCode === null || branch.exitCode === null) return "unseen";
  const bothEnded = branch.exitCode === 0 && base.exitCode === 0;
  const [now, before] = bothEnded ? [branch.figures, base.figures] : [];
  if (margin && now && before && keepsMargin(margin, now, before)) return "measured";
  if (base.exitCode === branch.exitCode) return "as_before";
  return base.missing ? "shown_by_absence" : "shown";
}

function keepsMargin(
  { percent, direction }: Margin,
  branch: readonly number[],
  base: readonly number[],
): boolean {
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

/** Evidence that supports nothing of a kind needs another of it. A status other than 0 needs the words of what was expected. */
export function supports(
  kind: CriterionKind,
  evidence: {
    worth: Worth;
    nature: CommandNature;
    exitCode?: number | undefined;
    text?: string | undefined;
    emptied?: Emptied | undefined;
  },
): boolean {
  const { worth, nature, exitCode, text, emptied } = evidence;
  const differs = worth === "shown" || worth === "shown_by_absence";
  switch (kind) {
    case "behaves":
      if (emptied === "same" || isForPerson(emptied)) return false;
      return differs && nature === "runs" && (exitCode === 0 || (text ?? "").trim() !== "");
    case "as_before":
      return (worth === "as_before" || worth === "shown") && nature === "runs" && exitCode === 0;
    case "document":
      return differs;
    case "measured":
      return worth === "measured";
  }
}

/** What a criterion of a kind needs, as a Reviewer is told it. */
export const needs: Readonly<Record<CriterionKind, string>> = {
  behaves: "name a command that runs the work and ends otherwise on the base",
  as_before: "name a command that runs the project and succeeds on the submission as on the base",
  document: "name a file and a line whose words the diff adds, or a command that ends otherwise on the base",
  measured: "name a command that prints the figure, and by which the margin in the contract holds",
};

const worthWords: Readonly<Record<Worth, string>> = {
  shown: "it ends otherwise on the base",
  shown_by_absence: "it fails on the base because something does not exist there",
  as_before: "it ends the same on the base",
  measured: "the margin holds",
  hollow: "it could not have come out otherwise",
  unseen: "it did not end in its time",
};

/** Why a piece of evidence does not support a criterion, in words that a Reviewer can act on. */
export function unsupported(
  kind: CriterionKind,
  { worth, nature, exitCode, text, emptied }: Parameters<typeof supports>[1],
): string {
  const differs = worth === "shown" || worth === "shown_by_absence";
  if (emptied === "same")
    return `it ends the same on the submission when all work is taken out of it, so it shows only that something is there`;
  if (differs && kind === "behaves" && nature !== "runs")
    return `it only reads text or git, which shows no behaviour`;
  if (differs && kind === "behaves" && exitCode !== 0 && !text?.trim())
    return `its exit status is ${exitCode}, and no text says that this was expected`;
  if (worth === "as_before" && kind === "as_before") {
    return nature === "runs" ? `it fails on both (exit status ${exitCode})` : `it only reads text or git`;
  }
  return worthWords[worth];
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
