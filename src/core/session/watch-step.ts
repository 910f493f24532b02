/** The state of a watched session, the inputs and effects of a step, and steps that several causes share. */
import { stopWords } from "../reason/ending-rows.ts";
import type { StopCause } from "../reason/ending-schema.ts";
import type { EventBody, StopReason } from "../journal/event.ts";
import { termGraceMs } from "../limits.ts";
import type { Amounts } from "../relay/budget.ts";
import type { Limits } from "../settings/limits-schema.ts";
import { fillTemplate } from "../text/template.ts";
import type { IdleTurns } from "./idle-turns.ts";
import type { Live } from "./live.ts";
import type { InboxMessage, OutboxMessage } from "./message.ts";
import type { Seen } from "./observations.ts";
import type { SameFailures } from "./same-failure.ts";
import type { AgentUpdate } from "./update.ts";

export const marks = ["plan", "wrap_up", "stop"] as const;
export type Mark = (typeof marks)[number];

/** Facts that do not change while the session runs. */
export type Watched = {
  session: number;
  limits: Limits;
  agent: Readonly<Record<"tellsStart" | "tellsTurns" | "messageOnInput" | "contextByHook", boolean>> & {
    reserveTokens: number;
  };
  templates: Readonly<Record<"plan" | "wrapUp" | "stopAsked" | "personSays", string>>;
  /** The window in the settings, which takes precedence over the agent's. */
  windowTokens: number | undefined;
  /** The remainder of the budgets for this session. */
  allowance: Pick<Amounts, "tokens" | "costUsd">;
};

export type Watch = Watched & {
  /** The state for the session's own commands and hooks. */
  live: Live;
  seen: Seen;
  /** The number of marks (of three) that it has reached. */
  reached: { context: number; time: number; budget: number };
  lastOutputMs: number;
  failures: SameFailures;
  idle: IdleTurns;
  /** The MCP servers of which it is recorded that they failed to start. */
  serversFailed: readonly string[];
  /** The number of names that it has given its own session. */
  names: number;
  /** The number of its requests for more time. */
  extensions: number;
  /** Whether its last words are in the written view, and when words were last written. */
  words?: { isWritten: boolean; writtenMs?: number };
  /** The context in the last written view. */
  writtenTokens: number;
};

export type Input =
  | { type: "now"; nowMs: number }
  /** One line of the agent's output. */
  | { type: "updates"; nowMs: number; updates: readonly AgentUpdate[] }
  /** `recorded`: the journal has the message already. */
  | { type: "outbox"; message: OutboxMessage; recorded: boolean }
  /** `asked`: the open question. */
  | { type: "inbox"; message: InboxMessage; recorded: boolean; asked: { session: number } | undefined }
  /** The answer to `look_for_handoff`. */
  | { type: "handoff"; isThere: boolean; why: StopCause }
  /** Ctrl-C. */
  | { type: "interrupted"; because: StopCause }
  /** The output exceeds the limit. */
  | { type: "flooded" }
  /** A failure of monoco itself, or a time-out that an effect has set. */
  | { type: "stop"; reason: StopReason; because: StopCause };

export type Effect =
  | { do: "record"; event: EventBody & { messageId?: string } }
  /** Writes the session's figures and marks for its commands and hooks. */
  | { do: "write_live" }
  /** Sends the agent a message now, if it accepts any. */
  | { do: "tell"; text: string }
  | { do: "show"; update: Extract<AgentUpdate, { type: "usage" | "message" | "tool" }> }
  | { do: "end_input" }
  /** Removes the message, which has been handled. */
  | { do: "take" }
  | { do: "stop"; graceMs: number }
  /** Stops the session after this time. */
  | { do: "stop_later"; ms: number; reason: StopReason; because: StopCause }
  /** Checks whether the session is writing its handoff. */
  | { do: "look_for_handoff"; why: StopCause };

export type Step = [Watch, Effect[]];

export function and([watch, effects]: Step, next: (watch: Watch) => Step): Step {
  const [after, more] = next(watch);
  return [after, [...effects, ...more]];
}

export function inTurn<A extends unknown[]>(
  watch: Watch,
  all: ((watch: Watch, ...args: A) => Step)[],
  ...args: A
): Step {
  return all.reduce<Step>((sofar, next) => and(sofar, (now) => next(now, ...args)), [watch, []]);
}

/** Stops the session; the first reason counts. */
export function stop(watch: Watch, reason: StopReason, because: StopCause, graceMs = termGraceMs): Step {
  const stoppedBy = watch.seen.stoppedBy ?? { reason, because };
  return [{ ...watch, seen: { ...watch.seen, stoppedBy } }, [{ do: "stop", graceMs }]];
}

/** The order and the effects at a mark. */
export function reach(watch: Watch, mark: Mark, why: StopCause, reason: StopReason): Step {
  const { live, seen, templates } = watch;
  const because = stopWords(why);
  const tell = (template: string): Effect[] => [
    { do: "write_live" },
    { do: "tell", text: fillTemplate(template, { why: because }) },
  ];
  if (mark === "plan") return [{ ...watch, live: { ...live, plan: because } }, tell(templates.plan)];
  const wrapping: Watch = {
    ...watch,
    live: { ...live, wrapUp: because, wrapUpReason: live.wrapUpReason ?? reason },
  };
  if (mark === "wrap_up") {
    // A later mark does not change the stop reason.
    return [
      { ...wrapping, seen: { ...seen, wrapUp: seen.wrapUp ?? { reason, why } } },
      tell(templates.wrapUp),
    ];
  }
  const written: Step = [wrapping, [{ do: "write_live" }]];
  return reason === "budget"
    ? and(written, (now) => [now, [{ do: "look_for_handoff", why }]])
    : and(written, (now) => stop(now, reason, why));
}
