/** Questions of sessions, and what people say to a relay: from messages to the journal. */
import type { InboxMessage } from "../../core/session/message.ts";
import { outboxMessageSchema } from "../../core/session/message.ts";
import type { Relay } from "../relay.ts";

/** Journals a person's words; `told` is the running session that got them at once. Why not, where they cannot be taken. */
export function takeWords(
  relay: Relay,
  message: Extract<InboxMessage, { type: "say" | "answer" }>,
  told?: number,
): string | undefined {
  const { id: messageId, text } = message;
  const toldTo = told === undefined ? {} : { told };
  if (message.type === "say") {
    relay.record({ type: "note.said", by: "person", text, ...toldTo, messageId });
    return undefined;
  }
  const { question } = relay.state;
  if (!question) return `answer: ${relay.issue} has asked nothing that is still open (use relay say)`;
  relay.record({
    type: "question.answered",
    session: question.session,
    by: "person",
    text,
    ...toldTo,
    messageId,
  });
  return undefined;
}

/** Journals the question of a session, once; by a message of its own, or as its end tells it. */
export function takeQuestion(
  relay: Relay,
  asked: { session: number; text: string; messageId?: string },
): void {
  if (asked.messageId !== undefined && relay.state.messageIds.has(asked.messageId)) return;
  relay.record({ type: "question.asked", ...asked });
}

/** Those that still lie in the outbox when the session is over. */
export function takeQuestionsLeft(relay: Relay, session: number, outbox: string): void {
  for (const { message, take } of relay.edges.mailbox.readMailbox(outbox, outboxMessageSchema)) {
    if (message.type !== "ask") continue;
    takeQuestion(relay, { session, text: message.text, messageId: message.id });
    take();
  }
}
