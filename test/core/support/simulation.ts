/**
 * A relay in which agents, people and machines do anything: whatever `decide` asks for is performed as the relay would,
 * with an ending drawn at random. No process, no disk: what is left is the policy.
 */
import { decide } from "../../../src/core/relay/decide.ts";
import type { Action } from "../../../src/core/relay/action.ts";
import { decisionEvent } from "../../../src/core/relay/decision-event.ts";
import type { EventBody, RelayEvent, StopReason } from "../../../src/core/journal/event.ts";
import type { RelayState } from "../../../src/core/journal/relay-state.ts";
import { currentSubmission, phaseOf, runningSession } from "../../../src/core/relay/phase.ts";
import { evolve, replay } from "../../../src/core/journal/state.ts";
import { append, blocked, cancelled, checked, cleared, conflicted, decided, ended, given } from "./relays.ts";
import {
  answered,
  asked,
  handoff,
  limitHit,
  merged,
  questioned,
  openedWith,
  paused,
  prepared,
  refused,
  rejected,
} from "./relays.ts";
import { requested, resumed, started, verdictRefused } from "./relays.ts";
import { whyNoVerdict } from "../../../src/core/relay/person-verdict.ts";
import type { Settings } from "../../../src/core/settings/settings.ts";

/** Answers with a number below `below`. */
export type Dice = (below: number) => number;

/** Dice from a seed (mulberry32): the same seed throws the same. */
export function diceFrom(seed: number): Dice {
  let state = seed | 0;
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
}

/** Each role has two agents, which are two accounts. */
const terms = [
  { sessionsMax: 8, sessionsPerHour: 5 },
  { roles: { executor: { agents: ["claude", "mine"] }, reviewer: { agents: ["claude", "mine"] } } },
] as const;
export const limits: Settings["limits"] = openedWith({ sessionsMax: 8, sessionsPerHour: 5 })().settings
  .limits;

/** More steps than any relay takes within these limits, with so few people's doings (most take under 100): it runs away. */
export const stepsMax = 300;
const peoplesDoings = 6;
const freeEndings = 6;

export type Run = { events: RelayEvent[]; state: RelayState; last: Action; steps: number; nowMs: number };

/** What else happens between two steps: letters that come, say. */
export type Meanwhile = (state: RelayState) => EventBody[];

/** Runs from `events` (the journal that a crash left; none for a new relay) to a rest that nobody ends. */
export function runToRest(
  dice: Dice,
  events: readonly RelayEvent[] = [],
  meanwhile: Meanwhile = () => [],
): Run {
  const journal = [...events];
  const run: Run = {
    events: journal,
    state: replay(journal),
    last: { do: "wait", untilMs: 0, reason: { rule: "no_relay" } },
    steps: 0,
    nowMs: journal.at(-1)?.atMs ?? 0,
  };
  const left = { doings: peoplesDoings, free: freeEndings };
  if (journal.length === 0) record(run, openedBy(dice));
  while (run.steps < stepsMax) {
    run.steps += 1;
    run.nowMs += dice(2_000);
    if (left.doings > 0 && dice(8) === 0) {
      left.doings -= 1;
      for (const body of somebody(run.state, dice)) record(run, body);
    }
    for (const body of meanwhile(run.state)) record(run, body);
    run.last = decide(run.state, limits, run.nowMs, { jitter: dice(100) / 100 });
    if (run.last.do === "rest") {
      if (left.doings === 0) return run;
      left.doings -= 1;
      for (const body of somebodyGoesOn(run.state, dice)) record(run, body);
    } else if (run.last.do === "wait") run.nowMs = run.last.untilMs;
    else perform(run, run.last, dice, left);
  }
  return run;
}

function record(run: Run, body: EventBody): void {
  evolve(run.state, append(run.events, body, run.nowMs));
}

function perform(
  run: Run,
  action: Exclude<Action, { do: "rest" | "wait" }>,
  dice: Dice,
  left: { free: number },
): void {
  const say = (...steps: ((state: RelayState) => EventBody)[]): void => {
    for (const step of steps) record(run, step(run.state));
  };
  const progress = dice(3) === 0;
  switch (action.do) {
    case "recover":
      return say(
        dice(4) === 0 && runningSession(run.state)?.role === "executor"
          ? ended("submitted", { progress })
          : ended("failure", { progress, cause: "runner_died" }),
      );
    case "hand_over":
      return say(handoff);
    case "accept":
      return say(dice(4) === 0 ? refused : requested());
    case "check":
      return say(checked(dice(4) === 0 ? "red" : "green"));
    case "weigh":
      return say(dice(6) === 0 ? verdictRefused : weighed);
    case "change_breaker":
    case "limit_rate":
    case "block":
      return record(run, decisionEvent(action));
    case "settle":
      return say(decided("request_changes", "monoco"));
    case "merge":
      return say(...merging(dice, [prepared, merged]));
    case "settle_merge":
      return say(...merging(dice, [merged]));
    case "start":
      return action.role === "executor"
        ? execute(run, { progress, left, agent: action.agents[0]! }, dice)
        : judge(run, { left, agent: action.agents[0]! }, dice);
  }
}

function merging(
  dice: Dice,
  well: ((state: RelayState) => EventBody)[],
): ((state: RelayState) => EventBody)[] {
  const ways = [
    well,
    well,
    well,
    [conflicted],
    [rejected],
    [questioned],
    [prepared, blocked],
    [prepared, prepared, merged],
  ];
  return ways[dice(ways.length)]!;
}

const executorsEndings: readonly StopReason[] = [
  "submitted",
  "submitted",
  "handed_over",
  "context_limit",
  "timeout",
  "silent",
  "budget",
  "failure",
  "failure",
  "question",
  "question",
  "completed_without_submit",
  "unknown",
];
/** These are charged to nobody: only so many happen, or a relay could go on for ever. */
const free: readonly Ending[] = ["usage_limit", "user_interrupt", "needs_login", "outage"];
type Ending = StopReason | "outage";

function endingOf(left: { free: number }, dice: Dice, charged: readonly Ending[]): Ending {
  const drawn = [...charged, ...(left.free > 0 ? free : [])];
  const reason = drawn[dice(drawn.length)]!;
  if (free.includes(reason)) left.free -= 1;
  return reason;
}

function execute(
  run: Run,
  { progress, left, agent }: { progress: boolean; left: { free: number }; agent: string },
  dice: Dice,
): void {
  record(run, started("executor", agent)(run.state));
  run.nowMs += dice(100_000);
  finish(run, endingOf(left, dice, executorsEndings), progress, dice);
}

function judge(run: Run, { left, agent }: { left: { free: number }; agent: string }, dice: Dice): void {
  record(run, started("reviewer", agent)(run.state));
  run.nowMs += dice(100_000);
  if (dice(2) === 0) {
    verdict(run, dice);
    // It may crash after its verdict.
    return finish(run, dice(5) === 0 ? "failure" : "decided", true, dice);
  }
  finish(run, endingOf(left, dice, ["no_verdict", "failure", "timeout"]), true, dice);
}

function finish(run: Run, ending: Ending, progress: boolean, dice: Dice): void {
  if (ending === "outage")
    return record(run, ended("failure", { progress: false, cause: "outage" })(run.state));
  const reason = ending;
  if (reason === "question") record(run, asked(run.state));
  const resetsAtMs = Math.max(0, run.nowMs + dice(7_200_000) - 3_600_000);
  record(run, ended(reason, { progress, ...(reason === "usage_limit" ? { resetsAtMs } : {}) })(run.state));
  if (reason === "usage_limit")
    record(run, limitHit(resetsAtMs, run.state.sessions.at(-1)!.agent)(run.state));
}

/** A Reviewer lies as it likes. */
function verdict(run: Run, dice: Dice): void {
  record(run, given(dice(2) === 0 ? "approve" : "request_changes")(run.state));
}

/** The relay refuses an approval over red checks; here nobody does: the core must hold. */
function weighed(state: RelayState): EventBody {
  const { verdict: said, session } = currentSubmission(state.opening!)!.given!;
  return { ...decided(said)(state), session };
}

/** Now and then two Reviewers have to approve, or a person, too. */
function openedBy(dice: Dice): EventBody {
  const [numbers, players] = terms;
  const gates = { medium: dice(6) === 0 ? "human" : "reviewer" };
  return openedWith(numbers, { ...players, gates, reviewers: { medium: dice(6) === 0 ? 2 : 1 } })();
}

/** What a person may do at any time, through the inbox. */
function somebody(state: RelayState, dice: Dice): EventBody[] {
  const { opening } = state;
  if (!opening || ["none", "done", "cancelled"].includes(phaseOf(state))) return [];
  const { question } = opening;
  const current = currentSubmission(opening);
  switch (dice(5)) {
    case 4:
      return question ? [answered(question.session)] : [];
    case 0:
      return [paused()];
    case 1:
      return [cancelled()];
    case 2:
      return [requested("person")(state)];
    default:
      if (!current || whyNoVerdict(opening, current.submission) !== undefined) return [];
      return [decided(dice(2) === 0 ? "approve" : "request_changes", "person")(state)];
  }
}

/** What a person may do with a relay at rest: resume it, clear it, open it again, or leave it. */
function somebodyGoesOn(state: RelayState, dice: Dice): EventBody[] {
  if (["none", "done"].includes(phaseOf(state))) return dice(2) === 0 ? [openedBy(dice)] : [];
  if (dice(4) === 0 && !runningSession(state)) return [cleared()];
  return [resumed()];
}
