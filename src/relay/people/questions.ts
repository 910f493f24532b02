/** Moves sessions' questions from messages to the journal. */
import { readMailbox } from "../../store/mailbox.ts";
import { outboxMessageSchema } from "../../core/session/message.ts";
import type { Relay } from "../relay.ts";

/** Journals a session's question, once; it comes in a message or with the session's end. */
export function takeQuestion(
  relay: Relay,
  asked: { session: number; text: string; messageId?: string },
): void {
  if (asked.messageId !== undefined && relay.state.messageIds.has(asked.messageId)) return;
  relay.record({ type: "question.asked", ...asked });
}

/** Takes the questions that are still in the outbox when the session is over. */
export function takeQuestionsLeft(relay: Relay, session: number, outbox: string): void {
  for (const { message, take } of readMailbox(outbox, outboxMessageSchema)) {
    if (message.type !== "ask") continue;
    takeQuestion(relay, { session, text: message.text, messageId: message.id });
    take();
  }
}
