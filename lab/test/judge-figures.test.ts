/** How good a judge a Reviewer is, in figures: misses among the wrong, false alarms among the right, each with its interval. */
import { expect, test } from "vitest";
import { judgeFigures, resultOf, seedKinds } from "../probe-review/judge-figures.ts";
import type { Judged, SeedKind } from "../probe-review/judge-figures.ts";

const said = (kind: SeedKind, verdict: Judged["verdict"], times = 1): Judged[] =>
  Array.from({ length: times }, (_, at) => ({ submission: `${kind}-${at}`, kind, verdict, counts: true }));

test("only right submissions are to be approved; without a verdict there is no result", () => {
  const table = seedKinds.map((kind) => [
    kind,
    ...(["approve", "request_changes", null] as const).map((verdict) => resultOf(said(kind, verdict)[0]!)),
  ]);
  expect(table).toEqual([
    ["right", "right", "false alarm", "no verdict"],
    ["wrong", "miss", "right", "no verdict"],
    ["subtle", "miss", "right", "no verdict"],
    ["weakened", "miss", "right", "no verdict"],
    ["injected", "miss", "right", "no verdict"],
  ]);
});

test("misses are counted among the wrong, false alarms among the right, and what has no verdict in neither", () => {
  const figures = judgeFigures([
    ...said("right", "approve", 9),
    ...said("right", "request_changes", 3),
    ...said("subtle", "approve", 2),
    ...said("weakened", "request_changes", 13),
    ...said("wrong", null, 2),
    ...said("right", null),
  ]);
  expect(figures).toEqual({
    wrong: 15,
    missed: 2,
    missedBetween: [expect.closeTo(0.0374, 3), expect.closeTo(0.3788, 3)],
    right: 12,
    falseAlarms: 3,
    falseAlarmsBetween: [expect.closeTo(0.0889, 3), expect.closeTo(0.5323, 3)],
    unjudged: 3,
  });
});

test("of nothing judged, a miss is as likely as anything", () => {
  expect(judgeFigures([])).toMatchObject({ wrong: 0, missedBetween: [0, 1], falseAlarmsBetween: [0, 1] });
});
