/** Removes verdicts that agent-written code may have dropped in a person's name. */
import { inboxMessageSchema } from "../core/session/message.ts";
import { readMailbox } from "../store/mailbox.ts";
import type { Relay } from "./relay.ts";

/**
 * Removes the verdicts that arrived while agent-written code ran, and returns their number: any program with the person's
 * rights can write to the inbox, so their author is unknown. Called when that code has ended.
 */
export function turnVerdictsAway(relay: Relay): number {
  const letters = readMailbox(relay.places.inbox, inboxMessageSchema).filter(
    ({ message }) => message.type === "review",
  );
  for (const { take } of letters) take();
  return letters.length;
}
