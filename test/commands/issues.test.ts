/** The backlog and the start of a repository: init, issue create, list, show, lint, and the errors of bad input. */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import { vendors } from "../../src/core/settings/agent-kinds.ts";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openSandbox } from "../support/cli.ts";
import type { Ran, Sandbox } from "../support/cli.ts";
import { full as test, testRows } from "../support/full.ts";
import { transcript, transcriptOf } from "../support/transcript.ts";

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
        shell: "bash -o pipefail",
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
    expect(read("AGENTS.md")).toContain("\n## Issue 与接力\n");
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
    expect(transcript(await monoco("issue", "list"))).toMatchInlineSnapshot(`
      "FEAT-0001  open/draft  One
      ! error: Issues/FEAT-0002-two.md:1: no title
      ! hint: add \`title: …\` to the front matter
      ! error: Issues/FEAT-0003-bad.md:3: Flow sequence in block collection must be sufficiently indented and end with a ]
      ! hint: front matter must be plain YAML, one \`key: value\` a line; quote values that hold \`: \` or \` #\`
      exit 2"
    `);
    const lint = await monoco("issue", "lint", "--json");
    expect(lint).toMatchObject({ exitCode: 2 });
    expect(await monoco("issue", "lint", "FEAT-0001")).toMatchObject({ exitCode: 0 });
  });
});

describe("bad input is an error with what to do, exit code 2, and nothing changed", () => {
  it("ids that are none or nowhere, unknown commands, flags and types", async () => {
    expect(
      await transcriptOf(monoco, [
        ["run", "../../etc"],
        ["run", "FEAT-0404"],
        ["relay", "status", "FEAT-0404"],
        ["relay", "show"],
        ["rnu"],
        ["run", "FEAT-0001", "--fast"],
        ["issue", "create", "X", "--type", "story"],
      ]),
    ).toMatchInlineSnapshot(`
      "$ monoco run ../../etc
      ! error: "../../etc" is not an issue's id
      ! hint: an id looks like FEAT-0001; monoco issue list shows those that are there
      exit 2
      $ monoco run FEAT-0404
      ! error: FEAT-0404 exists nowhere: no branch has a file issues/**/FEAT-0404*.md
      ! hint: monoco issue list shows what there is
      exit 2
      $ monoco relay status FEAT-0404
      ! error: FEAT-0404 exists nowhere: no branch has a file issues/**/FEAT-0404*.md
      ! hint: monoco issue list shows what there is
      exit 2
      $ monoco relay show
      ! error: which issue? No id was given, and this is neither a session nor an issue's branch
      ! hint: name one: monoco … FEAT-0001
      exit 2
      $ monoco rnu
      ! error: unknown command 'rnu'
      ! hint: did you mean run?
      exit 2
      $ monoco run FEAT-0001 --fast
      ! error: unknown option '--fast'
      ! hint: did you mean --wait?
      exit 2
      $ monoco issue create X --type story
      ! error: unknown issue type "story"
      ! hint: types: feature, fix, chore, epic
      exit 2"
    `);
    expect(await sandbox.sh(project, "git status --porcelain; ls -A")).toBe(".git");
  });

  test("verbs of a relay need not be said in full: monoco status is monoco status", async () => {
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
    expect(transcript(await monoco("run", "FEAT-0001"))).toMatchInlineSnapshot(`
      "! error: monoco.yaml:3: limits.sesionsMax: unknown key
      ! hint: did you mean limits.sessionsMax? known keys: sessionsMax, sessionMinutes, startSeconds, silenceMinutes, contextMarks, reviewRoundsMax, redRoundsMax, stalledMax, questionsMax, sameFailureMax, turnsPerMinute, backoffSeconds, sessionsPerHour, tokensPerHour, checkMinutes, setupMinutes, usageLimitMinutes
      exit 2"
    `);
    write("monoco.yaml", "");
    expect(
      await transcriptOf(monoco, [
        ["issue", "create", "Not committed"],
        ["run", "FEAT-0001"],
      ]),
    ).toMatchInlineSnapshot(`
      "$ monoco issue create 'Not committed'
      issues/FEAT-0001-not-committed.md
      next: write its objective and acceptance criteria, commit it, then monoco run FEAT-0001
      $ monoco run FEAT-0001
      ! error: FEAT-0001 is not on main: no file issues/**/FEAT-0001*.md is committed there
      ! hint: git add issues && git commit -m "Add FEAT-0001" (on main); monoco issue list shows what there is
      exit 2"
    `);
  });

  test("outside a repository, in a bare one, and in one without a commit", async () => {
    const bare = join(sandbox.folder, "bare");
    const empty = join(sandbox.folder, "empty");
    await sandbox.sh(sandbox.folder, "git init -q --bare bare && git init -q -b main empty");
    const run = async (cwd: string) => transcript(await sandbox.monoco(["run", "FEAT-0001"], { cwd }));
    expect(await run(sandbox.folder)).toMatchInlineSnapshot(`
      "! error: /place is not inside a git repository
      ! hint: cd into one, or git init
      exit 2"
    `);
    expect(await run(bare)).toMatchInlineSnapshot(`
      "! error: /place/bare is in a bare repository or inside .git
      ! hint: run monoco in a worktree: git worktree list shows them
      exit 2"
    `);
    expect(await run(empty)).toMatchInlineSnapshot(`
      "! error: branch main does not exist or has no commit
      ! hint: make a first commit, or name your branch in monoco.yaml: base: NAME
      exit 2"
    `);
  });
});
