/**
 * Watching a running session, as a pure step: its output, messages and the passing time go in; records, messages, views and
 * stops come out.
 */
import type { EventBody } from "../journal/event.ts";
import {
  doingMs,
  handoffMs,
  serversFailedMax,
  interruptGraceMs,
  sessionNamesMax,
  streamBytesMax,
  timeMarks,
  untoldWaitMsMax,
  windowTokensAssumed,
} from "../limits.ts";
import { budgetMarkOf } from "../relay/budget.ts";
import { markTokens } from "../relay/context-marks.ts";
import { oneLine } from "../text/one-line.ts";
import { idleAfter, isIdle, isRefused, noIdleTurns } from "./idle-turns.ts";
import { see } from "./observations.ts";
import { countFailure } from "./same-failure.ts";
import type { AgentUpdate } from "./update.ts";
import { takeFromPerson, takeFromSession } from "./watch-messages.ts";
import { and, inTurn, marks, reach, stop } from "./watch-step.ts";
import type { Effect, Input, Mark, Step, Watch, Watched } from "./watch-step.ts";

export function newWatch(watched: Watched & Pick<Watch, "live" | "seen">, nowMs: number): Watch {
  return {
    ...watched,
    reached: { context: 0, time: 0, budget: 0 },
    lastOutputMs: nowMs,
    failures: new Map(),
    idle: noIdleTurns,
    serversFailed: [],
    names: 0,
    extensions: 0,
    writtenTokens: -Infinity,
  };
}

export function step(watch: Watch, input: Input): Step {
  switch (input.type) {
    case "now":
      return inTurn(watch, [checkTime, checkSilence, writeWords], input.nowMs);
    case "updates": {
      const seen = { ...watch.seen, waiting: undefined };
      const heard = inTurn({ ...watch, seen, lastOutputMs: input.nowMs }, input.updates.map(takeUpdate));
      return and(and(heard, measureBudget), checkIdle);
    }
    case "outbox":
      return takeFromSession(watch, input);
    case "inbox":
      return takeFromPerson(watch, input);
    case "handoff":
      // A session over budget may still finish the handoff that the budget has paid for.
      return input.isThere
        ? [watch, [{ do: "stop_later", ms: handoffMs, reason: "budget", because: input.why }]]
        : stop(watch, "budget", input.why);
    case "stop":
      return stop(watch, input.reason, input.because);
    case "interrupted":
      return stop(watch, "user_interrupt", input.because, interruptGraceMs);
    case "flooded":
      return stop(watch, "failure", { rule: "flooded", megabytesMax: streamBytesMax / 1024 ** 2 });
  }
}

function takeUpdate(update: AgentUpdate): (watch: Watch) => Step {
  return (before) => {
    const { tellsTurns } = before.agent;
    const of = { nowMs: before.lastOutputMs, keep: before.limits.turnsPerMinute + 1, tellsTurns };
    const idle = before.seen.stoppedBy ? before.idle : idleAfter(before.idle, update, of);
    const watch = { ...before, seen: see(before.seen, update), idle };
    switch (update.type) {
      case "identified":
        return update.agentSessionId === before.seen.agentSessionId ? [watch, []] : identify(watch, update);
      case "usage":
        return and([watch, [{ do: "show", update }]], measureContext);
      case "message":
        return takeWords(watch, update);
      case "tool": {
        const doing = oneLine(`${update.name} ${update.summary}`, 120);
        const live = { ...watch.live, toolCalls: watch.live.toolCalls + 1, doing };
        return [{ ...watch, live }, [{ do: "show", update }, { do: "write_live" }]];
      }
      case "command":
        return takeCommand(watch, update);
      case "server_failed":
        return recordServer(watch, update);
      case "compacted":
        return stop(watch, "context_limit", { rule: "compacted" });
      case "ended":
        return [watch, [{ do: "end_input" }]];
      default:
        return [watch, []];
    }
  };
}

function takeWords(before: Watch, update: Extract<AgentUpdate, { type: "message" }>): Step {
  const live = { ...before.live, doing: oneLine(update.text.slice(0, 400), 120) };
  const watch: Watch = { ...before, live, words: { ...before.words, isWritten: false } };
  return and([watch, [{ do: "show", update }]], (now) => writeWords(now, now.lastOutputMs));
}

/** Words are only for display, and an agent may print thousands of lines in a second. */
function writeWords(watch: Watch, nowMs: number): Step {
  const { isWritten = true, writtenMs = 0 } = watch.words ?? {};
  if (isWritten || nowMs - writtenMs < doingMs) return [watch, []];
  return [{ ...watch, words: { isWritten: true, writtenMs: nowMs } }, [{ do: "write_live" }]];
}

function identify(watch: Watch, update: Extract<AgentUpdate, { type: "identified" }>): Step {
  if (watch.names === sessionNamesMax) return [watch, []];
  const { agentSessionId, model } = update;
  const identity = { session: watch.session, agentSessionId, ...(model === undefined ? {} : { model }) };
  const event = { type: "session.identified" as const, ...identity };
  return [{ ...watch, names: watch.names + 1 }, [{ do: "record", event }]];
}

function recordServer(watch: Watch, update: Extract<AgentUpdate, { type: "server_failed" }>): Step {
  const name = oneLine(update.server ?? "", 120);
  const { serversFailed, session } = watch;
  if (serversFailed.length === serversFailedMax || serversFailed.includes(name)) return [watch, []];
  const server = name === "" ? {} : { server: name };
  const error = update.error === undefined ? {} : { error: oneLine(update.error, 300) };
  const event = { type: "server.failed" as const, session, ...server, ...error };
  return [{ ...watch, serversFailed: [...serversFailed, name] }, [{ do: "record", event }]];
}

function takeCommand(before: Watch, update: Extract<AgentUpdate, { type: "command" }>): Step {
  const { failures, times } = countFailure(before.failures, update);
  const watch = { ...before, failures };
  const { sameFailureMax } = watch.limits;
  if (times !== sameFailureMax) return [watch, []];
  const command = oneLine(update.command, 120);
  return reach(watch, "wrap_up", { rule: "same_failure", command, times: sameFailureMax }, "failure");
}

function measureContext(before: Watch): Step {
  const { seen, reached, agent } = before;
  const reported = before.windowTokens ?? seen.windowTokens;
  const windowTokens = reported ?? windowTokensAssumed;
  const tokens = seen.contextTokens ?? 0;
  const at = markTokens(before.limits.contextMarks, { windowTokens, reserveTokens: agent.reserveTokens });
  const context = Math.max(reached.context, at.filter((mark) => tokens >= mark).length);
  // The figures are only for display, and an agent may report them in every line.
  const isShown = context === reached.context && Math.abs(tokens - before.writtenTokens) < windowTokens / 100;
  const watch: Watch = {
    ...before,
    live: {
      ...before.live,
      windowAssumed: reported === undefined,
      contextTokens: tokens,
      windowTokens,
      contextMarks: at,
    },
    writtenTokens: isShown ? before.writtenTokens : tokens,
    reached: { ...reached, context },
  };
  const effects: Effect[] = isShown ? [] : [{ do: "write_live" }];
  const mark = marks[context - 1];
  if (mark === undefined || context === reached.context) return [watch, effects];
  const percent = Math.round((tokens / windowTokens) * 100);
  const why = { rule: "context_mark", tokens, percent, windowTokens } as const;
  const event = { ...measured(watch, mark), windowTokens };
  return and([watch, [...effects, { do: "record", event }]], (now) => reach(now, mark, why, "context_limit"));
}

/** Figures that an agent reports only at its end stop nothing. */
function measureBudget(watch: Watch): Step {
  const { seen, reached } = watch;
  const at = budgetMarkOf(seen, watch.allowance);
  const mark = at && marks[at.marks - 1];
  if (mark === undefined || at === undefined || at.marks <= reached.budget || seen.agent) return [watch, []];
  const event = { ...measured(watch, mark), reason: at.reason };
  return and([{ ...watch, reached: { ...reached, budget: at.marks } }, [{ do: "record", event }]], (now) =>
    reach(now, mark, at.reason, "budget"),
  );
}

/** The next session would meet the same hook: the tool, or whatever refuses, counts as denied, unless the turns were empty. */
function checkIdle(watch: Watch): Step {
  const { idle, seen, limits, lastOutputMs } = watch;
  const max = limits.turnsPerMinute;
  if (seen.stoppedBy || !isIdle(idle, lastOutputMs, max)) return [watch, []];
  const { turns } = idle;
  const { said = "", tool = said.split(":")[0] ?? "" } = isRefused(idle) ? idle : {};
  const denied = said === "" ? seen : see(seen, { type: "denied", tool });
  return stop({ ...watch, seen: denied }, "failure", { rule: "idle_turns", turns, max, said });
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
  const [usedMinutes, allowedMinutes] = [Math.round(usedMs / 60_000), Math.round(allowedMs / 60_000)];
  const why = { rule: "time_mark", usedMinutes, allowedMinutes } as const;
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
    return stop(watch, "usage_limit", { rule: "silent_wait", said: seen.waiting });
  }
  if (quietMs >= silenceMs) {
    return stop(watch, "silent", { rule: "no_output", minutes: limits.silenceMinutes });
  }
  // An agent that reports retries has named its session before: no adapter reads a wait earlier.
  const isStarting = agent.tellsStart && seen.agentSessionId === undefined;
  return isStarting && quietMs >= limits.startSeconds * 1_000
    ? stop(watch, "not_started", { rule: "not_begun", seconds: limits.startSeconds })
    : [watch, []];
}
