import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { carryOver, fitHandoff } from "../../../src/core/handoff/carry-over.ts";
import { parseHandoff } from "../../../src/core/handoff/handoff.ts";
import { renderHandoff } from "../../../src/core/handoff/render.ts";
import { full, handoffs, nothing, sizeOf } from "../support/handoffs.ts";

describe("carrying over", () => {
  test.for<[string, string[], string[], string[]]>([
    ["what is not repeated comes first", ["a", "b"], ["c"], ["a", "b", "c"]],
    ["what is repeated stays where it is", ["a", "b"], ["b", "c"], ["a", "b", "c"]],
    ["however it is spaced", ["use  the\nbus"], ["use the bus"], ["use the bus"]],
    [
      "what is struck out goes, and the reason is read once",
      ["use the bus"],
      ["~~use the bus~~ it is gone"],
      ["~~use the bus~~ it is gone"],
    ],
    [
      "a part of it is enough",
      ["use the bus for events"],
      ["~~use the bus~~ gone"],
      ["~~use the bus~~ gone"],
    ],
    ["but not any letter", ["use the bus"], ["~~u~~ gone"], ["use the bus", "~~u~~ gone"]],
    ["nor nothing", ["use the bus"], ["~~ ~~ gone"], ["use the bus", "~~ ~~ gone"]],
    ["what was struck out before is not carried", ["~~x~~ gone", "keep"], [], ["keep"]],
  ])("%s", ([, previous, next, expected]) => {
    for (const key of ["decisions", "warnings", "patterns"] as const) {
      expect(carryOver({ ...nothing, [key]: previous }, { ...nothing, [key]: next })).toEqual({
        ...nothing,
        [key]: expected,
      });
    }
  });

  test("nothing else is carried, and without a previous handoff nothing at all", () => {
    expect(carryOver({ ...full, decisions: [], warnings: [], patterns: [] }, nothing)).toEqual(nothing);
    expect(carryOver(undefined, full)).toEqual(full);
  });

  test("a decision of session 1 survives any number of sessions that say nothing", () => {
    const later = Array.from({ length: 50 }, () => nothing);
    const last = later.reduce(
      (previous, next) => carryOver(previous, parseHandoff(renderHandoff(next, "en"))),
      full,
    );
    expect(last).toMatchObject({
      decisions: full.decisions,
      warnings: full.warnings,
      patterns: full.patterns,
    });
  });
});

describe("fitting", () => {
  const long = {
    ...full,
    patterns: ["p1", "p2"],
    decisions: ["d1", "d2"],
    warnings: ["w1"],
    done: [{ text: "x", state: "done" as const }],
  };

  test("what fits stays whole", () => {
    expect(fitHandoff(long, "zh", sizeOf(long))).toEqual({ handoff: long, dropped: [] });
  });

  test("the oldest pattern goes first, and no more than must", () => {
    const fitted = fitHandoff(long, "zh", sizeOf(long) - 1);
    expect(fitted).toEqual({ handoff: { ...long, patterns: ["p2"] }, dropped: ["p1"] });
  });

  test("next steps are kept even where nothing fits", () => {
    const fitted = fitHandoff(long, "zh", 1);
    expect(fitted.dropped).toEqual(["p1", "p2", "d1", "d2", "w1", "x"]);
    expect(fitted.handoff).toEqual({ ...long, patterns: [], decisions: [], warnings: [], done: [] });
  });

  test("it fits, or nothing is left to drop", () => {
    fc.assert(
      fc.property(handoffs, fc.nat({ max: 1_000 }), (handoff, budget) => {
        const { handoff: fitted, dropped } = fitHandoff(handoff, "zh", budget);
        const left = [fitted.patterns, fitted.decisions, fitted.warnings, fitted.done].flat().length;
        expect(sizeOf(fitted) <= budget || left === 0).toBe(true);
        expect(fitted.nextSteps).toEqual(handoff.nextSteps);
        if (dropped.length === 0) expect(fitted).toEqual(handoff);
      }),
    );
  });
});
