/**
 * Chooses the conversation that a session continues, under `sessions: continue`: the same agent's last one, within one
 * phase of the work. In doubt the session begins a fresh one, which is the point of a relay.
 */
import type { StopReason } from "../journal/event.ts";
import { conversationMsMax, windowTokensAssumed } from "../limits.ts";
import { markTokens } from "./context-marks.ts";
import type { ConversationReason } from "../reason/conversation-schema.ts";
import type { Opening, RelayState, SessionRecord } from "../journal/relay-state.ts";

/** The conversation to continue, or the reason for a fresh one. */
export type Continuity = { session?: number; agentSessionId?: string; reason: ConversationReason };

/** Stop reasons that came from outside while the work was going on. After any other reason a conversation is not continued. */
const goesOnAfter: ReadonlySet<StopReason> = new Set([
  "timeout",
  "usage_limit",
  "budget",
  "question",
  "completed_without_submit",
]);

/** Undefined if sessions are always fresh, and for the first session. `agent` is the next Executor. */
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

/** The conversation of the Reviewer whose verdict does not count yet, if the same agent is asked again and can continue. */
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

/** The first rule that asks for a fresh conversation. */
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

/** Whether the conversation is surely the session's own: its agent reported a single id, equal to the given one if one was given. */
function isItsOwn({ agentSessionId, renamed, started }: SessionRecord): boolean {
  if (agentSessionId === undefined || renamed) return false;
  return started.agentSessionId === undefined || started.agentSessionId === agentSessionId;
}

/** The cost of a conversation before `session`: agents report the sum over all of its sessions. */
export function costBefore({ sessions }: RelayState, session: number): number {
  const record = sessions.find((one) => one.session === session);
  if (record?.started.continues === undefined) return 0;
  const { agentSessionId } = record.started;
  return sessions
    .filter((one) => one.session < session && one.agentSessionId === agentSessionId)
    .reduce((sum, one) => sum + (one.costUsd ?? 0), 0);
}

/** A session's own cost. If the reported cost is below the sum, the agent began to count anew. */
export function ownCost(toldUsd: number, beforeUsd: number): number {
  const own = toldUsd >= beforeUsd ? toldUsd - beforeUsd : toldUsd;
  return Math.round(own * 1e6) / 1e6;
}
