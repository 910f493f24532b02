/**
 * `npm run house`: measures the shape of the source and prints it next to where it began and what it must reach; `--json` for
 * programs. test/tidy.test.ts allows no figure to rise.
 */
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { codeOf, cyclesIn, files, importsOf, isOurs, root, textOf } from "./source.ts";

/** `before`: version 0.1. `goal`: the most that there may be in the end. */
type Figure = { name: string; before: number | null; today: number; goal: number; note?: string };

/** What takes too long to be measured here. Measure it again as `how` says, and write down what you saw. */
const recorded = {
  command: { before: 12, today: 5, goal: 5 },
  setting: { before: 50, today: 6, goal: 6 },
  event: { before: 48, today: 12, goal: 12 },
  // The event was one that somebody chose, with a field of the state, a row in `relay explain`, a sentence in docs/, and a test of each.
  how: "add one with its tests, docs and Chinese in a scratch branch; count the files of git diff --stat, CHANGELOG.md aside",
  test: { before: 27, today: 4, goal: 4, how: "time npm test on two idle cores" },
  ci: { before: 48, today: 33, goal: 20, how: "time .ci/run on two idle cores" },
};

export function figures(): Figure[] {
  const functions = longFunctions();
  const { command, setting, event, how, test, ci } = recorded;
  return [
    {
      name: "files in the fullest folder",
      before: 139,
      today: Math.max(...filesByFolder().values()),
      goal: 20,
    },
    { name: "lines of code in src", before: 26_151, today: linesOfCode(), goal: 21_000 },
    {
      name: "functions over 70 lines",
      before: 10,
      today: functions.filter((lines) => lines > 70).length,
      goal: 0,
    },
    { name: "lines of the longest function", before: 271, today: Math.max(...functions), goal: 70 },
    { name: "regular expressions over a reason or hint", before: 33, today: reasonPatterns(), goal: 0 },
    { name: "commands spelt in strings of the core", before: 39, today: commandsInCore(), goal: 0 },
    { name: "import cycles between files", before: 0, today: cyclesBetween((path) => path), goal: 0 },
    { name: "import cycles between rooms of the core", before: 0, today: coreCycles(), goal: 0 },
    { name: "kB of README.md", before: 79.5, today: statSync(join(root, "README.md")).size / 1000, goal: 12 },
    { name: "words of the old dialect in src", before: 122, today: dialect([...textOf.values()]), goal: 10 },
    {
      name: "words of the old dialect in README and docs",
      before: null,
      today: dialect(documents()),
      goal: 5,
    },
    { name: "files touched to add a command", ...command, note: how },
    { name: "files touched to add a setting", ...setting, note: how },
    { name: "files touched to add an event", ...event, note: how },
    { name: "minutes of npm test", before: test.before, today: test.today, goal: test.goal, note: test.how },
    { name: "minutes of .ci/run", before: ci.before, today: ci.today, goal: ci.goal, note: ci.how },
  ];
}

function filesByFolder(): Map<string, number> {
  const folders = Map.groupBy(files, (path) => dirname(path));
  return new Map([...folders].map(([folder, { length }]) => [folder, length]));
}

function linesOfCode(): number {
  return files.flatMap((path) => codeOf(path).split("\n")).filter((line) => line.trim() !== "").length;
}

/** The lines of each function of two lines or more, without blanks and comments, as oxlint counts them. */
function longFunctions(): number[] {
  const folder = mkdtempSync(join(tmpdir(), "monoco-house-"));
  try {
    const config = join(folder, "oxlintrc.json");
    const rule = ["error", { max: 1, skipBlankLines: true, skipComments: true }];
    writeFileSync(
      config,
      JSON.stringify({ categories: { correctness: "off" }, rules: { "max-lines-per-function": rule } }),
    );
    const oxlint = join(root, "node_modules", ".bin", "oxlint");
    const { stdout } = spawnSync(oxlint, ["--config", config, "--format", "json", join(root, "src")], {
      encoding: "utf8",
      maxBuffer: 64 * 1024 * 1024,
    });
    const { diagnostics } = JSON.parse(stdout) as { diagnostics: { message: string }[] };
    return diagnostics.flatMap(({ message }) => Number(/too many lines \((\d+)\)/.exec(message)?.[1] ?? []));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const literal = /(?<=[\s(,=!&|?:[{;])\/(?![/*\s])(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\n])+\/[a-z]*/g;

/** Of a file that tests reasons by patterns that it holds in a table, all patterns count. */
function reasonPatterns(): number {
  return files
    .map((path) => {
      const code = codeOf(path);
      const table = /\b\w+\.(?:test|exec)\((?:\w+\.)*(?:because|hint)\b/.test(code);
      if (table) return [...code.matchAll(literal)].length;
      const direct = /\/[a-z]*\.(?:test|exec)\((?:\w+\.)*(?:because|hint)\b/g;
      const called = /\b(?:because|hint)\??\.(?:match|matchAll|replace|replaceAll|search|split)\(\s*\//g;
      return [...code.matchAll(direct), ...code.matchAll(called)].length;
    })
    .reduce((sum, count) => sum + count, 0);
}

/** What agents read, and what goes into handoffs, commits and comments on other sites. */
const notForPeople =
  /^src\/core\/(?:handoff|prompt)\/|\/(?:handoff-words|landing-message|pull-request-body|upstream-comment|verdict\/known)\.ts$/;
const verbs = "init|demo|run|loop|relay|issue|agent|config|stats|replay|import|export|check|hook";

/** A string with a verb of monoco's in it. */
function commandsInCore(): number {
  const spelt = new RegExp(`["\`'][^"\\n]*\\bmonoco (?:${verbs})\\b`, "g");
  const core = files.filter((path) => path.startsWith("src/core/") && !notForPeople.test(path));
  return core.flatMap((path) => [...codeOf(path).matchAll(spelt)]).length;
}

/** Cycles of the imports from group to group; types count. */
function cyclesBetween(groupOf: (path: string) => string, of: readonly string[] = files): number {
  const arrows = of.flatMap((path) =>
    importsOf
      .get(path)!
      .filter((one) => isOurs(one) && of.includes(one.name) && groupOf(one.name) !== groupOf(path))
      .map((one) => [groupOf(path), groupOf(one.name)] as const),
  );
  const groups = Map.groupBy(arrows, ([from]) => from);
  return cyclesIn(new Map([...groups].map(([from, to]) => [from, to.map(([, name]) => name)]))).length;
}

function coreCycles(): number {
  return cyclesBetween(
    roomOf,
    files.filter((path) => path.startsWith("src/core/")),
  );
}

/** `src/core/journal`, for the folders below it too. */
function roomOf(path: string): string {
  return dirname(path).split("/").slice(0, 3).join("/");
}

function dialect(texts: readonly string[]): number {
  const words = /\b(?:it|there) is no \w|\bmend(?:s|ed)?\b|\bof now\b/gi;
  return texts.flatMap((text) => [...text.matchAll(words)]).length;
}

function documents(): string[] {
  const docs = readdirSync(join(root, "docs"), { recursive: true, encoding: "utf8" });
  const paths = ["README.md", ...docs.map((name) => join("docs", name))].filter((path) =>
    path.endsWith(".md"),
  );
  return paths.map((path) => readFileSync(join(root, path), "utf8"));
}

function lines(): string[] {
  const rows = figures().map(({ name, before, today, goal, note }) => {
    const cells = [before === null ? "-" : String(before), String(today), `≤ ${goal}`];
    return `${name.padEnd(46)}${cells.map((cell) => cell.padStart(9)).join("")}${note ? `  (recorded: ${note})` : ""}`;
  });
  return [`${"".padEnd(46)}${["0.1", "today", "goal"].map((cell) => cell.padStart(9)).join("")}`, ...rows];
}

if (process.argv[1] === import.meta.filename) {
  const json = process.argv.includes("--json");
  process.stdout.write(json ? `${JSON.stringify(figures(), null, 2)}\n` : `${lines().join("\n")}\n`);
}
