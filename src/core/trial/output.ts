/** Reads the output of a run: whether something was missing, whether any test ran, and figures. */

/** The figures of three runs on each side: the last number of each output, else its duration in ms. */
export type Figures = { branch: readonly number[]; base: readonly number[] };

/** The last number of an output, also `1,234.5`; undefined if it has none. */
export function lastNumber(output: string): number | undefined {
  const last = [...output.matchAll(/(?<![\w.])-?\d{1,3}(?:,\d{3})+(?:\.\d+)?|(?<![\w.])-?\d+(?:\.\d+)?/g)].at(
    -1,
  )?.[0];
  return last === undefined ? undefined : Number(last.replaceAll(",", ""));
}

/** Messages of compilers, interpreters and shells about a missing thing. */
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

/** Messages about undefined names in code: whatever files are next to it, the code itself is at fault. */
const namesAbsent =
  /has no attribute|object has no member|is not a function|is not a constructor|is not defined|NameError|NoMethodError/;

/**
 * The missing thing behind a failure: the line that reports it, or the fact that it is a name; undefined if nothing is missing. Two runs
 * lack the same thing if this is equal.
 */
export function lackedBy(exitCode: number | null, output: string): string | undefined {
  if (!failsByAbsence(exitCode, output)) return undefined;
  const lines = output.split("\n");
  const absence = lines.find((line) => absences.some((pattern) => pattern.test(line)));
  if (lines.some((line) => namesAbsent.test(line))) return "a name";
  return (absence ?? `exit status ${exitCode}`).trim().slice(0, lacksCharsMax);
}

/** Length at which such a line is cut. */
const lacksCharsMax = 300;

/** Whether the command failed because something does not exist. Shells exit with 127 or 126 if they cannot find or run a program. */
export function failsByAbsence(exitCode: number | null, output: string): boolean {
  if (exitCode === 0 || exitCode === null) return false;
  return exitCode === 127 || exitCode === 126 || absences.some((pattern) => pattern.test(output));
}

/** Messages of test runners whose filter matched nothing, though they are green. */
const nothingRan =
  /^(?:# |\u2139 )tests 0$|^Ran 0 tests\b|\bno tests? (?:ran|found|to run|files? found)\b|\bcollected 0 items\b|^\s*0 passing\b|\bTests:?\s+0 total\b|^1\.\.0$/im;

/** The line in which Node lists a file without matching tests as if the file were a test. */
const testLine =
  /^[\u2714\u2139] (?!tests |suites |pass |fail |cancelled |skipped |todo |duration_ms )(.*)$/gm;

export function ranNothing(command: string, output: string): boolean {
  if (nothingRan.test(output)) return true;
  if (!/--test-name-pattern|--test-only/.test(command)) return false;
  const tests = [...output.matchAll(testLine)].map(([, name = ""]) => name);
  return tests.length > 0 && tests.every((name) => /^\S+\.[cm]?[jt]sx?(?: \(|$)/.test(name));
}

/** The names in a text, by the rules of most languages. */
export const namesIn = (text: string): string[] => text.match(/[\p{L}_$][\p{L}\p{N}_$]*/gu) ?? [];

/** Messages of loaders, compilers and interpreters about an unknown name; a program's complaints about its arguments do not count. */
const unloaded: readonly RegExp[] = [
  /cannot find (?:module|package|name|function|value|type|macro|symbol|crate)|cannot import name/i,
  /does not provide an export named|has no exported member|is not exported by|ERR_PACKAGE_PATH_NOT_EXPORTED/,
  /No module named|has no attribute|object has no member|is not a function|is not a constructor|is not defined/,
  /undefined: \w|undefined reference|undefined (?:local variable or )?(?:method|variable|symbol)|uninitialized constant/,
  /Property '\w+' does not exist on type|^\s*symbol:\s/,
  /unresolved import|use of undeclared|no required module provides package|package \S+ is not in (?:std|GOROOT)/,
  /: not found$|command not found$|: No such file or directory$|can't open \S+|cannot load such file/m,
];

/** Messages of a failed assertion: a test ran, and got another value than it expected. */
const asserted =
  /assert(?:ion)?[\s_]?(?:error|fail)|ERR_ASSERTION|^E\s+assert\b|\bexpected\b|\bnot ok\b.*\bgot\b/im;

/** Whether an output reports one of the names that are gone, and no failed assertion. */
export function lacksOnly(output: string, gone: ReadonlySet<string>): boolean {
  const lacks = output.split("\n").filter((line) => unloaded.some((pattern) => pattern.test(line)));
  return !asserted.test(output) && lacks.some((line) => namesIn(line).some((word) => gone.has(word)));
}
