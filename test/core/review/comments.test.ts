/** A person's comments: on the sheet that an editor opens, each belongs to the line above it; in words, `file:line: text` names one. */
import { describe, expect, test } from "vitest";
import { commentOf, commentSheet, commentsOn, personFindings } from "../../../src/core/review/comments.ts";

const diff = `diff --git a/src/a.ts b/src/a.ts
index 1111111..2222222 100644
--- a/src/a.ts
+++ b/src/a.ts
@@ -9,4 +9,5 @@ function total() {
 let sum = 0;
-for (const n of all) sum -= n;
+for (const n of all) sum += n;
+# file: not/a/heading
 return sum;
 }
diff --git a/old name b/new name
similarity index 100%
rename from old name
rename to new name
diff --git a/gone.txt b/gone.txt
deleted file mode 100644
--- a/gone.txt
+++ /dev/null
@@ -1 +0,0 @@
---- a list
`;

describe("the sheet", () => {
  const sheet = commentSheet(diff, ["FEAT-0001: what has to change?"]);

  test("has each line of the diff with its number in the submission", () => {
    expect(sheet).toMatchInlineSnapshot(`
      "# FEAT-0001: what has to change?

      # file: src/a.ts
      #
      #     9  let sum = 0;
      #       -for (const n of all) sum -= n;
      #    10 +for (const n of all) sum += n;
      #    11 +# file: not/a/heading
      #    12  return sum;
      #    13  }

      # file: new name
      #       rename from old name
      #       rename to new name

      # file: gone.txt
      #
      #       ---- a list
      "
    `);
  });

  test("names a file whose own name looks like git's", () => {
    expect(commentSheet("diff --git a/x b/y.txt b/x b/y.txt", [])).toContain("# file: x b/y.txt\n");
  });

  test("as it was opened has no comment", () => {
    expect(commentsOn(sheet)).toEqual([]);
  });

  /** `words` beneath the line of the sheet that has `line`. */
  const beneath = (line: string, words: string): string =>
    sheet
      .split("\n")
      .flatMap((row) => (row.includes(line) ? [row, words] : [row]))
      .join("\n");

  test.for([
    ["a line that stays", "return sum;", { file: "src/a.ts", line: 12 }],
    ["an added line", "sum += n", { file: "src/a.ts", line: 10 }],
    ["an added line that looks like a heading", "not/a/heading", { file: "src/a.ts", line: 11 }],
    ["a removed line: the one before it", "sum -= n", { file: "src/a.ts", line: 9 }],
    ["a file's name: the file", "# file: src/a.ts", { file: "src/a.ts" }],
    ["a renamed file", "rename to", { file: "new name" }],
    ["a line of a deleted file: the file", "a list", { file: "gone.txt" }],
    ["the head: the whole", "what has to change?", {}],
  ] as const)("%s", ([, line, place]) => {
    const text = "Why?\n\nSay so.";
    expect(commentsOn(beneath(line, `\n${text}\n\n`))).toEqual([{ text, ...place }]);
    expect(commentsOn(beneath(line, text).replaceAll("\n", "\r\n"))).toEqual([{ text, ...place }]);
  });

  test("may be cut down to what one has to say", () => {
    const kept = beneath("sum += n", "Overflows")
      .split("\n")
      .filter((row) => /file: src|Overflows|10 /.test(row));
    expect(commentsOn(kept.join("\n"))).toEqual([{ text: "Overflows", file: "src/a.ts", line: 10 }]);
  });
});

test.for([
  ["src/a.ts:12: off by one", { text: "off by one", file: "src/a.ts", line: 12 }],
  ["a b.txt:3 two\nlines", { text: "two\nlines", file: "a b.txt", line: 3 }],
  ["  The button needs a label. ", { text: "The button needs a label." }],
  ["Note: 12 is wrong", { text: "Note: 12 is wrong" }],
  ["src/a.ts:12:", { text: "src/a.ts:12:" }],
  ["see http://127.0.0.1:80 there", { text: "see http://127.0.0.1:80 there" }],
] as const)("%s", ([message, comment]) => {
  expect(commentOf(message)).toEqual(comment);
});

test("each becomes a blocker with an id of its own", () => {
  const comments = [{ text: "Off by one\nSee the table.", file: "a", line: 1 }, { text: "No label" }];
  expect(personFindings(comments, 2)).toEqual([
    {
      id: "person-2-1",
      severity: "blocker",
      title: "Off by one",
      file: "a",
      line: 1,
      evidence: { text: "Off by one\nSee the table." },
    },
    { id: "person-2-2", severity: "blocker", title: "No label", evidence: { text: "No label" } },
  ]);
});
