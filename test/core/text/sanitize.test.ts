import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { jsonLine, plain, plainLine, visible } from "../../../src/core/text/sanitize.ts";
import { cpuMs } from "../support/cpu.ts";
import { runs } from "../../support/runs.ts";

const esc = "\u001b";

// TRAP 44
describe("what could drive a terminal is gone", () => {
  test.for<[string, string, string]>([
    ["colours", `${esc}[1;31mred${esc}[0m`, "red"],
    ["cursor movements", `a${esc}[2J${esc}[10;5Hb`, "ab"],
    ["private modes", `a${esc}[?1049hb`, "ab"],
    ["CSI with intermediate bytes", `a${esc}[!pb${esc}[0 qc`, "abc"],
    ["CSI as one character", "a\u009b31mb", "ab"],
    ["a title, ended by BEL", `a${esc}]0;title\u0007b`, "ab"],
    ["a title, ended by ST", `a${esc}]0;title${esc}\\b`, "ab"],
    ["a title, ended by a one-character ST", `a${esc}]0;title\u009cb`, "ab"],
    ["OSC as one character", "a\u009d0;title\u0007b", "ab"],
    ["a link", `${esc}]8;;https://evil.example${esc}\\here${esc}]8;;${esc}\\`, "here"],
    ["a write to the clipboard", `a${esc}]52;c;cm0gLXJm\u0007b`, "ab"],
    ["an OSC without an end, with all that it would swallow", `a${esc}]0;never`, "a"],
    ["an OSC without an end, but no other line", `a${esc}]0;never\nb\u009dnever\nc`, "a\nb\nc"],
    ["DCS", `a${esc}P1$r0m${esc}\\b`, "ab"],
    ["DCS as one character", "a\u0090q\u009cb", "ab"],
    ["SOS, PM and APC", `a${esc}Xx${esc}\\b${esc}^x${esc}\\c${esc}_x${esc}\\d`, "abcd"],
    ["two-byte escapes", `a${esc}cb${esc}7c${esc}(Bd`, "abcd"],
    ["a lone escape", `a${esc}`, "a"],
    ["an escape made of what another one leaves", `${esc}${esc}[31m[31mx`, "[31mx"],
    ["C0", "a\u0000\u0007\b\u000b\u000c\u000e\u001f\u007fb", "ab"],
    ["C1", "a\u0080\u0085\u008d\u009c\u0099b", "ab"],
    ["a carriage return that would overwrite the line", "safe\rEVIL", "safeEVIL"],
    ["directions", "a\u202eb\u2066c\u2069d\u200ee\u061cf", "abcdef"],
    ["zero widths and soft hyphens", "a\u200bb\u200cc\u200dd\u2060e\ufefff\u00adg\u180eh", "abcdefgh"],
    ["line separators", "a\u2028b\u2029c", "abc"],
    ["invisible tags", "a\u{e0041}\u{e007f}b", "ab"],
    ["interlinear marks", "a\ufff9b\ufffac\ufffbd", "abcd"],
  ])("%s", ([, text, expected]) => expect(plain(text)).toBe(expected));
});

describe("what people read stays", () => {
  test.for([
    ["line one\nline two\twith a tab"],
    ["中文：登录失败，请重试。「好」"],
    ["한국어 日本語 Ünïcödé"],
    ["⚠️ 🎉 ❤️ 👍🏽"],
    ["[x] array[0] = {a: 1}; ~/x && echo $HOME"],
    [""],
  ])("%j", ([text]) => expect(plain(text!)).toBe(text));

  test("CRLF becomes a line end", () => expect(plain("a\r\nb\r\n")).toBe("a\nb\n"));
});

const anything = fc.oneof(
  fc.string({ unit: "binary" }),
  fc
    .array(
      fc.constantFrom(
        esc,
        "[",
        "]",
        "P",
        "31m",
        "\u009b",
        "\u009d",
        "\u0007",
        `${esc}\\`,
        "\u202e",
        "\r",
        "\n",
        "\t",
        "中",
        "🎉",
        "x",
        ";",
      ),
      { maxLength: 30 },
    )
    .map((parts) => parts.join("")),
);

test("no control character but line end and tab is left, nor anything invisible", () => {
  fc.assert(
    fc.property(anything, (text) => {
      expect(plain(text).replace(/[\n\t]/g, "")).not.toMatch(
        /[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069\u200b-\u200f\ufeff]/u,
      );
      expect(plain(plain(text))).toBe(plain(text));
    }),
    { numRuns: runs(2_000) },
  );
});

describe("a value as JSON that a terminal prints as it is", () => {
  test.for<[string, string, string]>([
    ["C1", "a\u009b31mb", "a\\u009b31mb"],
    ["DEL", "a\u007fb", "a\\u007fb"],
    ["directions", "a\u202eb\u2066c\u200ed\u061ce", "a\\u202eb\\u2066c\\u200ed\\u061ce"],
    ["zero widths", "a\u200bb\ufeffc", "a\\u200bb\\ufeffc"],
    ["line separators", "a\u2028b", "a\\u2028b"],
    ["invisible tags, as two halves", "a\u{e0041}b", "a\\udb40\\udc41b"],
    ["nothing else", '中文 🎉 "x" \\u', '中文 🎉 \\"x\\" \\\\u'],
  ])("%s", ([, text, inside]) => {
    expect(jsonLine({ text })).toBe(`{"text":"${inside}"}`);
  });

  test("reads back as the same value, with nothing in it that a terminal acts on", () => {
    fc.assert(
      fc.property(anything, (text) => {
        const line = jsonLine({ [text]: [text] });
        expect(JSON.parse(line)).toEqual({ [text]: [text] });
        expect(plain(line)).toBe(line);
      }),
      { numRuns: runs(2_000) },
    );
  });
});

describe("a text for a file or a prompt shows what cannot be seen", () => {
  test.for<[string, string, string]>([
    ["an escape, and swallows nothing behind it", `a${esc}]b\nc`, "a\\u001b]b\nc"],
    ["C1", "a\u009b31mb", "a\\u009b31mb"],
    ["a carriage return", "a\rb", "a\\u000db"],
    ["directions", "a\u202eb\u2066c\u200ed\u061ce", "a\\u202eb\\u2066c\\u200ed\\u061ce"],
    ["invisible tags", "a\u{e0041}b", "a\\udb40\\udc41b"],
  ])("%s", ([, text, expected]) => expect(visible(text)).toBe(expected));

  test("and leaves what a script needs to be written: joiners, emoji of several parts, tabs, line ends of Windows", () => {
    const text = "a\r\nb می\u200cخواهم\t👩\u200d💻 ⚠️ \\u001b";
    expect(visible(text)).toBe(text);
  });

  test("said twice it is the same", () => {
    fc.assert(
      fc.property(anything, (text) => {
        expect(visible(visible(text))).toBe(visible(text));
      }),
    );
  });
});

test("on one line, nothing is longer than asked and nothing ends in half a character", () => {
  expect(plainLine("  a\n\n b\t c ")).toBe("a b c");
  expect(plainLine("a".repeat(201))).toBe(`${"a".repeat(199)}…`);
  expect(plainLine("🎉🎉🎉", 4)).toBe("🎉…");
  fc.assert(
    fc.property(anything, fc.integer({ min: 1, max: 40 }), (text, length) => {
      const line = plainLine(text, length);
      expect(line.length).toBeLessThanOrEqual(length);
      expect(line).not.toMatch(/[\n\t]/);
    }),
  );
});

// TRAP 43
test.for([[esc], [`${esc}]`], [`${esc}[`], [`${esc}[0`], ["\u009d"], ["0"]])(
  "a flood of %j takes no more than a second",
  ([part]) => {
    const started = cpuMs();
    plain(part!.repeat(100_000));
    plain(`${esc}[${part!.repeat(100_000)}`);
    expect(cpuMs() - started).toBeLessThan(1_000);
  },
);
