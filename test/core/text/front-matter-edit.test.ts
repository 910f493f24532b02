import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { splitFrontMatter } from "../../../src/core/text/front-matter.ts";
import { editFrontMatter } from "../../../src/core/text/front-matter-edit.ts";

describe("editing front matter", () => {
  // TRAP 36
  test.for<[string, string, Record<string, string | undefined>, string]>([
    ["a plain value", "a: 1 # one\nb: x # two\n", { b: "y" }, "a: 1 # one\nb: y # two\n"],
    ["a quoted value", "b: 'x'\na: \"z\"\n", { b: "y" }, 'b: y\na: "z"\n'],
    ["an empty value", "b:\na: 1\n", { b: "y" }, "b: y\na: 1\n"],
    ["an empty value with a comment", "b: # why\na: 1\n", { b: "y" }, "b: y # why\na: 1\n"],
    ["a block of text", "b: |\n  x\n  z\n\na: 1\n", { b: "y" }, "b: y\n\na: 1\n"],
    ["a list below its key", "b: # why\n- x\n- z\n# next\na: 1\n", { b: "y" }, "b: y # why\n# next\na: 1\n"],
    ["a tagged value", "b: !!int 5\na: 1\n", { b: "y" }, "b: y\na: 1\n"],
    ["an anchored value", "b: &n x\na: *n\n", { a: "y" }, "b: &n x\na: y\n"],
    ["a missing key", "a: 1\n# end\n", { b: "y" }, "a: 1\n# end\nb: y\n"],
    ["a missing key among indented ones", "  a: 1\n", { b: "y" }, "  a: 1\n  b: y\n"],
    ["a removed key", "# a\na: 1\nb: x # two\nc: 3\n", { b: undefined }, "# a\na: 1\nc: 3\n"],
    ["a removed list", "a: 1\nb:\n  - x\n  - y\nc: 3\n", { b: undefined }, "a: 1\nc: 3\n"],
    ["the first key removed", "b: x\nc: 3\n", { b: undefined }, "c: 3\n"],
    ["a key that is not there to remove", "a: 1\n", { b: undefined }, "a: 1\n"],
    ["the same value, however it is quoted", 'b: "y"\n', { b: "y" }, 'b: "y"\n'],
    ["values that need quotes", "b: x\n", { b: "true", c: "a: b # c" }, 'b: "true"\nc: "a: b # c"\n'],
    ["a value of several lines", "b: x\n", { b: "1\n2" }, 'b: "1\\n2"\n'],
    ["several at once", "a: 1\nb: x\nc: 3\n", { c: "z", a: undefined, d: "4" }, 'b: x\nc: z\nd: "4"\n'],
  ])("%s", ([, before, changes, after]) => {
    const body = "\n# T\n\n---\n\nb: x\n";
    expect(editFrontMatter(`---\n${before}---\n${body}`, changes, "x.md")).toBe(`---\n${after}---\n${body}`);
    const crlf = (text: string): string => `\uFEFF---\n${text}---\n${body}`.replaceAll("\n", "\r\n");
    expect(editFrontMatter(crlf(before), changes, "x.md")).toBe(crlf(after));
  });

  test.for<[string, string, Record<string, string | undefined>]>([
    ["an anchor that others use", "a: &n x\nb: *n\n", { a: undefined }],
    ["front matter in braces", "{ a: 1 }\n", { b: "2" }],
  ])("%s is not broken but refused", ([, yaml, changes]) => {
    expect(() => editFrontMatter(`---\n${yaml}---\n`, changes, "x.md")).toThrow(
      "cannot be changed without breaking it",
    );
  });

  test("nothing but the value's bytes changes", () => {
    const value = fc.oneof(
      fc.string(),
      fc.string({ unit: "binary" }),
      fc.constantFrom("- a", "'", "null", "1e3", "a\r\nb", "---"),
    );
    const line = fc.constantFrom(
      "# c",
      "",
      "x: 'y'  # z",
      "list:\n  - 1\n  - 2",
      "long: >\n  a\n  b\n",
      "o: {p: q}",
    );
    const eol = fc.constantFrom("\n", "\r\n");
    const lines = fc.uniqueArray(line, { maxLength: 6 });
    fc.assert(
      fc.property(value, lines, lines, eol, fc.string(), (wanted, above, below, end, body) => {
        const only = below.filter((it) => !above.includes(it) || it === "" || it === "# c");
        const text = (key: string): string =>
          ["---", ...above, key, ...only, "---", body].join("\n").replaceAll("\n", end);
        const [before, after] = text("key: KEY # note").split("KEY");
        const edited = editFrontMatter(text("key: KEY # note"), { key: wanted }, "x.md");
        expect(edited.startsWith(before!)).toBe(true);
        expect(edited.endsWith(after!)).toBe(true);
        expect(splitFrontMatter(edited, "x.md").data.key).toBe(wanted);
      }),
    );
  });
});
