/** The labelled endings of test/fixtures/endings: what the rules may never do, and how well they do at the least. */
import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { figuresOf, judge, partsOf, readEndings, withFigures } from "../../scripts/endings.ts";

const endings = readEndings();

// TRAP 14, TRAP 16, TRAP 17, TRAP 18, TRAP 24
test.for(
  endings
    .filter(({ submit }) => !submit)
    .map((ending) => [`${ending.group}/${ending.name}`, ending] as const),
)("%s is not put up for review", ([, ending]) => {
  const { submit, because } = judge(ending);
  expect(submit, `${ending.why}, but: ${because}`).toBe(false);
});

test.for(
  endings
    .filter(({ limit, promise }) => !limit || !promise)
    .map((ending) => [`${ending.group}/${ending.name}`, ending] as const),
)("%s has no limit and no promise but its own", ([, ending]) => {
  const { limit, promise, because } = judge(ending);
  expect({ limit, promise }, `${ending.why}, but: ${because}`).toEqual({
    limit: ending.limit,
    promise: ending.promise,
  });
});

describe("precision and recall do not fall", () => {
  test.for<[string, { submit: number; limit: number; promise: number }]>([
    ["tuned", { submit: 0.84, limit: 1, promise: 1 }],
    ["held out", { submit: 0.93, limit: 1, promise: 1 }],
  ])("%s", ([part, recall]) => {
    const { endings: some } = partsOf(endings).find(({ name }) => name === part)!;
    for (const question of ["submit", "limit", "promise"] as const) {
      const figures = figuresOf(some, question);
      expect(figures).toMatchObject({ precision: 1, falses: 0 });
      expect(figures.recall).toBeGreaterThanOrEqual(recall[question]);
    }
  });
});

test("there are many, each with a name of its own, and a third is held out", () => {
  expect(endings.length).toBeGreaterThanOrEqual(200);
  expect(new Set(endings.map(({ group, name }) => `${group}/${name}`)).size).toBe(endings.length);
  const [, heldOut] = partsOf(endings);
  expect(heldOut!.endings.length / endings.length).toBeGreaterThan(0.3);
});

test("docs/exit-detection.md tells the figures as they are (npm run endings -- --write)", () => {
  const document = readFileSync(new URL("../../docs/exit-detection.md", import.meta.url), "utf8");
  expect(withFigures(document)).toBe(document);
});
