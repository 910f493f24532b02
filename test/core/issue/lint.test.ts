import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { lintIssue } from "../../../src/core/issue/lint.ts";
import { english, file } from "../support/issues.ts";

const lint = (front: string, body = "## Objective\nx\n## Acceptance Criteria\n- [ ] y\n"): string[] =>
  lintIssue(`---\nid: FEAT-0001\ntitle: t\n${front}---\n${body}`, file).map(
    ({ line, message }) => `${line}: ${message}`,
  );

describe("lint", () => {
  test("a good issue has no finding", () => expect(lint("")).toEqual([]));

  test.for<[string, string[]]>([
    ["status: closed\nstage: done\n", ["4: closed without a solution", "4: closed, and no closed_at"]],
    ["solution: wontfix\n", ["4: open, and yet it has a solution"]],
    ["stage: done\n", ["4: open and done do not go together"]],
    ["status: backlog\nstage: review\n", ["5: backlog and review do not go together"]],
    ["status: gone\nstage: soon\n", ['4: status cannot be "gone"', '5: stage cannot be "soon"']],
    ["stage: doing\nstage: draft\n", ["5: stage stands twice"]],
    ["created_at: yesterday\n", ["4: created_at is no time with a zone: yesterday"]],
    ["created_at: 2026-01-31T09:00:00+08:00\n", []],
    ["priority: whenever\n", ['4: unknown priority "whenever"']],
    ["priority: High\n", []],
    ["priority: 12\n", []],
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

  test("the hint about a priority lists the allowed values; --fix writes the one that was meant", () => {
    const lintPriority = (priority: string): object[] =>
      lintIssue(english.replace("priority:", `priority: ${priority}`), file);
    const hint =
      "one of critical, urgent, highest, p0, high, p1, medium, normal, p2, low, p3, lowest, trivial, p4, or a whole number (1 before 2)";
    expect(lintPriority("whenever")).toMatchObject([{ level: "error", hint }]);
    expect(lintPriority("whenever")[0]).not.toHaveProperty("fix");
    expect(lintPriority("High priority")).toMatchObject([{ fix: { front: { priority: "high" } } }]);
  });

  test("hints name the headings of the project's language, and of no other", () => {
    const hints = (language: "en" | "zh"): string =>
      JSON.stringify(lintIssue("---\nid: FEAT-0001\ntitle: t\n---\n", file, { language }));
    expect(hints("en")).toContain("## Objective");
    expect(hints("en")).toContain("## Acceptance Criteria");
    expect(hints("en")).not.toMatch(/\p{Script=Han}/u);
    expect(hints("zh")).toContain("## 目标");
    expect(hints("zh")).toContain("## 验收标准");
  });

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
