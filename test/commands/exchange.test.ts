/** The backlog of other tools: prd.json, checklists, GitHub and JSON Lines become issues, and what is merged goes back. */
import { chmodSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openSandbox } from "../support/cli.ts";
import type { Ran, Sandbox } from "../support/cli.ts";
import { ownersRights } from "../support/rights.ts";
import { githubIssue, label, standInGh } from "../support/gh.ts";
import { transcriptOf } from "../support/transcript.ts";
import { full as test, testRows } from "../support/full.ts";

let sandbox: Sandbox;
let project: string;
const monoco = (...args: string[]): Promise<Ran> => sandbox.monoco(args, { cwd: project });
const write = (path: string, text: string): void => writeFileSync(join(project, path), text);
const read = (path: string): string => readFileSync(join(project, path), "utf8");
const issues = (): string[] => readdirSync(join(project, "issues")).toSorted();
const commit = (message: string): Promise<string> =>
  sandbox.sh(project, `git add -A && git commit -qm "${message}"`);

type Told = { written: number; steps: { do: string; id?: string; source: string }[] };
const told = (ran: Ran): Told => {
  expect(ran.stderr).toBe("");
  return JSON.parse(ran.stdout) as Told;
};

beforeEach(async () => {
  sandbox = openSandbox();
  project = join(sandbox.folder, "project");
  mkdirSync(project);
  await sandbox.sh(project, "git init -q -b main . && git commit -q --allow-empty -m Begin");
});
afterEach(() => sandbox.dispose());

const prd = `{
  "project": "MyApp", "branchName": "ralph/priorities",
  "userStories": [
    { "id": "US-001", "title": "Add: a column # now", "acceptanceCriteria": ["It is there"], "priority": 1, "passes": false },
    { "id": "US-002", "title": "../../show it", "acceptanceCriteria": ["It is seen"], "dependencies": ["US-001"],   "passes": false },
    { "id": "US-003", "title": "Begun", "acceptanceCriteria": ["x"], "passes": true }
  ]
}
`;

describe("prd.json", () => {
  it("becomes an epic and its issues, which lint finds nothing wrong with; a second import writes nothing", async () => {
    write("prd.json", prd);
    const dry = await monoco("import", "prd.json", "--dry-run");
    expect(dry).toMatchObject({ exitCode: 0, stderr: "" });
    expect(dry.stdout).toContain("3 would be written; nothing was");
    expect(await sandbox.git(project, "status", "--short", "-uall")).toBe("?? prd.json");

    // From a folder below, and with the file's own place in the source. TRAP 33
    mkdirSync(join(project, "below"));
    const ran = await sandbox.monoco(["import", "../prd.json"], { cwd: join(project, "below") });
    expect(ran).toMatchObject({ exitCode: 0, stderr: "" });
    expect(issues()).toEqual(["EPIC-0001-myapp.md", "FEAT-0001-add-a-column-now.md", "FEAT-0002-show-it.md"]);
    expect(await monoco("issue", "lint")).toMatchObject({ exitCode: 0 });
    const shown = await monoco("issue", "show", "FEAT-0002", "--json");
    expect(JSON.parse(shown.stdout)).toMatchObject({
      title: "../../show it",
      parent: "EPIC-0001",
      dependencies: ["FEAT-0001"],
      criteria: [{ text: "It is seen" }],
    });
    expect(read("issues/FEAT-0001-add-a-column-now.md")).toContain("\nsource: prd.json#US-001\n");
    const again = told(await monoco("import", "prd.json", "--json"));
    expect(again).toMatchObject({ written: 0 });
    expect(again.steps.map((step) => step.do)).toEqual(["keep", "keep", "keep", "skip"]);
    const all = told(await monoco("import", "prd.json", "--all", "--json"));
    expect(all.steps.at(-1)).toMatchObject({ do: "create", id: "FEAT-0003" });
    expect(read("issues/FEAT-0003-begun.md")).toContain(
      "status: closed\nstage: done\nsolution: implemented\n",
    );
  });

  test("what changed at the source is told, and written anew with --update only while the issue is as it was imported", async () => {
    write("prd.json", prd);
    await monoco("import", "prd.json");
    const mine = "issues/FEAT-0002-show-it.md";
    write(mine, read(mine).replace("## Objective\n", "## Objective\n\nMy own words.\n"));
    write(
      "prd.json",
      prd.replace("It is there", "It is there, and full").replace("It is seen", "It is bright"),
    );
    const ran = await monoco("import", "prd.json");
    expect(ran.stdout).toContain("FEAT-0001  changed at the source since it was imported");
    expect(ran.stdout).toContain("--update writes it anew");
    expect(ran.stdout).toContain(
      "FEAT-0002  changed at the source since it was imported, and changed here too",
    );
    expect(ran.stdout).toContain("nothing to write");
    const before = read(mine);
    const update = told(await monoco("import", "prd.json", "--update", "--json"));
    expect(update.steps.map((step) => step.do)).toEqual(["keep", "update", "changed", "skip"]);
    expect(read("issues/FEAT-0001-add-a-column-now.md")).toContain("- [ ] It is there, and full\n");
    expect(read(mine)).toBe(before);
    expect(told(await monoco("import", "prd.json", "--json")).steps[1]).toMatchObject({ do: "keep" });
  });

  test("ids and sources of other branches count: no id twice, and no issue twice (TRAP 35)", async () => {
    write("prd.json", prd);
    await commit("Plan");
    await sandbox.git(project, "checkout", "-q", "-b", "other");
    await monoco("import", "prd.json");
    await commit("Import");
    await sandbox.git(project, "checkout", "-q", "main");
    const again = told(await monoco("import", "prd.json", "--json"));
    expect(again).toMatchObject({ written: 0 });
    write("TODO.md", "- [ ] Another\n");
    expect(told(await monoco("import", "TODO.md", "--json")).steps).toMatchObject([
      { do: "create", id: "FEAT-0003" },
    ]);
  });

  test("export writes passes for what is merged into the base, and not another byte; a working copy's word does not count", async () => {
    write("prd.json", prd);
    const early = await monoco("export", "prd.json");
    expect(early).toMatchObject({ exitCode: 2 });
    expect(early.stderr).toContain("no issue came from it");
    await monoco("import", "prd.json");
    await commit("Import");
    const path = "issues/FEAT-0002-show-it.md";
    const closed = read(path).replace(
      "status: open\nstage: draft\n",
      "status: closed\nstage: done\nsolution: implemented\n",
    );
    write(path, closed);
    expect((await monoco("export", "prd.json")).stdout).toContain(
      "0 of 2 imported stories are merged into main; nothing to change",
    );
    await commit("Close");
    const expected = prd.replace('["US-001"],   "passes": false', '["US-001"],   "passes": true');
    expect((await monoco("export", "prd.json", "--dry-run")).stdout).toContain("US-002  passes: true");
    expect(read("prd.json")).toBe(prd);
    expect(await monoco("export", "prd.json")).toMatchObject({ exitCode: 0 });
    expect(read("prd.json")).toBe(expected);
    // Somebody ticks by hand what is not merged. TRAP 24
    write("prd.json", expected.replace('"priority": 1, "passes": false', '"priority": 1, "passes": true'));
    const back = await monoco("export", "prd.json", "--json");
    expect(JSON.parse(back.stdout)).toMatchObject({ changes: [{ key: "US-001", from: true, to: false }] });
    expect(read("prd.json")).toBe(expected);
  });

  test("another plan under the old name is refused, and taken under a name of its own", async () => {
    write("prd.json", prd);
    await monoco("import", "prd.json");
    write("prd.json", prd.replace("ralph/priorities", "ralph/next"));
    const ran = await monoco("import", "prd.json");
    expect(ran).toMatchObject({ exitCode: 2 });
    expect(ran.stderr).toContain("it is another plan");
    expect(ran.stderr).toContain("--as ralph-next.json");
    const under = told(await monoco("import", "prd.json", "--as", "ralph-next.json", "--json"));
    expect(under.steps[1]).toMatchObject({ do: "create", id: "FEAT-0003", source: "ralph-next.json#US-001" });
  });
});

test("two imports at once write each item once, and no id twice (TRAP 35)", async () => {
  write("prd.json", prd);
  write("TODO.md", "- [ ] Another\n- [ ] One more\n");
  const sources = ["prd.json", "TODO.md", "prd.json", "TODO.md"];
  const ran = await Promise.all(sources.map((source) => monoco("import", source, "--json")));
  expect(ran.reduce((sum, one) => sum + told(one).written, 0)).toBe(5);
  const ids = issues().map((name) => name.slice(0, 9));
  expect(new Set(ids).size).toBe(5);
  expect(ids).toHaveLength(5);
});

it("fix_plan.md and TODO.md: open items become issues, once", async () => {
  write(
    "fix_plan.md",
    "# Fix Plan\n## High Priority\n- [ ] Read numbers\n  - [ ] hex too\n- [x] Begin\n## Low Priority\n- [ ] Polish\n",
  );
  const ran = told(await monoco("import", "fix_plan.md", "--json"));
  expect(ran.steps.map((step) => step.do)).toEqual(["create", "skip", "create"]);
  const first = read("issues/FEAT-0001-read-numbers.md");
  expect(first).toContain("priority: high\n");
  expect(first).toContain("## Technical Tasks\n\n- [ ] hex too\n");
  expect(told(await monoco("import", "./fix_plan.md", "--json"))).toMatchObject({ written: 0 });
});

it("a feature of spec-kit: the tasks in their order, the criteria from the spec beside them; a second import writes nothing", async () => {
  mkdirSync(join(project, "specs/001-garden"), { recursive: true });
  for (const name of ["spec.md", "tasks.md"]) {
    const fixture = new URL(`../fixtures/imports/spec-kit/${name}`, import.meta.url);
    write(`specs/001-garden/${name}`, readFileSync(fixture, "utf8"));
  }
  const file = "specs/001-garden/tasks.md";
  expect(told(await monoco("import", file, "--json"))).toMatchObject({ written: 9 });
  const story = read("issues/FEAT-0006-user-story-1-plan-the-beds.md");
  expect(story).toContain(`source: ${file}#US1\n`);
  expect(story).toContain("- [ ] **Given** no seed, **When** I plan, **Then** the plan is empty\n");
  expect(story).toContain("Spec: specs/001-garden/spec.md\n");
  // What was done since is no change: T004 waits for T002 as before, and T008 is a task of its story.
  write(file, read(file).replace("- [ ] T002", "- [x] T002").replace("- [ ] T008", "- [x] T008"));
  const again = told(await monoco("import", file, "--json"));
  expect(again.written).toBe(0);
  expect(again.steps.map((step) => step.do)).toEqual(["skip", ...again.steps.slice(1).map(() => "keep")]);
});

it("JSON Lines come on standard input", async () => {
  const input =
    '{"id": "ENG-1", "title": "One", "criteria": ["c"]}\n{"id": "ENG-2", "title": "Two", "dependencies": ["ENG-1"]}\n';
  const run = (): Promise<Ran> =>
    sandbox.monoco(["import", "-", "--as", "linear", "--json"], { cwd: project, input });
  expect(told(await run()).steps).toMatchObject([
    { do: "create", source: "linear#ENG-1" },
    { do: "create", source: "linear#ENG-2" },
  ]);
  expect(told(await run())).toMatchObject({ written: 0 });
});

// gh itself needs a login and GitHub: a stand-in answers in its place, in the shape that gh prints.
describe("GitHub, by a stand-in for gh", () => {
  const open = [
    githubIssue(12, "It fails", {
      body: "How to see it\r\n\r\n## Acceptance criteria\r\n\r\n- [ ] it does not\r\n",
      labels: [label("bug"), label("priority: high")],
    }),
    githubIssue(13, "More\u001b[31m colours"),
    githubIssue(14, "Gone", { state: "CLOSED", stateReason: "NOT_PLANNED" }),
  ];

  test("issues are taken by label, by number or all, and keep their number as source", async () => {
    const gh = standInGh(sandbox, open);
    const run = (...args: string[]): Promise<Ran> =>
      sandbox.monoco(["import", "github", "--json", ...args], { cwd: project, env: gh.env });
    expect(told(await run("bug")).steps).toMatchObject([
      { do: "create", id: "FIX-0001", source: "github:owner/name#12" },
    ]);
    const text = read("issues/FIX-0001-it-fails.md");
    expect(text).toContain("priority: high\n");
    expect(text).toContain("- [ ] it does not\n");
    expect(told(await run("#13")).steps).toMatchObject([{ do: "create", id: "FEAT-0001" }]);
    expect(read("issues/FEAT-0001-more-colours.md")).toContain("title: More colours\n");
    expect(told(await run())).toMatchObject({ written: 0, steps: [{ do: "keep" }, { do: "keep" }] });
    expect(told(await run("--all")).steps.at(-1)).toMatchObject({ do: "create", id: "FEAT-0002" });
    expect(read("issues/FEAT-0002-gone.md")).toContain("solution: wontfix\n");
    // A label that looks like a flag is one word still.
    const odd = await run("--", "--web");
    expect(odd).toMatchObject({ exitCode: 2 });
    expect(gh.calls().at(-1)).toContain("--label=--web");
  });

  testRows<["down" | "logged-out" | "missing", number, string, string]>([
    ["logged-out", 2, "gh is not logged in", "gh auth login"],
    ["down", 75, "error connecting to api.github.com", "the same again once it can"],
    ["missing", 2, "gh is not installed", "https://cli.github.com"],
  ])(
    "a gh that is %s is told, with what to do, and nothing is written",
    async ([how, exitCode, says, hint]) => {
      const gh = standInGh(sandbox, open);
      if (how !== "missing") gh.be(how);
      // Of all programs only git, by a folder of its own.
      const bare = join(sandbox.folder, "bare");
      mkdirSync(bare);
      await sandbox.sh(bare, 'ln -s "$(command -v git)" git');
      const env = how === "missing" ? { PATH: bare } : gh.env;
      const ran = await sandbox.monoco(["import", "github"], { cwd: project, env });
      expect(ran).toMatchObject({ exitCode, stdout: "" });
      expect(ran.stderr).toContain(says);
      expect(ran.stderr).toContain(hint);
      expect(await sandbox.git(project, "status", "--short", "-uall")).toBe("");
    },
  );
});

describe("bad input: file, line and remedy, exit status 2, nothing changed", () => {
  it("what cannot be imported is refused", async () => {
    const plan = (stories: string): string => `{"userStories": ${stories}}`;
    const twice = plan('[{"id": 1, "title": "A"},\n{"id": 1, "title": "B"}]');
    const untitled = plan('[{"id": 1, "title": "A"},\n{"id": 2}]');
    const told: string[] = [];
    for (const [file, text, ...args] of [
      ["prd.json", '{\n"userStories": [}'],
      ["prd.json", twice],
      ["prd.json", untitled],
      ["prd.json", '{"features": []}'],
      ["prd.json", plan(`[{"id": 1, "title": "${"x".repeat(10_000_000)}"}]`)],
      ["TODO.md", "# TODO\n"],
      ["tasks.json", '{"master": {"tasks": [\n{"id": 1, "title": "A", "dependencies": [2]}]}}'],
      ["issues.json", '{\n"issues": []}'],
      ["beads.jsonl", '{"id": "a", "title": "A", "issue_type": "bug", "dependencies": [{"to": "b"}]}'],
      ["plan.md", "# Plan\n\n## Acceptance Criteria\n\n- [ ] it works\n"],
      ["a.xml", "<a/>"],
      ["TODO.md", "- [ ] a\n", "bug"],
      ["a.jsonl", '{"id": 1, "title": "A"}\n{"id": 2'],
      [
        "a.jsonl",
        `{"id": 1, "title": "A"}\n{"id": 2, "title": "B", "description": "${"x ".repeat(200_000)}"}`,
      ],
    ] as const) {
      write(file, text);
      const before = await sandbox.git(project, "status", "--short", "-uall");
      told.push(await transcriptOf(monoco, [["import", file, ...args]]));
      expect(await sandbox.git(project, "status", "--short", "-uall")).toBe(before);
    }
    told.push(await transcriptOf(monoco, [["import", "nowhere.json"]]));
    expect(told.join("\n")).toMatchInlineSnapshot(`
      "$ monoco import prd.json
      ! error: prd.json:2: invalid JSON: value expected
      ! hint: fix it there; an editor marks the place
      exit 2
      $ monoco import prd.json
      ! error: prd.json:2: the id 1 stands twice, here and on line 1
      ! hint: give each an id of its own: issues are known by it
      exit 2
      $ monoco import prd.json
      ! error: prd.json:2: 2: it has no title
      ! hint: give it a "title"
      exit 2
      $ monoco import prd.json
      ! error: prd.json:1: no list of stories
      ! hint: it should be {"project": "…", "userStories": [{"id": "US-001", "title": "…", "acceptanceCriteria": ["…"]}]}; docs/exchange.md has lines of jq for other JSON
      exit 2
      $ monoco import prd.json
      ! error: /place/project/prd.json: it is larger than 8388608 bytes
      ! hint: move it away, or put a text file in its place
      exit 2
      $ monoco import TODO.md
      ! error: TODO.md:1: no items
      ! hint: write them as \`- [ ] …\`, below headings such as ## High Priority
      exit 2
      $ monoco import tasks.json
      ! error: tasks.json:2: 1 depends on 2, which is not there
      ! hint: name the id of another item of this source, or take it out
      exit 2
      $ monoco import issues.json
      ! error: issues.json:2: nothing to import
      ! hint: a list of objects: [{"id": "T-1", "title": "…", "description": "…", "criteria": ["…"]}]
      exit 2
      $ monoco import beads.jsonl
      ! error: beads.jsonl:1: a: dependencies cannot be [{"to":"b"}]
      ! hint: a list of ids
      exit 2
      $ monoco import plan.md
      ! error: plan.md:1: no items
      ! hint: write them as \`- [ ] …\`, below headings such as ## High Priority
      exit 2
      $ monoco import a.xml
      ! error: a.xml: what kind of file this is cannot be told from its name
      ! hint: prd.json, fix_plan.md, tickets.jsonl, github, or - for JSON Lines on standard input
      exit 2
      $ monoco import TODO.md bug
      ! error: TODO.md is imported whole: what is "bug"?
      ! hint: an issue's number or a label goes with github: monoco import github 12
      exit 2
      $ monoco import a.jsonl
      ! error: a.jsonl:2: invalid JSON: close brace expected
      ! hint: fix it there; an editor marks the place
      exit 2
      $ monoco import a.jsonl
      ! error: issues/FEAT-0002-b.md: an issue has at most 262144 bytes
      ! hint: put what is long into a file of the repository, and name that
      exit 2
      $ monoco import nowhere.json
      ! error: /place/project/nowhere.json: no such file or folder
      ! hint: check the path; if it was removed, restore it, then run the same command again
      exit 2"
    `);
  });

  it("a file that cannot be written takes back those before it", async (context) => {
    const as = ownersRights(context);
    write("prd.json", prd);
    await monoco("import", "prd.json");
    await sandbox.sh(project, "mkdir issues/old && mv issues/FEAT-0001* issues/old");
    await commit("Import");
    const first = '"userStories": [\n    { "id": "US-000", "title": "First" },';
    write("prd.json", prd.replace("It is there", "It is full").replace('"userStories": [', first));
    const before = await sandbox.git(project, "status", "--short", "-uall");
    chmodSync(join(project, "issues", "old"), 0o555);
    const run = (): Promise<Ran> =>
      sandbox.monoco(["import", "prd.json", "--update"], { cwd: project, ...as });
    expect(await run()).toMatchObject({ exitCode: 2, stdout: "" });
    expect(await sandbox.git(project, "status", "--short", "-uall")).toBe(before);
    chmodSync(join(project, "issues", "old"), 0o755);
    expect((await run()).stdout).toContain("2 written");
  });
});
