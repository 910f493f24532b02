/** What is loaded for commands that are called often or only look: packages are what makes a start slow. */
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
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

test("completion loads the command line alone", async () => {
  const { packages, stdout } = await loadedBy(["completion", "bash"], sandbox.folder);
  expect(packages).toEqual(["commander"]);
  expect(stdout).toContain("complete -o default -F _monoco monoco");
});

test.each(["en", "zh"])("a run that was built says in %s what the sources say", async (MONOCO_LANGUAGE) => {
  const project = await makeDemo(sandbox);
  const [args, options] = [["run", "NOPE-0001"], { cwd: project, env: { MONOCO_LANGUAGE } }] as const;
  expect(await sandbox.start(args, options)).toEqual(await sandbox.monoco(args, options));
});

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
