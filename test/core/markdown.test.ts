import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  editFrontMatter,
  firstHeading,
  inspectFrontMatter,
  sections,
  splitFrontMatter,
} from "../../src/core/markdown.ts";

describe("front matter", () => {
  test("is split from the body, with offsets and lines of the file", () => {
    const text = "---\nid: FEAT-0001\ntags: [a]\n---\nbody\n";
    expect(splitFrontMatter(text, "x.md")).toEqual({
      hasFrontMatter: true,
      data: { id: "FEAT-0001", tags: ["a"] },
      matter: "id: FEAT-0001\ntags: [a]\n",
      matterStart: 4,
      matterEnd: 28,
      body: "body\n",
      bodyStart: 32,
      bodyLine: 5,
      keyLines: new Map([
        ["id", 2],
        ["tags", 3],
      ]),
    });
  });

  // TRAP 36
  test.for<[string, string, string]>([
    ["a BOM", "\uFEFF---\nid: a\n---\nbody", "body"],
    ["CRLF", "---\r\nid: a\r\n---\r\nbody\r\n", "body\r\n"],
    ["blanks behind the dashes", "---  \nid: a\n---\t\nbody", "body"],
    ["a rule in the body", "---\nid: a\n---\none\n\n---\n\ntwo", "one\n\n---\n\ntwo"],
    ["an empty body", "---\nid: a\n---", ""],
  ])("survives %s", ([, text, body]) => {
    const front = splitFrontMatter(text, "x.md");
    expect(front).toMatchObject({ hasFrontMatter: true, data: { id: "a" }, body });
    expect(text.slice(front.bodyStart)).toBe(body);
    expect(text.slice(front.matterStart, front.matterEnd)).toBe(front.matter);
  });

  test.for([["# no"], ["----\nid: a\n----\n"], [" ---\nid: a\n---\n"], [""], ["text\n---\nid: a\n---\n"]])(
    "%j has none",
    ([text]) => expect(splitFrontMatter(text!, "x.md")).toMatchObject({ hasFrontMatter: false, body: text }),
  );

  // TRAP 37
  test.for([
    ["---js"],
    ["--- javascript"],
    ["---json"],
    ["---coffee"],
    ["---toml"],
    ["---yaml"],
    ["---constructor"],
  ])("%s is refused and nothing is executed", ([first]) => {
    const text = `${first}\n{ id: (globalThis.fired = true, "FEAT-0001") }\n---\nbody`;
    expect(() => splitFrontMatter(text, "x.md")).toThrow(/^x\.md:1: front matter must begin/);
    expect(globalThis).not.toHaveProperty("fired");
  });

  test("times stay the strings that they are", () => {
    const text = "---\nat: 2026-01-31T09:00:00Z\nday: 2026-01-31\n---\n";
    expect(splitFrontMatter(text, "x.md").data).toEqual({ at: "2026-01-31T09:00:00Z", day: "2026-01-31" });
  });

  test("reading twice gives two objects", () => {
    const text = "---\ntags: [a]\n---\n";
    expect(splitFrontMatter(text, "x.md").data).not.toBe(splitFrontMatter(text, "x.md").data);
  });

  test.for<[string, string, RegExp]>([
    ["broken YAML", "---\nid: a\ntags: [a\nb: c\n---\n", /^x\.md:\d: /],
    ["a key twice", "---\nid: a\nstatus: open\nid: b\n---\n", /^x\.md:4: id stands twice$/],
    ["no map", "---\n- a\n---\n", /^x\.md:2: the front matter is no list of keys/],
    ["no end", "---\nid: a\n", /^x\.md:1: the front matter never ends/],
    ["a line that only begins with dashes", "---\nid: a\n--- b\n---\n", /^x\.md:3: a line that begins/],
    ["aliases that explode", bomb(), /^x\.md:1: the front matter cannot be read/],
    ["nesting without end", `---\na: ${"[".repeat(20_000)}\n---\n`, /^x\.md:\d: /],
    ["too much", `---\n${"\n".repeat(1_000_000)}---\n`, /^x\.md:1: the front matter is longer/],
  ])("%s is refused with its line", ([, text, message]) => {
    expect(() => splitFrontMatter(text, "x.md")).toThrow(
      expect.objectContaining({
        kind: "input",
        message: expect.stringMatching(message),
        hint: expect.any(String),
      }),
    );
  });

  test("no text makes the inspection throw", () => {
    const text = fc.oneof(
      fc.string({ unit: "binary" }),
      fc.string({ unit: "binary" }).map((it) => `---\n${it}\n---\n`),
    );
    fc.assert(fc.property(text, (it) => void inspectFrontMatter(it)));
  });
});

function level(n: number): string {
  return `${"abcdefghi"[n]}: &${n} [${`*${n - 1},`.repeat(9)}]`;
}

function bomb(): string {
  return `---\na: &0 [x,x,x,x,x,x,x,x,x]\n${[1, 2, 3, 4, 5, 6, 7].map(level).join("\n")}\n---\n`;
}

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

describe("sections", () => {
  test("begin at ## headings and end at the next one, with offsets into the body", () => {
    const body = "intro\n\n## One **bold** ##\na\n\n### deeper\nb\n\n# Top\nnot in it\n\n## Two\n";
    const [one, two, ...rest] = sections(body);
    expect(rest).toEqual([]);
    expect(one).toMatchObject({ heading: "One bold", line: 3, source: "\na\n\n### deeper\nb\n\n" });
    expect(body.slice(one!.startOffset, one!.contentOffset)).toBe("## One **bold** ##");
    expect(two).toMatchObject({ heading: "Two", line: 12, blocks: [] });
  });

  test.for<[string, string]>([
    ["in fenced code", "```\n## No\n```\n"],
    ["in a comment", "<!--\n## No\n-->\n"],
    ["in a quotation", "> ## No\n"],
    ["in a list item", "- a\n\n  ## No\n"],
    ["made by underlining", "No\n---\n"],
  ])("are none %s", ([, body]) => expect(sections(body)).toEqual([]));

  test("list items have text, state, line and the place of their mark", () => {
    const body = "## T\r\n- [ ] one\r\n  more\r\n    - [X] deep\r\n- [/] two\r\n1. [~] three\r\n- plain\r\n";
    const items = sections(body)[0]!.blocks.flatMap((block) => (block.kind === "list" ? block.items : []));
    expect(items.map(({ ownText, state, line }) => [ownText, state, line])).toEqual([
      ["one\nmore", "todo", 2],
      ["two", "doing", 5],
      ["three", "cancelled", 6],
      ["plain", undefined, 7],
    ]);
    expect(items[0]).toMatchObject({
      source: "[ ] one\nmore\n  - [X] deep",
      text: "one\nmore\n  - [X] deep",
    });
    expect(items[0]!.items).toMatchObject([{ ownText: "deep", state: "done", line: 4 }]);
    expect(body[items[0]!.items[0]!.markOffset!]).toBe("X");
  });

  test.for([
    [" ", "todo"],
    ["/", "doing"],
    ["-", "doing"],
    ["x", "done"],
    ["X", "done"],
    ["~", "cancelled"],
    ["+", "cancelled"],
  ])("[%s] is %s", ([mark, state]) =>
    expect(sections(`## T\n* [${mark}] a`)[0]!.blocks).toMatchObject([{ items: [{ state, text: "a" }] }]),
  );

  test.for([
    ["- [] a"],
    ["- [y] a"],
    ["- [x]a"],
    ["```\n- [x] a\n```"],
    ["    - [x] a"],
    ["<!--\n- [x] a\n-->"],
  ])("%j is no checkbox", ([text]) =>
    expect(JSON.stringify(sections(`## T\n\n${text}`))).not.toContain("markOffset"),
  );

  test("a BOM shifts nothing", () => {
    const body = "\uFEFF## T\n- [x] a";
    const block = sections(body)[0]!.blocks[0]!;
    expect(block.kind === "list" && body[block.items[0]!.markOffset!]).toBe("x");
    expect(firstHeading(body)).toBe("T");
  });

  // TRAP 43, for documents
  test.for([["- "], ["> - "], ["1. "], ["["], ["*a_"], ["<!--"], ["~~~\n"], ["- a\n\n"], ["\n"], ["`"]])(
    "60 000 characters of %j take no more than seconds",
    ([part]) => {
      const started = performance.now();
      sections(`## T\n${part!.repeat(60_000 / part!.length)}`);
      expect(performance.now() - started).toBeLessThan(8_000);
    },
  );
});
