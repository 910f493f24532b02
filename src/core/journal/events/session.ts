/** Folds the events of a session, from its start to its handoff. */
import { backoffSecondsMax } from "../../limits.ts";
import { endingWords } from "../../reason/ending-rows.ts";
import { becauseOf } from "../../reason/reason.ts";
import { counted } from "../../language/counted.ts";
import { percent, seconds } from "../../text/figures.ts";
import { failures, failuresInARow } from "../counts.ts";
import type { Envelope, EventOf, StopReason } from "../event.ts";
import type { RelayState, SessionRecord } from "../relay-state.ts";
import { suspendForLimit, suspendForLogin, suspendForOutage } from "./limit.ts";
import { openingOf, sessionOf } from "./subject.ts";
import type { RecordsOf, Sentence } from "./record.ts";
import type { sessionSchemas } from "./session-schema.ts";
import { named } from "../../language/names.ts";
import { t, translatable, translated } from "../../language/translate.ts";

export const sessionRecords: RecordsOf<typeof sessionSchemas> = {
  "session.started": {
    fold: (state, event) => {
      const opening = openingOf(state);
      const { session, role, agent } = event;
      const times = { startedAtMs: event.atMs, fence: event.seq, extendedMinutes: 0 };
      const record: SessionRecord = { session, role, agent, started: event, ...times };
      for (const { sessions } of [state, opening, opening.sinceResume]) sessions.push(record);
      if (role === "executor") delete opening.freshSince;
    },
    sentence: (event) => [
      "plain",
      t`session ${event.session} (${named(event.role)}, ${event.agent}) started: ${becauseOf(event.reason)}`,
    ],
  },
  "session.identified": {
    fold: (state, { session, agentSessionId, model }) => {
      const record = sessionOf(state, session);
      if (model !== undefined) record.model = model;
      if (record.agentSessionId !== undefined && record.agentSessionId !== agentSessionId)
        record.renamed = true;
      record.agentSessionId = agentSessionId;
    },
    sentence: () => undefined,
  },
  "server.failed": {
    fold: () => undefined,
    sentence: ({ session, server, error }) => {
      const failed =
        server === undefined ? t`an MCP server failed to start` : t`the MCP server ${server} failed to start`;
      return ["plain", t`session ${session}: ${error === undefined ? failed : `${failed}: ${error}`}`];
    },
  },
  "network.refused": {
    fold: () => undefined,
    sentence: (event) => ["plain", refusedWords(event)],
  },
  "usage.measured": {
    fold: (state, event) => measure(sessionOf(state, event.session), event),
    sentence: (event) => [
      "dim",
      event.reason === undefined
        ? t`session ${event.session}: context mark ${named(event.mark)} at ${percent(event.contextTokens, event.windowTokens)}`
        : t`session ${event.session}: budget mark ${named(event.mark)}, ${becauseOf(event.reason)}`,
    ],
  },
  "extension.granted": {
    fold: (state, event) => {
      sessionOf(state, event.session).extendedMinutes += event.minutes;
    },
    sentence: (event) => [
      "dim",
      t`session ${event.session}: ${event.minutes} more minutes granted (${event.because})`,
    ],
  },
  "session.ended": { fold: end, sentence: endSentence },
  "handoff.recorded": {
    fold: (state, event) => {
      sessionOf(state, event.session).handoff = event;
      openingOf(state).handoff = event;
    },
    sentence: (event) => [
      "plain",
      t`handoff of session ${event.session} for the next Executor: ${translated(handoffSources[event.source])}`,
    ],
  },
  "signal.scored": {
    fold: (state, event) => {
      sessionOf(state, event.session).scored = event;
    },
    sentence: (event) =>
      event.finished
        ? ["plain", t`session ${event.session}: looks finished, ${becauseOf(event.reason)}`]
        : undefined,
  },
};

function refusedWords({ session, command, refused }: EventOf<"network.refused">): string {
  const hosts = refused.map(({ host, port, why, times }) => {
    const where = why === "private" ? t`${host}:${port} (a private address)` : `${host}:${port}`;
    return times === 1 ? where : t`${where}, ${times} times`;
  });
  const who = session === undefined ? (command ?? "") : t`session ${session}`;
  return t`${who}: refused by network: vendors: ${hosts.join("; ")}`;
}

/** The last figures count. */
function measure(session: SessionRecord, event: EventOf<"usage.measured"> | EventOf<"session.ended">): void {
  if (event.contextTokens !== undefined) session.contextTokens = event.contextTokens;
  if (event.windowTokens !== undefined) session.windowTokens = event.windowTokens;
  if (event.costUsd !== undefined) session.costUsd = event.costUsd;
  if (event.tokens !== undefined) session.tokens = event.tokens;
}

function end(state: RelayState, event: Envelope & EventOf<"session.ended">): void {
  const opening = openingOf(state);
  const session = sessionOf(state, event.session);
  const { role, agent } = session;
  const { atMs } = event;
  session.ended = event;
  measure(session, event);
  // The account is suspended here already: a crash may come between this event and limit.hit.
  if (event.reason === "usage_limit" && event.resetsAtMs !== undefined) {
    suspendForLimit(opening, { agent, atMs, resetsAtMs: event.resetsAtMs });
  }
  if (event.reason === "needs_login") {
    const { evidence, program } = event;
    suspendForLogin(opening, {
      agent,
      atMs,
      reason: { rule: "needs_login", said: wordsIn(evidence) },
      program,
    });
  }
  if (event.cause === "outage") suspendForOutage(opening, { agent, atMs });
  const failed = failures.has(event.reason) && event.cause === undefined;
  const inARow = role === "executor" && failed ? failuresInARow(opening) : 0;
  const base = opening.settings.limits.backoffSeconds;
  if (inARow > 0 && base > 0) {
    opening.sinceResume.wait = {
      untilMs: atMs + Math.min(base * 2 ** (inARow - 1), backoffSecondsMax) * 1000,
      reason: { rule: "back_off", failed: inARow },
    };
  }
}

/** The first evidence, if it is the text of a program. */
function wordsIn([first]: EventOf<"session.ended">["evidence"]): string | undefined {
  return typeof first === "string" ? first : undefined;
}

const badEnds: ReadonlySet<StopReason> = new Set([
  "failure",
  "unknown",
  "not_started",
  "silent",
  "no_verdict",
  "needs_login",
]);

function endSentence(event: EventOf<"session.ended">): Sentence {
  const figures = [
    seconds(event.durationMs),
    ...(event.contextTokens === undefined
      ? []
      : [t`context ${percent(event.contextTokens, event.windowTokens)}`]),
    ...(event.commits > 0 ? [counted(event.commits, "commit")] : []),
    ...(event.wip ? [t`uncommitted work kept`] : []),
    ...(event.costUsd === undefined ? [] : [`$${event.costUsd.toFixed(2)}`]),
  ];
  const bad = badEnds.has(event.reason);
  const [first] = endingWords(event.evidence);
  const why = bad && first ? t` (${first})` : "";
  return [
    bad ? "bad" : "plain",
    t`session ${event.session} ended: ${named(event.reason)}${why} [${figures.join(t`, `)}]`,
  ];
}

const handoffSources = translatable({
  agent: "written by the agent",
  completed: "written by the agent, completed by monoco",
  generated: "generated by monoco",
});
