/** Watching a session: its own messages and those of people while it runs. */
import { stopWords } from "../reason/ending-rows.ts";
import type { StopCause } from "../reason/ending-schema.ts";
import type { StopReason } from "../journal/event.ts";
import { extensionsMax, lingerMs } from "../limits.ts";
import { t } from "../language/translate.ts";
import { fillTemplate } from "../text/template.ts";
import { wordsEvent } from "./message.ts";
import type { InboxMessage, OutboxMessage } from "./message.ts";
import { and } from "./watch-step.ts";
import type { Effect, Input, Step, Watch } from "./watch-step.ts";

export function takeFromSession(
  watch: Watch,
  { message, recorded }: Extract<Input, { type: "outbox" }>,
): Step {
  switch (message.type) {
    case "submit":
      return linger(watch, "submitted");
    case "refused":
      return [watch, []];
    case "handoff":
      return linger(watch, "handed_over");
    case "ask": {
      const { text, id: messageId } = message;
      const { session } = watch;
      const event = { type: "question.asked" as const, session, text, messageId };
      const asked: Step = [
        { ...watch, seen: { ...watch.seen, question: text } },
        [...(recorded ? [] : [{ do: "record" as const, event }]), { do: "take" }],
      ];
      return and(asked, (now) => linger(now, "asked", "question"));
    }
    case "extend":
      return extend(watch, message, recorded);
  }
}

/** Gives the session some time to end by itself. */
function linger(
  watch: Watch,
  after: Extract<StopCause, { rule: "lingered" }>["after"],
  reason: StopReason = "handed_over",
): Step {
  if (watch.live.letStop !== undefined) return [watch, []];
  const because = { rule: "lingered", after } as const;
  return [
    { ...watch, live: { ...watch.live, letStop: after } },
    [{ do: "write_live" }, { do: "stop_later", ms: lingerMs, reason, because }],
  ];
}

/** Grants more time, up to twice the session's limit in all, and at most what its budgets leave. */
function extend(before: Watch, message: Extract<OutboxMessage, { type: "extend" }>, recorded: boolean): Step {
  const { because, id: messageId } = message;
  const extensions = before.extensions + 1;
  const watch = endTimeMarks({ ...before, extensions });
  const { live, session } = watch;
  const longestMs = live.startedAtMs + (live.minutesMax ?? 2 * live.sessionMinutes) * 60_000;
  const deadlineMs = Math.min(live.deadlineMs + message.minutes * 60_000, longestMs);
  const minutes = (deadlineMs - live.deadlineMs) / 60_000;
  if (recorded || extensions > extensionsMax || minutes <= 0) {
    return [watch, [{ do: "write_live" }, { do: "take" }]];
  }
  const event = { type: "extension.granted" as const, session, minutes, because, messageId };
  return [
    { ...watch, live: { ...live, deadlineMs } },
    [{ do: "record", event }, { do: "write_live" }, { do: "take" }],
  ];
}

/** Restarts the time marks, and withdraws their requests. */
function endTimeMarks(watch: Watch): Watch {
  const reached = { ...watch.reached, time: 0 };
  if (watch.seen.wrapUp?.reason !== "timeout") return { ...watch, reached };
  const { wrapUp: _why, wrapUpReason: _reason, ...live } = watch.live;
  const { wrapUp: _wrapUp, ...seen } = watch.seen;
  return { ...watch, reached, live, seen };
}

export function takeFromPerson(
  watch: Watch,
  { message, recorded, asked }: Extract<Input, { type: "inbox" }>,
): Step {
  const { session, agent, templates } = watch;
  if (message.type === "stop") return stopForPerson(watch, message, recorded);
  // Other messages are for the relay, after this session.
  if (message.type !== "say" && message.type !== "answer") return [watch, []];
  const told = agent.messageOnInput ? session : undefined;
  const event = recorded ? undefined : wordsEvent(message, { asked, told });
  if (!event) return [watch, [...(recorded ? [] : noQuestion(message)), { do: "take" }]];
  const text = fillTemplate(templates.personSays, { text: message.text });
  const tells: Effect[] = told === undefined ? [] : [{ do: "tell", text }];
  return [watch, [{ do: "record", event }, { do: "take" }, ...tells]];
}

/** Records that a letter answers nothing: whoever sent it reads only the journal. */
function noQuestion({ id: messageId, via, type: letter }: InboxMessage): Effect[] {
  const why = t`nothing that was asked is still open`;
  return via ? [{ do: "record", event: { type: "letter.refused", letter, via, why, messageId } }] : [];
}

/** Journals the stop at once: the relay pauses after this session, even if its runner dies first. */
function stopForPerson(watch: Watch, { id: messageId, via }: InboxMessage, recorded: boolean): Step {
  const { agent, templates } = watch;
  const reason = { rule: "person", asked: "stop" } as const;
  const event = {
    type: "relay.paused" as const,
    by: "person" as const,
    reason,
    ...(via && { via }),
    messageId,
  };
  const wrapUp = { reason: "user_interrupt", why: reason } as const;
  const ms = agent.messageOnInput || agent.contextByHook ? lingerMs : 0;
  return [
    {
      ...watch,
      live: { ...watch.live, wrapUp: stopWords(reason), wrapUpReason: wrapUp.reason },
      seen: { ...watch.seen, wrapUp },
    },
    [
      ...(recorded ? [] : [{ do: "record" as const, event }]),
      { do: "take" },
      { do: "write_live" },
      { do: "tell", text: templates.stopAsked },
      { do: "stop_later", ms, reason: wrapUp.reason, because: reason },
    ],
  ];
}
