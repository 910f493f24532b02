/** What an Executor's session begins with: what the one before it left, or a person's own session that handed over. */
import type { Opening } from "../journal/relay-state.ts";

/** A commit of a session (0: a person's own), and the one that keeps what was uncommitted on top of it. */
export type WorkBefore = { session: number; head: string; wip?: string | undefined };

/** What the Executor sessions before `session` left, all of them without a number; undefined where none has ended. */
export function workBefore(
  { sessions, handedOver }: Pick<Opening, "sessions" | "handedOver">,
  session = Infinity,
): WorkBefore | undefined {
  const last = sessions.findLast((one) => one.role === "executor" && one.session < session);
  if (last) return last.ended && { session: last.session, head: last.ended.head, wip: last.ended.wip };
  return handedOver && { session: 0, head: handedOver.head, wip: handedOver.wip };
}
