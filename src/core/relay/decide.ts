/** The relay's only policy: given all that has happened, what happens next? */
import { breakerChange, probesUsedUp } from "./breaker.ts";
import type { BreakerChange } from "./breaker.ts";
import { amountWords, budgetWords, spentBudget } from "./budget.ts";
import type { BudgetSpan } from "./budget.ts";
import { counted } from "../text/counted.ts";
import { stillNeeded } from "./gate.ts";
import { mergeRepairsMax, noVerdictMax, submitRefusalsMax, verdictRefusalsMax } from "../limits.ts";
import type { EventOf } from "../journal/event.ts";
import type { Role } from "../settings/roles.ts";
import type { CheckResult } from "../review/check-result.ts";
import { byHand, resume } from "./hint.ts";
import type { Block, BlockRule, Hint, Step, Way } from "../journal/hint-schema.ts";
import type { Limits } from "../settings/limits-schema.ts";
import { triedAgainMs } from "../journal/account.ts";
import { judging } from "./person-verdict.ts";
import { playersListed, playersNow } from "./players.ts";
import type { Players } from "./players.ts";
import { fullHour } from "./rate-limit.ts";
import type { FullHour } from "./rate-limit.ts";
import type { RelayState, SubmissionRecord } from "../journal/relay-state.ts";
import { spendingOf } from "./spending.ts";
import type { Spending } from "./spending.ts";
import {
  currentSubmission,
  finishedUnsubmitted,
  handoffDue,
  isApproved,
  keepsBranch,
  questionWords,
  runningSession,
  submissionDue,
} from "./phase.ts";
import {
  askedInARow,
  findingsRepeated,
  refusalsInForce,
  reviewRounds,
  sameRefusals,
  sessionsInForce,
  uncharged,
  verdictsMissing,
} from "../journal/counts.ts";

/** What the runner does next, and why; `rest` ends the run, with the exit code that its phase stands for. */
export type Action = { because: string } & (
  | { do: "recover"; session: number }
  | { do: "hand_over"; session: number }
  | { do: "submit"; session: number }
  | { do: "accept"; session: number }
  /** `agents`: who may play it, the best first. */
  | { do: "start"; role: Role; agents: readonly string[]; submission?: number }
  | { do: "check"; submission: number }
  | { do: "weigh"; submission: number }
  | { do: "settle"; submission: number }
  | { do: "merge"; submission: number }
  | { do: "settle_merge" }
  | ({ do: "change_breaker" } & BreakerChange)
  | ({ do: "limit_rate" } & FullHour)
  | { do: "wait"; untilMs: number }
  | ({ do: "block" } & Block)
  | { do: "rest"; phase: "none" | "done" | "blocked" | "paused" | "cancelled"; hint: Hint }
);

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
  /** The work that was left on its branch is on the base now. */
  takenOver?: boolean;
};

const said: Way = [{ do: "say" }, resume];

/**
 * Time comes in as an argument and effects go out as data. The first rule that applies wins: what is half done is
 * finished first, then a person's word, then work on what was submitted, then limits, then the next session.
 */
export function decide(state: RelayState, limits: Limits, nowMs: number, around: Around = {}): Action {
  const { players = playersListed(state), elsewhere = [], run, jitter = 0 } = around;
  const now = { nowMs, players, elsewhere, run, jitter, limits };
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
    start(state, now, { role: "executor", because: whyExecutor(state) })
  );
}

function atRest(state: RelayState, { takenOver = false }: Around): Action | undefined {
  if (state.merged) {
    return { do: "rest", phase: "done", because: `merged as ${state.merged.commit.slice(0, 8)}`, hint: [] };
  }
  if (!state.opened || state.cleared) {
    return { do: "rest", phase: "none", because: "no relay is open", hint: [[{ do: "open" }]] };
  }
  if (state.finished) return leftOnBranch(state, { ...state.finished, takenOver });
  return undefined;
}

function leftOnBranch(
  { opened }: RelayState,
  finished: EventOf<"relay.finished"> & { takenOver: boolean },
): Action {
  const { commit, pullRequest, todo, takenOver } = finished;
  const done = (because: string): Action => ({ do: "rest", phase: "done", because, hint: [] });
  if (commit === opened?.baseCommit) return done("nothing had to change");
  if (takenOver) return done(`its work is on ${opened?.base} (${commit.slice(0, 8)})`);
  const asked = pullRequest === undefined ? "" : `, and its pull request is ${pullRequest}`;
  const because = `its work is on branch ${opened?.branch} (${commit.slice(0, 8)})${asked}`;
  const takeOver = pullRequest === undefined ? `git merge ${opened?.branch} takes it over` : undefined;
  const what = todo ?? takeOver;
  return { do: "rest", phase: "done", because, hint: what === undefined ? [] : [[{ do: "by_hand", what }]] };
}

function halfDone(state: RelayState): Action | undefined {
  const running = runningSession(state);
  if (running) {
    return {
      do: "recover",
      session: running.session,
      because: `session ${running.session} has no recorded end`,
    };
  }
  const submit = submissionDue(state);
  // Blocked in between: what stands in the way of taking it up is a person's to mend first.
  if (submit && state.halted?.phase !== "blocked")
    return { do: "accept", session: submit.session, because: `session ${submit.session} submitted` };
  const due = handoffDue(state);
  if (due)
    return {
      do: "hand_over",
      session: due.session,
      because: `session ${due.session} ended: ${due.ended?.reason}`,
    };
  return undefined;
}

/** Only when nobody said stop meanwhile: what is on the base already is found when the relay is resumed. */
function preparedMerge(state: RelayState): Action | undefined {
  const { merge } = state;
  const approved = state.submissions.find(({ submission }) => submission === merge?.submission);
  // A person has taken the approval back, or the settings ask for more of them than when it was prepared.
  if (!merge || !approved || !isApproved(approved) || stillNeeded(state, approved)) return undefined;
  return { do: "settle_merge", because: "a merge was prepared" };
}

function halted(state: RelayState): Action | undefined {
  return state.halted && { do: "rest", ...state.halted };
}

type Now = Required<Omit<Around, "run" | "takenOver">> &
  Pick<Around, "run"> & { nowMs: number; limits: Limits };

function onSubmission(state: RelayState, now: Now): Action | undefined {
  const current = currentSubmission(state);
  if (!current || current.outcome) return undefined;
  const { submission, review } = current;
  if (!current.checks) return { do: "check", submission, because: `submission ${submission} is new` };
  // A loop without a review is judged by its checks alone, and no Reviewer is paid for what monoco knows already.
  if ((keepsBranch(state) || !current.checks.ok) && review?.verdict !== "request_changes") {
    return { do: "settle", submission, because: `its checks ${current.checks.ok ? "pass" : "fail"}` };
  }
  if (state.redByHand === submission) return backToPerson(state, current);
  if (!review) {
    const because = `submission ${submission} is checked`;
    return awaitReview(state, { current, because }, now);
  }
  if (!isApproved(current)) return undefined;
  const needed = stillNeeded(state, current);
  if (needed?.who === "reviewer") return awaitReview(state, { current, because: needed.because }, now);
  if (needed) {
    return block(state, {
      rule: "human_gate",
      because: `submission ${submission} is approved by the Reviewer: ${needed.because}`,
      ways: judged(state),
    });
  }
  return { do: "merge", submission, because: `the ${review.by} approved submission ${submission}` };
}

/** A person's own work is not an agent's to change before they say so. */
function backToPerson(state: RelayState, { submission, checks }: SubmissionRecord): Action {
  const red = (checks?.results ?? []).filter(({ exitCode }) => exitCode !== 0).map(endedBy);
  const fix: Step = { do: "by_hand", what: "fix what fails and commit that" };
  return block(state, {
    rule: "checks_failed",
    because: `submission ${submission} by a person fails its checks: ${red.join(", ")}`,
    ways: [[fix, { do: "submit" }, resume], [{ do: "retry", note: "lets an Executor fix it" }]],
  });
}

function endedBy({ command, exitCode, timedOut }: CheckResult): string {
  return `${command} (${timedOut ? "timed out" : `exit status ${exitCode ?? "none"}`})`;
}

function awaitReview(
  state: RelayState,
  { current, because }: { current: SubmissionRecord; because: string },
  now: Now,
): Action {
  const { submission } = current;
  if (current.given) {
    return { do: "weigh", submission, because: `session ${current.given.session} gave a verdict` };
  }
  const another: Step = { do: "retry", note: "another Reviewer looks at it" };
  const refusals = refusalsInForce(state, current);
  if (refusals.length >= triesLeft(state, "verdict_refused", verdictRefusalsMax)) {
    const last = refusals.at(-1)!.why.join("; ");
    const which = refusals.length === 1 ? "another verdict" : `${refusals.length} verdicts`;
    const count = refusals.length === 1 ? "does not count, because" : "do not count, the last because";
    return block(state, {
      rule: "verdict_refused",
      because: `${which} on submission ${submission} ${count}: ${last}`,
      ways: [...judged(state), [another]],
    });
  }
  const missing = verdictsMissing(state, submission);
  if (missing >= triesLeft(state, "no_verdict", noVerdictMax)) {
    const who = missing === 1 ? "another Reviewer session" : `${missing} Reviewer sessions`;
    return block(state, {
      rule: "no_verdict",
      because: `${who} gave no verdict on submission ${submission}`,
      ways: [...judged(state), [another]],
    });
  }
  const wait = waiting(state, now);
  if (wait) return wait;
  const why = refusals.length > 0 ? "the last verdict does not count" : undefined;
  return start(state, now, {
    role: "reviewer",
    submission,
    because: why ?? (missing ? "the last Reviewer gave no verdict" : because),
  });
}

/** Exit detection's only effect: a review. */
function onItsBehalf(state: RelayState): Action | undefined {
  const finished = finishedUnsubmitted(state);
  if (!finished) return undefined;
  const { session, scored } = finished;
  return {
    do: "submit",
    session,
    because: `session ${session} looks finished and did not submit: ${scored?.because}`,
  };
}

function outOfLimits(state: RelayState, limits: Limits): Action | undefined {
  const looping = findingsRepeated(state)[0];
  if (looping) {
    return block(state, {
      rule: "finding_repeated",
      because: `finding ${looping.id} was raised in ${looping.rounds} rounds: ${looping.title}`,
      ways: [...judged(state), said],
    });
  }
  const rounds = reviewRounds(state);
  if (rounds >= limits.reviewRoundsMax) {
    return block(state, {
      rule: "review_rounds",
      because: `${counted(rounds, "round")} of requested changes (reviewRoundsMax ${limits.reviewRoundsMax})`,
      ways: [...judged(state), said, [{ do: "retry", note: `at most ${limits.reviewRoundsMax} more` }]],
    });
  }
  const refused = sameRefusals(state);
  if (refused.last && refused.times >= submitRefusalsMax) {
    const what =
      refused.paths.length > 0
        ? `find what writes ${named(refused.paths)}, and undo, ignore or commit it`
        : "see what stands in the way, and change it";
    return block(state, {
      rule: "refusal_repeated",
      because: `${refused.times} submits in a row were refused for the same reason: ${refused.last.why}`,
      ways: [byHand(what), said],
    });
  }
  if (state.mergeRepairs > mergeRepairsMax) {
    const solve: Step = {
      do: "by_hand",
      what: `git switch ${state.opened?.branch}, solve it and commit that`,
    };
    return block(state, {
      rule: "merge_failed",
      because: `the merge failed ${state.mergeRepairs} times, last ${lastTrouble(state)}`,
      ways: [[solve, { do: "submit" }, resume], [{ do: "retry", note: "lets agents try again" }]],
    });
  }
  const asked = askedInARow(state);
  const question = questionWords(state);
  if (question !== undefined && asked >= limits.questionsMax) {
    const note = `${counted(asked, "session")} only asked: limits.questionsMax ${limits.questionsMax}`;
    return block(state, {
      rule: "question",
      because: question,
      ways: [[{ do: "answer" }, { do: "resume", note }]],
    });
  }
  const spent = sessionsInForce(state).filter((session) => !uncharged(session)).length;
  if (spent >= limits.sessionsMax) {
    return block(state, {
      rule: "sessions_max",
      because: `spent ${counted(spent, "session")} (sessionsMax ${limits.sessionsMax})`,
      ways: [said, [{ do: "retry", note: `at most ${limits.sessionsMax} more` }]],
    });
  }
  return undefined;
}

const pathsNamed = 5;

function named(paths: readonly string[]): string {
  const more = paths.length - pathsNamed;
  return paths.slice(0, pathsNamed).join(", ") + (more > 0 ? ` and ${more} more` : "");
}

function lastTrouble({ mergeTrouble }: RelayState): string {
  if (mergeTrouble?.type === "merge.conflicted") return `by conflicts in ${mergeTrouble.paths.join(", ")}`;
  return mergeTrouble?.why ?? "before the last submission";
}

/** Even with sessions to spare: repeating what got nowhere costs the same and teaches nothing. */
function throughBreaker(state: RelayState, { nowMs }: Now): Action | undefined {
  const change = breakerChange(state, nowMs);
  if (change) return { do: "change_breaker", ...change };
  if (state.breaker?.to !== "open") return undefined;
  const ways: Way[] = [said, [{ do: "retry", note: "one session tries" }]];
  const hopeless = probesUsedUp(state);
  if (hopeless !== undefined) return block(state, { rule: "probes_max", because: hopeless, ways });
  const { because, untilMs } = state.breaker;
  if (untilMs !== undefined) return { do: "wait", untilMs, because: `the breaker is open: ${because}` };
  return block(state, { rule: "breaker_open", because, ways });
}

function waiting(state: RelayState, { nowMs }: Now): Action | undefined {
  if (nowMs >= state.waitUntilMs) return undefined;
  return { do: "wait", untilMs: state.waitUntilMs, because: state.waitBecause };
}

/**
 * The next session by those who can play it. A used-up account hands over to the next agent; when none is left the relay
 * waits for the first that comes back, and needs a person where all that is missing is a login.
 */
function start(
  state: RelayState,
  now: Now,
  next: { role: Role; submission?: number; because: string },
): Action {
  const spent = outOfBudget(state, now);
  if (spent) return spent;
  const { ready, suspended } = playersNow(state, next.role, now);
  const passedOver = suspended.map((one) => `; ${one.because}`).join("");
  // Where nobody is installed, whoever is to play says so.
  if (ready.length > 0 || suspended.length === 0) {
    return (
      outOfRate(state, now) ?? {
        do: "start",
        ...next,
        agents: ready,
        because: `${next.because}${passedOver}`,
      }
    );
  }
  const times = suspended.flatMap((one) =>
    one.untilMs === undefined ? [] : [triedAgainMs(one, now.jitter)],
  );
  const because = [...new Set(suspended.map((one) => one.because))].join("; ");
  if (times.length > 0) return { do: "wait", untilMs: Math.min(...times), because };
  const who = suspended.map(({ account }) => account).join(", ");
  const whose = suspended.map(({ account, program }) => (program ? `${account} (${program})` : account));
  return block(state, {
    rule: "needs_person",
    because: `${who} needs a person: ${because}`,
    ways: [byHand(`fix the login, credit or model of ${whose.join(", ")}`)],
  });
}

/** Money that is spent is not forgiven by a resume: the setting has to say that there is more. */
function outOfBudget(state: RelayState, { nowMs, elsewhere, run }: Now): Action | undefined {
  const over = spentBudget(state, { nowMs, elsewhere, run });
  if (!over) return undefined;
  const { span, unit, used, reserve, max } = over;
  const setting = `budgets.${span}.${unit}`;
  const takes =
    used < max && unit !== "sessions" ? `, and a session takes about ${amountWords[unit](reserve)}` : "";
  return block(state, {
    rule: "budget",
    because: `${spans[span]} used ${budgetWords(over)}${takes} (${setting})`,
    ways: [[{ do: "raise", setting, where: whereSet(state, setting) }, resume], ...otherWays[span]],
  });
}

/** A setting, named by the place that a person has to change. */
function whereSet({ origins = {} }: RelayState, setting: string): string {
  const place = origins[setting] ?? "";
  if (place.startsWith("--")) return `${setting} (${place})`;
  if (place.startsWith("MONOCO_")) return place;
  return `${setting} in ${place || "monoco.yaml"}`;
}

const spans: Readonly<Record<BudgetSpan, string>> = {
  relay: "the relay has",
  run: "this run has",
  day: "the last 24 hours have",
};

const otherWays: Readonly<Record<BudgetSpan, readonly Way[]>> = {
  relay: [],
  run: [[{ do: "resume", note: "begins a new run" }]],
  day: [byHand("wait until older sessions are a day old")],
};

/** Journaled once, with its numbers; from then on the relay waits. */
function outOfRate(state: RelayState, { nowMs, elsewhere, limits }: Now): Action | undefined {
  const full = fullHour([...spendingOf(state), ...elsewhere], limits, nowMs);
  return full && { do: "limit_rate", ...full };
}

/** What was tried again in vain is not offered once more: what is left needs a person's word, or ends the relay. */
function block(
  { resumedFrom }: RelayState,
  { rule, because, ways }: { rule: BlockRule; because: string; ways: readonly Way[] },
): Action {
  const isRetry = (way: Way): boolean => way.some((step) => step.do === "retry");
  const inVain = rule === resumedFrom && ways.some(isRetry);
  const hint = inVain ? [...ways.filter((way) => !isRetry(way)), giveUp] : ways;
  return { do: "block", rule, because, hint };
}

const giveUp: Way = [{ do: "clear", note: "gives it up, and keeps its work" }];

/** Where nothing has changed since the same block, one more time is enough. */
function triesLeft({ resumedFrom }: RelayState, rule: BlockRule, max: number): number {
  return resumedFrom === rule ? 1 : max;
}

function judged(state: RelayState): Way[] {
  const judge = judging(state);
  return judge ? [[judge, resume]] : [];
}

function whyExecutor(state: RelayState): string {
  const executor = state.sessions.findLast((session) => session.role === "executor");
  const submission = currentSubmission(state);
  const { refusal, mergeTrouble } = state;
  if (refusal && (refusal.session ?? executor?.session) === executor?.session)
    return "the submission was refused";
  // No Executor session has run since this submission.
  if (submission && (executor?.session ?? 0) <= submission.sessionsThen) {
    if (mergeTrouble?.type === "merge.conflicted") return "the merge conflicted";
    if (mergeTrouble) return "the merged tree fails its checks";
    if (submission.review?.by === "monoco") return `the checks failed on submission ${submission.submission}`;
    if (submission.review) return `changes were requested on submission ${submission.submission}`;
  }
  if (state.handoff) return `session ${state.handoff.session} handed over`;
  return "a new relay";
}
