import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { inspectFrontMatter, splitFrontMatter } from "../../../src/core/text/front-matter.ts";

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

  test("a key that is a list or a map is refused, at once however deep it is nested", () => {
    for (const depth of [1, 300]) {
      const text = `---\nrelated: ${"{".repeat(depth)}a${"}".repeat(depth)}\n---\n`;
      const { faults } = inspectFrontMatter(text.replace("{a}", "{[a]: b}"));
      expect(faults[0]?.message).toBe("the front matter cannot be read: expected a key, got a list or a map");
    }
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
