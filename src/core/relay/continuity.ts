/**
 * Which conversation a session goes on with, under `sessions: continue`: the one before it of the same agent, within one
 * phase of the work. In doubt a fresh one: that is what a relay is for.
 */
import type { StopReason } from "../journal/event.ts";
import { conversationMsMax, windowTokensAssumed } from "../limits.ts";
import { markTokens } from "./context-marks.ts";
import type { RelayState, SessionRecord } from "../journal/relay-state.ts";

/** The conversation to go on with, or why it is a fresh one. */
export type Continuity = { session?: number; agentSessionId?: string; because: string };

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
  state: RelayState,
  next: { agent: string; resume: boolean; reserveTokens: number; nowMs: number },
): Continuity | undefined {
  const last = state.sessions.findLast((one) => one.role === "executor");
  if (state.settings?.sessions !== "continue" || !last || last.session <= state.sessionsBefore)
    return undefined;
  const { session, agentSessionId } = last;
  const fresh = whyFresh(state, last, next);
  if (fresh !== undefined || agentSessionId === undefined)
    return { because: `in a fresh conversation: ${fresh}` };
  return { session, agentSessionId, because: `going on with the conversation of session ${session}` };
}

/** The first rule that applies. */
function whyFresh(
  state: RelayState,
  last: SessionRecord,
  next: { agent: string; resume: boolean; reserveTokens: number; nowMs: number },
): string | undefined {
  const { session, agent, ended } = last;
  if (agent !== next.agent) return `session ${session} was ${agent}'s`;
  if (!next.resume) return `${agent} cannot go on with one`;
  if (state.freshBecause !== undefined) return state.freshBecause;
  if (!ended || !goesOnAfter.has(ended.reason)) return `session ${session} ended: ${ended?.reason}`;
  if (!isItsOwn(last)) return `whose conversation session ${session} was is not certain`;
  const begun = state.sessions.find((one) => one.agentSessionId === last.agentSessionId);
  if (next.nowMs - (begun?.startedAtMs ?? 0) > conversationMsMax)
    return "the last one is more than 24 hours old";
  const [plan] = markTokens(state.settings!.limits.contextMarks, {
    windowTokens: last.windowTokens ?? windowTokensAssumed,
    reserveTokens: next.reserveTokens,
  });
  const { contextTokens = 0 } = last;
  return contextTokens >= plan ? `the last one has ${contextTokens} tokens of context in use` : undefined;
}

/** By the one id that its agent told, and the one that it was given, where it was given one: never another agent's or person's. */
function isItsOwn({ agentSessionId, renamed, started }: SessionRecord): boolean {
  if (agentSessionId === undefined || renamed) return false;
  return started.agentSessionId === undefined || started.agentSessionId === agentSessionId;
}

/** What a conversation had cost before `session`: agents tell the sum over all sessions of one. */
export function costBefore(state: RelayState, session: number): number {
  const record = state.sessions.find((one) => one.session === session);
  if (record?.started.continues === undefined) return 0;
  const { agentSessionId } = record.started;
  return state.sessions
    .filter((one) => one.session < session && one.agentSessionId === agentSessionId)
    .reduce((sum, one) => sum + (one.costUsd ?? 0), 0);
}

/** A session's own cost. An agent that counts from nothing again has told less than the sum. */
export function ownCost(toldUsd: number, beforeUsd: number): number {
  const own = toldUsd >= beforeUsd ? toldUsd - beforeUsd : toldUsd;
  return Math.round(own * 1e6) / 1e6;
}
