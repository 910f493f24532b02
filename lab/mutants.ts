/** `npm run mutants -w lab`: breaks one rule at a time in a copy of the sources, and expects its test file to turn red. */
import { execFileSync, spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { parseArgs } from "node:util";
import { edited } from "./mutants/edit.ts";
import { mutants } from "./mutants/table.ts";
import type { Mutant } from "./mutants/row.ts";
import { root } from "../scripts/source.ts";

/** `red without it`: the tests fail anyway, or there are none of that name. `does not load`: the edit breaks more than the rule. */
type Result = "killed" | "survived" | "does not apply" | "does not load" | "red without it";
type Tried = Pick<Mutant, "rule" | "file" | "test"> & { result: Result; seconds: number };

const { values: flags } = parseArgs({
  options: {
    only: { type: "string", multiple: true, default: [] },
    jobs: { type: "string", default: "2" },
    json: { type: "boolean", default: false },
  },
});

/** A mutant that never ends has been noticed. */
const secondsMax = 180;
const running = new Set<ChildProcess>();

const chosen = mutants.filter(
  ({ rule, file }) =>
    flags.only.length === 0 || flags.only.some((one) => rule.includes(one) || file.includes(one)),
);
const tried = await tryAll(chosen, Number(flags.jobs));
if (flags.json) process.stdout.write(`${JSON.stringify({ mutants: tried })}\n`);
else {
  for (const one of tried.filter(({ result }) => result !== "killed"))
    process.stdout.write(`${lineOf(one)}\n`);
  const killed = tried.filter(({ result }) => result === "killed").length;
  process.stdout.write(`${killed} of ${tried.length} mutants are killed\n`);
}
process.exitCode = tried.every(({ result }) => result === "killed") && tried.length > 0 ? 0 : 1;

async function tryAll(rows: readonly Mutant[], jobs: number): Promise<Tried[]> {
  const folder = mkdtempSync(join(tmpdir(), "monoco-mutants-"));
  process.once("exit", () => {
    for (const child of running) child.kill("SIGKILL");
    rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
  });
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => process.exit(130));
  const paths = trackedFiles();
  const done = new Map<Mutant, Tried>();
  const green = new Map<string, Promise<Ran>>();
  const waiting = [...rows];
  const worker = async (_: unknown, at: number): Promise<void> => {
    const copy = copyOf(paths, join(folder, String(at)));
    for (let row = waiting.shift(); row; row = waiting.shift()) {
      const began = performance.now();
      const suite = `${row.test} ${row.title ?? ""}`;
      const before = green.get(suite) ?? run(row, copy);
      green.set(suite, before);
      const result = (await before) === "green" ? await tryOne(row, copy) : "red without it";
      const { rule, file, test } = row;
      const seconds = Math.round((performance.now() - began) / 100) / 10;
      done.set(row, { rule, file, test, result, seconds });
      process.stderr.write(`${done.size} of ${rows.length}: ${lineOf(done.get(row)!)}\n`);
    }
  };
  await Promise.all(Array.from({ length: jobs }, worker));
  return rows.map((row) => done.get(row)!);
}

/** Also what is not committed yet. */
function trackedFiles(): string[] {
  const args = ["ls-files", "-z", "--cached", "--others", "--exclude-standard", "--deduplicate"];
  const gone = new Set(
    execFileSync("git", ["ls-files", "-z", "--deleted"], { cwd: root, encoding: "utf8" }).split("\0"),
  );
  const all = execFileSync("git", args, { cwd: root, encoding: "utf8" }).split("\0");
  return all.filter((path) => path !== "" && !gone.has(path));
}

function copyOf(paths: readonly string[], folder: string): string {
  for (const path of paths) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    cpSync(join(root, path), join(folder, path));
  }
  symlinkSync(join(root, "node_modules"), join(folder, "node_modules"));
  return folder;
}

async function tryOne(row: Mutant, copy: string): Promise<Result> {
  const path = join(copy, row.file);
  const text = readFileSync(path, "utf8");
  const mutant = edited(text, row);
  if (mutant === undefined) return "does not apply";
  writeFileSync(path, mutant);
  try {
    const ran = await run(row, copy);
    return ran === "red" ? "killed" : ran === "green" ? "survived" : "does not load";
  } finally {
    writeFileSync(path, text);
  }
}

type Ran = "green" | "red" | "no tests";

async function run({ test, title, built }: Mutant, copy: string): Promise<Ran> {
  if (built) execFileSync(process.execPath, ["scripts/bundle.ts"], { cwd: copy, stdio: "ignore" });
  const report = join(copy, "report.json");
  rmSync(report, { force: true });
  const named = title === undefined ? [] : ["-t", title];
  const args = [
    "node_modules/vitest/vitest.mjs",
    "run",
    test,
    ...named,
    "--bail=1",
    "--reporter=json",
    `--outputFile=${report}`,
  ];
  const env = { ...process.env, CI: "" };
  const child = spawn(process.execPath, args, {
    cwd: copy,
    env,
    stdio: "ignore",
    timeout: secondsMax * 1_000,
    // vitest ends by a TERM as if nothing were, and writes no report.
    killSignal: "SIGKILL",
  });
  running.add(child);
  const [, signal] = await new Promise<[number | null, string | null]>((ended) => {
    child.once("close", (code, by) => ended([code, by]));
  });
  running.delete(child);
  if (signal !== null) return "red";
  const { numFailedTests, numPassedTests } = JSON.parse(readFileSync(report, "utf8")) as Record<
    string,
    number
  >;
  if (numFailedTests! > 0) return "red";
  return numPassedTests! > 0 ? "green" : "no tests";
}

function lineOf({ rule, file, test, result, seconds }: Tried): string {
  return `${result}: ${rule} (${file}, ${test}) ${seconds.toFixed(1)} s`;
}
