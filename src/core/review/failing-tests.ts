/** Reads the output of a check that failed: the names of failing tests, and the last line. */
import { plainLine } from "../text/sanitize.ts";
import { colours } from "../error/error-signature.ts";

/** More names than this are a wreck, which no list of names describes. */
const namesMax = 200;
const nameCharsMax = 200;
const outputCharsMax = 1_000_000;

/** Lines with the name of a failing test, by runner. */
const lines: readonly RegExp[] = [
  // pytest; unittest, jest, vitest, go's packages and many scripts
  /^(?:FAILED|ERROR) (\S+(?:::.+?)?)(?: - .*)?$/,
  /^\s*(?:FAIL|ERROR)(?:: |\s+)(\S.*?)$/,
  // go; cargo; deno; gradle; swift
  /^\s*--- FAIL: (\S+)/,
  /^test (.+) \.\.\. FAILED$/,
  /^(\S.*) \.\.\. FAILED(?: \(.*\))?$/,
  /^(\S.* > .+) FAILED$/,
  /^Test Case '(.+)' failed/,
  // TAP: a test that is to do, or skipped, is not failing
  /^\s*not ok \d+(?: -)? (?!.*# (?:TODO|SKIP))(.+)$/i,
  // node's spec reporter; vitest; jest; ava
  /^\s*✖ (.+ \([\d.]+m?s\))$/,
  /^\s*[×✗✕] (.+)$/,
  /^\s*● (.+ › .+)$/,
  /^\s*✘ \[fail\]: (.+)$/,
  // maven; dotnet; ctest; rspec; minitest; PHPUnit
  /^\[ERROR\]\s+([\w.$]+\.\w+)(?::\d+|\s+Time)/,
  /^\s*Failed (\S.*?) \[[<\d]/,
  /^\s*\d+ - (\S+) \((?:Failed|Timeout|SEGFAULT|Subprocess aborted)\)/,
  /^rspec \S+ # (.+)$/,
  /^(\w+#test_\w+)(?: \[|:$)/,
  /^\d+\) (\S+::\S+)/,
];

/** Numbered failures of mocha and ExUnit; other programs number other things. */
const numbered = /^\s+\d+\) (.+?):?$/;
const numbers = /^\s*\d+ (?:failing$|tests?, \d+ failures?)/m;

/** Times differ between runs. */
const duration = /\s*\(?\b\d+(?:\.\d+)?\s?m?s\b\)?\s*$/;

/** The names of the failing tests, sorted; undefined if none can be read, or more than can be compared. */
export function failingTests(output: string): string[] | undefined {
  const text = output.slice(-outputCharsMax).replace(colours, "");
  const patterns = numbers.test(text) ? [...lines, numbered] : lines;
  const names = new Set<string>();
  for (const line of text.split("\n")) {
    const name = nameIn(line.trimEnd(), patterns);
    if (name !== undefined) names.add(name);
  }
  return names.size === 0 || names.size > namesMax ? undefined : [...names].toSorted();
}

/** What package managers print after the reason of a failure: that a command failed, and advice. */
const asides: readonly RegExp[] = [
  // npm; pnpm; yarn; bun; pip
  /^(?:npm (?:error|ERR!)|ELIFECYCLE|error Command failed|\[notice\])/,
  /^(?:WARN |ERR_PNPM_RECURSIVE_RUN_FIRST_FAIL|Exit status \d+$|➤ YN0000: )/,
  /^error: (?:script ".+"|\w+ script from ".+") exited with/,
  /^(?:error: [a-z]+(?:-[a-z]+)+$|× .* did not run successfully|× Encountered error|│ exit code|╰─> |\[end of output\])/,
  // poetry; composer; bundler
  /^- (?:not (?:supporting|specifying) PEP 517|the build requirements are )/,
  /^(?:Installation failed, (?:reverting|deleting)|Alternatively, you can run Composer|[a-z:-]+ \[-)/,
  /^Make sure that `gem install/,
  // cargo; make; gradle; maven
  /^(?:As a reminder, you're using|error: test failed, to rerun|location searched: |required by package )/,
  /^make(?:\[\d+\])?: (?:Leaving directory|Target .* not remade|\*\*\* \[.*\] Error \d+)/,
  /^(?:BUILD FAILED in |\d+ actionable tasks?: |Deprecated Gradle features )/,
  /^\[ERROR\](?:$| (?:\[Help \d+\] http|Re-run Maven|To see the full|For more information|After correcting|mvn <args>))/,
  // node's stack
  /^(?:at .*:\d+:\d+\)?$|Node\.js v\d)/,
  /^(?:info Visit |\W*(?:note|hint|help|tip|warning): )/i,
  /^\W*(?:Usage: |For (?:help|more)|Run ['"`]|Learn more|Get more help|Did you mean|Note that|To (?:see|enable) |Use the option|Read (?:<|more )|You can (?:also|use|verify) )/,
];

/** Blocks of advice, to the next empty line: of gradle, and of bundler. */
const adviceBlocks = /^(?:\* Try|In Gemfile):\n(?:.+\n?)*/gm;

const ofNpm = /^npm (?:error|ERR!) ?/;

/** The last line of an output that is not an aside of a package manager; of npm's own failure, its first sentence. */
export function lastLine(output: string): string {
  const own = output
    .slice(-20_000)
    .replace(colours, "")
    .replace(adviceBlocks, "")
    .split("\n")
    .map((line) => plainLine(line))
    .filter((line) => line !== "");
  const npm = own.filter((line) => ofNpm.test(line)).map((line) => line.replace(ofNpm, ""));
  const sentence = npm.find((line) => line !== "" && !/^(?:code|errno|syscall|path|dest)\b/.test(line));
  return own.findLast((line) => !asides.some((one) => one.test(line))) ?? sentence ?? own.at(-1) ?? "";
}

function nameIn(line: string, patterns: readonly RegExp[]): string | undefined {
  for (const pattern of patterns) {
    const name = pattern.exec(line)?.[1]?.replace(duration, "").trim();
    if (name) return name.slice(0, nameCharsMax);
  }
  return undefined;
}
