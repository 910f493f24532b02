import { readFileSync } from "node:fs";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { editFrontMatter } from "../../../src/core/text/front-matter-edit.ts";
import { parseIssue } from "../../../src/core/issue/issue.ts";
import { appendReviewComment, closeIssue, mergeTicks, newIssue } from "../../../src/core/issue/edit.ts";
import { lintIssue } from "../../../src/core/issue/lint.ts";
import { issueTypes } from "../../../src/core/issue/vocabulary.ts";
import { english, file } from "../support/issues.ts";
import { runs } from "../../support/runs.ts";

const tasksMarked = (marks: string[]): string =>
  `---\nid: A-0001\n---\n## 技术任务\n${marks.map((mark) => `- [${mark}] t\n`).join("")}`;

const criteriaIn = (it: string): string =>
  `\uFEFF---\r\nid: A-0001\r\n---\r\n## Acceptance Criteria\r\n${it}`;

const bare = (it: string): string => it.replace(/\[.\]/g, "[]");

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
    expect(editFrontMatter(closed, reopened)).toBe(text);
  });

  test("closing, ticking and remarking leave every other line as it is, in its place, whatever the file holds", () => {
    const front = fc.uniqueArray(
      fc.constantFrom(
        "# status: x",
        "",
        "status:   open # a",
        "stage: 'draft'",
        "x: |\n  ---a\n  status: b",
        "solution:",
        "tags:\n- a\n- b",
        "closed_at: # never",
      ),
    );
    const piece = fc.constantFrom(
      "## Objective",
      "## 验收标准",
      "## Technical Tasks",
      "## Review Comments",
      "## Other\t",
      "- [ ] a",
      "* [ ]  a  ",
      "---",
      "Title\n===",
      "status: open",
      "```",
      "<!-- x",
      "-->",
      "",
      "  text  ",
      "> - [ ] a",
    );
    const remark = fc.constantFrom("Good.", "## Objective", "```\nopen", "- [x] a\n- b");
    const end = fc.constantFrom("\n", "\r\n");
    const bom = fc.constantFrom("", "\uFEFF");
    const changed = /^(status|stage|solution|closed_at):(?! open\r?\n$)/;
    fc.assert(
      fc.property(front, fc.array(piece), remark, end, bom, (keys, body, words, eol, mark) => {
        const ids = ["id: FEAT-0001", "title: t"];
        const text = mark + ["---", ...ids, ...keys, "---", ...body, ""].join("\n").replaceAll("\n", eol);
        const how = { closedAt: "2026-02-01T00:00:00Z", solution: "wontfix" } as const;
        const closed = closeIssue(mergeTicks(text, text.replaceAll("[ ]", "[x]")), how);
        const edited = linesOf(appendReviewComment(closed, "en", words));
        let at = 0;
        for (const line of linesOf(text).filter((each) => !changed.test(each))) {
          const same = [line, line.replace("[ ]", "[x]")];
          at = 1 + edited.findIndex((each, index) => index >= at && same.includes(each));
          expect(at, `${JSON.stringify(line)} in ${JSON.stringify(edited)}`).toBeGreaterThan(0);
        }
        // Five values, the section's heading with its blanks, the words with one.
        const more = edited.length - linesOf(text).length;
        expect(more).toBeLessThanOrEqual(5 + 3 + 1 + words.split("\n").length);
      }),
      { numRuns: runs(150) },
    );
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

  test("no criterion is called off so, nor called back", () => {
    const swapped = english.replace("- [ ] A wrong", "- [~] A wrong").replace("- [~] Tokens", "- [ ] Tokens");
    expect(mergeTicks(english, swapped)).toBe(english);
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
    [
      "after a last line with blanks at its end",
      "## Review Comments\nx  \n\n## Other\n",
      "en",
      "## Review Comments\nx  \n\nGood.\n\n## Other\n",
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

function linesOf(text: string): string[] {
  return text.split(/(?<=\n)/);
}

describe("the shipped templates", () => {
  const ids = { feature: "FEAT-0001", fix: "FIX-0001", chore: "CHORE-0001", epic: "EPIC-0001" };
  const rows = issueTypes.flatMap((type) =>
    (["en", "zh"] as const).map((language) => [language, type] as const),
  );

  test.for(rows)(
    "templates/%s/issue-%s.md gives an issue that lacks only its objective and criteria",
    ([language, type]) => {
      const template = readFileSync(
        new URL(`../../../templates/${language}/issue-${type}.md`, import.meta.url),
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
