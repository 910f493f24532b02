import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { contextTokensMax } from "../../src/core/limits.ts";
import { markTokens } from "../../src/core/relay/context-marks.ts";

const at = (windowTokens: number, reserveTokens = 0): { windowTokens: number; reserveTokens: number } => ({
  windowTokens,
  reserveTokens,
});

describe("the context marks", () => {
  test.for<[string, [number, number, number], ReturnType<typeof at>, [number, number, number]]>([
    ["are percent of the window", [60, 75, 85], at(100_000), [60_000, 75_000, 85_000]],
    [
      "but never above what stays fresh, however large the window",
      [60, 75, 85],
      at(1_000_000),
      [120_000, 150_000, 170_000],
    ],
    [
      "are tokens above 100, and then not capped",
      [300_000, 400_000, 500_000],
      at(1_000_000),
      [300_000, 400_000, 500_000],
    ],
    [
      "shrink together below the agent's own stop",
      [60, 75, 85],
      at(200_000, 33_000),
      [117_882, 147_352, 167_000],
    ],
    ["can be mixed", [50, 80_000, 90_000], at(100_000), [50_000, 80_000, 90_000]],
    ["are brought into order by the later one", [90, 70, 80], at(100_000), [70_000, 70_000, 80_000]],
    [
      "leave half of a window that is smaller than the reserve",
      [60, 75, 85],
      at(30_000, 33_000),
      [10_588, 13_235, 15_000],
    ],
  ])("%s", ([, marks, agent, expected]) => expect(markTokens(marks, agent)).toEqual(expected));

  const percent = fc.double({ min: 0.1, max: 100, noNaN: true });
  const mark = fc.oneof(percent, fc.integer({ min: 101, max: 3_000_000 }));
  const agent = fc.record({
    windowTokens: fc.integer({ min: 1, max: 2_000_000 }),
    reserveTokens: fc.nat({ max: 100_000 }),
  });

  test("lie in order, above nothing, and where the agent can reach them before its own stop", () => {
    fc.assert(
      fc.property(fc.tuple(mark, mark, mark), agent, (marks, agent) => {
        const [plan, wrapUp, stop] = markTokens(marks, agent);
        const reach = Math.max(agent.windowTokens - agent.reserveTokens, agent.windowTokens / 2);
        expect(plan).toBeGreaterThan(0);
        expect(wrapUp).toBeGreaterThanOrEqual(plan);
        expect(stop).toBeGreaterThanOrEqual(wrapUp);
        expect(stop).toBeLessThanOrEqual(Math.ceil(reach));
      }),
    );
  });

  test("in percent are never above their caps", () => {
    fc.assert(
      fc.property(fc.tuple(percent, percent, percent), agent, (marks, agent) => {
        markTokens(marks, agent).forEach((tokens, index) =>
          expect(tokens).toBeLessThanOrEqual(contextTokensMax[index]!),
        );
      }),
    );
  });
});
