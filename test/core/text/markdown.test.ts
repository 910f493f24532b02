import { describe, expect, test } from "vitest";
import { pieceLines } from "../../../src/core/limits.ts";
import { firstHeading, sections } from "../../../src/core/text/markdown.ts";
import { testRows } from "../../support/full.ts";
import { cpuMs } from "../support/cpu.ts";

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

  test("signs within a line change no block", () => {
    const body =
      "## T\n\n<file_name>\n- [ ] a\n\n* * * * *\n\n1. ***\nmore\n\n<![CDATA[\na > b\n## no\n]]>\n";
    const [section, ...others] = sections(body);
    expect(others).toEqual([]);
    expect(section!.blocks.map(({ kind }) => kind)).toEqual(["text", "list", "list", "text", "text"]);
  });

  // TRAP 43, for documents
  testRows([["- "], ["> - "], ["1. "], ["["], ["*a_"], ["<!--"], ["~~~\n"], ["- a\n\n"], ["\n"], ["`"]])(
    "60 000 characters of %j take no more than seconds",
    ([part]) => {
      const started = cpuMs();
      sections(`## T\n${part!.repeat(60_000 / part!.length)}`);
      expect(cpuMs() - started).toBeLessThan(8_000);
    },
  );

  test("rules are no lists that end, however many there are", () => {
    const body = `## T\n\n${"- - -\n\ntext\n\n".repeat(1_500)}- [x] a\n`;
    expect(sections(body)[0]!.blocks.at(-1)).toMatchObject({ kind: "list", items: [{ text: "a" }] });
  });

  test("lines that go on with an item take no more than seconds, and the next item is still one", () => {
    const started = cpuMs();
    const body = `## T\n\n- [ ] a\n${"a\n".repeat(30_000)}- [x] b\n`;
    const [section] = sections(body);
    expect(cpuMs() - started).toBeLessThan(8_000);
    const items = section!.blocks.flatMap((block) => (block.kind === "list" ? block.items : []));
    expect(items.map(({ markOffset }) => body[markOffset!])).toEqual([" ", "x"]);
  });

  describe("a text that is longer than one piece", () => {
    const longer = pieceLines + 20;

    test("has all its items, at their places", () => {
      // Of three lines: a piece ends within one.
      const item = "- [x] a\r\n  - [ ] b\r\n  - [ ] c\r\n";
      const body = `## T\r\n\r\n${item.repeat(longer)}\r\n## End\r\n`;
      const [section, end] = sections(body);
      const items = section!.blocks.flatMap((block) => (block.kind === "list" ? block.items : []));
      expect(items).toHaveLength(longer);
      expect(
        new Set(
          items.map(({ markOffset, items: [nested] }) => body[markOffset!]! + body[nested!.markOffset!]!),
        ),
      ).toEqual(new Set(["x "]));
      expect(items.at(-1)!.line).toBe(2 + 3 * longer - 2);
      expect(end).toMatchObject({ heading: "End", line: 4 + 3 * longer });
    });

    testRows([
      ["```js", "```"],
      ["~~~~", "~~~~~ "],
      ["<!-- left", "out -->"],
    ])("has no heading within %j, and has those behind it", ([opens, closes]) => {
      for (const lines of [pieceLines - 3, longer, 3 * pieceLines]) {
        const body = `## T\n${opens}\n${"## no\n".repeat(lines)}${closes}\n### in T\n## End\n- [ ] a\n`;
        const [first, ...others] = sections(body);
        expect(first!.blocks.slice(1)).toEqual([{ kind: "heading", line: lines + 4, source: "### in T" }]);
        expect(others).toMatchObject([{ heading: "End", line: lines + 5, blocks: [{ kind: "list" }] }]);
      }
    });

    test("ends in a fence that nothing closes", () => {
      expect(sections(`## T\n\`\`\`\n${"## no\n".repeat(longer)}`)).toHaveLength(1);
    });

    testRows([
      ["an item with a long fence", "1. Run it:\n\n   ```\n", "   ## no\n", "   ```\n"],
      ["an item with many below it", "- [ ] all\n", "  - [ ] a\n", ""],
      ["a quotation", "> so\n", "> ## no\n", ""],
      ["details without an empty line", "<details>\n", "## no\n", "</details>\n"],
      ["a paragraph that begins like a fence", "```a``` b\n", "c\n", ""],
      ["a comment that closes itself", "<!-->\n", "\n", ""],
      ["an indented comment", " <!--\n", "## no\n", "-->\n"],
      ["a fence with a line separator in it", "```\n", "x\u2028``` \n", "```\n"],
      ["a mark of byte order in its middle", "```\n", "## no\n", "```\n\n\uFEFFtext\n"],
    ])("goes on behind %s", ([, begin, line, end]) => {
      const body = `## T\n\n${begin}${line!.repeat(longer)}${end}\n## End\n\n- [ ] One\n- [x] Two\n`;
      const read = sections(body);
      expect(read.map(({ heading }) => heading)).toEqual(["T", "End"]);
      const items = read[1]!.blocks.flatMap((block) => (block.kind === "list" ? block.items : []));
      expect(items.map(({ text, markOffset }) => text + body[markOffset!]!)).toEqual(["One ", "Twox"]);
      expect(read[1]!.line).toBe(body.slice(0, body.indexOf("## End")).split("\n").length);
    });
  });

  testRows([
    ["- a\n\n## b\n\n"],
    ["- [ \n## b\n"],
    ["- a -->\n\n## b\n"],
    ["> a\n\n## b\n"],
    ["-\n\n# b\r"],
    ["> a -->\n\n"],
    ["> - a\n\n"],
  ])("150 000 characters of %j take no more than seconds, and the last heading is one", ([part]) => {
    const started = cpuMs();
    const read = sections(`${part!.repeat(150_000 / part!.length)}\n## End\n`);
    expect(cpuMs() - started).toBeLessThan(6_000);
    expect(read.at(-1)?.heading).toBe("End");
  });
});
