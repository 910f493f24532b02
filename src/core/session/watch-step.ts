/** What is known of a session that runs, what comes in and goes out at each step, and the steps that several causes share. */
import { stopWords } from "../reason/ending-rows.ts";
import type { StopCause } from "../reason/ending-schema.ts";
import type { EventBody, StopReason } from "../journal/event.ts";
import { termGraceMs } from "../limits.ts";
import type { Amounts } from "../relay/budget.ts";
import type { Limits } from "../settings/limits-schema.ts";
import { fillTemplate } from "../text/template.ts";
import type { Live } from "./live.ts";
import type { InboxMessage, OutboxMessage } from "./message.ts";
import type { Seen } from "./observations.ts";
import type { SameFailures } from "./same-failure.ts";
import type { AgentUpdate } from "./update.ts";

export const marks = ["plan", "wrap_up", "stop"] as const;
export type Mark = (typeof marks)[number];

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
  | { type: "handoff"; isThere: boolean; why: StopCause }
  /** Ctrl-C. */
  | { type: "interrupted" }
  /** More output than is kept. */
  | { type: "flooded" }
  /** Trouble of our own, or a time that an effect has set. */
  | { type: "stop"; reason: StopReason; because: StopCause };

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
  | { do: "stop_later"; ms: number; reason: StopReason; because: StopCause }
  /** Look whether the session is writing its handoff. */
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

/** The first reason counts. */
export function stop(watch: Watch, reason: StopReason, because: StopCause, graceMs = termGraceMs): Step {
  const stoppedBy = watch.seen.stoppedBy ?? { reason, because };
  return [{ ...watch, seen: { ...watch.seen, stoppedBy } }, [{ do: "stop", graceMs }]];
}

/** What a session is told and does at a mark. */
export function reach(watch: Watch, mark: Mark, why: StopCause, reason: StopReason): Step {
  const { live, seen, templates } = watch;
  const words = stopWords(why);
  const tell = (template: string): Effect[] => [
    { do: "write_live" },
    { do: "tell", text: fillTemplate(template, { why: words }) },
  ];
  if (mark === "plan") return [{ ...watch, live: { ...live, plan: words } }, tell(templates.plan)];
  const wrapping: Watch = {
    ...watch,
    live: { ...live, wrapUp: words, wrapUpReason: live.wrapUpReason ?? reason },
  };
  if (mark === "wrap_up") {
    // A mark that follows does not change what the session ends of.
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
