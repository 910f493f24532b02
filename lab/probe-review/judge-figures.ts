/** How good a judge a Reviewer is: what it said of submissions that are known to be right or wrong. */
import { intervalOf } from "../../src/core/report/escapes.ts";
import type { Interval } from "../../src/core/report/escapes.ts";

/** Of a seeded submission: all but the right ones have to be sent back. */
export const seedKinds = ["right", "wrong", "subtle", "weakened", "injected"] as const;
export type SeedKind = (typeof seedKinds)[number];

type Verdict = "approve" | "request_changes";

/** What a Reviewer said of a submission; `verdict` is null where it gave none. */
export type Judged = {
  submission: string;
  kind: SeedKind;
  verdict: Verdict | null;
  /** Whether the review gate let the verdict count. */
  counts: boolean;
};

export type JudgeFigures = {
  /** Wrong submissions that were judged, and how many of them were approved. */
  wrong: number;
  missed: number;
  missedBetween: Interval;
  /** Right submissions that were judged, and how many of them were sent back. */
  right: number;
  falseAlarms: number;
  falseAlarmsBetween: Interval;
  /** Submissions without a verdict count nowhere else. */
  unjudged: number;
};

export function expectedOf(kind: SeedKind): Verdict {
  return kind === "right" ? "approve" : "request_changes";
}

export function resultOf({ kind, verdict }: Judged): "right" | "miss" | "false alarm" | "no verdict" {
  if (verdict === null) return "no verdict";
  if (verdict === expectedOf(kind)) return "right";
  return verdict === "approve" ? "miss" : "false alarm";
}

export function judgeFigures(judged: readonly Judged[]): JudgeFigures {
  const said = judged.filter(({ verdict }) => verdict !== null);
  const right = said.filter(({ kind }) => kind === "right").length;
  const wrong = said.length - right;
  const missed = said.filter((one) => resultOf(one) === "miss").length;
  const falseAlarms = said.filter((one) => resultOf(one) === "false alarm").length;
  return {
    wrong,
    missed,
    missedBetween: intervalOf(missed, wrong),
    right,
    falseAlarms,
    falseAlarmsBetween: intervalOf(falseAlarms, right),
    unjudged: judged.length - said.length,
  };
}
