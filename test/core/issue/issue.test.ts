import { expect, test } from "vitest";
import { errorOf } from "../../support/error-of.ts";
import { parseIssue } from "../../../src/core/issue/issue.ts";
import type { Issue } from "../../../src/core/issue/issue.ts";
import { english, file } from "../support/issues.ts";

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
    allows: [],
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
  ["a status of the wrong type", "---\nid: FEAT-0001\nstatus: 7\n---\n", "3: status cannot be 7"],
  ["NUL in its title", '---\nid: FEAT-0001\ntitle: "a\\0b"\n---\n', '3: title cannot be "a\\u0000b"'],
  [
    "NUL in a check",
    '---\nid: FEAT-0001\ntitle: t\nchecks: ["a\\0"]\n---\n',
    '4: checks cannot be ["a\\u0000"]',
  ],
  ["no title", "---\nid: FEAT-0001\n---\n## Objective\n", "1: no title"],
  ["no type", "---\nid: ARCH-0001\ntitle: t\n---\n", "2: the id's prefix tells no type"],
  ["code", "---js\n{}\n---\n", "1: front matter must begin with a line of exactly ---, not ---js"], // TRAP 37
])("%s is refused with file, line and remedy", ([, text, message]) => {
  expect(errorOf(() => parseIssue(text, file))).toEqual({
    kind: "input",
    message: `${file}:${message}`,
    hint: expect.stringMatching(/./),
  });
});

test("criteria are read however many lists end before them", () => {
  const body = `${"- a\nb\n".repeat(1_500)}\n## Acceptance Criteria\n\n- [ ] One\n\n## Technical Tasks\n\n- [ ] Two\n`;
  const head = "---\nid: FEAT-0001\ntitle: A\n---\n\n## Objective\n\n";
  const { criteria, tasks } = parseIssue(head + body, "issues/a.md");
  expect([...criteria, ...tasks].map(({ text }) => text)).toEqual(["One", "Two"]);
});
