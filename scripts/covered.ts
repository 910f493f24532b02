/**
 * Whether .ci/run has to run a suite as a whole: it does unless the files that the suite covers are those of its last green run.
 * `covered.ts due SUITE` says which and why, `covered.ts hash` prints what is covered, `covered.ts record FILE SUITE…` keeps what was printed.
 */
import { execFileSync } from "node:child_process";
import { existsSync, lstatSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { z } from "zod";

/** The patterns of git for the files that can break a suite's `full` rows. */
export const suites = {
  full: [
    "src",
    "roles",
    "templates",
    "schema",
    ":(glob)test/*.ts",
    "test/agents",
    "test/attacks",
    "test/commands",
    "test/fixtures",
    "test/git",
    "test/relay",
    "test/store",
    "test/support",
    "scripts/first-hour",
    "scripts/bundle.ts",
    "README.md",
    "docs/tutorial.md",
    "package.json",
    "package-lock.json",
    "vitest.config.ts",
  ],
  // The adapters, their port, what stands between the port and the journal, and all pinned versions.
  live: [
    "src/agents",
    "src/probe",
    ":(glob)src/**/hook.ts",
    ":(glob)src/core/**/{live,limit-phrases,message,outcome,price,proposal,reset-time,verdict-schema}.ts",
    ":(glob)src/relay/**/{author-session,collect,launch,last-words,recover,session,stream,watch}.ts",
    ":(glob)src/store/**/mailbox.ts",
    "test/live",
    "test/support",
    "scripts/agents.ts",
    "scripts/install-agents.ts",
    "package-lock.json",
    "vitest.live.config.ts",
  ].flatMap(eachOf),
};
export type Suite = keyof typeof suites;

/** Where the record is; it is committed. */
export const greenPath = ".ci/green.json";

/** A hash of each folder's files that are covered: their names, contents and whether they can be run. */
const folders = z.record(z.string(), z.string());
const hashes = z.object({ full: folders.optional(), live: folders.optional() });
type Hashes = z.infer<typeof hashes>;

export type Due = { all: boolean; because: string };

/** Whether all rows of the suite are due in the repository at `root`, where what is not committed counts. */
export function due(root: string, suite: Suite): Due {
  const green = read(join(root, greenPath))?.[suite];
  if (!green) return { all: true, because: `${greenPath} has no record of a green run` };
  const now = foldersOf(root, suite);
  const names = [...new Set([...Object.keys(green), ...Object.keys(now)])];
  const changed = names.filter((name) => green[name] !== now[name]).toSorted();
  return changed.length > 0
    ? { all: true, because: `changed since the last green run: ${changed.join(", ")}` }
    : { all: false, because: "nothing that it covers has changed since the last green run" };
}

export function hashesOf(root: string): Hashes {
  return { full: foldersOf(root, "full"), live: foldersOf(root, "live") };
}

/**
 * Keeps `before`, the hashes from before the run, of the suites that were green as a whole.
 * Returns those that are not kept: their files changed while they ran.
 */
export function record(root: string, before: Hashes, ran: readonly Suite[]): Suite[] {
  const unchanged = ran.filter((suite) => same(before[suite], foldersOf(root, suite)));
  const kept = Object.fromEntries(unchanged.map((suite) => [suite, before[suite]]));
  const path = join(root, greenPath);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, `${JSON.stringify({ ...read(path), ...kept }, null, 2)}\n`);
  return ran.filter((suite) => !unchanged.includes(suite));
}

/** A missing or broken record is none: then all rows are due. */
function read(path: string): Hashes | undefined {
  try {
    return hashes.parse(JSON.parse(readFileSync(path, "utf8")));
  } catch {
    return undefined;
  }
}

function same(one: Record<string, string> | undefined, other: Record<string, string>): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

/** Tracked files and new ones that are not ignored, as git would store them. */
function foldersOf(root: string, suite: Suite): Record<string, string> {
  const git = (input: string, ...args: string[]): string =>
    execFileSync("git", args, { cwd: root, encoding: "utf8", input, maxBuffer: 64 * 1024 * 1024 });
  const listed = git("", "ls-files", "-z", "-co", "--exclude-standard", "--", ...suites[suite]);
  const paths = [...new Set(listed.split("\0"))].filter((path) => path && existsSync(join(root, path)));
  const objects = git(paths.map((path) => `${path}\n`).join(""), "hash-object", "--stdin-paths").split("\n");
  const lines = paths.map((path, at) => {
    const mayRun = lstatSync(join(root, path)).mode & 0o100;
    return { folder: dirname(path), line: `${objects[at]} ${mayRun} ${path}\n` };
  });
  const byFolder = Object.groupBy(lines, ({ folder }) => folder);
  const hashed = Object.entries(byFolder).map(([folder, files = []]): [string, string] => {
    const text = files.map(({ line }) => line).toSorted();
    return [folder, git(text.join(""), "hash-object", "--stdin").slice(0, 16)];
  });
  return Object.fromEntries(hashed.toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

/** git's patterns know no braces. */
function eachOf(pattern: string): string[] {
  const [, before = "", names, after = ""] = /^(.*)\{(.*)\}(.*)$/.exec(pattern) ?? [];
  return names === undefined ? [pattern] : names.split(",").map((name) => `${before}${name}${after}`);
}

function isSuite(word: string | undefined): word is Suite {
  return word !== undefined && Object.hasOwn(suites, word);
}

/** `due` exits with 0 where a row of each kind is enough. Whatever goes wrong is another status: then all rows are run. */
function main([verb, ...words]: string[]): number {
  const root = process.cwd();
  const [first] = words;
  if (verb === "hash") process.stdout.write(`${JSON.stringify(hashesOf(root))}\n`);
  else if (verb === "due" && isSuite(first)) {
    const { all, because } = due(root, first);
    process.stdout.write(`${first}: all rows are ${all ? "due" : "not due"} (${because})\n`);
    return all ? 1 : 0;
  } else if (verb === "record" && first !== undefined) {
    const before = read(first);
    if (!before) return fail(`no hashes in ${first}`);
    for (const suite of record(root, before, words.slice(1).filter(isSuite)))
      process.stdout.write(`${suite}: not recorded (what it covers changed while it ran)\n`);
  } else return fail("expected due SUITE, hash, or record FILE SUITE…");
  return 0;
}

function fail(message: string): number {
  process.stderr.write(`error: ${message}\n`);
  return 2;
}

if (import.meta.main) process.exitCode = main(process.argv.slice(2));
