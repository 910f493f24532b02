/** What is loaded for commands that are called often or only look: packages are what makes a start slow. */
import { execFileSync, spawnSync } from "node:child_process";
import {
  chmodSync,
  chownSync,
  existsSync,
  globSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { lineOf } from "../../src/store/chain.ts";
import { cliPath, fixture, openSandbox } from "../support/cli.ts";
import type { Sandbox } from "../support/cli.ts";
import { issue, makeDemo } from "../support/demo.ts";

let sandbox: Sandbox;
beforeEach(() => {
  sandbox = openSandbox();
});
afterEach(() => sandbox.dispose());

/** What `monoco ARGS` loads: files, and the packages that they are of. */
async function loadedBy(args: readonly string[], cwd: string, env: Record<string, string> = {}) {
  const loaded = join(sandbox.folder, "loaded");
  const NODE_OPTIONS = `--import=${fixture("loaded-files.mjs")}`;
  const ran = await sandbox.monoco(args, { cwd, env: { ...env, NODE_OPTIONS, LOADED: loaded }, input: "{}" });
  expect(ran).toMatchObject({ exitCode: 0, stderr: "" });
  const files = readFileSync(loaded, "utf8").split("\n").filter(Boolean);
  return { files, packages: [...new Set(files.flatMap(packagesOf))], stdout: ran.stdout };
}

/** A file of dist is joined from sources, ours and those of packages: its map names them. */
function packagesOf(path: string): string[] {
  const map = `${path}.map`;
  const sources = existsSync(map)
    ? (JSON.parse(readFileSync(map, "utf8")) as { sources: string[] }).sources
    : [path];
  return sources.flatMap((source) => /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(source)?.[1] ?? []);
}

function makeSession(): string {
  const folder = join(sandbox.folder, "session");
  mkdirSync(join(folder, "outbox"), { recursive: true });
  const live = {
    v: 1,
    issue,
    role: "executor",
    workspace: folder,
    contractPath: "issue.md",
    stopBlocksMax: 8,
  };
  writeFileSync(join(folder, "issue.md"), "- [ ] A criterion\n");
  writeFileSync(join(folder, "live.json"), JSON.stringify(live));
  return folder;
}

test("the program that was built can be run as it stands, with no link made by an installation", () => {
  const version = execFileSync(join(import.meta.dirname, "../../dist/cli.js"), ["--version"], {
    encoding: "utf8",
  });
  expect(version).toMatch(/^0\.1\.0\n$/);
});

// TRAP 53
describe("no package is loaded", () => {
  test("by --version, and no file but the program itself", async () => {
    const { files, packages } = await loadedBy(["--version"], sandbox.folder);
    expect({ files, packages }).toEqual({ files: [cliPath], packages: [] });
  });

  test("by the hooks, in a session that has work left", async () => {
    const env = { MONOCO_SESSION_DIR: makeSession() };
    const stopped = await loadedBy(["hook", "on-stop"], sandbox.folder, env);
    expect(stopped).toMatchObject({ packages: [], stdout: expect.stringContaining("A criterion") as string });
    expect(await loadedBy(["hook", "on-session-start"], sandbox.folder, env)).toMatchObject({
      packages: [],
    });
  });
});

/** Those of Node's own modules that `monoco ARGS` loads and that take long. */
async function slowNatives(args: readonly string[], cwd: string, env: Record<string, string> = {}) {
  const LOADED = join(sandbox.folder, "natives");
  const NODE_OPTIONS = `--require=${fixture("loaded-natives.cjs")}`;
  const ran = await sandbox.monoco(args, { cwd, env: { ...env, NODE_OPTIONS, LOADED }, input: "{}" });
  expect(ran).toMatchObject({ exitCode: 0, stderr: "" });
  const natives = readFileSync(LOADED, "utf8").split("\n");
  expect(natives).toContain("NativeModule fs");
  const slow = [
    "stream",
    "child_process",
    "crypto",
    "internal/crypto/webcrypto",
    "worker_threads",
    "v8",
    "perf_hooks",
  ];
  return slow.filter((name) => natives.includes(`NativeModule ${name}`));
}

test("of Node's own modules the hooks load none that takes long, and relay status what it needs", async () => {
  const env = { MONOCO_SESSION_DIR: makeSession() };
  expect(await slowNatives(["hook", "on-stop"], sandbox.folder, env)).toEqual([]);
  const needed = ["stream", "child_process", "v8"];
  expect(await slowNatives(["relay", "status"], await makeDemo(sandbox))).toEqual(needed);
});

test("no built file has a letter outside of ASCII: V8 keeps it in one byte a letter, and the joined script is read so", () => {
  const dist = dirname(cliPath);
  const files = globSync("**/*.{js,cjs}", { cwd: dist });
  expect(files.length).toBeGreaterThan(50);
  expect(files.filter((file) => /[^\0-\x7f]/.test(readFileSync(join(dist, file), "utf8")))).toEqual([]);
});

test("completion loads the command line alone", async () => {
  const { packages, stdout } = await loadedBy(["completion", "bash"], sandbox.folder);
  expect(packages).toEqual(["commander"]);
  expect(stdout).toContain("complete -o default -F _monoco monoco");
});

test("what nearly every command loads is joined into few files", async () => {
  const project = await makeDemo(sandbox);
  const env = { MONOCO_SESSION_DIR: makeSession() };
  const counts: number[] = [];
  for (const args of [
    ["hook", "on-stop"],
    ["relay", "status"],
    ["issue", "list"],
  ]) {
    const { files } = await loadedBy(args, project, env);
    counts.push(files.filter((path) => path.startsWith(dirname(cliPath))).length);
  }
  // Of the sources they load 10, 110 and 94.
  const most = [4, 20, 25];
  for (const [at, count] of counts.entries()) expect(count).toBeLessThanOrEqual(most[at]!);
});

test("what commands load that know the agents is joined by who else needs it", async () => {
  const project = await makeDemo(sandbox);
  const { files, packages } = await loadedBy(["agent", "list"], project);
  expect(files.filter((path) => path.startsWith(dirname(cliPath))).length).toBeLessThanOrEqual(26);
  expect(packages).toEqual(expect.arrayContaining(["yaml", "zod"]));
});

describe("a run", () => {
  let project: string;
  let compiled: string;
  beforeEach(async () => {
    project = await makeDemo(sandbox);
    compiled = join(sandbox.folder, "compiled");
    mkdirSync(compiled);
  });

  /** Where the code is that is kept. */
  const run = async (...args: string[]): Promise<string[]> => {
    const env = { NODE_COMPILE_CACHE: compiled };
    const { stderr } = await sandbox.start(["run", issue, ...args], { cwd: project, env });
    expect(stderr).toBe("");
    return globSync("**/monoco-*", { cwd: compiled }).map((path) => join(compiled, path));
  };

  test("loads one script, of which no part is of a package that is never called", async () => {
    const loaded = join(sandbox.folder, "loaded");
    const env = { NODE_OPTIONS: `--import=${fixture("loaded-files.mjs")}`, LOADED: loaded };
    expect(await sandbox.start(["run", "NOPE-0001"], { cwd: project, env })).toMatchObject({ exitCode: 2 });
    const dist = dirname(cliPath);
    const files = readFileSync(loaded, "utf8").split("\n");
    expect(files.filter((path) => path.startsWith(dist))).toEqual([cliPath, join(dist, "compiled.js")]);
    const packages = packagesOf(join(dist, "joined.cjs"));
    expect(packages).toEqual(expect.arrayContaining(["execa", "gray-matter", "remark", "yaml", "zod"]));
    for (const unused of ["js-yaml", "esprima", "mdast-util-to-markdown"])
      expect(packages).not.toContain(unused);
  });

  test("that only looks loads what other commands do", async () => {
    const { files } = await loadedBy(["run", issue, "--dry-run"], project);
    expect(files).not.toContain(join(dirname(cliPath), "compiled.js"));
    expect(files.filter((path) => path.startsWith(dirname(cliPath))).length).toBeLessThanOrEqual(27);
  });

  test.each(["en", "zh"])("says in %s what the sources say", async (MONOCO_LANGUAGE) => {
    const [args, options] = [["run", "NOPE-0001"], { cwd: project, env: { MONOCO_LANGUAGE } }] as const;
    expect(await sandbox.start(args, options)).toEqual(await sandbox.monoco(args, options));
  });

  test("keeps what was called until its first agent was at work, and the next one is content with it", async () => {
    expect(await run("--dry-run")).toEqual([]);
    const [place = "", ...others] = await run("--once");
    expect(others).toEqual([]);
    const before = statSync(place);
    expect(before.mode & 0o777).toBe(0o600);
    expect(before.size).toBeGreaterThan(1_000_000);
    expect(await run("--once")).toEqual([place]);
    expect(statSync(place)).toMatchObject({ ino: before.ino, mtimeMs: before.mtimeMs });
  });

  const ways: [what: string, spoil: (place: string) => void][] = [
    ["is cut off", (place) => truncateSync(place, 1_000_000)],
    ["has another bit", (place) => flipBit(place, 2_000_000)],
    ["is of another script", (place) => flipBit(place, 3)],
    ["can be written by others", (place) => chmodSync(place, 0o666)],
    [
      "is a link",
      (place) => {
        renameSync(place, `${compiled}/other`);
        symlinkSync(`${compiled}/other`, place);
      },
    ],
    [
      "is a pipe",
      (place) => {
        rmSync(place);
        execFileSync("mkfifo", [place]);
      },
    ],
  ];
  // Only root can give a file away.
  if (process.getuid?.() === 0) ways.push(["is another user's", (place) => chownSync(place, 1_000, 1_000)]);

  test.each(ways)("compiles anew where what was kept %s, and keeps that", async (_, spoil) => {
    const [place = ""] = await run("--once");
    spoil(place);
    const { ino } = lstatSync(place);
    expect(await run("--once")).toEqual([place]);
    const kept = lstatSync(place);
    expect(kept.ino).not.toBe(ino);
    expect([kept.isFile(), kept.mode & 0o777, kept.uid]).toEqual([true, 0o600, process.getuid?.()]);
    expect(kept.size).toBeGreaterThan(1_000_000);
  });

  test("goes on where a folder has the name of what is kept", async () => {
    const [place = ""] = await run("--once");
    rmSync(place);
    mkdirSync(place);
    await run("--once");
    expect(statSync(place).isDirectory()).toBe(true);
  });
});

function flipBit(path: string, at: number): void {
  const bytes = readFileSync(path);
  bytes[at]! ^= 1;
  writeFileSync(path, bytes);
}

test("an old Node is told what is needed, without what it lacks", () => {
  const old = join(sandbox.folder, "old.cjs");
  writeFileSync(
    old,
    "delete process.getBuiltinModule; Object.defineProperty(process.versions, 'node', { value: '18.19.1' });",
  );
  const ran = spawnSync(process.execPath, ["--require", old, cliPath, "run"], { encoding: "utf8" });
  expect(ran).toMatchObject({
    status: 2,
    stderr: expect.stringMatching(
      /^error: monoco needs Node 22\.18 or newer, this is 18\.19\.1\nhint: /,
    ) as string,
  });
});

describe("relay status", () => {
  test("loads nothing but the command line and the locks: no zod, no parsers, nothing that starts agents", async () => {
    const project = await makeDemo(sandbox);
    await sandbox.monoco(["run", issue, "--once"], { cwd: project });
    const { packages, stdout } = await loadedBy(["relay", "status"], project);
    expect(stdout).toContain(`${issue}  `);
    expect(packages).toEqual(expect.arrayContaining(["commander", "ignore"]));
    // simple-git is for questions that neither were asked ahead nor go to a shell that is kept.
    expect(packages).not.toContain("simple-git");
    expect(packages).not.toContain("string-width");
    for (const slow of ["execa", "gray-matter", "remark", "yaml", "zod"])
      expect(packages).not.toContain(slow);
  });

  test("and the inbox load nothing that starts agents", async () => {
    const { packages, stdout } = await loadedBy([], await makeDemo(sandbox));
    expect(stdout).toContain("monoco run");
    expect(packages).not.toContain("execa");
  });

  test("names the line and what is wrong with it where a field is not what it should be", async () => {
    const project = await makeDemo(sandbox);
    const relay = join(project, ".monoco", "relays", issue);
    mkdirSync(relay, { recursive: true });
    const opened = { v: 1, seq: 1, prev: "", atMs: 1, type: "relay.opened", title: 7 };
    writeFileSync(join(relay, "journal.jsonl"), `${lineOf(JSON.stringify(opened))}\n`);
    expect(await sandbox.monoco(["relay", "status"], { cwd: project })).toMatchObject({
      exitCode: 2,
      stderr: expect.stringMatching(
        /^error: .*journal\.jsonl:1: the journal is damaged: .*\nhint: /,
      ) as string,
    });
  });
});
