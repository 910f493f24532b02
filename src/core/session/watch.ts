/**
 * Watching a running session, as a pure step: what it says, what it and people send, and the time that passes go in; what is to
 * be recorded, told, shown and stopped comes out.
 */
import { becauseOf } from "../reason/reason.ts";
import type { LimitReason } from "../reason/reason-schema.ts";
import type { EventBody, StopReason } from "../journal/event.ts";
import {
  extensionsMax,
  handoffMs,
  interruptGraceMs,
  lingerMs,
  sessionNamesMax,
  streamBytesMax,
  termGraceMs,
  timeMarks,
  untoldWaitMsMax,
  windowTokensAssumed,
} from "../limits.ts";
import { budgetMarkOf } from "../relay/budget.ts";
import type { Amounts } from "../relay/budget.ts";
import { markTokens } from "../relay/context-marks.ts";
import type { Limits } from "../settings/limits-schema.ts";
import { counted } from "../language/counted.ts";
import { oneLine } from "../text/one-line.ts";
import { fillTemplate } from "../text/template.ts";
import type { Live } from "./live.ts";
import { wordsEvent } from "./message.ts";
import type { InboxMessage, OutboxMessage } from "./message.ts";
import { see } from "./observations.ts";
import type { Seen } from "./observations.ts";
import { countFailure } from "./same-failure.ts";
import type { SameFailures } from "./same-failure.ts";
import type { AgentUpdate } from "./update.ts";
import { t } from "../language/translate.ts";

const marks = ["plan", "wrap_up", "stop"] as const;
type Mark = (typeof marks)[number];

/** What does not change while the session runs. */
export type Watched = {
  session: number;
  limits: Limits;
  agent: { reserveTokens: number; tellsStart: boolean; messageOnInput: boolean; contextByHook: boolean };
  templates: Readonly<Record<"plan" | "wrapUp" | "stopAsked" | "personSays", string>>;
  /** The window that the settings name: it wins over what the agent reports. */
  windowTokens: number | undefined;
  /** What its budgets leave for it. */
  allowance: Pick<Amounts, "tokens" | "costUsd">;
};

export type Watch = Watched & {
  /** What its own commands and hooks read. */
  live: Live;
  seen: Seen;
  /** How many of the three marks it has reached. */
  reached: { context: number; time: number; budget: number };
  lastOutputMs: number;
  failures: SameFailures;
  /** How often it has named its own session. */
  names: number;
  /** How often it has asked for more time. */
  extensions: number;
  /** The context that the view of it shows. */
  writtenTokens: number;
};

export type Input =
  | { type: "now"; nowMs: number }
  /** One line of the agent's output. */
  | { type: "updates"; nowMs: number; updates: readonly AgentUpdate[] }
  /** `known`: the journal has it already. */
  | { type: "outbox"; message: OutboxMessage; known: boolean }
  /** `asked`: the question that is open. */
  | { type: "inbox"; message: InboxMessage; known: boolean; asked: { session: number } | undefined }
  /** The answer to `look_for_handoff`. */
  | { type: "handoff"; isThere: boolean; why: string }
  /** Ctrl-C. */
  | { type: "interrupted" }
  /** More output than is kept. */
  | { type: "flooded" }
  /** Trouble of our own, or a time that an effect has set. */
  | { type: "stop"; reason: StopReason; because: string };

export type Effect =
  | { do: "record"; event: EventBody & { messageId?: string } }
  /** Show the session's figures and marks to its commands and hooks. */
  | { do: "write_live" }
  /** Give the agent a message now, if it takes any. */
  | { do: "tell"; text: string }
  | { do: "show"; update: Extract<AgentUpdate, { type: "usage" | "message" | "tool" }> }
  | { do: "end_input" }
  /** Remove the message: it has been acted on. */
  | { do: "take" }
  | { do: "stop"; graceMs: number }
  /** Stop the session when this time has passed. */
  | { do: "stop_later"; ms: number; reason: StopReason; because: string }
  /** Look whether the session is writing its handoff. */
  | { do: "look_for_handoff"; why: string };

type Step = [Watch, Effect[]];

export function newWatch(watched: Watched & Pick<Watch, "live" | "seen">, nowMs: number): Watch {
  return {
    ...watched,
    reached: { context: 0, time: 0, budget: 0 },
    lastOutputMs: nowMs,
    failures: new Map(),
    names: 0,
    extensions: 0,
    writtenTokens: -Infinity,
  };
}

export function step(watch: Watch, input: Input): Step {
  switch (input.type) {
    case "now":
      return inTurn(watch, [checkTime, checkSilence], input.nowMs);
    case "updates": {
      const seen = { ...watch.seen, waiting: undefined };
      const heard = inTurn({ ...watch, seen, lastOutputMs: input.nowMs }, input.updates.map(takeUpdate));
      return and(heard, measureBudget);
    }
    case "outbox":
      return takeFromSession(watch, input);
    case "inbox":
      return takeFromPerson(watch, input);
    case "handoff":
      // A budget is no reason to lose what it has paid for.
      return input.isThere
        ? [watch, [{ do: "stop_later", ms: handoffMs, reason: "budget", because: input.why }]]
        : stop(watch, "budget", input.why);
    case "stop":
      return stop(watch, input.reason, input.because);
    case "interrupted":
      return stop(watch, "user_interrupt", t`interrupted (Ctrl-C)`, interruptGraceMs);
    case "flooded": {
      const because = t`it flooded its output: more than ${streamBytesMax / 1024 ** 2} MB`;
      return stop(watch, "failure", because);
    }
  }
}

function and([watch, effects]: Step, next: (watch: Watch) => Step): Step {
  const [after, more] = next(watch);
  return [after, [...effects, ...more]];
}

function inTurn<A extends unknown[]>(
  watch: Watch,
  all: ((watch: Watch, ...args: A) => Step)[],
  ...args: A
): Step {
  return all.reduce<Step>((sofar, next) => and(sofar, (now) => next(now, ...args)), [watch, []]);
}

/** The first reason counts. */
function stop(watch: Watch, reason: StopReason, because: string, graceMs = termGraceMs): Step {
  const stoppedBy = watch.seen.stoppedBy ?? { reason, because };
  return [{ ...watch, seen: { ...watch.seen, stoppedBy } }, [{ do: "stop", graceMs }]];
}

/** `limit`: the one that it has reached, where the stop reason does not say which. */
function reach(watch: Watch, mark: Mark, why: string, reason: StopReason, limit?: LimitReason): Step {
  const { live, seen, templates } = watch;
  const tell = (template: string): Effect[] => [
    { do: "write_live" },
    { do: "tell", text: fillTemplate(template, { why }) },
  ];
  if (mark === "plan") return [{ ...watch, live: { ...live, plan: why } }, tell(templates.plan)];
  const wrapping: Watch = {
    ...watch,
    live: { ...live, wrapUp: why, wrapUpReason: live.wrapUpReason ?? reason },
  };
  if (mark === "wrap_up") {
    // A mark that follows does not change what the session ends of.
    return [
      { ...wrapping, seen: { ...seen, wrapUp: seen.wrapUp ?? { reason, why, ...(limit ? { limit } : {}) } } },
      tell(templates.wrapUp),
    ];
  }
  const written: Step = [wrapping, [{ do: "write_live" }]];
  return reason === "budget"
    ? and(written, (now) => [now, [{ do: "look_for_handoff", why }]])
    : and(written, (now) => stop(now, reason, why));
}

function takeUpdate(update: AgentUpdate): (watch: Watch) => Step {
  return (before) => {
    const watch = { ...before, seen: see(before.seen, update) };
    switch (update.type) {
      case "identified":
        return update.agentSessionId === before.seen.agentSessionId ? [watch, []] : identify(watch, update);
      case "usage":
        return and([watch, [{ do: "show", update }]], measureContext);
      case "message":
        return [watch, [{ do: "show", update }]];
      case "tool": {
        const live = { ...watch.live, toolCalls: watch.live.toolCalls + 1 };
        return [{ ...watch, live }, [{ do: "show", update }, { do: "write_live" }]];
      }
      case "command":
        return takeCommand(watch, update);
      case "compacted":
        return stop(watch, "context_limit", t`the agent compacted its own context`);
      case "ended":
        return [watch, [{ do: "end_input" }]];
      default:
        return [watch, []];
    }
  };
}

function identify(watch: Watch, update: Extract<AgentUpdate, { type: "identified" }>): Step {
  if (watch.names === sessionNamesMax) return [watch, []];
  const { agentSessionId, model } = update;
  const named = { session: watch.session, agentSessionId, ...(model === undefined ? {} : { model }) };
  const event = { type: "session.identified" as const, ...named };
  return [{ ...watch, names: watch.names + 1 }, [{ do: "record", event }]];
}

function takeCommand(before: Watch, update: Extract<AgentUpdate, { type: "command" }>): Step {
  const { known, times } = countFailure(before.failures, update);
  const watch = { ...before, failures: known };
  const { sameFailureMax } = watch.limits;
  if (times !== sameFailureMax) return [watch, []];
  const command = oneLine(update.command, 120);
  const limit = { rule: "same_failure", command, times: sameFailureMax } as const;
  return reach(watch, "wrap_up", becauseOf(limit), "failure", limit);
}

function measureContext(before: Watch): Step {
  const { seen, reached, agent } = before;
  const told = before.windowTokens ?? seen.windowTokens;
  const windowTokens = told ?? windowTokensAssumed;
  const tokens = seen.contextTokens ?? 0;
  const at = markTokens(before.limits.contextMarks, { windowTokens, reserveTokens: agent.reserveTokens });
  const context = Math.max(reached.context, at.filter((mark) => tokens >= mark).length);
  // Only a view, and an agent may tell its figures in every line.
  const isShown = context === reached.context && Math.abs(tokens - before.writtenTokens) < windowTokens / 100;
  const watch: Watch = {
    ...before,
    live: { ...before.live, windowAssumed: told === undefined, contextTokens: tokens, windowTokens },
    writtenTokens: isShown ? before.writtenTokens : tokens,
    reached: { ...reached, context },
  };
  const effects: Effect[] = isShown ? [] : [{ do: "write_live" }];
  const mark = marks[context - 1];
  if (mark === undefined || context === reached.context) return [watch, effects];
  const percent = Math.round((tokens / windowTokens) * 100);
  const why = t`${tokens} tokens of context in use (${percent} % of ${windowTokens})`;
  const event = { ...measured(watch, mark), windowTokens };
  return and([watch, [...effects, { do: "record", event }]], (now) => reach(now, mark, why, "context_limit"));
}

/** What an agent tells only with its end stops nothing any more. */
function measureBudget(watch: Watch): Step {
  const { seen, reached } = watch;
  const at = budgetMarkOf(seen, watch.allowance);
  const mark = at && marks[at.marks - 1];
  if (mark === undefined || at === undefined || at.marks <= reached.budget || seen.agent) return [watch, []];
  const event = { ...measured(watch, mark), reason: at.reason };
  return and([{ ...watch, reached: { ...reached, budget: at.marks } }, [{ do: "record", event }]], (now) =>
    reach(now, mark, becauseOf(at.reason), "budget"),
  );
}

function measured({ session, seen }: Watch, mark: Mark): Extract<EventBody, { type: "usage.measured" }> {
  return {
    type: "usage.measured",
    session,
    mark,
    contextTokens: seen.contextTokens ?? 0,
    ...(seen.costUsd === undefined ? {} : { costUsd: seen.costUsd }),
    ...(seen.tokens === undefined ? {} : { tokens: seen.tokens }),
  };
}

function checkTime(watch: Watch, nowMs: number): Step {
  const { live, limits, reached } = watch;
  const [usedMs, allowedMs] = [nowMs - live.startedAtMs, live.deadlineMs - live.startedAtMs];
  const time = Math.max(reached.time, timeMarks.filter((mark) => usedMs >= allowedMs * mark).length);
  const why = t`${Math.round(usedMs / 60_000)} of ${counted(Math.round(allowedMs / 60_000), "minute")} used`;
  const reason = live.sessionMinutes < limits.sessionMinutes ? "budget" : "timeout";
  return inTurn(
    { ...watch, reached: { ...reached, time } },
    marks.slice(reached.time, time).map((mark) => (now: Watch) => reach(now, mark, why, reason)),
  );
}

function checkSilence(watch: Watch, nowMs: number): Step {
  const { seen, agent, limits } = watch;
  const quietMs = nowMs - watch.lastOutputMs;
  const silenceMs = limits.silenceMinutes * 60_000;
  if (seen.waiting !== undefined && quietMs >= Math.min(silenceMs, untoldWaitMsMax)) {
    return stop(watch, "usage_limit", t`it waits, and does not say how long: ${seen.waiting}`);
  }
  if (quietMs >= silenceMs) {
    return stop(watch, "silent", t`no output for ${counted(limits.silenceMinutes, "minute")}`);
  }
  // A CLI that reports retries has named its session before: no adapter reads a wait in what comes earlier.
  const isStarting = agent.tellsStart && seen.agentSessionId === undefined;
  return isStarting && quietMs >= limits.startSeconds * 1_000
    ? stop(
        watch,
        "not_started",
        t`nothing came of its start within ${counted(limits.startSeconds, "second")}`,
      )
    : [watch, []];
}

function takeFromSession(watch: Watch, { message, known }: Extract<Input, { type: "outbox" }>): Step {
  switch (message.type) {
    case "submit":
      return linger(watch, t`it has submitted`);
    case "handoff":
      return linger(watch, t`it has handed over`);
    case "ask": {
      const { text, id: messageId } = message;
      const { session } = watch;
      const event = { type: "question.asked" as const, session, text, messageId };
      const asked: Step = [
        { ...watch, seen: { ...watch.seen, question: text } },
        [...(known ? [] : [{ do: "record" as const, event }]), { do: "take" }],
      ];
      return and(asked, (now) => linger(now, t`it has asked`, "question"));
    }
    case "extend":
      return extend(watch, message, known);
  }
}

/** It may end by itself, which it is given some time for. */
function linger(watch: Watch, why: string, reason: StopReason = "handed_over"): Step {
  if (watch.live.letStop !== undefined) return [watch, []];
  const because = t`${why}, but it did not end by itself`;
  return [
    { ...watch, live: { ...watch.live, letStop: why } },
    [{ do: "write_live" }, { do: "stop_later", ms: lingerMs, reason, because }],
  ];
}

/** Grants more time, up to twice the session's limit in all, and no more than its budgets leave. */
function extend(before: Watch, message: Extract<OutboxMessage, { type: "extend" }>, known: boolean): Step {
  const { because, id: messageId } = message;
  const extensions = before.extensions + 1;
  const watch = endTimeMarks({ ...before, extensions });
  const { live, session } = watch;
  const longestMs = live.startedAtMs + (live.minutesMax ?? 2 * live.sessionMinutes) * 60_000;
  const deadlineMs = Math.min(live.deadlineMs + message.minutes * 60_000, longestMs);
  const minutes = (deadlineMs - live.deadlineMs) / 60_000;
  if (known || extensions > extensionsMax || minutes <= 0) {
    return [watch, [{ do: "write_live" }, { do: "take" }]];
  }
  const event = { type: "extension.granted" as const, session, minutes, because, messageId };
  return [
    { ...watch, live: { ...live, deadlineMs } },
    [{ do: "record", event }, { do: "write_live" }, { do: "take" }],
  ];
}

/** The marks for time begin anew, and what they have asked for is not asked any more. */
function endTimeMarks(watch: Watch): Watch {
  const reached = { ...watch.reached, time: 0 };
  if (watch.seen.wrapUp?.reason !== "timeout") return { ...watch, reached };
  const { wrapUp: _why, wrapUpReason: _reason, ...live } = watch.live;
  const { wrapUp: _wrapUp, ...seen } = watch.seen;
  return { ...watch, reached, live, seen };
}

function takeFromPerson(watch: Watch, { message, known, asked }: Extract<Input, { type: "inbox" }>): Step {
  const { session, agent, templates } = watch;
  if (message.type === "stop") return stopForPerson(watch, message.id, known);
  // The others are for the relay, when this session is over.
  if (message.type !== "say" && message.type !== "answer") return [watch, []];
  const told = agent.messageOnInput ? session : undefined;
  const event = known ? undefined : wordsEvent(message, { asked, told });
  if (!event) return [watch, [{ do: "take" }]];
  const text = fillTemplate(templates.personSays, { text: message.text });
  const tells: Effect[] = told === undefined ? [] : [{ do: "tell", text }];
  return [watch, [{ do: "record", event }, { do: "take" }, ...tells]];
}

/** Journaled at once: the relay pauses when this session is over, even if its runner dies before. */
function stopForPerson(watch: Watch, messageId: string, known: boolean): Step {
  const { agent, templates } = watch;
  const reason = { rule: "person", asked: "stop" } as const;
  const event = { type: "relay.paused" as const, by: "person" as const, reason, messageId };
  const wrapUp = { reason: "user_interrupt" as const, why: t`a person asked this session to stop` };
  const ms = agent.messageOnInput || agent.contextByHook ? lingerMs : 0;
  return [
    {
      ...watch,
      live: { ...watch.live, wrapUp: wrapUp.why, wrapUpReason: wrapUp.reason },
      seen: { ...watch.seen, wrapUp },
    },
    [
      ...(known ? [] : [{ do: "record" as const, event }]),
      { do: "take" },
      { do: "write_live" },
      { do: "tell", text: templates.stopAsked },
      { do: "stop_later", ms, reason: wrapUp.reason, because: becauseOf(reason) },
    ],
  ];
}
