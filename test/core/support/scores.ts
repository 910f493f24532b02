/** Sessions that ended without a submit and were scored, for tests of exit detection on journals. */
import { decide } from "../../../src/core/relay/decide.ts";
import { decisionEvent } from "../../../src/core/relay/decision-event.ts";
import type { EventOf } from "../../../src/core/journal/event.ts";
import { exitWeights, finishedBy } from "../../../src/core/exit/detection.ts";
import { scoredBefore } from "../../../src/core/journal/counts.ts";
import { rescore } from "../../../src/core/tuning/rescore.ts";
import { commit, ended, executor, handoff } from "./relays.ts";
import type { Step } from "./relays.ts";

type Seen = Partial<{
  complete: boolean;
  done: boolean;
  testOnly: boolean;
  strong: boolean;
  progress: boolean;
}> & {
  exitSignal?: boolean;
  promise?: boolean;
  indicators?: number;
};

/** What was seen in it, scored by the settings in force. */
const scored =
  (seen: Seen): Step =>
  (state) => {
    const session = state.sessions.at(-1)!.session;
    const signal = (name: keyof typeof exitWeights, present = false) => ({
      name,
      present,
      weight: exitWeights[name],
      reason: { rule: "strong_none" } as const,
    });
    const exit = { ...state.opening!.settings.exit, promise: state.opening?.loop?.promise };
    const score: EventOf<"signal.scored"> = {
      type: "signal.scored",
      session,
      signals: [
        signal("tasks_complete", seen.complete),
        signal("consecutive_done"),
        signal("test_only"),
        signal("strong_indicators", seen.strong),
      ],
      total: 0,
      threshold: exit.threshold,
      promise: seen.promise ?? false,
      exitSignal: seen.exitSignal ?? null,
      indicators: seen.indicators ?? 0,
      done: seen.done ?? false,
      testOnly: seen.testOnly ?? false,
      ...finishedBy(
        {
          exitSignal: seen.exitSignal ?? null,
          promise: seen.promise ?? false,
          // No file: the facts alone decide nothing here.
          facts: { resolved: seen.complete ? 1 : 0, total: 1, checks: "passed", changed: 0 },
          indicators: seen.indicators ?? 0,
          total: 0,
        },
        exit,
      ),
    };
    return rescore(score, scoredBefore(state.opening!, session), exit);
  };

/** A session that ended by itself, was scored, and handed over. */
export const completed = (seen: Seen): Step[] => [
  executor,
  ended("completed_without_submit", { progress: seen.progress ?? true }),
  scored(seen),
  handoff,
];

/** What the policy in force decides next, as the event that records it; the next session where it goes on. */
export const decided: Step = (state) => {
  const first = decide(state, state.opening!.settings.limits, state.atMs);
  const action = first.do === "wait" ? decide(state, state.opening!.settings.limits, first.untilMs) : first;
  switch (action.do) {
    case "submit":
      return {
        type: "submission.requested",
        submission: state.submissions.length + 1,
        head: commit(1),
        tree: commit(2),
        by: "monoco",
        session: action.session,
      };
    case "block":
      return decisionEvent(action);
    case "change_breaker": {
      const { do: _, ...change } = action;
      return { type: "breaker.changed", ...change };
    }
    default:
      throw new Error(`it decides ${action.do}`);
  }
};
