/** Watches one running session: its marks for context and time, silence, its mailbox, and whoever asks it to stop. */
import { hash } from "node:crypto";
import { existsSync, watch } from "node:fs";
import type { Agent, AgentUpdate } from "../../agents/agent.ts";
import { budgetMarkOf } from "../../core/relay/budget.ts";
import type { Amounts } from "../../core/relay/budget.ts";
import { counted } from "../../core/text/counted.ts";
import { wordsOf } from "../../core/error/error.ts";
import type { StopReason } from "../../core/journal/event.ts";
import {
  extensionsMax,
  handoffBytesMax,
  handoffMs,
  interruptGraceMs,
  lingerMs,
  sessionNamesMax,
  streamBytesMax,
  termGraceMs,
  timeMarks,
  untoldWaitMsMax,
  windowTokensAssumed,
} from "../../core/limits.ts";
import { markTokens } from "../../core/relay/context-marks.ts";
import type { Live } from "../../core/session/live.ts";
import { inboxMessageSchema, outboxMessageSchema, reviewerOutboxSchema } from "../../core/session/message.ts";
import { oneLine } from "../../core/text/one-line.ts";
import { countSameFailures } from "../../core/session/same-failure.ts";
import { fillTemplate } from "../../core/text/template.ts";
import type { SessionPlaces } from "../../store/places.ts";
import type { RunningAgent } from "./launch.ts";
import { readInside } from "../read-inside.ts";
import { takeQuestion, takeWords } from "../people/questions.ts";
import { see } from "./observations.ts";
import type { Seen } from "./observations.ts";
import { limitsOf, settingsOf } from "../relay.ts";
import type { Relay } from "../relay.ts";

type Mark = "plan" | "wrap_up" | "stop";
const markNames = ["plan", "wrap_up", "stop"] as const satisfies readonly Mark[];

export type Watched = {
  relay: Relay;
  session: number;
  places: SessionPlaces;
  agent: Agent;
  live: Live;
  seen: Seen;
  /** The window that the settings name: it wins over what the agent reports. */
  windowTokens: number | undefined;
  /** What its budgets leave for it. */
  allowance: Amounts;
};

export type Watcher = {
  onUpdates(updates: AgentUpdate[]): void;
  onFlood(): void;
  /** Begins: the child is there. `finish` ends all watching. */
  begin(child: RunningAgent): void;
  finish(): void;
};

/** Makes the watcher of a session; nothing happens before `begin`. */
export function watchSession(watched: Watched): Watcher {
  const { relay, session, places, agent, live, seen } = watched;
  const limits = limitsOf(relay);
  const templates = relay.templates(settingsOf(relay).language);
  let child: RunningAgent | undefined;
  let contextMark = 0;
  let timeMark = 0;
  let budgetMark = 0;
  let lastOutputMs = relay.nowMs();
  let lingering = false;
  const failures = countSameFailures();
  let names = 0;
  let extensions = 0;
  let writtenTokens = -Infinity;
  const cleanups: (() => void)[] = [];

  let broken: unknown;
  /** What throws in here would take the whole process down: the session is ended, and the runner told when it is over. */
  const guarded = (work: () => void): void => {
    try {
      work();
    } catch (error) {
      broken ??= error;
      stop("failure", `monoco could not go on: ${wordsOf(error)}`);
    }
  };
  const writeLive = (): void => {
    try {
      relay.edges.durable.writeAtomically(places.live, JSON.stringify(live));
    } catch {
      // Only a view: a full disk must not end the session, and the agent may have removed its folder.
    }
  };
  const stop = (reason: StopReason, because: string, graceMs = termGraceMs): void => {
    seen.stoppedBy ??= { reason, because };
    void child?.stop(graceMs);
  };
  const later = (ms: number, then: () => void): void => {
    const timer = setTimeout(then, ms);
    cleanups.push(() => clearTimeout(timer));
  };

  const reach = (mark: Mark, why: string, reason: StopReason): void => {
    if (mark === "plan") {
      live.plan = why;
      writeLive();
      return child?.tell(fillTemplate(templates.plan, { why }));
    }
    live.wrapUp = why;
    live.wrapUpReason ??= reason;
    if (mark === "stop") {
      writeLive();
      // A budget is no reason to lose what it has paid for.
      if (reason === "budget" && isHandingOver(live)) return later(handoffMs, () => stop(reason, why));
      return stop(reason, why);
    }
    // A mark that follows does not change what the session ends of.
    seen.wrapUp ??= { reason, why };
    writeLive();
    child?.tell(fillTemplate(templates.wrapUp, { why }));
  };

  const measured = (): { contextTokens: number; costUsd?: number; tokens?: number } => ({
    contextTokens: seen.contextTokens ?? 0,
    ...(seen.costUsd === undefined ? {} : { costUsd: seen.costUsd }),
    ...(seen.tokens === undefined ? {} : { tokens: seen.tokens }),
  });

  const measureContext = (): void => {
    const told = watched.windowTokens ?? seen.windowTokens;
    const windowTokens = told ?? windowTokensAssumed;
    live.windowAssumed = told === undefined;
    const tokens = seen.contextTokens ?? 0;
    live.contextTokens = tokens;
    live.windowTokens = windowTokens;
    const marks = markTokens(limits.contextMarks, {
      windowTokens,
      reserveTokens: agent.capabilities.reserveTokens,
    });
    let reached = contextMark;
    while (reached < 3 && tokens >= marks[reached]!) reached += 1;
    // Only a view, and an agent may tell its figures in every line.
    if (reached !== contextMark || Math.abs(tokens - writtenTokens) >= windowTokens / 100) {
      writtenTokens = tokens;
      writeLive();
    }
    if (reached === contextMark) return;
    contextMark = reached;
    const mark = markNames[reached - 1]!;
    relay.record({ type: "usage.measured", session, windowTokens, mark, ...measured() });
    const percent = Math.round((tokens / windowTokens) * 100);
    reach(mark, `${tokens} tokens of context in use (${percent} % of ${windowTokens})`, "context_limit");
  };

  /** What an agent tells only with its end stops nothing any more. */
  const measureBudget = (): void => {
    const reached = budgetMarkOf(seen, watched.allowance);
    if (!reached || reached.marks <= budgetMark || seen.agent) return;
    budgetMark = reached.marks;
    const mark = markNames[budgetMark - 1]!;
    relay.record({ type: "usage.measured", session, mark, why: reached.why, ...measured() });
    reach(mark, reached.why, "budget");
  };

  /** A CLI that reports retries has named its session before: no adapter reads a wait in what comes earlier. */
  const isStarting = (): boolean => agent.capabilities.tellsStart && seen.agentSessionId === undefined;

  const checkTime = (): void => {
    const nowMs = relay.nowMs();
    const allowedMs = live.deadlineMs - live.startedAtMs;
    while (timeMark < 3 && nowMs - live.startedAtMs >= allowedMs * timeMarks[timeMark]!) {
      timeMark += 1;
      const minutes = Math.round((nowMs - live.startedAtMs) / 60_000);
      reach(
        markNames[timeMark - 1]!,
        `${minutes} of ${counted(Math.round(allowedMs / 60_000), "minute")} used`,
        live.sessionMinutes < limits.sessionMinutes ? "budget" : "timeout",
      );
    }
    const quietMs = nowMs - lastOutputMs;
    const silenceMs = limits.silenceMinutes * 60_000;
    if (seen.waiting !== undefined && quietMs >= Math.min(silenceMs, untoldWaitMsMax)) {
      stop("usage_limit", `it waits, and does not say how long: ${seen.waiting}`);
    } else if (quietMs >= silenceMs) {
      stop("silent", `no output for ${counted(limits.silenceMinutes, "minute")}`);
    } else if (isStarting() && quietMs >= limits.startSeconds * 1_000) {
      stop("not_started", `nothing came of its start within ${counted(limits.startSeconds, "second")}`);
    }
  };

  const linger = (why: string, reason: StopReason = "handed_over"): void => {
    if (lingering) return;
    lingering = true;
    live.letStop = why;
    writeLive();
    later(lingerMs, () => stop(reason, `${why}, but it did not end by itself`));
  };

  const outboxSchema = live.role === "reviewer" ? reviewerOutboxSchema : outboxMessageSchema;
  const readOutbox = (): void => {
    for (const { message, take } of relay.edges.mailbox.readMailbox(places.outbox, outboxSchema)) {
      if (message.type === "submit") linger("it has submitted");
      else if (message.type === "handoff") linger("it has handed over");
      else if (message.type === "ask") {
        seen.question = message.text;
        takeQuestion(relay, { session, text: message.text, messageId: message.id });
        take();
        linger("it has asked", "question");
      } else {
        extensions += 1;
        if (extensions <= extensionsMax) {
          const { minutes, because, id: messageId } = message;
          extend(relay, live, { session, minutes, because, messageId });
        }
        timeMark = 0;
        if (seen.wrapUp?.reason === "timeout") {
          delete seen.wrapUp;
          delete live.wrapUp;
          delete live.wrapUpReason;
        }
        writeLive();
        take();
      }
    }
  };

  const readInbox = (): void => {
    for (const { message, take } of relay.edges.mailbox.readMailbox(relay.places.inbox, inboxMessageSchema)) {
      if (message.type === "say" || message.type === "answer") {
        const canBeTold = agent.capabilities.messageOnInput;
        const known = relay.state.messageIds.has(message.id);
        const refused = known || takeWords(relay, message, canBeTold ? session : undefined);
        take();
        if (refused === undefined && canBeTold) {
          child?.tell(fillTemplate(templates.personSays, { text: message.text }));
        }
        continue;
      }
      if (message.type !== "stop") continue;
      // Journaled at once: the relay pauses when this session is over, even if its runner dies before.
      if (!relay.state.messageIds.has(message.id)) {
        relay.record({
          type: "relay.paused",
          by: "person",
          because: "a person asked it to stop",
          messageId: message.id,
        });
      }
      take();
      live.wrapUp = "a person asked this session to stop";
      live.wrapUpReason = "user_interrupt";
      seen.wrapUp = { reason: live.wrapUpReason, why: live.wrapUp };
      writeLive();
      child?.tell(templates.stopAsked);
      const { messageOnInput, contextByHook } = agent.capabilities;
      const graceMs = messageOnInput || contextByHook ? lingerMs : 0;
      later(graceMs, () => stop("user_interrupt", "a person asked it to stop"));
    }
  };

  const watchFolder = (folder: string, read: () => void): void => {
    try {
      relay.edges.mailbox.openMailbox(folder);
      const watcher = watch(folder, () => guarded(read));
      watcher.on("error", () => undefined);
      cleanups.push(() => watcher.close());
    } catch {
      // The agent works already and may be in the way, or the kernel has no watches left: the look a second does without.
    }
  };

  return {
    onUpdates: (updates) =>
      guarded(() => {
        lastOutputMs = relay.nowMs();
        seen.waiting = undefined;
        for (const update of updates) {
          const { agentSessionId } = seen;
          see(seen, update);
          if (update.type === "identified") {
            if (update.agentSessionId === agentSessionId || names === sessionNamesMax) continue;
            names += 1;
            const model = update.model === undefined ? {} : { model: update.model };
            relay.record({
              type: "session.identified",
              session,
              agentSessionId: update.agentSessionId,
              ...model,
            });
          } else if (update.type === "usage") {
            relay.onProgress({ ...update, session });
            measureContext();
          } else if (update.type === "message" || update.type === "tool") {
            relay.onProgress({ ...update, session });
            if (update.type === "tool") {
              live.toolCalls += 1;
              writeLive();
            }
          } else if (update.type === "command") {
            if (failures(update) === limits.sameFailureMax) {
              const command = oneLine(update.command, 120);
              const why = `\`${command}\` has failed ${counted(limits.sameFailureMax, "time")} in the same way`;
              reach("wrap_up", why, "failure");
            }
          } else if (update.type === "compacted") {
            stop("context_limit", "the agent compacted its own context");
          } else if (update.type === "ended") {
            child?.endInput();
          }
        }
        measureBudget();
      }),
    onFlood: () => stop("failure", `it flooded its output: more than ${streamBytesMax / 1024 ** 2} MB`),
    begin: (started) => {
      child = started;
      // An agent cannot reach the inbox: where it cannot be made, the disk is in trouble, and that is told.
      guarded(() => relay.edges.mailbox.openMailbox(relay.places.inbox));
      watchFolder(places.outbox, readOutbox);
      watchFolder(relay.places.inbox, readInbox);
      const timer = setInterval(() => {
        guarded(() => {
          checkTime();
          // A watch can miss what happened while it was set up; a look a second costs nothing.
          if (existsSync(places.outbox)) readOutbox();
          readInbox();
        });
      }, 1_000);
      cleanups.push(() => clearInterval(timer));
      const interrupted = (): void => stop("user_interrupt", "interrupted (Ctrl-C)", interruptGraceMs);
      relay.control.interrupt.addEventListener("abort", interrupted);
      cleanups.push(() => relay.control.interrupt.removeEventListener("abort", interrupted));
      if (relay.control.interrupt.aborted) interrupted();
    },
    finish: () => {
      for (const cleanup of cleanups) cleanup();
      if (broken !== undefined) throw broken;
    },
  };
}

/** RALPH.md stands there, and is not the one that it was given. */
function isHandingOver(live: Live): boolean {
  const text = readInside(live.workspace, "RALPH.md", handoffBytesMax);
  return text !== undefined && hash("sha256", text) !== live.handoffGiven;
}

/** Grants more time, up to twice the session's limit in all, and no more than its budgets leave. */
function extend(
  relay: Relay,
  live: Live,
  ask: { session: number; minutes: number; because: string; messageId: string },
): void {
  if (relay.state.messageIds.has(ask.messageId)) return;
  const longestMs = live.startedAtMs + (live.minutesMax ?? 2 * live.sessionMinutes) * 60_000;
  const deadlineMs = Math.min(live.deadlineMs + ask.minutes * 60_000, longestMs);
  const minutes = (deadlineMs - live.deadlineMs) / 60_000;
  if (minutes <= 0) return;
  live.deadlineMs = deadlineMs;
  const { session, because, messageId } = ask;
  relay.record({ type: "extension.granted", session, minutes, because, messageId });
}
