/** Takes what people dropped into the inbox: append first, unlink then. */
import { inboxMessageSchema } from "../core/message.ts";
import { phaseOf } from "../core/standing.ts";
import { acceptSubmission } from "./submission.ts";
import { decideByPerson } from "./review.ts";
import type { Relay } from "./relay.ts";

/** Drains the inbox between actions. Answers with what could not be done, in words. */
export async function drainInbox(relay: Relay): Promise<string[]> {
  const refused: string[] = [];
  const letters = relay.edges.mailbox.readMailbox(relay.places.inbox, inboxMessageSchema, (name, why) =>
    refused.push(`inbox/${name}: ${why}`),
  );
  for (const { message, take } of letters) {
    if (!relay.state.messageIds.has(message.id)) {
      const why = await act(relay, message);
      if (why) refused.push(why);
    }
    take();
  }
  return refused;
}

type Message = ReturnType<typeof inboxMessageSchema.parse>;

async function act(relay: Relay, message: Message): Promise<string | undefined> {
  const { id: messageId } = message;
  if (["none", "done", "cancelled"].includes(phaseOf(relay.state)))
    return `${message.type}: ${relay.issue} has no open relay (monoco run ${relay.issue} opens one)`;
  switch (message.type) {
    case "stop":
      relay.record({ type: "relay.paused", by: "person", because: "a person asked it to stop", messageId });
      return undefined;
    case "submit":
      await acceptSubmission(relay, { commit: message.commit, by: "person", messageId });
      return undefined;
    case "review":
      return decideByPerson(relay, message.submission, {
        verdict: message.verdict,
        findings: message.findings,
        summary: message.summary,
        messageId,
      });
  }
}
