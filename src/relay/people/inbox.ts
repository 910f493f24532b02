/** Takes people's messages from the inbox: appends an event first, then deletes the message. */
import { readMailbox } from "../../store/mailbox.ts";
import { inboxMessageSchema, wordsEvent } from "../../core/session/message.ts";
import { isMerged, isOpen } from "../../core/relay/phase.ts";
import { whyTooLate } from "../landing/settle-merge.ts";
import { acceptSubmission } from "../review/submission.ts";
import { decideByPerson } from "../review/review.ts";
import { openingOf } from "../relay.ts";
import type { Relay } from "../relay.ts";
import { t } from "../../core/language/translate.ts";

/** Why a message was refused; without an id if it was not a valid message. */
export type Refusal = { messageId?: string; why: string };

/** Takes all messages of the inbox, between two actions. */
export async function drainInbox(relay: Relay): Promise<Refusal[]> {
  const refused: Refusal[] = [];
  const letters = readMailbox(relay.places.inbox, inboxMessageSchema, (name, why) =>
    refused.push({ why: t`inbox/${name}: ${why}; it is set aside` }),
  );
  for (const { message, take } of letters) {
    if (!relay.state.messageIds.has(message.id)) {
      const why = await act(relay, message);
      if (why) refused.push({ messageId: message.id, why });
      if (why) recordRefusal(relay, message, why);
    }
    take();
  }
  return refused;
}

/** Records why a letter was not taken: whoever sent it reads only the journal. */
function recordRefusal(relay: Relay, { id: messageId, via, type: letter }: Message, why: string): void {
  if (!via || !relay.state.opening || relay.state.messageIds.has(messageId)) return;
  relay.record({ type: "letter.refused", letter, via, why, messageId });
}

type Message = ReturnType<typeof inboxMessageSchema.parse>;

async function act(relay: Relay, message: Message): Promise<string | undefined> {
  const { id: messageId, via } = message;
  const from = { ...(via && { via }), messageId };
  if (message.type === "escaped") {
    if (!isMerged(relay.state)) return t`nothing of ${relay.issue} is merged`;
    relay.record({ type: "merge.escaped", by: "person", text: message.text, messageId });
    return undefined;
  }
  if (!isOpen(relay.state))
    return relay.state.opening?.merged
      ? t`${message.type}: ${relay.issue} has no open relay: it is merged`
      : t`${message.type}: ${relay.issue} has no open relay`;
  switch (message.type) {
    case "stop":
      relay.record({
        type: "relay.paused",
        by: "person",
        reason: { rule: "person", asked: "stop" },
        ...from,
      });
      return undefined;
    case "say":
    case "answer": {
      const event = wordsEvent(message, { asked: openingOf(relay).question });
      if (!event) return t`answer: ${relay.issue} has asked nothing that is still open (use relay say)`;
      relay.record(event);
      return undefined;
    }
    case "submit":
      return (
        (await whyTooLate(relay)) ??
        (await acceptSubmission(relay, { commit: message.commit, by: "person", ...from }))
      );
    case "review": {
      const { submission, commit, verdict, findings, summary } = message;
      return (
        (await whyTooLate(relay)) ??
        decideByPerson(relay, { submission, commit }, { verdict, findings, summary, ...from })
      );
    }
  }
}
