/** The relay's only policy: given all that has happened, what happens next? */
import { breakerChange, probesUsedUp } from "./breaker.ts";
import type { BreakerChange } from "./breaker.ts";
import { spentBudget } from "./budget.ts";
import { counted } from "../language/counted.ts";
import { stillNeeded } from "./gate.ts";
import {
  mergeRepairsMax,
  mergeRoundsMax,
  noVerdictMax,
  submitRefusalsMax,
  verdictRefusalsMax,
} from "../limits.ts";
import type { Role } from "../settings/roles.ts";
import { byHand, resume } from "../journal/steps.ts";
import type { Hint, Step, Way } from "../error/hint-schema.ts";
import type { Block } from "../journal/steps.ts";
import type { Limits } from "../settings/limits-schema.ts";
import { triedAgainMs } from "../journal/account.ts";
import { leftRest, mergedRest } from "../pulls/rest.ts";
import { judging } from "./person-verdict.ts";
import { playersListed, playersNow } from "./players.ts";
import type { Players } from "./players.ts";
import type { BudgetSpan } from "../reason/amounts.ts";
import type { BlockReason, BlockRule } from "../reason/block-schema.ts";
import type { Reason } from "../reason/reason-schema.ts";
import type { StartReason } from "../reason/start-schema.ts";
import { fullHour } from "./rate-limit.ts";
import type { FullHour } from "./rate-limit.ts";
import type { Opening, RelayState, SubmissionRecord } from "../journal/relay-state.ts";
import { spendingOf } from "./spending.ts";
import type { Spending } from "./spending.ts";
import {
  currentSubmission,
  finishedUnsubmitted,
  handoffDue,
  isApproved,
  keepsBranch,
  runningSession,
  submissionDue,
  unconfirmed,
} from "./phase.ts";
import {
  askedInARow,
  findingsRepeated,
  refusalsInForce,
  reviewRounds,
  sameRefusals,
  uncharged,
  verdictsMissing,
} from "../journal/counts.ts";
import { t } from "../language/translate.ts";

/** What the runner does next, and why; `rest` ends the run, with the exit code that its phase stands for. */
export type Action =
  | ({ do: "start"; reason: StartReason; role: Role; submission?: number } & {
      /** Who may play it, the best first. */
      agents: readonly string[];
    })
  | ({ do: "change_breaker" } & BreakerChange)
  | ({ do: "limit_rate" } & FullHour)
  | ({ do: "block" } & Block)
  | (Other & { reason: Reason });

type Other =
  | { do: "recover"; session: number }
  | { do: "hand_over"; session: number }
  | { do: "submit"; session: number }
  | { do: "accept"; session: number }
  | { do: "check"; submission: number }
  | { do: "weigh"; submission: number }
  | { do: "settle"; submission: number }
  | { do: "merge"; submission: number }
  | { do: "settle_merge" }
  | { do: "wait"; untilMs: number }
  | {
      do: "rest";
      phase: "none" | "done" | "pull_request" | "blocked" | "paused" | "cancelled";
      hint: Hint;
    };

/** What is not in the relay's journal, beside the time; where nothing is known of it, nothing stands in the way. */
export type Around = {
  /** The agents that are installed. */
  players?: Players;
  /** Sessions of other relays of the repository. */
  elsewhere?: readonly Spending[];
  /** The `monoco run` that this is. */
  run?: string | undefined;
  /** Chance, from 0 to 1: how late after its end a usage limit is tried again. */
  jitter?: number;
  /** The work that was left on its branch, or merged elsewhere, is on the base now. */
  takenOver?: boolean;
};

const said: Way = [{ do: "say" }, resume];

/**
 * Time comes in as an argument and effects go out as data. The first rule that applies wins: what is half done is
 * finished first, then a person's word, then work on what was submitted, then limits, then the next session.
 */
export function decide(history: RelayState, limits: Limits, nowMs: number, around: Around = {}): Action {
  const state = history.opening;
  if (!state) return notOpen;
  const { players = playersListed(state), elsewhere = [], run, jitter = 0 } = around;
  const now = { history, nowMs, players, elsewhere, run, jitter, limits };
  return (
    atRest(state, around) ??
    halfDone(state) ??
    halted(state) ??
    preparedMerge(state) ??
    onSubmission(state, now) ??
    onItsBehalf(state) ??
    outOfLimits(state, limits) ??
    throughBreaker(state, now) ??
    waiting(state, now) ??
    start(state, now, { role: "executor", reason: whyExecutor(state) })
  );
}

function atRest(state: Opening, { takenOver = false }: Around): Action | undefined {
  const { merged, finished } = state;
  if (merged) return { do: "rest", ...mergedRest({ ...state, merged }, takenOver) };
  if (state.cleared) return notOpen;
  if (!finished) return undefined;
  const left = leftRest({ ...state, finished }, takenOver);
  return (left.phase === "pull_request" ? halted(state) : undefined) ?? { do: "rest", ...left };
}

const notOpen: Action = {
  do: "rest",
  phase: "none",
  reason: { rule: "no_relay" },
  hint: [[{ do: "open" }]],
};

function halfDone(state: Opening): Action | undefined {
  const running = runningSession(state);
  if (running) {
    const { session } = running;
    return { do: "recover", session, reason: { rule: "session_open", session } };
  }
  const submit = submissionDue(state);
  // Blocked in between: what stands in the way of taking it up is a person's to fix first.
  if (submit && state.halted?.phase !== "blocked") {
    const { session } = submit;
    return { do: "accept", session, reason: { rule: "session_submitted", session } };
  }
  const due = handoffDue(state);
  if (!due) return undefined;
  const { session, ended } = due;
  return { do: "hand_over", session, reason: { rule: "session_ended", session, how: ended?.reason } };
}

/** Only when nobody said stop meanwhile: what is on the base already is found when the relay is resumed. */
function preparedMerge(state: Opening): Action | undefined {
  const { merge } = state;
  const approved = state.submissions.find(({ submission }) => submission === merge?.submission);
  // A person has taken the approval back, or the settings ask for more of them than when it was prepared.
  if (!merge || !approved || !isApproved(approved) || stillNeeded(state, approved)) return undefined;
  return { do: "settle_merge", reason: { rule: "merge_prepared" } };
}

function halted(state: Opening): Action | undefined {
  return state.halted && { do: "rest", ...state.halted };
}

type Now = Required<Omit<Around, "run" | "takenOver">> &
  Pick<Around, "run"> & { history: RelayState; nowMs: number; limits: Limits };

function onSubmission(state: Opening, now: Now): Action | undefined {
  const current = currentSubmission(state);
  if (!current || current.outcome) return undefined;
  const { submission, review } = current;
  if (!current.checks) return { do: "check", submission, reason: { rule: "submission_new", submission } };
  // A loop without a review is judged by its checks alone, and no Reviewer is paid for what monoco knows already.
  if ((keepsBranch(state) || !current.checks.ok) && review?.verdict !== "request_changes") {
    return { do: "settle", submission, reason: { rule: "settled_by_checks", ok: current.checks.ok } };
  }
  if (state.sinceResume.redByHand === submission) return backToPerson(state, current);
  if (!review) return awaitReview(state, { current, reason: { rule: "checked", submission } }, now);
  if (!isApproved(current)) return undefined;
  const needed = stillNeeded(state, current);
  if (needed?.who === "reviewer") return awaitReview(state, { current, reason: needed.reason }, now);
  if (needed) return block(state, { reason: needed.reason, ways: judged(state) });
  const questioned = unconfirmed(current);
  if (questioned) return confirm(state, { current, reason: questioned.reason }, now);
  return { do: "merge", submission, reason: { rule: "approved", submission, by: review.by } };
}

/** As often as a merge is tried: a base that always brings something that meets the work needs a person. */
function confirm(
  state: Opening,
  { current, reason }: { current: SubmissionRecord; reason: StartReason },
  now: Now,
): Action {
  const { submission, confirmations } = current;
  const recent = new Set(state.sinceResume.sessions.map(({ session }) => session));
  const times = confirmations.filter(({ session }) => session !== undefined && recent.has(session)).length;
  if (times < mergeRoundsMax) return awaitReview(state, { current, reason }, now);
  const { base } = state;
  return block(state, {
    reason: { rule: "base_moving", base, times, submission },
    ways: [...judged(state), byHand(t`wait until ${base} moves less often`)],
  });
}

/** A person's own work is not an agent's to change before they say so. */
function backToPerson(state: Opening, { submission, checks }: SubmissionRecord): Action {
  const red = (checks?.results ?? []).filter(({ exitCode }) => exitCode !== 0);
  const failed = red.map(({ command, exitCode, timedOut }) => ({ command, exitCode, timedOut }));
  const fix: Step = { do: "by_hand", what: t`fix what fails and commit that` };
  return block(state, {
    reason: { rule: "checks_failed", submission, failed },
    ways: [[fix, { do: "submit" }, resume], [{ do: "retry", note: t`lets an Executor fix it` }]],
  });
}

function awaitReview(
  state: Opening,
  { current, reason }: { current: SubmissionRecord; reason: StartReason },
  now: Now,
): Action {
  const { submission } = current;
  if (current.given) {
    return { do: "weigh", submission, reason: { rule: "verdict_given", session: current.given.session } };
  }
  const another: Step = { do: "retry", note: t`another Reviewer looks at it` };
  const refusals = refusalsInForce(state, current);
  if (refusals.length >= triesLeft(state, "verdict_refused", verdictRefusalsMax)) {
    const last = refusals.at(-1)!.why;
    return block(state, {
      reason: { rule: "verdict_refused", submission, verdicts: refusals.length, last },
      ways: [...judged(state), [another]],
    });
  }
  const missing = verdictsMissing(state, current);
  if (missing >= triesLeft(state, "no_verdict", noVerdictMax)) {
    return block(state, {
      reason: { rule: "no_verdict", submission, sessions: missing },
      ways: [...judged(state), [another]],
    });
  }
  const wait = waiting(state, now);
  if (wait) return wait;
  const again: StartReason = missing > 0 ? { rule: "verdict_missing" } : reason;
  return start(state, now, {
    role: "reviewer",
    submission,
    reason: refusals.length > 0 ? { rule: "verdict_not_counted" } : again,
  });
}

/** Exit detection's only effect: a review. */
function onItsBehalf(state: Opening): Action | undefined {
  const finished = finishedUnsubmitted(state);
  if (!finished) return undefined;
  const { session, scored } = finished;
  return { do: "submit", session, reason: { rule: "looks_finished", session, exit: scored?.reason } };
}

function outOfLimits(state: Opening, limits: Limits): Action | undefined {
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
      reason: { rule: "review_rounds", rounds, max: limits.reviewRoundsMax },
      ways: [...judged(state), said, [{ do: "retry", note: t`at most ${limits.reviewRoundsMax} more` }]],
    });
  }
  const refused = sameRefusals(state);
  if (refused.last && refused.times >= submitRefusalsMax) {
    const what =
      refused.paths.length > 0
        ? t`find what writes ${named(refused.paths)}, and undo, ignore or commit it`
        : t`see what stands in the way, and change it`;
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
      reason: { rule: "sessions_max", sessions: spent, max: limits.sessionsMax },
      ways: [said, [{ do: "retry", note: t`at most ${limits.sessionsMax} more` }]],
    });
  }
  return undefined;
}

const pathsNamed = 5;

function named(paths: readonly string[]): string {
  const more = paths.length - pathsNamed;
  const first = paths.slice(0, pathsNamed).join(", ");
  return more > 0 ? t`${first} and ${more} more` : first;
}

function lastTrouble({ mergeTrouble }: Opening): { paths?: string[]; why?: string } {
  if (!mergeTrouble) return {};
  return mergeTrouble.type === "merge.conflicted" ? { paths: mergeTrouble.paths } : { why: mergeTrouble.why };
}

/** Even with sessions to spare: repeating what got nowhere costs the same and teaches nothing. */
function throughBreaker(state: Opening, { nowMs }: Now): Action | undefined {
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

function waiting(state: Opening, { nowMs }: Now): Action | undefined {
  const { untilMs, reason } = state.sinceResume.wait;
  return nowMs < untilMs ? { do: "wait", untilMs, reason } : undefined;
}

/**
 * The next session by those who can play it. A used-up account hands over to the next agent; when none is left the relay
 * waits for the first that comes back, and needs a person where all that is missing is a login.
 */
function start(
  state: Opening,
  now: Now,
  next: { role: Role; submission?: number; reason: StartReason },
): Action {
  const spent = outOfBudget(state, now);
  if (spent) return spent;
  const { ready, suspended } = playersNow(state, next.role, now);
  const of = suspended.map((one) => one.reason);
  // Where nobody is installed, whoever is to play says so.
  if (ready.length > 0 || suspended.length === 0) {
    const reason = of.length === 0 ? next.reason : { ...next.reason, passedOver: of };
    return outOfRate(now) ?? { do: "start", ...next, reason, agents: ready };
  }
  const times = suspended.flatMap((one) =>
    one.untilMs === undefined ? [] : [triedAgainMs(one, now.jitter)],
  );
  if (times.length > 0) {
    const [only, ...others] = of;
    const reason: Reason = only && others.length === 0 ? only : { rule: "accounts_suspended", of };
    return { do: "wait", untilMs: Math.min(...times), reason };
  }
  const whose = suspended.map(({ account, program }) => (program ? `${account} (${program})` : account));
  return block(state, {
    reason: { rule: "needs_person", accounts: suspended.map(({ account }) => account), of },
    ways: [byHand(t`fix the login, credit or model of ${whose.join(", ")}`)],
  });
}

/** Money that is spent is not forgiven by a resume: the setting has to say that there is more. */
function outOfBudget(state: Opening, { history, nowMs, elsewhere, run }: Now): Action | undefined {
  const over = spentBudget(history, { nowMs, elsewhere, run });
  if (!over) return undefined;
  const { span, unit, used, reserve, max } = over;
  const setting = `budgets.${span}.${unit}`;
  return block(state, {
    reason: { rule: "budget", span, unit, used, reserve, max },
    ways: [[{ do: "raise", setting, where: whereSet(state, setting) }, resume], ...otherWays[span]()],
  });
}

/** A setting, named by the place that a person has to change. */
function whereSet({ origins = {} }: Opening, setting: string): string {
  const place = origins[setting] ?? "";
  if (place.startsWith("--")) return `${setting} (${place})`;
  if (place.startsWith("MONOCO_")) return place;
  return t`${setting} in ${place || "monoco.yaml"}`;
}

const otherWays: Readonly<Record<BudgetSpan, () => readonly Way[]>> = {
  relay: () => [],
  run: () => [[{ do: "resume", note: t`begins a new run` }]],
  day: () => [byHand(t`wait until older sessions are a day old`)],
};

/** Journaled once, with its numbers; from then on the relay waits. */
function outOfRate({ history, nowMs, elsewhere, limits }: Now): Action | undefined {
  const full = fullHour([...spendingOf(history), ...elsewhere], limits, nowMs);
  return full && { do: "limit_rate", ...full };
}

/** What was tried again in vain is not offered once more: what is left needs a person's word, or ends the relay. */
function block(
  { resumedFrom }: Opening,
  { reason, ways }: { reason: BlockReason; ways: readonly Way[] },
): Action {
  const isRetry = (way: Way): boolean => way.some((step) => step.do === "retry");
  const inVain = reason.rule === resumedFrom && ways.some(isRetry);
  const hint = inVain ? [...ways.filter((way) => !isRetry(way)), giveUp()] : ways;
  return { do: "block", reason, hint };
}

const giveUp = (): Way => [{ do: "clear", note: t`gives it up, and keeps its work` }];

/** Where nothing has changed since the same block, one more time is enough. */
function triesLeft({ resumedFrom }: Opening, rule: BlockRule, max: number): number {
  return resumedFrom === rule ? 1 : max;
}

function judged(state: Opening): Way[] {
  const judge = judging(state);
  return judge ? [[judge, resume]] : [];
}

function whyExecutor(state: Opening): StartReason {
  const executor = state.sessions.findLast((session) => session.role === "executor");
  const submission = currentSubmission(state);
  const { refusal, mergeTrouble } = state;
  if (refusal && (refusal.session ?? executor?.session) === executor?.session)
    return { rule: "submission_refused" };
  // No Executor session has run since this submission.
  if (submission && (executor?.session ?? 0) <= submission.sessionsThen) {
    const what = mergeTrouble?.type === "merge.conflicted" ? "conflict" : "checks";
    if (mergeTrouble) return { rule: "merge_trouble", what };
    const rule = submission.review?.by === "monoco" ? "checks_red" : "changes_requested";
    if (submission.review) return { rule, submission: submission.submission };
  }
  if (state.handoff) return { rule: "handed_over", session: state.handoff.session };
  return { rule: "new_relay" };
}
