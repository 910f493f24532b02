/**
 * Which conversation a session goes on with, under `sessions: continue`: the one before it of the same agent, within one
 * phase of the work. In doubt a fresh one: that is what a relay is for.
 */
import type { StopReason } from "../journal/event.ts";
import { conversationMsMax, windowTokensAssumed } from "../limits.ts";
import { markTokens } from "./context-marks.ts";
import type { ConversationReason } from "../reason/conversation-schema.ts";
import type { Opening, RelayState, SessionRecord } from "../journal/relay-state.ts";

/** The conversation to go on with, or why it is a fresh one. */
export type Continuity = { session?: number; agentSessionId?: string; reason: ConversationReason };

/** Ended from outside, with the work going on: the others chose to stop, or are better not gone on with. */
const goesOnAfter: ReadonlySet<StopReason> = new Set([
  "timeout",
  "usage_limit",
  "budget",
  "question",
  "completed_without_submit",
]);

/** Undefined where sessions are always fresh, and for the first one. `agent` is who plays the Executor next. */
export function continuityOf(
  opening: Opening,
  next: { agent: string; resume: boolean; reserveTokens: number; nowMs: number },
): Continuity | undefined {
  const last = opening.sessions.findLast((one) => one.role === "executor");
  if (opening.settings.sessions !== "continue" || !last) return undefined;
  const { session, agentSessionId } = last;
  const fresh = whyFresh(opening, last, next);
  if (fresh) return { reason: fresh };
  if (agentSessionId === undefined) return { reason: { rule: "fresh_uncertain", session } };
  return { session, agentSessionId, reason: { rule: "goes_on", session } };
}

/** The conversation of the Reviewer whose verdict does not count yet, if the same agent is asked about it and can go on. */
export function askedAgain(
  opening: Opening,
  next: { agent: string; resume: boolean; submission: number | undefined },
): Continuity | undefined {
  const record = opening.submissions.find(({ submission }) => submission === next.submission);
  const session = record?.refusals.at(-1)?.session;
  const last = opening.sessions.find((one) => one.session === session);
  if (!last || last.agent !== next.agent || !next.resume || !isItsOwn(last)) return undefined;
  const { agentSessionId = "" } = last;
  return { session: last.session, agentSessionId, reason: { rule: "goes_on", session: last.session } };
}

/** The first rule that applies. */
function whyFresh(
  opening: Opening,
  last: SessionRecord,
  next: { agent: string; resume: boolean; reserveTokens: number; nowMs: number },
): ConversationReason | undefined {
  const { session, agent, ended } = last;
  if (agent !== next.agent) return { rule: "fresh_agent", session, agent };
  if (!next.resume) return { rule: "fresh_always", agent };
  if (opening.freshSince !== undefined) return { rule: "fresh_since", what: opening.freshSince };
  if (!ended || !goesOnAfter.has(ended.reason)) return { rule: "fresh_ended", session, how: ended?.reason };
  if (!isItsOwn(last)) return { rule: "fresh_uncertain", session };
  const begun = opening.sessions.find((one) => one.agentSessionId === last.agentSessionId);
  if (next.nowMs - (begun?.startedAtMs ?? 0) > conversationMsMax) return { rule: "fresh_old" };
  const [plan] = markTokens(opening.settings.limits.contextMarks, {
    windowTokens: last.windowTokens ?? windowTokensAssumed,
    reserveTokens: next.reserveTokens,
  });
  const { contextTokens = 0 } = last;
  return contextTokens >= plan ? { rule: "fresh_full", tokens: contextTokens } : undefined;
}

/** By the one id that its agent told, and the one that it was given, where it was given one: never another agent's or person's. */
function isItsOwn({ agentSessionId, renamed, started }: SessionRecord): boolean {
  if (agentSessionId === undefined || renamed) return false;
  return started.agentSessionId === undefined || started.agentSessionId === agentSessionId;
}

/** What a conversation had cost before `session`: agents tell the sum over all sessions of one. */
export function costBefore({ sessions }: RelayState, session: number): number {
  const record = sessions.find((one) => one.session === session);
  if (record?.started.continues === undefined) return 0;
  const { agentSessionId } = record.started;
  return sessions
    .filter((one) => one.session < session && one.agentSessionId === agentSessionId)
    .reduce((sum, one) => sum + (one.costUsd ?? 0), 0);
}

/** A session's own cost. An agent that counts from nothing again has told less than the sum. */
export function ownCost(toldUsd: number, beforeUsd: number): number {
  const own = toldUsd >= beforeUsd ? toldUsd - beforeUsd : toldUsd;
  return Math.round(own * 1e6) / 1e6;
}
