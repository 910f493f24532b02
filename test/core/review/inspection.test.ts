/** What is listed of a submission: bounded, the rest counted; what running shows replaces what it showed before. */
import { expect, test } from "vitest";
import {
  inspectionCounts,
  listed,
  listedPlaces,
  placesToAnswer,
  weakeningsListedMax,
  withRuns,
} from "../../../src/core/review/inspection.ts";
import { weakeningSchema } from "../../../src/core/weakening/schema.ts";
import type { Weakening } from "../../../src/core/weakening/schema.ts";

const found = (kind: Weakening["kind"], text: string): Weakening => ({ file: "a.test.ts", kind, text });

test("more than is listed is counted, and nothing where all is", () => {
  const skipped = Array.from({ length: weakeningsListedMax + 2 }, (_, at) => found("only", String(at)));
  const inspection = listed({ protected: [], weakened: skipped });
  expect(inspection.weakened).toHaveLength(weakeningsListedMax);
  expect(inspection.more).toEqual({ protected: 0, weakened: 2 });
  expect(inspectionCounts(inspection)).toBe(`${weakeningsListedMax + 2} places that weaken tests or checks`);
  expect(listed({ protected: [], weakened: skipped.slice(2) })).not.toHaveProperty("more");
});

test("what runs show comes last, so that ids stay, and in the place of what an earlier run showed", () => {
  const diff = { protected: [], weakened: [found("only", "1")] };
  const first = withRuns(
    withRuns(diff, [found("changed by checks", "2")], "checks"),
    [found("flaky", "3")],
    "trial",
  );
  const second = withRuns(first, [found("unguarded", "4"), found("crossed", "5")], "trial");
  const ids = (places: { id: string; words: string }[]): string[] =>
    places.map(({ id, words }) => `${id} ${words.at(-1)}`);
  expect(ids(listedPlaces(second))).toEqual(["W1 1", "W2 2", "W3 4", "W4 5"]);
  // What is proved to break no answer makes good.
  expect(ids(placesToAnswer(second))).toEqual(["W1 1", "W2 2", "W3 4"]);
});

test("a kind of an older version is read, and stands for itself", () => {
  const weakened = [
    weakeningSchema.parse({ file: "a.test.ts", line: 3, kind: "skipped", text: "it.skip()" }),
  ];
  expect(listedPlaces({ protected: [], weakened })).toEqual([
    { id: "W1", words: "a.test.ts:3: skipped: it.skip()" },
  ]);
});
