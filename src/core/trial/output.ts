/** What the output of a run tells: that something was missing, that no test ran, a figure. */

/** What three runs have measured on each side: the last number that each printed, else its duration in ms. */
export type Figures = { branch: readonly number[]; base: readonly number[] };

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

/** Names in a text, as most languages write them. */
export const namesIn = (text: string): string[] => text.match(/[\p{L}_$][\p{L}\p{N}_$]*/gu) ?? [];

/** What a loader, a compiler or an interpreter says of a name that it cannot find. What a program says of its arguments is none of it. */
const unloaded: readonly RegExp[] = [
  /cannot find (?:module|package|name|function|value|type|macro|symbol|crate)|cannot import name/i,
  /does not provide an export named|has no exported member|is not exported by|ERR_PACKAGE_PATH_NOT_EXPORTED/,
  /No module named|has no attribute|object has no member|is not a function|is not a constructor|is not defined/,
  /undefined: \w|undefined reference|undefined (?:local variable or )?(?:method|variable|symbol)|uninitialized constant/,
  /Property '\w+' does not exist on type|^\s*symbol:\s/,
  /unresolved import|use of undeclared|no required module provides package|package \S+ is not in (?:std|GOROOT)/,
  /: not found$|command not found$|: No such file or directory$|can't open \S+|cannot load such file/m,
];

/** A test has run, and asked for something else than it got. */
const asserted =
  /assert(?:ion)?[\s_]?(?:error|fail)|ERR_ASSERTION|^E\s+assert\b|\bexpected\b|\bnot ok\b.*\bgot\b/im;

/** Whether an output complains of a name among those that are gone, and of no failed assertion. */
export function lacksOnly(output: string, gone: ReadonlySet<string>): boolean {
  const lacks = output.split("\n").filter((line) => unloaded.some((pattern) => pattern.test(line)));
  return !asserted.test(output) && lacks.some((line) => namesIn(line).some((word) => gone.has(word)));
}
