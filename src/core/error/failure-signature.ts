/** What a failing check prints, cut down to its failure: two runs of one failure have one signature, and two failures have two. */
import { colours, errorSignature, normalised } from "./error-signature.ts";

/** Of a log only the end is looked at, and of a thousand failures the first: a change among the rest is found when those are gone. */
const logChars = 64_000;
const linesMax = 200;
const signatureChars = 4_000;

/**
 * Two stages: of `output` only the lines that tell of a failure are kept, without stack frames, code that is quoted, and
 * summaries; then what differs from run to run is taken out of each. They are sorted: tests that run side by side end in any
 * order. Where no line tells, the end of the output counts.
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
  // Frames of a stack, and quoted code.
  /^\s*at\s|^\s*File ".*", line \d+|^goroutine |^\s+\d+: 0x|^\s*(?:[>|❯]\s*)?\d+\s*[|│]|^\s*\|/,
  // Figures of the whole run.
  /^\s*(?:Tests?|Test Files|Test Suites|Snapshots|Time|Start at|Duration|Failures|Errors)(?:\s*:)?\s+\d/i,
  /^\W*(?:Tests run:|Found \d+ errors?|test result:|\d+ problems?|\[INFO\]|⎯+)/i,
  /^[^\w=]*=+ .* in [\d.]+s/,
  /\b\d+ (?:passing|failing|passed|failed)\b.*\b(?:in|\d+ total|ignored)\b/i,
  /^(?:FAIL|ok)\s+\S+\s+[\d.]+s$/,
];

/** The time of day or the number of a line, in front. */
const clock =
  /^\s*(?:#?\d+\s+)?(?:\[?\d{4}-\d\d-\d\d[T ][\d:.,]+(?:Z|[+-]\d\d:?\d\d)?\]?|\[?\d\d:\d\d:\d\d(?:[.,]\d+)?\]?)\s*/;
const duration = /\(?\b\d+(?:\.\d+)?\s?(?:ms|s|sec|seconds?)\b\)?/g;
const path = /(?:(?<![\w.@~+-])|(?=[a-z]:))(?:file:\/\/)?(?:[a-z]:)?(?:[\w.@~+-]*[/\\])+[\w.@~+-]*/gi;

/**
 * A source file's name tells two failures apart, and so does the end of a test's name (`TestSuite/TestCase`); where a file
 * lies does not, nor what is made up for one run.
 */
function lastName(whole: string): string {
  const name = /[^/\\]*$/.exec(whole)?.[0] ?? "";
  if (/^[a-z_@][\w@-]*(?:\.[a-z][\w-]*)*\.[a-z]{1,5}$/i.test(name)) return name;
  return /^[a-z_]/i.test(whole) && /^[a-z_]+$/i.test(name) ? name : "<path>";
}
