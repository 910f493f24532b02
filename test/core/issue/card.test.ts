/** What lists read of an issue is what its parser says, and a card that was kept is checked when it is read back. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { cardVersion, isCard } from "../../../src/core/issue/card.ts";
import type { Card } from "../../../src/core/issue/card.ts";
import { parseCard, parseIssue } from "../../../src/core/issue/issue.ts";

const root = join(import.meta.dirname, "../../..");

test("the issues of this repository have the card that the parser of whole issues says", () => {
  const names = readdirSync(join(root, "issues"), { recursive: true, encoding: "utf8" });
  const texts = names
    .filter((name) => /(?:^|\/)[A-Z]+-\d{4}.*\.md$/.test(name))
    .map((name) => readFileSync(join(root, "issues", name), "utf8"));
  expect(texts.length).toBeGreaterThan(2);
  for (const text of texts) expect(parseIssue(text, "a.md")).toMatchObject(parseCard(text, "a.md"));
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
  expect(parseCard(`---\n${full}\n---\n\n## Objective\n\nx\n`, "a.md")).toEqual({
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
