/** Limits that end the attempts: rounds, refusals, repairs, questions, sessions, and the breaker. */
import type { Step, Way } from "../error/hint-schema.ts";
import {
  askedInARow,
  findingsRepeated,
  redRounds,
  redRoundsMax,
  reviewRounds,
  sameRefusals,
  uncharged,
} from "../journal/counts.ts";
import type { Opening } from "../journal/relay-state.ts";
import { byHand, resume } from "../journal/steps.ts";
import { counted } from "../language/counted.ts";
import { t } from "../language/translate.ts";
import { mergeRepairsMax, submitRefusalsMax } from "../limits.ts";
import type { Limits } from "../settings/limits-schema.ts";
import type { Action, Now } from "./action.ts";
import { said, block, judged } from "./block.ts";
import { breakerChange, checkOf, probesUsedUp } from "./breaker.ts";

export function outOfLimits(state: Opening, limits: Limits): Action | undefined {
  const looping = findingsRepeated(state)[0];
  if (looping) {
    return block(state, {
      reason: {
        rule: "finding_repeated",
        finding: looping.id,
        title: looping.title,
        rounds: looping.rounds,
      },
      ways: [...judged(state), said],
    });
  }
  const rounds = reviewRounds(state);
  if (rounds >= limits.reviewRoundsMax) {
    return block(state, {
      reason: { rule: "review_rounds", rounds, max: limits.reviewRoundsMax, ...heldBy(state) },
      ways: [...judged(state), said, [{ do: "retry", note: t`at most ${limits.reviewRoundsMax} more` }]],
    });
  }
  const red = redRounds(state);
  const redMax = redRoundsMax(limits, state.settings.breaker);
  if (red >= redMax) {
    return block(state, {
      reason: { rule: "red_rounds", rounds: red, max: redMax, ...checkOf(state) },
      ways: [said, [{ do: "retry", note: t`at most ${redMax} more` }]],
    });
  }
  const refused = sameRefusals(state);
  if (refused.last && refused.times >= submitRefusalsMax) {
    const what =
      refused.paths.length > 0
        ? t`find what writes ${listOf(refused.paths)}, and undo, ignore or commit it`
        : t`find out why it is refused, and fix that`;
    return block(state, {
      reason: { rule: "refusal_repeated", times: refused.times, why: refused.last.why },
      ways: [byHand(what), said],
    });
  }
  if (state.sinceResume.mergeRepairs > mergeRepairsMax) {
    const solve: Step = {
      do: "by_hand",
      what: t`git switch ${state.branch}, solve it and commit that`,
    };
    return block(state, {
      reason: { rule: "merge_failed", times: state.sinceResume.mergeRepairs, ...lastTrouble(state) },
      ways: [[solve, { do: "submit" }, resume], [{ do: "retry", note: t`lets agents try again` }]],
    });
  }
  const asked = askedInARow(state);
  const { question } = state;
  if (question && asked >= limits.questionsMax) {
    const note = t`${counted(asked, "session")} only asked: limits.questionsMax ${limits.questionsMax}`;
    return block(state, {
      reason: { rule: "question", ...question },
      ways: [[{ do: "answer" }, { do: "resume", note }]],
    });
  }
  const spent = state.sinceResume.sessions.filter((session) => !uncharged(session)).length;
  if (spent >= limits.sessionsMax) {
    return block(state, {
      reason: { rule: "sessions_max", sessions: spent, max: limits.sessionsMax, ...checkOf(state) },
      ways: [said, [{ do: "retry", note: t`at most ${limits.sessionsMax} more` }]],
    });
  }
  return undefined;
}

const titlesNamed = 3;

/** The findings for which changes were requested last. */
function heldBy({ sinceResume: { submissions } }: Opening): { findings?: string[] } {
  const last = submissions.findLast(({ review }) => review?.verdict === "request_changes")?.review;
  const titles = (last?.findings ?? []).map(({ title }) => title).slice(0, titlesNamed);
  return titles.length > 0 ? { findings: titles } : {};
}

const pathsNamed = 5;

function listOf(paths: readonly string[]): string {
  const more = paths.length - pathsNamed;
  const first = paths.slice(0, pathsNamed).join(", ");
  return more > 0 ? t`${first} and ${more} more` : first;
}

function lastTrouble({ mergeTrouble }: Opening): { paths?: string[]; why?: string } {
  if (!mergeTrouble) return {};
  return mergeTrouble.type === "merge.conflicted" ? { paths: mergeTrouble.paths } : { why: mergeTrouble.why };
}

/** Applies the breaker even if sessions are left: repeating a failure costs as much and teaches nothing. */
export function throughBreaker(state: Opening, { nowMs }: Now): Action | undefined {
  const change = breakerChange(state, nowMs);
  if (change) return { do: "change_breaker", ...change };
  if (state.breaker?.to !== "open") return undefined;
  const ways: Way[] = [said, [{ do: "retry", note: t`one session tries` }]];
  const hopeless = probesUsedUp(state);
  if (hopeless) return block(state, { reason: hopeless, ways });
  const { reason: by, untilMs } = state.breaker;
  const reason = { rule: "breaker_open", by } as const;
  return untilMs === undefined ? block(state, { reason, ways }) : { do: "wait", untilMs, reason };
}
