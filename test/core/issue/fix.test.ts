/** What `issue lint --fix` mends in one file, and the law of it: once is enough, and nothing else is touched. */
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { fixIssue } from "../../../src/core/issue/fix.ts";
import { lintIssue } from "../../../src/core/issue/lint.ts";
import { runs } from "../../support/runs.ts";

const path = "issues/FEAT-0001-t.md";
const issue = (front: string, criteria = "- [ ] y\n"): string =>
  `---\nid: FEAT-0001 # mine\ntitle: 't'\n${front}x: [1,  2]\n---\n## Objective\n\nx\n\n## Acceptance Criteria\n\n${criteria}`;

test.for<[string, string]>([
  ["- [] a\n", "- [ ] a\n"],
  ["- [✓] a\n* [v] b\n1. [√] c\n", "- [x] a\n* [x] b\n1. [x] c\n"],
  ["- [ x ] a\n  - [x ] b\n", "- [x] a\n  - [x] b\n"],
  ["-[ ] a\n-[x] b\n", "- [ ] a\n- [x] b\n"],
  ["- [ ]完成\n", "- [ ] 完成\n"],
  ["- a\n- b\n", "- [ ] a\n- [ ] b\n"],
  // None of these is a box that somebody meant.
  [
    "- [ ] a\n- [x](b.md)\n- [v]: c\n- [~] d\n- [X] e\n",
    "- [ ] a\n- [x](b.md)\n- [v]: c\n- [~] d\n- [X] e\n",
  ],
  ["- [ ] a\n\n```\n- [] b\n```\n", "- [ ] a\n\n```\n- [] b\n```\n"],
  ["- [ ] a\n<!-- - [] b\n- [] c -->\n", "- [ ] a\n<!-- - [] b\n- [] c -->\n"],
  ["- [ ] an array[]\n- [ ] b []\n", "- [ ] an array[]\n- [ ] b []\n"],
])("boxes: %j", ([criteria, expected]) => {
  for (const as of [String, (text: string) => `\uFEFF${text.replaceAll("\n", "\r\n")}`])
    expect(fixIssue(as(issue("", criteria)), path).text).toBe(as(issue("", expected)));
});

test.for([
  ["no front matter", "# x\n- [] y\n"],
  ["broken YAML", issue("tags: [\nstatus: closed\n", "- [] y\n")],
  ["code", "---js\n({})\n---\n- [] y\n"],
])("a file that cannot be read stays as it is: %s", ([, text]) => {
  expect(fixIssue(text!, path)).toEqual({ text, fixed: [] });
});

const line = fc.oneof(
  fc.constantFrom(
    "- [] a",
    "-[ ] b",
    "- [✓] c",
    "  - [ x ] d",
    "- e",
    "1. [v] f",
    "- [ ]完成",
    "```",
    "<!--",
    "-->",
    "",
    "## Technical Tasks",
    "## 验收标准",
    "    - [] g",
    "> - [] h",
    "- - [] i",
  ),
  fc.string({ unit: "binary", maxLength: 12 }),
);
const key = fc.constantFrom(
  "status: open",
  "status: closed # x",
  "status: backlog",
  "stage: doing",
  "stage: done",
  "stage: freezed",
  "solution: wontfix",
  "updated_at: 2026-01-31T09:00:00Z",
  "stage:\n  review",
  "title: &a t",
  "tags: [x",
);
const text = fc
  .tuple(
    fc.uniqueArray(key, { selector: (word) => word.split(":")[0] }),
    fc.array(line),
    fc.constantFrom("\n", "\r\n"),
  )
  .map(([keys, lines, eol]) =>
    `---\nid: FEAT-0001\n${keys.map((word) => `${word}\n`).join("")}---\n## Objective\nx\n## Acceptance Criteria\n${lines.join("\n")}\n`.replaceAll(
      "\n",
      eol,
    ),
  );

test("to mend twice is to mend once, and nothing of what was mended is found again", () => {
  fc.assert(
    fc.property(text, (before) => {
      const { text: once, fixed } = fixIssue(before, path);
      expect(fixIssue(once, path)).toEqual({ text: once, fixed: [] });
      if (fixed.length > 0) expect(lintIssue(once, path).filter(({ fix }) => fix)).toEqual([]);
      // What lint calls an error and does not mend is there afterwards too.
      const kept = (of: string): string[] =>
        lintIssue(of, path).flatMap(({ level, fix, message }) =>
          level === "error" && !fix ? [message] : [],
        );
      if (fixed.length === 0) expect(once).toBe(before);
      expect(kept(before).filter((message) => /stands twice|cannot be/.test(message))).toEqual(
        kept(once).filter((message) => /stands twice|cannot be/.test(message)),
      );
    }),
    { numRuns: runs(500) },
  );
});
