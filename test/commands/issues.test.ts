/** The backlog and the start of a repository: init, issue create, list, show, lint, and the errors of bad input. */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import { vendors } from "../../src/core/settings/agent-kinds.ts";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openSandbox } from "../support/cli.ts";
import type { Ran, Sandbox } from "../support/cli.ts";
import { full as test, testRows } from "../support/full.ts";

let sandbox: Sandbox;
let project: string;
const monoco = (...args: string[]): Promise<Ran> => sandbox.monoco(args, { cwd: project });
const write = (path: string, text: string): void => writeFileSync(join(project, path), text);
const read = (path: string): string => readFileSync(join(project, path), "utf8");

beforeEach(async () => {
  sandbox = openSandbox();
  project = join(sandbox.folder, "project");
  mkdirSync(project);
  await sandbox.sh(project, "git init -q -b main . && git commit -q --allow-empty -m Begin");
});
afterEach(() => sandbox.dispose());

describe("init", () => {
  it("it writes what is missing, guesses from the repository, excludes the runtime folder, and changes nothing the second time", async () => {
    write("package.json", JSON.stringify({ scripts: { test: "node --test" } }));
    write("package-lock.json", "{}");
    write("AGENTS.md", "# Mine\n");
    expect(await monoco("init")).toMatchObject({ exitCode: 0 });
    const settings = read("monoco.yaml");
    expect(settings).toContain('setup: ["npm ci"]');
    expect(settings).toContain('checks: ["npm test"]');
    expect(read("AGENTS.md")).toMatch(/^# Mine\n\n<!-- monoco:begin/);
    expect(read(".git/info/exclude")).toContain("/.monoco/\n/RALPH.md\n");
    const again = await monoco("init", "--json");
    expect(JSON.parse(again.stdout)).toMatchObject({ done: [] });
    expect(read("monoco.yaml")).toBe(settings);
    expect(await monoco("init", "--language", "fr")).toMatchObject({ exitCode: 2 });
  });

  testRows<["en" | "zh", object]>([
    ["en", {}],
    ["zh", { language: "zh" }],
  ])(
    "in %s it writes base, setup, checks and roles, leaves the rest to the defaults, and each line that it comments out is valid",
    async ([language, more]) => {
      expect(await monoco("init", "--language", language)).toMatchObject({ exitCode: 0 });
      const written = read("monoco.yaml");
      expect(parse(written)).toEqual({
        base: "main",
        setup: [],
        cache: [],
        checks: [],
        // The defaults: a Reviewer of another vendor is still found.
        roles: { executor: { agents: ["claude"] }, reviewer: { agents: [...vendors] } },
        ...more,
      });
      const examples = written.replaceAll(/^# (?=[a-z]+: )/gm, "");
      expect(Object.keys(parse(examples) as object)).toContain("limits");
      write("monoco.yaml", examples);
      expect(await monoco("config", "show")).toMatchObject({ exitCode: 0 });
    },
  );

  test("the monoco.yaml that it writes is valid, in both languages", async () => {
    expect(await monoco("init", "--language", "zh")).toMatchObject({ exitCode: 0 });
    const created = await monoco("issue", "create", "按人的写法读取时长", "--json");
    const { path } = JSON.parse(created.stdout) as { path: string };
    expect(path).toBe("issues/FEAT-0001-按人的写法读取时长.md");
    expect(read(path)).toContain("## 验收标准");
  });
});

describe("issues", () => {
  it("ids are above every id that any branch, past commit or worktree ever had (TRAP 35)", async () => {
    mkdirSync(join(project, "issues"));
    write("issues/FEAT-0007-gone.md", "---\nid: FEAT-0007\n---\n");
    await sandbox.sh(
      project,
      "git add -A && git commit -qm seven && git rm -q issues/* && git commit -qm gone",
    );
    await sandbox.sh(
      project,
      "git checkout -qb other && mkdir issues && echo > issues/FEAT-0009-there.md && git add -A && git commit -qm nine && git checkout -q main",
    );
    await sandbox.sh(
      project,
      "git worktree add -q ../linked && mkdir ../linked/issues && printf -- '---\\nid: FEAT-0011\\n---\\n' > ../linked/issues/FEAT-0011.md",
    );
    const created = await sandbox.monoco(["issue", "create", "Next", "--json"], {
      cwd: join(sandbox.folder, "linked", "issues"),
    });
    expect(JSON.parse(created.stdout)).toEqual({ id: "FEAT-0012", path: "issues/FEAT-0012-next.md" });
    const fix = JSON.parse(
      (await monoco("issue", "create", 'Mend: `it`, "now"', "--type", "fix", "--json")).stdout,
    ) as { path: string };
    expect(fix.path).toBe("issues/FIX-0001-mend-it-now.md");
    expect(JSON.parse((await monoco("issue", "show", "FIX-0001", "--json")).stdout)).toMatchObject({
      title: 'Mend: `it`, "now"',
      type: "fix",
    });
  });

  it("list names the open ones at any depth, also below Issues/, and a file that cannot be read", async () => {
    mkdirSync(join(project, "Issues", "Features", "open"), { recursive: true });
    write(
      "Issues/Features/open/FEAT-0001-one.md",
      "---\nid: FEAT-0001\ntitle: One\n---\n\n## Objective\n\nX\n\n## Acceptance Criteria\n\n- [ ] y\n",
    );
    write(
      "Issues/FEAT-0002-two.md",
      "---\nid: FEAT-0002\nstatus: closed\nstage: done\nsolution: implemented\n---\n",
    );
    write("Issues/FEAT-0003-bad.md", "---\nid: [\n---\n");
    const listed = await monoco("issue", "list");
    expect(listed).toMatchObject({ exitCode: 2 });
    expect(listed.stdout).toContain("FEAT-0001  open/draft  One");
    expect(listed.stdout).not.toContain("FEAT-0002");
    expect(listed.stderr).toContain("Issues/FEAT-0003-bad.md:");
    const lint = await monoco("issue", "lint", "--json");
    expect(lint).toMatchObject({ exitCode: 2 });
    expect(await monoco("issue", "lint", "FEAT-0001")).toMatchObject({ exitCode: 0 });
  });
});

describe("bad input is an error with what to do, exit code 2, and nothing changed", () => {
  testRows<[string, string[], string]>([
    ["an id that is none", ["run", "../../etc"], "is not an issue's id"],
    ["an issue that is not there", ["run", "FEAT-0404"], "is not on main"],
    ["a relay of an issue that is not there", ["relay", "status", "FEAT-0404"], "FEAT-0404 is not on main"],
    ["no id where none is known", ["relay", "show"], "which issue?"],
    ["an unknown command", ["rnu"], "Did you mean run?"],
    ["an unknown flag", ["run", "FEAT-0001", "--fast"], "unknown option"],
    ["an unknown issue type", ["issue", "create", "X", "--type", "story"], "feature, fix, chore, epic"],
  ])("%s", async ([, args, words]) => {
    const ran = await monoco(...args);
    expect(ran).toMatchObject({ exitCode: 2 });
    expect(ran.stderr).toContain(words);
    expect(ran.stderr).not.toMatch(/^\s+at /m);
    expect(await sandbox.sh(project, "git status --porcelain; ls -A")).toBe(".git");
  });

  test("verbs of a relay need not be said in full: monoco status is monoco relay status", async () => {
    const verbs = ["status", "log", "explain", "stop", "say", "answer", "resume", "show"];
    const helps = await Promise.all(verbs.map((verb) => monoco(verb, "--help")));
    expect(helps.map(({ stdout }) => stdout.split("\n")[0]?.split(" [")[0])).toEqual(
      verbs.map((verb) => `Usage: monoco relay ${verb}`),
    );
    expect(await monoco("status")).toMatchObject({
      exitCode: 0,
      stdout: (await monoco("relay", "status")).stdout,
    });
  });

  it("-v prints the version, as --version does", async () => {
    const { stdout } = await monoco("-v");
    expect(stdout).toMatch(/^\d+\.\d+\.\d+$/);
    expect((await monoco("--version")).stdout).toBe(stdout);
  });

  test("monoco.yaml with an unknown key, and an issue only in the working copy", async () => {
    write("monoco.yaml", "base: main\nlimits:\n  sesionsMax: 3\n");
    expect((await monoco("run", "FEAT-0001")).stderr).toContain("monoco.yaml:3: limits.sesionsMax");
    write("monoco.yaml", "");
    await monoco("issue", "create", "Not committed");
    const ran = await monoco("run", "FEAT-0001");
    expect(ran).toMatchObject({ exitCode: 2 });
    expect(ran.stderr).toContain('git add issues && git commit -m "Add FEAT-0001"');
  });

  test("outside a repository, in a bare one, and in one without a commit", async () => {
    const bare = join(sandbox.folder, "bare");
    const empty = join(sandbox.folder, "empty");
    await sandbox.sh(sandbox.folder, "git init -q --bare bare && git init -q -b main empty");
    for (const cwd of [sandbox.folder, bare]) {
      expect(await sandbox.monoco(["run", "FEAT-0001"], { cwd })).toMatchObject({
        exitCode: 2,
        stderr: expect.stringContaining("hint: ") as string,
      });
    }
    expect((await sandbox.monoco(["run", "FEAT-0001"], { cwd: empty })).stderr).toContain(
      "no branch main with a commit",
    );
  });
});
