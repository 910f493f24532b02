/** The quick reader of issues says what the parser says, or nothing. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { cardOf, cardVersion, isCard } from "../../../src/core/issue/card.ts";
import type { Card } from "../../../src/core/issue/card.ts";
import { parseCard, parseIssue } from "../../../src/core/issue/issue.ts";
import { MonocoError } from "../../../src/core/error/error.ts";

const keys = [
  "id",
  "type",
  "title",
  "status",
  "stage",
  "solution",
  "priority",
  "criticality",
  "parent",
  "dependencies",
  "tags",
] as const;

/** What the parser of whole issues says of the same, or the words of its refusal. */
function parsed(text: string): object | string {
  try {
    const issue = new Map(Object.entries(parseIssue(text, "a.md")));
    return Object.fromEntries(keys.flatMap((key) => (issue.has(key) ? [[key, issue.get(key)]] : [])));
  } catch (error) {
    if (error instanceof MonocoError) return `${error.message}\n${JSON.stringify(error.hint)}`;
    throw error;
  }
}

function head(text: string): object | string {
  try {
    return parseCard(text, "a.md");
  } catch (error) {
    if (error instanceof MonocoError) return `${error.message}\n${JSON.stringify(error.hint)}`;
    throw error;
  }
}

/** Whether it was read without the parser. */
function agrees(text: string): boolean {
  const whole = parsed(text);
  expect(head(text)).toEqual(whole);
  const card = cardOf(text);
  if (card) expect(card, text).toEqual(whole);
  return card !== undefined;
}

const fileOf = (matter: string): string =>
  `---\n${matter}\n---\n\n# FEAT-0001: A heading\n\n## Objective\n\nx\n`;

describe("by lines", () => {
  test.for<[boolean, string]>([
    [
      true,
      "id: FEAT-0001\ntitle: Plain words\nstatus: open\nstage: doing\ndependencies: [FEAT-0002, FEAT-0003]",
    ],
    [
      true,
      'id: FEAT-0001\ntitle: "In quotes: #1"\npriority: 1\nparent: EPIC-0001\ndependencies:\n  - FEAT-0002\n  - FEAT-0003',
    ],
    [true, "id: FEAT-0001\ntitle: T\ndependencies: []\ntags: null\npriority:"],
    [true, "id: FEAT-0001\ntitle: 中文：标题\ntags: ['#a', b]"],
    [true, 'id: FEAT-0001\ntitle: Don\'t, and "do" [it] {now}'],
    [true, "id: FEAT-0001\ntitle: T\nsource: github:owner/name#1\ncreated_at: 2026-01-31T09:00:00Z"],
    [true, "# A remark\nid: FEAT-0001\n\ntitle: T\ndependencies:\n- FEAT-0002\n\n# Another\n- FEAT-0003"],
    [
      true,
      "id: FEAT-0001\ntitle: T\ndependencies: FEAT-0002\ncriticality: high\nsolution: wontfix\nstatus: closed",
    ],
    [false, "id: FEAT-0001\ntitle: 'In quotes: it''s'"],
    [false, "id: FEAT-0001\ntitle: Words # a comment\nstatus: closed\nsolution: wontfix"],
    [false, "id: FEAT-0001\ntitle: a: b"],
    [false, "id: FEAT-0001\ntitle: |\n  A block"],
    [false, "id: FEAT-0001\ntitle: &x Anchor\nparent: *x"],
    [false, "id: FEAT-0001\ntitle: T\ntitle: U"],
    [false, "id: FEAT-0001\ntitle: T\nnested:\n  key: value"],
    [false, "id: FEAT-0001\ntitle: it ends so:"],
    [true, "id: FEAT-0001\ntitle: T\nuid: 9e3779b1"],
    [false, "id: FEAT-0001\ntitle: T\nuid: 9e3779"],
    [false, "id: FEAT-0001\ntitle: T\npriority: 007"],
    [false, "id: FEAT-0001\ntitle: T\npriority: 1.50"],
    [false, "id: FEAT-0001\ntitle: True"],
    [false, "id: FEAT-0001\ntitle: T\ndependencies: FEAT-0002\n  - FEAT-0003"],
    [false, "id: FEAT-0001\ntitle: T\ndependencies:\n  - FEAT-0002\n - FEAT-0003"],
    [false, "id: FEAT-0001\ntitle: T\ntags: [a,, b]"],
    [false, "id: FEAT-0001\ntitle: T\ntags: ['a, b']"],
    [false, "id: FEAT-0001\ntitle: T\nallows: [.github/]"],
    [false, "id: FEAT-0001\ntitle: T\nparent: [EPIC-0001]"],
    [false, "id: FEAT-0001\ntitle: T\nstage: gone"],
    [false, "id: OTHER-0001\ntitle: T"],
    [false, "id: FEAT-0001"],
  ])("%s: %j", ([isPlain, matter]) => {
    expect(agrees(fileOf(matter))).toBe(isPlain);
    expect(agrees(fileOf(matter).replaceAll("\n", "\r\n"))).toBe(isPlain);
  });

  test("what is around the front matter", () => {
    const file = fileOf("id: FEAT-0001\ntitle: T");
    expect(agrees(file.trimEnd())).toBe(true);
    expect(agrees("---\nid: FEAT-0001\ntitle: T\n---")).toBe(true);
    for (const other of [
      `\uFEFF${file}`,
      `\n${file}`,
      file.replace("---", "--- yaml"),
      file.replace("\n---", "\n----"),
      "# No",
      "",
    ])
      expect(agrees(other), other).toBe(false);
  });
});

const root = join(import.meta.dirname, "../../..");
const filesBelow = (folder: string): string[] =>
  readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".md"))
    .map((name) => readFileSync(join(root, folder, name), "utf8"));

test("issues of this repository, and its templates", () => {
  const texts = [...filesBelow("issues"), ...filesBelow("templates")];
  expect(texts.length).toBeGreaterThan(5);
  for (const text of texts) agrees(text);
});

const scalar = fc.oneof(
  fc.constantFrom(
    "FEAT-0002",
    "T",
    "null",
    "~",
    "",
    "true",
    "No",
    "1",
    "0",
    "-1",
    "+1",
    "1e3",
    "0x1F",
    "0o7",
    "1_000",
    ".5",
    ".inf",
  ),
  fc.string({ unit: fc.constantFrom(...Array.from("0123456789abcdefxoE+-._")) }),
  fc.constantFrom(
    "2026-01-31",
    "2026-01-31T09:00:00Z",
    "'q'",
    '"q"',
    "'it''s'",
    '"a\\n"',
    "a: b",
    "a #b",
    "a#b",
    "a:",
    ":a",
    "- a",
  ),
  fc.constantFrom(
    "open",
    "closed",
    "done",
    "high",
    "epic",
    "[a]",
    "[a, 'b']",
    "[ ]",
    "[a,]",
    "{a: b}",
    "*a",
    "&a b",
    "!x",
    "|",
    ">",
    "%a",
    "@a",
    "`a",
  ),
  fc.string({
    unit: fc.constantFrom(...Array.from("ab中é1 :#,-[]{}\"'&*!?|>%@`~\t\\\u00a0\u3000\u0085\u2028\ufeff😀.")),
  }),
  fc.string({ unit: "grapheme" }).map((text) => text.replace(/[\r\n]/g, " ")),
);
const key = fc.constantFrom(
  ...keys,
  "created_at",
  "files",
  "checks",
  "allows",
  "other",
  "a-b",
  "null",
  "x y",
  "'title'",
);
const line = fc.oneof(
  {
    weight: 8,
    arbitrary: fc
      .tuple(key, fc.constantFrom(": ", ":", ":  ", ":\t", " : "), scalar)
      .map((parts) => parts.join("")),
  },
  {
    weight: 3,
    arbitrary: fc
      .tuple(fc.constantFrom("", "  ", " ", "    "), fc.constantFrom("- ", "-", "-  "), scalar)
      .map((parts) => parts.join("")),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom("", "# a remark", "  # another", "  ", "\t", "...", "---x", "  more words"),
  },
);

test("whatever the lines are, it says what the parser says, or nothing", () => {
  let plain = 0;
  const front = fc.tuple(fc.array(line, { maxLength: 6 }), fc.boolean(), fc.constantFrom("\n", "\n", "\r\n"));
  fc.assert(
    fc.property(front, ([lines, isWhole, feed]) => {
      const whole = isWhole
        ? ["id: FEAT-0001", "title: T"].filter((one) => !lines.some((own) => own.startsWith(one.slice(0, 3))))
        : [];
      if (agrees(fileOf([...whole, ...lines].join("\n")).replaceAll("\n", feed))) plain += 1;
    }),
    { numRuns: Number(process.env["CARD_RUNS"] ?? 3_000) },
  );
  expect(plain).toBeGreaterThan(100);
});

describe("a card that was kept", () => {
  const card: Card = {
    id: "FEAT-0001",
    type: "feature",
    title: "T",
    status: "open",
    stage: "draft",
    dependencies: ["FEAT-0002"],
    tags: [],
  };
  test("is one as it was written", () => {
    expect(isCard(JSON.parse(JSON.stringify(card)))).toBe(true);
    expect(
      isCard({ ...card, priority: "1", parent: "EPIC-0001", solution: "wontfix", criticality: "low" }),
    ).toBe(true);
  });
  test.for<[object]>([
    [{ id: "../x" }],
    [{ id: 1 }],
    [{ type: "story" }],
    [{ title: "" }],
    [{ status: "gone" }],
    [{ stage: null }],
    [{ solution: "x" }],
    [{ criticality: 1 }],
    [{ priority: 1 }],
    [{ parent: [] }],
    [{ dependencies: "FEAT-0002" }],
    [{ tags: [1] }],
  ])("is none with %j", ([wrong]) => expect(isCard({ ...card, ...wrong })).toBe(false));
});

/** Cards are kept under the version: raise it with every change of what is read of a file, and of this list. */
test("what is read, and its version", () => {
  expect(cardVersion).toBe(1);
  const full =
    "id: FEAT-0001\ntype: fix\ntitle: T  T\nstatus: closed\nstage: done\nsolution: wontfix\npriority: 1\ncriticality: low\nparent: EPIC-0001\ndependencies: FEAT-0002\ntags: [a]\nfiles: [b]";
  expect(cardOf(fileOf(full))).toEqual({
    id: "FEAT-0001",
    type: "fix",
    title: "T T",
    status: "closed",
    stage: "done",
    solution: "wontfix",
    priority: "1",
    criticality: "low",
    parent: "EPIC-0001",
    dependencies: ["FEAT-0002"],
    tags: ["a"],
  });
});
