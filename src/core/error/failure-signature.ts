/** A normalised form of a failing check's output: two runs of one failure have the same signature, two failures have different ones. */
import { colours, errorSignature, normalised } from "./error-signature.ts";

/** Only the end of a log and its first thousand failures count; a change in any further failure shows once those are fixed. */
const logChars = 64_000;
const linesMax = 200;
const signatureChars = 4_000;

/**
 * The signature of `output`, in two stages: first only the lines that report a failure are kept, without stack frames, quoted code
 * and summaries; then the parts that vary between runs are removed. The lines are sorted, since parallel tests end in any
 * order. If no line reports a failure, the end of the output counts.
 */
export function failureSignature(output: string): string {
  const lines = output
    .slice(-logChars)
    .replace(colours, "")
    .split("\n")
    .filter((line) => telling.test(line) && !noise.some((pattern) => pattern.test(line)))
    .slice(0, linesMax)
    .map((line) => normalised(line.replace(clock, "").replace(duration, "").replace(path, lastName)))
    .filter((line) => /[a-z]/.test(line.replace(/<\w+>/g, "")));
  if (lines.length === 0) return errorSignature(output);
  return [...new Set(lines)].toSorted().join("\n").slice(0, signatureChars);
}

const telling =
  /error|fail|exception|panic|assert|expect|received|actual|unexpected|cannot|can't|could not|not found|undefined|unresolved|missing|denied|refused|timed? ?out|warning|left:|right:|problem|rule|[✗✘×✖●⨯]|^not ok|^E\s|^\s+\d+:\d+\s/i;

const noise = [
  // Stack frames and quoted code.
  /^\s*at\s|^\s*File ".*", line \d+|^goroutine |^\s+\d+: 0x|^\s*(?:[>|❯]\s*)?\d+\s*[|│]|^\s*\|/,
  // Totals of the whole run.
  /^\s*(?:Tests?|Test Files|Test Suites|Snapshots|Time|Start at|Duration|Failures|Errors)(?:\s*:)?\s+\d/i,
  /^\W*(?:Tests run:|Found \d+ errors?|test result:|\d+ problems?|\[INFO\]|⎯+)/i,
  /^[^\w=]*=+ .* in [\d.]+s/,
  /\b\d+ (?:passing|failing|passed|failed)\b.*\b(?:in|\d+ total|ignored)\b/i,
  /^(?:FAIL|ok)\s+\S+\s+[\d.]+s$/,
];

/** A time of day or a line number at the start of a line. */
const clock =
  /^\s*(?:#?\d+\s+)?(?:\[?\d{4}-\d\d-\d\d[T ][\d:.,]+(?:Z|[+-]\d\d:?\d\d)?\]?|\[?\d\d:\d\d:\d\d(?:[.,]\d+)?\]?)\s*/;
const duration = /\(?\b\d+(?:\.\d+)?\s?(?:ms|s|sec|seconds?)\b\)?/g;
const path = /(?:(?<![\w.@~+-])|(?=[a-z]:))(?:file:\/\/)?(?:[a-z]:)?(?:[\w.@~+-]*[/\\])+[\w.@~+-]*/gi;

/**
 * The last part of a path: a source file's name tells two failures apart, and so does the end of a test's name
 * (`TestSuite/TestCase`); the folder does not, nor do names made up for one run.
 */
function lastName(whole: string): string {
  const name = /[^/\\]*$/.exec(whole)?.[0] ?? "";
  if (/^[a-z_@][\w@-]*(?:\.[a-z][\w-]*)*\.[a-z]{1,5}$/i.test(name)) return name;
  return /^[a-z_]/i.test(whole) && /^[a-z_]+$/i.test(name) ? name : "<path>";
}
