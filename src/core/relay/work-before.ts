/** The work that an Executor's session begins with: the previous session's, or that of a person's own session that handed over. */
import type { Opening } from "../journal/relay-state.ts";

/** A session's commit (session 0 is a person's own), and the commit on top of it with the uncommitted work. */
export type WorkBefore = { session: number; head: string; wip?: string | undefined };

/** The work of the last Executor session before `session` (or of the last one overall), else of the handover; undefined if that session has not ended. */
export function workBefore(
  { sessions, handedOver }: Pick<Opening, "sessions" | "handedOver">,
  session = Infinity,
): WorkBefore | undefined {
  const last = sessions.findLast((one) => one.role === "executor" && one.session < session);
  const { sessionsThen = Infinity } = handedOver ?? {};
  // What was pulled from a remote goes on from the sessions before it.
  if (handedOver && sessionsThen < session && (last?.session ?? 0) <= sessionsThen)
    return { session: 0, head: handedOver.head, wip: handedOver.wip };
  return last?.ended && { session: last.session, head: last.ended.head, wip: last.ended.wip };
}
