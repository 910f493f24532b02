/** Verdicts that agent-written code may have dropped in a person's name. */
import { inboxMessageSchema } from "../core/session/message.ts";
import { readMailbox } from "../store/mailbox.ts";
import type { Relay } from "./relay.ts";

/**
 * Verdicts that came while agent-written code was at work are not taken: nobody can tell whose they are, and with the
 * person's rights anything can write there. Answers with how many there were; called when that code is gone.
 */
export function turnVerdictsAway(relay: Relay): number {
  const letters = readMailbox(relay.places.inbox, inboxMessageSchema).filter(
    ({ message }) => message.type === "review",
  );
  for (const { take } of letters) take();
  return letters.length;
}
