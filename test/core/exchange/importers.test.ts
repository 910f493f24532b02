/** What is read of the files of other tools, counted: each fixture has the shape of the tool's own files, in words of ours. */
import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { readChecklist } from "../../../src/core/exchange/checklist.ts";
import type { Reading } from "../../../src/core/exchange/import-item.ts";
import { planImport } from "../../../src/core/exchange/import-plan.ts";
import { readJson, readJsonLines } from "../../../src/core/exchange/json-lines.ts";
import { parseIssue } from "../../../src/core/issue/issue.ts";
import { checkMarks } from "../../../src/core/text/list-item.ts";

const fixture = (name: string): string =>
  readFileSync(new URL(`../../fixtures/imports/${name}`, import.meta.url), "utf8");

const free = (prefix: string): { prefix: string; next: number } => ({ prefix, next: 1 });

/** A line for each issue that the import would write: its state, boxes, criteria, what it waits for and what it is part of. */
function told(reading: Reading, all = false): string[] {
  const steps = planImport(reading, {
    name: "x",
    existing: [],
    ids: { feature: free("FEAT"), fix: free("FIX"), chore: free("CHORE"), epic: free("EPIC") },
    folder: "issues",
    nowIso: "2026-11-27T18:00:00.000Z",
    language: "en",
    all,
    update: false,
    hash: (text) => String(text.length),
  });
  return steps.flatMap(({ text, source }) => {
    if (text === undefined) return [];
    const { id, status, priority, title, tasks, criteria, dependencies, parent } = parseIssue(text, source);
    const boxes = tasks.map(({ state }) => `[${checkMarks[state]}]`).join("");
    const needs = dependencies.length === 0 ? "" : ` after ${dependencies.join(" ")}`;
    const above = parent === undefined ? "" : ` in ${parent}`;
    return [`${id} ${status} ${priority ?? "-"} ${title}: ${boxes} ${criteria.length}${needs}${above}`];
  });
}

const item = (reading: Reading, key: string): Reading["items"][number] =>
  reading.items.find((one) => one.key === key)!;

describe("Task Master", () => {
  const read = (text: string): Reading => readJson(text, { file: "tasks.json", language: "en" });

  test("each tag's tasks, their subtasks, what they wait for, and their test strategy as criteria", () => {
    const reading = read(fixture("task-master.json"));
    expect(told(reading)).toMatchInlineSnapshot(`
      [
        "EPIC-0001 open - tasks.json:  1",
        "FEAT-0001 open medium Plan the beds: [x][/][ ] 1 in EPIC-0001",
        "FEAT-0002 open low Remind of watering:  0 after FEAT-0001 in EPIC-0001",
        "FEAT-0003 backlog - Print labels:  0 after FEAT-0002 in EPIC-0001",
        "FEAT-0004 open - Read the thermometer:  2 in EPIC-0001",
        "FEAT-0005 open - Open the roof:  0 after FEAT-0004 in EPIC-0001",
      ]
    `);
    expect(reading.items.map(({ key }) => key)).toEqual([
      "",
      "1",
      "2",
      "3",
      "4",
      "greenhouse:1",
      "greenhouse:2",
    ]);
    expect(item(reading, "2").objective).toMatchInlineSnapshot(`
      "Say which seed goes into which bed.

      Beds are metres by metres.

      ### Place the seeds

      By their distance.

      Start at the north side.

      ### Draw it

      As text."
    `);
    expect(item(reading, "1").criteria).toEqual([
      "An empty file gives an empty list.",
      "A broken row is named with its line.",
    ]);
    expect(item(reading, "greenhouse:2").tags).toEqual(["greenhouse"]);
  });

  test("a file without tags is read as the tag master of a file with tags", () => {
    const { master } = JSON.parse(fixture("task-master.json")) as { master: object };
    const tagged = read(JSON.stringify({ master }));
    expect(read(JSON.stringify(master)).items).toEqual(tagged.items);
  });

  test("a tagged file without a task is refused", () =>
    expect(() => read('{\n"master": {"tasks": []}}')).toThrow("tasks.json:2: the list of stories is empty"));
});

test("beads: what an issue waits for and is part of, its type, its criteria, its design", () => {
  const reading = readJsonLines(fixture("beads.jsonl"), "beads.jsonl");
  expect(told(reading)).toMatchInlineSnapshot(`
    [
      "EPIC-0001 open 1 Garden planner:  0",
      "FEAT-0001 open 0 Place the seeds:  1 in EPIC-0001",
      "FEAT-0002 open 2 Draw the beds:  0 after FEAT-0001 in EPIC-0001",
      "FIX-0001 open 1 A bean may not stand alone:  2",
      "CHORE-0001 backlog 4 Name the licences:  0 after FIX-0001",
    ]
  `);
  expect(item(reading, "gd-1.2").objective).toMatchInlineSnapshot(`
    "By their distance.

    Design: Greedy, from the north.

    Notes: Ask Ann about beans."
  `);
  expect(item(reading, "gd-2").criteria).toEqual(["a bean has a pole", "a pole is drawn"]);
  expect(reading.remarks).toMatchInlineSnapshot(`
    [
      "passed over: created_at, created_by, close_reason",
      "dependencies passed over, as beads does: gd-1.3 → gd-1, gd-2 → gd-99",
    ]
  `);
});

test("a list after the criteria of a description stays in the objective, as one without boxes between boxes does", () => {
  const description =
    "## Acceptance Criteria\n\n- [ ] it holds\n\n## Files\n\n- a.ts\n\n## Done when\n\n- see above\n- [ ] it is fast";
  const line = JSON.stringify({
    id: "a",
    title: "A",
    issue_type: "task",
    description,
    design: "## Approach\n\n1. look",
  });
  const [read] = readJsonLines(line, "beads.jsonl").items;
  expect(read).toMatchObject({
    criteria: ["it holds", "it is fast"],
    objective: "## Files\n\n- a.ts\n\n## Done when\n\n- see above\n\nDesign:\n\n## Approach\n\n1. look",
  });
});

describe("spec-kit", () => {
  const spec = { path: "specs/001/spec.md", text: fixture("spec-kit/spec.md") };

  test("one issue a story with its tasks, one for each other task, in the order of the file but for [P]", () => {
    const reading = readChecklist(fixture("spec-kit/tasks.md"), "tasks.md", spec);
    expect(told(reading)).toMatchInlineSnapshot(`
      [
        "FEAT-0001 open - T002 Add the package manifest:  0",
        "FEAT-0002 open - T003 Configure the linter:  0",
        "FEAT-0003 open - T004 Read seeds.csv in src/seeds.ts:  0 after FEAT-0001 FEAT-0002",
        "FEAT-0004 open - T005 Read garden.json in src/garden.ts:  0 after FEAT-0001 FEAT-0002",
        "FEAT-0005 open - T006 Join both in src/load.ts:  0 after FEAT-0003 FEAT-0004",
        "FEAT-0006 open 1 User Story 1 - Plan the beds: [x][ ][ ] 3 after FEAT-0005",
        "FEAT-0007 open 2 User Story 2 - Remind of watering: [ ] 1 after FEAT-0006",
        "FEAT-0008 open - T011 Document it in README.md:  0 after FEAT-0007",
        "FEAT-0009 open - T012 Measure a garden of 1,000 beds:  0 after FEAT-0008",
      ]
    `);
    expect(told(reading, true).slice(0, 4)).toMatchInlineSnapshot(`
      [
        "FEAT-0001 closed - T001 Create the folders:  0",
        "FEAT-0002 open - T002 Add the package manifest:  0 after FEAT-0001",
        "FEAT-0003 open - T003 Configure the linter:  0",
        "FEAT-0004 open - T004 Read seeds.csv in src/seeds.ts:  0 after FEAT-0002 FEAT-0003",
      ]
    `);
    const story = item(reading, "US1");
    expect(story.objective).toMatchInlineSnapshot(`
      "**Goal**: A plan that can be printed

      **Independent Test**: \`garden plan\` prints a bed for each seed

      As a gardener I want to know where each seed goes.

      **Why this priority**: Without it there is nothing to print.

      Spec: specs/001/spec.md"
    `);
    expect(story.criteria).toMatchInlineSnapshot(`
      [
        "**Given** two seeds, **When** I plan, **Then** each has a bed",
        "**Given** no seed, **When** I plan, **Then** the plan is empty",
        "**Given** a bed that is too small, **When** I plan, **Then** it is named",
      ]
    `);
    expect(reading.remarks).toMatchInlineSnapshot(`
      [
        "passed over, having no id such as T001: line 19, 70",
      ]
    `);
  });

  test("without a spec, the independent test is the criterion of a story", () =>
    expect(item(readChecklist(fixture("spec-kit/tasks.md"), "tasks.md"), "US2").criteria).toEqual([
      "`garden today` prints what wants water",
    ]));

  test("a spec's stories are issues, its requirements and success criteria are none", () =>
    expect(told(readChecklist(spec.text, "spec.md"))).toMatchInlineSnapshot(`
      [
        "FEAT-0001 open 1 User Story 1 - Plan the beds:  3",
        "FEAT-0002 open 2 User Story 2 - Remind of watering:  1 after FEAT-0001",
      ]
    `));

  test("tasks may be headings", () => {
    const text =
      "# Tasks\n## Phase 1: Core\n#### T001: Model a bed [P]\n**Priority**: HIGH\n\n**Acceptance**:\n- [ ] it has an area\n" +
      "#### **T-002** — Draw it\nAs text.\n## Success Criteria\n- [ ] all of it\n";
    const reading = readChecklist(text, "tasks.md");
    expect(told(reading)).toMatchInlineSnapshot(`
      [
        "FEAT-0001 open - T001 Model a bed:  1",
        "FEAT-0002 open - T-002 Draw it:  0 after FEAT-0001",
      ]
    `);
  });
});

test("Conductor: tasks in their order, [~] is in progress, commits are no part of a title, a person verifies", () => {
  const reading = readChecklist(fixture("conductor-plan.md"), "plan.md");
  expect(told(reading)).toMatchInlineSnapshot(`
    [
      "FEAT-0001 open - Place the seeds: [x][/][ ] 0",
      "FEAT-0002 open - Draw the beds: [ ] 0 after FEAT-0001",
      "FEAT-0003 open - Say what is dry:  0 after FEAT-0002",
    ]
  `);
  expect(told(reading, true).slice(0, 2)).toMatchInlineSnapshot(`
    [
      "FEAT-0001 closed - Read \`seeds.csv\`: [x][x] 0",
      "FEAT-0002 closed - Read \`garden.json\`:  0 after FEAT-0001",
    ]
  `);
  expect(reading.remarks).toMatchInlineSnapshot(`
    [
      "passed over, being for a person: line 11, 21",
    ]
  `);
});

test.for([
  "0f1e2d3",
  "[0f1e2d3]",
  "(1234567)",
  "[checkpoint: 0f1e2d3]",
  "`0f1e2d3`",
  "— [commit: 0f1e2d3]",
  "0f1e2d3, a1b2c3d",
  "[0f1e2d3] (0f1e2d3)",
])("Conductor's title ends before %s, and not before a date or a word", (commit) => {
  const { items } = readChecklist(`- [x] Task: Read it ${commit}\n- [ ] Task: Face 20260102\n`, "plan.md");
  expect(items.map(({ title }) => title)).toEqual(["Read it", "Face 20260102"]);
});

describe("GitHub's JSON", () => {
  const read = (text: string): Reading => readJson(text, { file: "issues.json", language: "en" });

  test("REST: pull requests are left out, criteria and tasks are taken below any heading", () => {
    const reading = read(fixture("github-rest.json"));
    expect(told(reading, true)).toMatchInlineSnapshot(`
      [
        "FIX-0001 open 1 Beans fall over:  2",
        "FEAT-0001 open - Draw the beds: [x][ ] 1",
        "FEAT-0002 closed - A web shop:  0",
      ]
    `);
    expect(item(reading, "1").objective).toBe("They have no poles.\n\n### Notes\n\n- seen in May");
    expect(reading.remarks).toMatchInlineSnapshot(`
      [
        "passed over, being pull requests: 2",
      ]
    `);
  });

  test("a list called issues or items, a single issue and JSON Lines are read alike", () => {
    const list = JSON.parse(fixture("github-rest.json")) as object[];
    const { items } = read(JSON.stringify(list));
    for (const name of ["issues", "items"])
      expect(read(JSON.stringify({ [name]: list })).items).toEqual(items);
    expect(read(JSON.stringify(list[0])).items).toEqual(items.slice(0, 1));
    const lines = list.map((one) => JSON.stringify(one)).join("\n");
    const lineless = (reading: Reading): object[] => reading.items.map((one) => ({ ...one, line: 1 }));
    expect(lineless(readJsonLines(lines, "issues.jsonl"))).toEqual(lineless({ items, remarks: [] }));
  });

  test.for<[string, string]>([
    ["[]", "issues.json:1: nothing to import"],
    ['{"issues": [\n{"number": 1}]}', "issues.json:2: 1: it has no title"],
    ['[\n{"title": "T", "body": ""}]', "issues.json:2: it has no number"],
  ])("%s is refused", ([text, message]) => expect(() => read(text)).toThrow(message));
});
