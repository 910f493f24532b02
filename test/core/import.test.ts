import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { readChecklist } from "../../src/core/exchange/checklist.ts";
import { MonocoError } from "../../src/core/error/error.ts";
import type { ImportItem } from "../../src/core/exchange/import-item.ts";
import { planImport } from "../../src/core/exchange/import-plan.ts";
import type { ImportOptions, ImportStep, KnownIssue } from "../../src/core/exchange/import-plan.ts";
import { lintIssue } from "../../src/core/issue/lint.ts";
import { parseIssue } from "../../src/core/issue/issue.ts";
import { issueSource } from "../../src/core/exchange/upstream.ts";
import { priorityIn } from "../../src/core/issue/priority.ts";
import { readJsonLines } from "../../src/core/exchange/json-lines.ts";
import { readPrd, readingOf } from "../../src/core/exchange/prd.ts";
import { writePasses } from "../../src/core/exchange/prd-passes.ts";
import { githubIssueOf, markerOf, sourceComment } from "../../src/core/exchange/upstream-comment.ts";
import { readGithubIssues } from "../../src/core/exchange/github-issues.ts";
import { testRows } from "../support/full.ts";
import { runs } from "../support/runs.ts";

const prd = (text: string): ReturnType<typeof readPrd> => readPrd(text, { file: "prd.json", language: "en" });
/** The stories as they are written, with their line breaks. */
const plans = (stories: string): string => `{"userStories": ${stories}}`;
const story = (fields: object): string => plans(JSON.stringify([fields]));
const only = (items: readonly ImportItem[]): ImportItem => {
  expect(items).toHaveLength(1);
  return items[0]!;
};

/** The error's words, with its hint. */
function refusal(read: () => unknown): string {
  try {
    read();
  } catch (error) {
    if (!(error instanceof MonocoError)) throw error;
    expect(error.kind).toBe("input");
    expect(error.hint).toBeTruthy();
    return error.message;
  }
  return "taken";
}

// Not a good hash, but one without a module of node's; it is handed in.
const hash = (text: string): string => {
  let sum = 7;
  for (const char of text) sum = (sum * 31 + char.codePointAt(0)!) % 0xffffffff;
  return sum.toString(16);
};

const options: ImportOptions = {
  name: "prd.json",
  existing: [],
  ids: {
    feature: { prefix: "FEAT", next: 1 },
    fix: { prefix: "FIX", next: 1 },
    chore: { prefix: "CHORE", next: 1 },
    epic: { prefix: "EPIC", next: 1 },
  },
  folder: "issues",
  nowIso: "2026-11-21T20:00:00.000Z",
  language: "en",
  all: false,
  update: false,
  hash,
};

/** What the issues that a plan writes look like to the next import. */
function known(steps: readonly ImportStep[]): KnownIssue[] {
  return steps.flatMap(({ id, path, text }) => {
    if (id === undefined || path === undefined || text === undefined) return [];
    const here = { text, draft: true, createdAt: options.nowIso };
    return [{ ...issueSource(text)!, id, path, here }];
  });
}

describe("prd.json", () => {
  test("a story becomes an item with its criteria, priority and notes; the plan an epic with its branch", () => {
    const read = prd(
      JSON.stringify({
        project: "MyApp",
        branchName: "ralph/task-priority",
        description: "Priorities for tasks",
        userStories: [
          {
            id: "US-001",
            title: "Add a priority",
            description: "As a user, I want priorities.",
            acceptanceCriteria: ["The column is there", "Typecheck passes"],
            priority: 1,
            passes: false,
            notes: "Mind the index",
          },
        ],
      }),
    );
    expect(read.epic).toMatchObject({
      type: "epic",
      title: "MyApp",
      objective: "Priorities for tasks",
      branch: "ralph/task-priority",
    });
    expect(read.stories.map(({ item }) => item)).toEqual([
      {
        key: "US-001",
        line: 1,
        type: "feature",
        title: "Add a priority",
        objective: "As a user, I want priorities.\n\nNotes: Mind the index",
        criteria: ["The column is there", "Typecheck passes"],
        tasks: [],
        priority: "1",
        tags: [],
        dependencies: [],
      },
    ]);
  });

  test.for<[string, string, Partial<ImportItem>]>([
    ["a number as id", story({ id: 3, title: "T" }), { key: "3" }],
    ["no dependencies", story({ id: "a", title: "A", dependencies: [] }), { dependencies: [] }],
    ["a bug is a fix", story({ id: "a", title: "A", type: "bug" }), { type: "fix" }],
    ["a BOM in front", `\uFEFF${story({ id: "a", title: "A" })}`, { title: "A" }],
    ["passes", story({ id: "a", title: "A", passes: true }), { done: "implemented" }],
    [
      "null where nothing was said",
      story({ id: "a", title: "A", notes: null, priority: null }),
      { objective: "A" },
    ],
    [
      "a task of Task Master, its subtasks as tasks",
      '{"tasks": [{"id": 1, "title": "A", "status": "done", "priority": "high", "subtasks": [{"id": 1, "title": "S"}]}]}',
      { key: "1", title: "A", priority: "high", tasks: [{ text: "S", state: "todo" }], done: "implemented" },
    ],
  ])("%s", ([, text, expected]) =>
    expect(only(prd(text).stories.map(({ item }) => item))).toMatchObject(expected),
  );

  test.for<[string, string, string]>([
    ["broken JSON", '{\n  "userStories": [\n    {"id": 1,}\n  ]\n}', "prd.json:3: invalid JSON: "],
    ["JSON that ends too early", '{\n"userStories": [', "prd.json:2: invalid JSON: "],
    ["an empty file", "", "prd.json:1: invalid JSON: "],
    [
      "a control character as it is",
      '{"userStories": [{"id": "a",\n"title": "a\u0007b"}]}',
      "prd.json:2: invalid JSON: ",
    ],
    ["no list", '{"project": "x"}', "prd.json:1: no list of stories"],
    ["a number", "5", "prd.json:1: no list of stories"],
    ["an empty list", '{\n"userStories": []}', "prd.json:2: the list of stories is empty"],
    ["a bare list", '[{"id": "a", "title": "A"}]', "prd.json:1: no list of stories"],
    ["a story that is a text", plans('[\n"x"]'), 'prd.json:2: "x" is no item'],
    ["a story without an id", plans('[\n{"title": "A"}]'), "prd.json:2: it has no id"],
    ["a story without a title", plans('[{"id": "a"},\n{"id": "b"}]'), "prd.json:1: a: it has no title"],
    [
      "a title of nothing that can be seen",
      story({ id: "a", title: "\u0007 \u200b" }),
      "prd.json:1: a: it has no title",
    ],
    [
      "criteria of a wrong kind",
      plans('[\n{"id": "a", "title": "A", "acceptanceCriteria": 5}]'),
      "prd.json:2: a: acceptanceCriteria cannot be 5",
    ],
    [
      "an id twice",
      plans('[{"id": "a", "title": "A"},\n\n{"id": "a", "title": "B"}]'),
      "prd.json:3: the id a stands twice, here and on line 1",
    ],
    [
      "a dependency that is not there",
      plans('[\n{"id": "a", "title": "A", "dependencies": ["z"]}]'),
      "prd.json:2: a depends on z, which is not there",
    ],
    [
      "dependencies in a circle",
      plans(
        '[{"id": "a", "title": "A", "dependencies": ["b"]},\n{"id": "b", "title": "B", "dependencies": ["a"]}]',
      ),
      "prd.json:1: these wait for each other: a → b → a",
    ],
    [
      "more than a thousand stories",
      plans(JSON.stringify(Array.from({ length: 1_001 }, (_, id) => ({ id, title: "T" })))),
      "prd.json:1: 1001 items, more than 1000",
    ],
  ])("%s is refused with its line", ([, text, message]) =>
    expect(refusal(() => prd(text))).toContain(message),
  );
});

describe("checklists", () => {
  const items = (text: string): ImportItem[] => readChecklist(text, "fix_plan.md").items;

  test("a priority that an issue may not have is left out, and the import says so", () => {
    const read = (priority: string): unknown =>
      readJsonLines(JSON.stringify({ id: 1, title: "T", priority }), "tickets.jsonl");
    expect(read("whenever")).toMatchObject({ remarks: ["passed over: priority"] });
    expect(JSON.stringify(read("whenever"))).not.toContain("whenever");
    expect(JSON.stringify(read("Priority: High"))).toContain('"priority":"high"');
  });

  test("open boxes become items: headings give priority and tags, what is nested gives tasks, notes are passed over", () => {
    const text = [
      "# Ralph Fix Plan",
      "## High Priority",
      "- [ ] Set up the build",
      "  It has to be quick.",
      "  - [ ] choose a bundler",
      "  - [x] read about them",
      "    - [ ] compare",
      "## Parser",
      "- [x] Read numbers",
      "- [ ] **Read texts**: with escapes",
      "## Notes",
      "- Focus on what is small",
    ].join("\n");
    const { items: found, remarks } = readChecklist(text, "fix_plan.md");
    expect(found).toMatchObject([
      {
        key: "set-up-the-build",
        line: 3,
        title: "Set up the build",
        objective: "It has to be quick.",
        priority: "high",
        tags: [],
        tasks: [
          { text: "choose a bundler", state: "todo" },
          { text: "read about them", state: "done" },
          { text: "compare", state: "todo" },
        ],
      },
      { title: "Read numbers", done: "implemented", tags: ["parser"] },
      { title: "Read texts with escapes", tags: ["parser"] },
    ]);
    expect(remarks).toEqual([expect.stringContaining("line 12")]);
  });

  test("plain bullets are items where nothing has a box, but those that are done or notes", () => {
    const text = "# TODO\n- Write it\n## Low\n1. Polish it\n## Completed\n- Begin\n## Notes\n- by the way\n";
    expect(items(text)).toMatchObject([
      { title: "Write it" },
      { title: "Polish it", priority: "low" },
      { title: "Begin", done: "implemented" },
    ]);
  });

  test("an item keeps its key when it moves, and a second one of the same words has another", () => {
    expect(items("- [ ] Write tests\n- [ ] Write tests\n").map(({ key }) => key)).toEqual([
      "write-tests",
      "write-tests-2",
    ]);
    expect(items("## Low\n- [ ] a\n## High\n- [ ] b\n")[1]!.key).toBe(
      items("## Low\n- [ ] b\n- [ ] a\n")[0]!.key,
    );
  });

  test.for([[""], ["# Only a title\n\nand prose\n"], ["- [ ] \n"]])(
    "nothing to import is refused: %j",
    ([text]) => expect(refusal(() => items(text!))).toContain("fix_plan.md:1: no items"),
  );

  test.for<[string, string | undefined]>([
    ["High Priority", "high"],
    ["🔴 High Priority (MANDATORY - Phase 1)", "high"],
    ["Priority 2: Core Features", "2"],
    ["P0", "0"],
    ["priority:low", "low"],
    ["urgent", "critical"],
    ["高优先级", "high"],
    ["Low-level parts", undefined],
    ["Highlights", undefined],
    ["Phase 1", undefined],
  ])("the heading or label %s stands for priority %s", ([heading, priority]) =>
    expect(priorityIn(heading)).toBe(priority),
  );
});

describe("JSON lines and GitHub", () => {
  test("each line is an item; sections of its Markdown give criteria and tasks", () => {
    const body =
      "Intro\r\n\r\n## Acceptance criteria\r\n- [ ] it works\r\n\r\n## Tasks\r\n- do it\r\n\r\n## More\r\nwords";
    const text = `{"id": "T-1", "title": "One", "description": ${JSON.stringify(body)}, "tags": ["priority: high", "bug"]}\n\n{"id": 2, "title": "Two", "status": "closed"}\n`;
    expect(readJsonLines(text, "standard input").items).toMatchObject([
      {
        key: "T-1",
        type: "fix",
        priority: "high",
        objective: "Intro\n\n## More\nwords",
        criteria: ["it works"],
        tasks: [{ text: "do it", state: "todo" }],
      },
      { key: "2", line: 3, done: "implemented" },
    ]);
  });

  test.for<[string, string]>([
    ['{"id": 1, "title": "a"}\n{"id": 2', "standard input:2: invalid JSON: "],
    ['{"title": "a"}', "standard input:1: it has no id"],
    ["", "standard input:1: nothing to import"],
    ["[]", "standard input:1: [] is no item"],
    ['"a"', 'standard input:1: "a" is no item'],
  ])("%j is refused", ([text, message]) =>
    expect(refusal(() => readJsonLines(text, "standard input"))).toContain(message),
  );

  test("a repository's name comes from the address of its issues; a pull request is none", () => {
    const one = {
      number: 12,
      title: "T",
      body: "",
      labels: [],
      state: "OPEN",
      stateReason: "",
      url: "https://github.com/o/n/issues/12",
    };
    expect(readGithubIssues(JSON.stringify(one), "gh")).toMatchObject({
      name: "github:o/n",
      reading: { items: [{ key: "12" }] },
    });
    const elsewhere = { ...one, url: "https://git.example.com/o/n/issues/12" };
    expect(readGithubIssues(JSON.stringify([elsewhere]), "gh").name).toBe("github:git.example.com/o/n");
    const closed = { ...one, state: "CLOSED", stateReason: "NOT_PLANNED" };
    expect(readGithubIssues(JSON.stringify([closed]), "gh").reading.items[0]!.done).toBe("wontfix");
    const pull = { ...one, url: "https://github.com/o/n/pull/12" };
    expect(refusal(() => readGithubIssues(JSON.stringify(pull), "gh"))).toContain("is a pull request");
    expect(refusal(() => readGithubIssues("<html>", "gh issue list"))).toContain("no list of issues");
  });
});

// What trackers and people write, with what hurts most more often than chance would have it.
const hostile = fc.constantFrom(
  "## Acceptance Criteria",
  "- [ ] x",
  "<!--",
  "-->",
  "```",
  "---",
  "\u001b[31m",
  "\u0000",
  "# a",
  "> q",
  "\ud800",
  "{{id}}",
  "a: b #c",
  "\r\n\r\n",
  "\n",
  "    code",
  "'",
  '"',
  "[x] ",
  "1. ",
  "|",
  "\u2028",
  "~~~",
  "&lt;",
  "<script>",
  "$1",
  "*",
);
const words = fc
  .array(fc.oneof(hostile, fc.string({ unit: "grapheme", maxLength: 12 })), { maxLength: 12 })
  .map((parts) => parts.join(" "));
const lines = fc.array(fc.oneof(hostile, words), { maxLength: 8 }).map((parts) => parts.join("\n"));
const record = fc.record({
  title: words.map((text) => `T${text}`),
  description: lines,
  acceptanceCriteria: fc.array(words, { maxLength: 4 }),
  tasks: fc.array(words, { maxLength: 3 }),
  tags: fc.array(words, { maxLength: 3 }),
  notes: lines,
  priority: fc.oneof(fc.nat(9), words),
  passes: fc.boolean(),
});
const plan = fc.array(record, { minLength: 1, maxLength: 4 }).map((stories) =>
  JSON.stringify(
    {
      project: "P",
      branchName: "b",
      userStories: stories.map((one, index) => ({ id: `US-${index}`, ...one })),
    },
    undefined,
    2,
  ),
);

const isError = (fault: { message: string; level?: string }): boolean => fault.level !== "warning";

describe("laws", () => {
  test("whatever a source says, its issues read back with its words, and lint finds nothing but missing criteria", () => {
    fc.assert(
      fc.property(plan, (text) => {
        const reading = readingOf(prd(text));
        const steps = planImport(reading, { ...options, all: true });
        for (const [index, { text: file, path }] of steps.entries()) {
          const item = reading.items[index]!;
          const issue = parseIssue(file!, path!);
          expect(issue).toMatchObject({ title: item.title, tags: item.tags, type: item.type });
          expect(issue.criteria.map((one) => one.text)).toEqual(item.criteria);
          expect(issue.tasks.map(({ text, state }) => ({ text, state }))).toEqual(item.tasks);
          expect(path).toMatch(/^issues\/[A-Z]+-\d{4}-[^/\p{Cc}]+\.md$/u);
          const faults = lintIssue(file!, path!)
            .filter(isError)
            .map(({ message }) => message);
          expect(faults.filter((message) => message !== "no acceptance criteria")).toEqual([]);
        }
      }),
      { numRuns: runs(80) },
    );
  });

  test("an import again creates nothing and changes nothing", () => {
    fc.assert(
      fc.property(plan, fc.boolean(), (text, all) => {
        const first = planImport(readingOf(prd(text)), { ...options, all });
        const ids = { ...options.ids, feature: { prefix: "FEAT", next: 9 } };
        const again = planImport(readingOf(prd(text)), {
          ...options,
          all,
          ids,
          update: true,
          existing: known(first),
        });
        expect(again.map((one) => one.do)).toEqual(first.map((one) => (one.do === "skip" ? "skip" : "keep")));
      }),
      { numRuns: runs(60) },
    );
  });

  test("an export changes no byte but the values of passes, and what it wrote is imported as the same stories", () => {
    const layout = fc.tuple(
      plan,
      fc.constantFrom(undefined, 0, 2, "\t"),
      fc.constantFrom("\n", "\r\n"),
      fc.constantFrom("", "\uFEFF"),
    );
    fc.assert(
      fc.property(
        layout,
        fc.array(fc.option(fc.boolean(), { nil: undefined }), { minLength: 4, maxLength: 4 }),
        ([text, indent, end, bom], merged) => {
          const source = bom + JSON.stringify(JSON.parse(text), undefined, indent).replaceAll("\n", end);
          const { stories } = prd(source);
          const of = (key: string): boolean | undefined => merged[Number(key.slice(3))];
          const written = writePasses(source, stories, of);
          const masked = (json: string): string =>
            json.replaceAll(/"passes":( ?)(?:true|false)/g, '"passes":$1?');
          expect(masked(written.text)).toBe(masked(source));
          const after = prd(written.text).stories;
          expect(after.map(({ item }) => item.done === "implemented")).toEqual(
            stories.map(({ item }) => of(item.key) ?? item.done === "implemented"),
          );
          const but = ({ item }: (typeof after)[number]): object => ({ ...item, done: undefined, line: 0 });
          expect(after.map(but)).toEqual(stories.map(but));
          expect(writePasses(written.text, after, of)).toEqual({ text: written.text, changes: [] });
        },
      ),
      { numRuns: runs(200) },
    );
  });
});

test.for<[string, string, string]>([
  [
    "a member of its own line",
    '[\n  {\n    "id": "a",\n    "title": "A"\n  }\n]',
    '[\n  {\n    "id": "a",\n    "title": "A",\n    "passes": true\n  }\n]',
  ],
  [
    "the last of two passes counts",
    '[{"id":"a","title":"A","passes":true,"passes":false}]',
    '[{"id":"a","title":"A","passes":true,"passes":true}]',
  ],
  [
    "passes within another member is not it",
    '[{"id":"a","title":"\\"passes\\": false","x":{"passes":false},"passes":false}]',
    '[{"id":"a","title":"\\"passes\\": false","x":{"passes":false},"passes":true}]',
  ],
])("writing passes: %s", ([, text, expected]) =>
  expect(writePasses(plans(text), prd(plans(text)).stories, () => true).text).toBe(plans(expected)),
);

test("no text at all makes a reader fail in another way than with a line and a remedy", () => {
  const readers: ((text: string) => unknown)[] = [
    (text) => prd(text),
    (text) => readChecklist(text, "TODO.md"),
    (text) => readJsonLines(text, "standard input"),
    (text) => readGithubIssues(text, "gh"),
  ];
  const json = fc.json({ maxDepth: 4 });
  const texts = fc.oneof(
    lines,
    json,
    fc.array(json).map((all) => all.join("\n")),
    plan.map((text) => text.slice(0, text.length / 2)),
  );
  fc.assert(
    fc.property(texts, (text) => {
      for (const read of readers) expect(refusal(() => read(text))).toBeTruthy();
    }),
    { numRuns: runs(150) },
  );
});

testRows<[string, string]>([
  ["of one long item", `- [ ] ${"x".repeat(1_000_000)}`],
  ["of many items", "- [ ] a\n".repeat(3_000)],
  ["of deep items", `${`${"- ".repeat(30)}x `.repeat(20)}\n`.repeat(100)],
  ["of brackets", "[".repeat(500_000)],
  ["of comments", "<!--".repeat(200_000)],
  ["of a JSON list", `[${"{},".repeat(300_000)}`],
])("a source as large as one may be, %s, is read in a moment", ([, text]) => {
  const begun = performance.now();
  refusal(() => readChecklist(text, "TODO.md"));
  refusal(() => prd(text));
  expect(performance.now() - begun).toBeLessThan(60_000);
});

describe("what has changed at the source", () => {
  const before = story({ id: "a", title: "A", acceptanceCriteria: ["one"] });
  const after = story({ id: "a", title: "A", acceptanceCriteria: ["one", "two"] });
  const first = planImport(readingOf(prd(before)), options);
  const again = (change: (issue: KnownIssue) => KnownIssue, update: boolean): ImportStep =>
    planImport(readingOf(prd(after)), { ...options, update, existing: known(first).map(change) })[1]!;
  const here = (issue: KnownIssue, changes: Partial<NonNullable<KnownIssue["here"]>>): KnownIssue => ({
    ...issue,
    here: { ...issue.here!, ...changes },
  });

  test("is told, and written anew with --update while the issue is as it was imported", () => {
    expect(again((issue) => issue, false)).toMatchObject({
      do: "changed",
      hint: expect.stringContaining("--update") as string,
    });
    const step = again((issue) => issue, true);
    expect(step).toMatchObject({ do: "update", id: "FEAT-0001", path: first[1]!.path });
    expect(parseIssue(step.text!, "x").criteria.map(({ text }) => text)).toEqual(["one", "two"]);
  });

  test.for<[string, (issue: KnownIssue) => KnownIssue, string]>([
    ["is begun", (issue) => here(issue, { draft: false }), "changed"],
    [
      "was changed by a person",
      (issue) => here(issue, { text: issue.here!.text.replace("## Objective", "## Objective\n\nMine.") }),
      "changed",
    ],
    [
      "stands on another branch only",
      ({ source, hashes, id, path, branch }) => ({ source, hashes, id, path, branch, elsewhere: "other" }),
      "keep",
    ],
    [
      "has other line ends since",
      (issue) => here(issue, { text: issue.here!.text.replaceAll("\n", "\r\n") }),
      "update",
    ],
  ])("an issue that %s is not written over by --update: %s", ([, change, expected]) =>
    expect(again(change, true).do).toBe(expected),
  );

  test("a plan for another branch under the same name is another plan", () => {
    const of = (branch: string): ReturnType<typeof readingOf> =>
      readingOf(prd(JSON.stringify({ branchName: branch, userStories: [{ id: "a", title: "A" }] })));
    const one = planImport(of("ralph/one"), options);
    expect(refusal(() => planImport(of("ralph/two"), { ...options, existing: known(one) }))).toContain(
      "it is another plan",
    );
  });
});

test("a comment that is begun outside and never ended hides nothing of an issue", () => {
  const text = story({
    id: "a",
    title: "A",
    description: "one <!-- gone --> two <!-- three",
    acceptanceCriteria: ["<!-- C"],
  });
  const issue = parseIssue(planImport(readingOf(prd(text)), options)[1]!.text!, "x");
  expect(issue.objective).toBe("one  two &lt;!-- three");
  expect(issue.criteria.map((one) => one.text)).toEqual(["&lt;!-- C"]);
});

test("a plan that is done is passed over whole, its epic too", () => {
  const done = readingOf(prd(story({ id: "a", title: "A", passes: true })));
  expect(planImport(done, options).map((one) => one.do)).toEqual(["skip", "skip"]);
  expect(planImport(done, { ...options, all: true }).map((one) => one.do)).toEqual(["create", "create"]);
});

test("dependencies are ids, those on what was passed over are left out", () => {
  const text = JSON.stringify({
    userStories: [
      { id: "a", title: "A", passes: true },
      { id: "b", title: "B" },
      { id: "c", title: "C", dependencies: ["a", "b"] },
    ],
  });
  const steps = planImport(readingOf(prd(text)), options);
  expect(steps.map((one) => [one.do, one.id])).toEqual([
    ["create", "EPIC-0001"],
    ["skip", undefined],
    ["create", "FEAT-0001"],
    ["create", "FEAT-0002"],
  ]);
  expect(parseIssue(steps[3]!.text!, "x")).toMatchObject({
    dependencies: ["FEAT-0001"],
    parent: "EPIC-0001",
  });
});

describe("the comment on the source", () => {
  test.for<[string, { repository: string; number: string } | undefined]>([
    ["github:owner/name#12", { repository: "owner/name", number: "12" }],
    ["github:git.example.com/owner/name#12", { repository: "git.example.com/owner/name", number: "12" }],
    ["prd.json#US-001", undefined],
    ["github:--web/name#12", undefined],
    ["github:owner/name#12; rm", undefined],
    ["github:owner name#1", undefined],
    ["", undefined],
  ])("of the source %j, gh's words are %j", ([source, expected]) =>
    expect(githubIssueOf(source)).toEqual(expected),
  );

  test("a dossier that is too long is cut at a line, its fence closed", () => {
    const dossier = `# D\n\n\`\`\`\n${"a line of the diff\n".repeat(5_000)}\`\`\`\n`;
    const text = sourceComment({ issue: "FEAT-0001", commit: "c".repeat(40), base: "main", dossier });
    expect(text.length).toBeLessThan(65_536);
    expect(text.startsWith(`${markerOf("FEAT-0001", "c".repeat(40))}\nMerged into`)).toBe(true);
    expect(text.match(/^```/gm)).toHaveLength(2);
    expect(text).toContain("… (monoco issue review FEAT-0001 shows all of it)");
  });
});
