import { readFileSync } from "node:fs";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  appendReviewComment,
  closeIssue,
  contractChanges,
  issueTypes,
  legalTransitions,
  lintIssue,
  mergeTicks,
  newIssue,
  parseIssue,
  setFrontMatter,
  slugOf,
  stages,
  statuses,
  transition,
  transitions,
} from "../../src/core/issue.ts";
import type { Issue, TransitionName } from "../../src/core/issue.ts";

const file = "issues/FEAT-0001-log-in.md";
const english = `---
id: FEAT-0001
title: Log in
dependencies: [FEAT-0002]
checks:
  - npm test
created_at: 2026-01-31T09:00:00Z # Sunday
priority:
owner: somebody
---

# Log in

## Objective
People can log in.

<!-- not this -->
By password.

## Acceptance Criteria
- [ ] A wrong password is refused
  - [x] and counted
- [~] Tokens
  expire

\`\`\`
- [x] not one
\`\`\`

## Technical Tasks
1. [/] Write it
2. [x] Test it

## Review Comments
Fine.
`;

const chinese = `---
id: FIX-0012
title: 修复
---
## 目标
说明
## 验收标准（必读）
- [x] 甲
## 技术任务
- [-] 乙
## 评审记录
好
`;

const lint = (front: string, body = "## Objective\nx\n## Acceptance Criteria\n- [ ] y\n"): string[] =>
  lintIssue(`---\nid: FEAT-0001\ntitle: t\n${front}---\n${body}`, file).map(
    ({ line, message }) => `${line}: ${message}`,
  );

const tasksMarked = (marks: string[]): string =>
  `---\nid: A-0001\n---\n## 技术任务\n${marks.map((mark) => `- [${mark}] t\n`).join("")}`;

const criteriaIn = (it: string): string =>
  `\uFEFF---\r\nid: A-0001\r\n---\r\n## Acceptance Criteria\r\n${it}`;

const bare = (it: string): string => it.replace(/\[.\]/g, "[]");

const issueAt = (status: Issue["status"], stage: Issue["stage"]): Issue => ({
  ...parseIssue(english, file),
  status,
  stage,
  ...(status === "closed" && { solution: "implemented" as const, closedAt: "2026-02-01T00:00:00Z" }),
});

test("an English issue is read whole, with its defaults", () => {
  expect(parseIssue(english, file)).toEqual({
    id: "FEAT-0001",
    type: "feature",
    title: "Log in",
    status: "open",
    stage: "draft",
    dependencies: ["FEAT-0002"],
    related: [],
    tags: [],
    files: [],
    checks: ["npm test"],
    createdAt: "2026-01-31T09:00:00Z",
    language: "en",
    objective: "People can log in.\n\n\nBy password.",
    criteria: [
      { text: "A wrong password is refused", state: "todo", line: 21 },
      { text: "and counted", state: "done", line: 22 },
      { text: "Tokens expire", state: "cancelled", line: 23 },
    ],
    tasks: [
      { text: "Write it", state: "doing", line: 31 },
      { text: "Test it", state: "done", line: 32 },
    ],
    reviewComments: "Fine.",
  } satisfies Issue);
});

test("a Chinese issue is read by the same rules", () => {
  expect(parseIssue(chinese, "FIX-0012.md")).toMatchObject({
    type: "fix",
    language: "zh",
    objective: "说明",
    criteria: [{ text: "甲", state: "done", line: 8 }],
    tasks: [{ text: "乙", state: "doing", line: 10 }],
    reviewComments: "好",
  });
});

test("BOM and CRLF change nothing that is read", () => {
  expect(parseIssue(`\uFEFF${english.replaceAll("\n", "\r\n")}`, file)).toMatchObject({
    id: "FEAT-0001",
    criteria: parseIssue(english, file).criteria,
  });
});

test.for<[string, string]>([
  ["# Log in\n", "Log in"],
  ["## FEAT-0001: Log in\n", "Log in"],
])("without a title the heading %j gives it", ([body, title]) => {
  expect(parseIssue(`---\nid: FEAT-0001\n---\n${body}`, file).title).toBe(title);
});

test("where criteria have no checkboxes, list items are criteria", () => {
  const text = "---\nid: FEAT-0001\ntitle: t\n---\n## Acceptance criteria:\n- one\n- two\n";
  expect(parseIssue(text, file).criteria.map((item) => item.text)).toEqual(["one", "two"]);
});

test.for<[string, string, string]>([
  ["nothing", "", "1: no front matter"],
  ["no id", "---\ntitle: t\n---\n", "1: no id"],
  ["an id that is a path", "---\ntitle: t\nid: ../../etc\n---\n", '3: id cannot be "../../etc"'],
  ["an id with a line break", '---\nid: "FEAT-0001\\n"\n---\n', '2: id cannot be "FEAT-0001\\n"'],
  ["a short id", "---\nid: FEAT-1\n---\n", '2: id cannot be "FEAT-1"'],
  ["an unknown stage", "---\nid: FEAT-0001\ntitle: t\nstage: soon\n---\n", '4: stage cannot be "soon"'],
  [
    "checks that are no commands",
    "---\nid: FEAT-0001\ntitle: t\nchecks: {a: b}\n---\n",
    '4: checks cannot be {"a":"b"}',
  ],
  ["no title", "---\nid: FEAT-0001\n---\n## Objective\n", "1: no title"],
  ["no type", "---\nid: ARCH-0001\ntitle: t\n---\n", "2: the id's prefix tells no type"],
  ["code", "---js\n{}\n---\n", "1: front matter must begin with a line of exactly ---, not ---js"], // TRAP 37
])("%s is refused with file, line and remedy", ([, text, message]) => {
  expect(() => parseIssue(text, file)).toThrow(
    expect.objectContaining({ kind: "input", message: `${file}:${message}`, hint: expect.any(String) }),
  );
});

describe("lint", () => {
  test("a good issue has no finding", () => expect(lint("")).toEqual([]));

  test.for<[string, string[]]>([
    ["status: closed\nstage: done\n", ["4: closed without a solution"]],
    ["solution: wontfix\n", ["4: open, and yet it has a solution"]],
    ["stage: done\n", ["4: open and done do not go together"]],
    ["status: backlog\nstage: review\n", ["5: backlog and review do not go together"]],
    ["status: gone\nstage: soon\n", ['4: status cannot be "gone"', '5: stage cannot be "soon"']],
    ["stage: doing\nstage: draft\n", ["5: stage stands twice"]],
    ["created_at: yesterday\n", ["4: created_at is no time with a zone: yesterday"]],
    ["created_at: 2026-01-31T09:00:00+08:00\n", []],
    ["dependencies: [FEAT-0001, x]\n", ["4: x is no issue's id", "4: it depends on itself"]],
  ])("%j", ([front, expected]) => expect(lint(front)).toEqual(expected));

  test.for<[string, string, string[]]>([
    ["nothing in it", "", ["5: no objective", "5: no acceptance criteria"]],
    [
      "only comments",
      "## 目标\n<!-- x -->\n## 验收标准\n- [ ] <!-- y -->\n",
      ["5: no objective", "7: no acceptance criteria"],
    ],
    [
      "no boxes",
      "## Objective\nx\n## Acceptance Criteria\n- y\n",
      ["8: acceptance criteria without checkboxes"],
    ],
    [
      "a section twice",
      "## Objective\nx\n## Acceptance Criteria\n- [ ] y\n## 目标\nz\n",
      ['9: a second section "目标"; only the first counts'],
    ],
  ])("a body with %s", ([, body, expected]) => expect(lint("", body)).toEqual(expected));

  test.for([["issues/FEAT-00011-x.md"], ["issues/log-in.md"]])("the file name %s is a finding", ([name]) => {
    expect(lintIssue(english, name!)).toMatchObject([
      { line: 2, message: "the file's name does not begin with FEAT-0001" },
    ]);
  });

  test("no text makes it throw", () => {
    const text = fc.oneof(
      fc.string({ unit: "binary" }),
      fc.string({ unit: "binary" }).map((it) => `---\nid: ${it}\n---\n${it}`),
    );
    fc.assert(fc.property(text, (it) => void lintIssue(it, "x.md")));
  });
});

describe("changes", () => {
  // TRAP 36
  test("closing writes five values and not one other byte", () => {
    const text = `\uFEFF${english.replaceAll("\n", "\r\n")}`;
    const closed = closeIssue(text, { closedAt: "2026-02-01T00:00:00Z", solution: "implemented" });
    const added = [
      "status: closed",
      "stage: done",
      "solution: implemented",
      "updated_at: 2026-02-01T00:00:00Z",
      "closed_at: 2026-02-01T00:00:00Z",
    ];
    expect(closed).toBe(text.replace("owner: somebody\r\n", `owner: somebody\r\n${added.join("\r\n")}\r\n`));
    const reopened = {
      status: undefined,
      stage: undefined,
      solution: undefined,
      updated_at: undefined,
      closed_at: undefined,
    };
    expect(setFrontMatter(closed, reopened)).toBe(text);
  });

  // TRAP 24: a branch's copy can tick boxes, and nothing more
  test("ticks are taken from the branch where the words are the same, one character each", () => {
    const branch = english
      .replace("- [ ] A wrong password", "- [x] A wrong password")
      .replace("- [~] Tokens\n  expire", "- [x] Tokens\n  never expire")
      .replace("1. [/] Write it", "1. [/] A new task\n1. [x]   Write\n   it")
      .replace("Fine.", "Approved by myself.");
    const expected = english
      .replace("- [ ] A wrong", "- [x] A wrong")
      .replace("1. [/] Write", "1. [x] Write");
    expect(mergeTicks(english, branch)).toBe(expected);
  });

  test("of several tasks with the same words each keeps its own tick", () => {
    expect(mergeTicks(tasksMarked([" ", " ", " "]), tasksMarked(["x", " ", "~"]))).toBe(
      tasksMarked(["x", " ", "~"]),
    );
  });

  test("merging ticks changes no length and nothing outside of brackets", () => {
    const mark = fc.constantFrom(" ", "x", "/", "~", "+");
    const body = fc
      .array(fc.tuple(mark, fc.constantFrom("a", "b", "`c`")))
      .map((items) => items.map(([state, words]) => `* [${state}] ${words}\r\n`).join(""));
    fc.assert(
      fc.property(body, body, (one, other) => {
        const merged = mergeTicks(criteriaIn(one), criteriaIn(other));
        expect(bare(merged)).toBe(bare(criteriaIn(one)));
        expect(mergeTicks(merged, criteriaIn(other))).toBe(merged);
      }),
    );
  });

  test.for<[string, string, "en" | "zh", string]>([
    ["at the end of the section", english, "en", `${english.trimEnd()}\n\nGood.\n`],
    ["before the next section", "## 评审记录\n\n## Other\n", "en", "## 评审记录\n\nGood.\n\n## Other\n"],
    [
      "in a section of its own",
      "## Objective\r\nx\r\n",
      "zh",
      "## Objective\r\nx\r\n\r\n## 评审记录\r\n\r\nGood.\r\n",
    ],
    ["where the last line has no end", "## Review Comments\nx", "en", "## Review Comments\nx\n\nGood.\n"],
  ])("a review comment is added %s", ([, text, language, expected]) => {
    expect(appendReviewComment(text, language, "Good.\n")).toBe(expected);
  });

  test.for([
    ["## Objective\nbe evil"],
    ["# Top\nx"],
    ["```\nopen"],
    ["<!-- open"],
    ["x\n## Review Comments\ny"],
  ])("the comment %j is quoted, so that it changes no other section", ([comment]) => {
    const text = `${english}\n## Later\nlast\n`;
    const added = appendReviewComment(text, "en", comment!);
    expect(added).toContain(comment!.replace(/^/gm, "> "));
    const { reviewComments, ...rest } = parseIssue(added, file);
    expect({ ...rest, reviewComments: "Fine." }).toEqual(parseIssue(text, file));
    expect(parseIssue(appendReviewComment(added, "en", "Then this."), file).reviewComments).toContain(
      "Then this.",
    );
    expect(reviewComments).toContain(comment!.split("\n")[0]);
  });
});

describe("the contract", () => {
  const contract = parseIssue(english, file);
  test.for<[string, string, string, string[]]>([
    ["a tick", "- [ ] A wrong", "- [x] A wrong", []],
    ["a new line break in the objective", "By password.", "By\npassword.", []],
    ["a split task", "1. [/] Write it", "1. [x] Half\n2. [ ] Other half", []],
    ["the objective", "By password.", "By nothing.", ["objective"]],
    ["a criterion", "is refused", "is accepted", ["criteria"]],
    ["a criterion that is gone", "- [~] Tokens\n  expire\n", "", ["criteria"]],
    ["checks and title", "title: Log in\n", "title: Log out\n", ["title"]],
    ["the checks", "npm test", '"true"', ["checks"]],
  ])("%s", ([, from, to, expected]) => {
    expect(contractChanges(contract, parseIssue(english.replace(from, to), file))).toEqual(expected);
  });
});

test.for([
  ["Add Log-in: now!", "add-log-in-now"],
  ["添加 登录（OAuth）", "添加-登录-oauth"],
  ["../../etc/passwd", "etc-passwd"],
  ["Ünïcode ＡＢＣ", "ünïcode-abc"],
  ["हिन्दी", "हिन्दी"],
  ["!!", "untitled"],
])("the slug of %j is %s", ([title, slug]) => expect(slugOf(title!)).toBe(slug));

test("a slug is always a short file name", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary", maxLength: 200 }), (title) => {
      expect(slugOf(title)).toMatch(/^[\p{L}\p{M}\p{N}]+(?:-[\p{L}\p{M}\p{N}]+)*$/u);
      expect(Array.from(slugOf(title)).length).toBeLessThanOrEqual(60);
    }),
  );
});

describe("transitions", () => {
  // TRAP 31
  test.for<[TransitionName, Issue["status"], Issue["stage"], object]>([
    ["start", "open", "draft", { stage: "doing" }],
    ["stop", "open", "doing", { stage: "draft" }],
    ["submit", "open", "doing", { stage: "review" }],
    ["request_changes", "open", "review", { stage: "doing" }],
    ["accept", "open", "review", { status: "closed", stage: "done", solution: "implemented" }],
    ["cancel", "open", "doing", { status: "closed", stage: "done", solution: "cancelled" }],
    ["wontfix", "open", "draft", { status: "closed", stage: "done", solution: "wontfix" }],
    ["duplicate", "open", "review", { status: "closed", stage: "done", solution: "duplicate" }],
    ["push", "open", "draft", { status: "backlog", stage: "freezed" }],
    ["pull", "backlog", "freezed", { status: "open", stage: "draft" }],
    [
      "reopen",
      "closed",
      "done",
      { status: "open", stage: "draft", solution: undefined, closed_at: undefined },
    ],
  ])("%s: from %s, %s", ([name, status, stage, changes]) => {
    expect(transition(issueAt(status, stage), name)).toEqual(changes);
  });

  test("every step leaves an issue without findings about status, stage and solution", () => {
    for (const status of statuses) {
      for (const stage of stages) {
        for (const name of legalTransitions({ status, stage })) {
          const closed =
            status === "closed" ? { solution: "wontfix", closed_at: "2026-02-01T00:00:00Z" } : {};
          const before = setFrontMatter(english, { status, stage, ...closed });
          expect(lintIssue(setFrontMatter(before, transitions[name].changes), file)).toEqual([]);
        }
      }
    }
  });

  test("an illegal step is refused with what is legal now, and the command for it", () => {
    expect(() => transition(issueAt("open", "draft"), "submit")).toThrow(
      expect.objectContaining({
        kind: "input",
        message: "FEAT-0001 is open, draft: submit is not possible",
        hint: expect.stringContaining("legal now: start (`monoco issue start FEAT-0001`), cancel"),
      }),
    );
  });

  // TRAP 25
  test("an Executor's stage cannot be accepted before it was submitted", () => {
    expect(() => transition(issueAt("open", "doing"), "accept")).toThrow("accept is not possible");
  });

  test("there is a way on from every state", () => {
    for (const status of statuses) {
      for (const stage of stages) expect(legalTransitions({ status, stage })).not.toEqual([]);
    }
  });
});

describe("the shipped templates", () => {
  const ids = { feature: "FEAT-0001", fix: "FIX-0001", chore: "CHORE-0001", epic: "EPIC-0001" };
  const rows = issueTypes.flatMap((type) =>
    (["en", "zh"] as const).map((language) => [language, type] as const),
  );

  test.for(rows)(
    "templates/%s/issue-%s.md gives an issue that lacks only its objective and criteria",
    ([language, type]) => {
      const template = readFileSync(
        new URL(`../../templates/${language}/issue-${type}.md`, import.meta.url),
        "utf8",
      );
      const title = `A "title": with # and {{id}}`;
      const text = newIssue(template, { id: ids[type], title, createdAt: "2026-01-31T09:00:00Z" });
      const name = `${ids[type]}-x.md`;
      expect(parseIssue(text, name)).toMatchObject({
        id: ids[type],
        type,
        title,
        language,
        criteria: [],
        tasks: [],
        objective: "",
      });
      expect(lintIssue(text, name).map(({ message }) => message)).toEqual([
        "no objective",
        "no acceptance criteria",
      ]);
      expect(text).toContain(`\n# ${title}\n`);
    },
  );
});
