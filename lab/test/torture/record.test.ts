/** The parts of a long programme are the whole of it, each case once, and the summary of a record says what is missing. */
import { join } from "node:path";
import { expect, test } from "vitest";
import { inPart, partFrom, seedsOf } from "../../torture/part.ts";
import type { Part } from "../../torture/part.ts";
import { addTo, summaryOf } from "../../torture/record.ts";
import type { Entry } from "../../torture/record.ts";
import { temporaryFolder } from "../../../test/support/repository.ts";

const partsOf = (of: number): Part[] => Array.from({ length: of }, (_, at) => ({ k: at + 1, of }));

test.for([
  ["1/1", { k: 1, of: 1 }],
  ["8/8", { k: 8, of: 8 }],
  ["0/8", undefined],
  ["9/8", undefined],
  ["1", undefined],
  ["1/8/2", undefined],
] as const)("part %s is %j", ([text, part]) => {
  expect(partFrom(text)).toEqual(part);
});

test("the seeds of all parts are those of the whole", () => {
  const seeds = partsOf(7).flatMap((part) => {
    const { seed, n } = seedsOf({ seed: 3, n: 100 }, part);
    return Array.from({ length: n }, (_, at) => seed + at);
  });
  expect(seeds).toEqual(Array.from({ length: 100 }, (_, at) => 3 + at));
});

test("each name is in one part, and no part is empty of many", () => {
  const names = Array.from({ length: 1_000 }, (_, at) => `runner write ${at}`);
  const counts = partsOf(7).map((part) => names.filter((name) => inPart(name, part)).length);
  expect(counts.reduce((sum, count) => sum + count)).toBe(names.length);
  expect(Math.min(...counts)).toBeGreaterThan(100);
});

const entry: Entry = {
  programme: "fuzz",
  part: "1/4",
  commit: "b",
  date: "2026-11-25T01:02:03.000Z",
  cores: 2,
  processor: "",
  seed: 1,
  seeds: "1 to 10",
  n: 10,
  violations: [],
  notes: [],
  seconds: 60,
};

test("the summary is of the commit that was tried last; the later run of a part counts", () => {
  const file = join(temporaryFolder(), "record");
  const entries: Partial<Entry>[] = [
    { commit: "a", n: 1_000 },
    { part: "2/4", n: 500, violations: ["it did not hold"] },
    { part: "2/4", date: "2026-11-26T01:02:03.000Z", violations: ["seed 7: lost"] },
    {},
    { programme: "model", part: "1/1", seed: 5 },
  ];
  for (const one of entries) addTo(file, { ...entry, ...one });
  expect(summaryOf(file, ["model", "fuzz", "kill storms"]).join("\n")).toMatchInlineSnapshot(`
    "commit b
    | programme | parts | seeds | cases | violations | seconds | from | to |
    | --- | --- | --- | --- | --- | --- | --- | --- |
    | model | all 1 | from 5 | 10 | 0 | 60 | 2026-11-25 | 2026-11-25 |
    | fuzz | 2 of 4; missing: 3-4 | from 1 | 20 | 2 | 120 | 2026-11-25 | 2026-11-26 |
    | kill storms | none | - | 0 | - | - | - | - |
    VIOLATION it did not hold
    VIOLATION seed 7: lost"
  `);
});
