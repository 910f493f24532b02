/**
 * Continues the conversation of a session that left no handoff, only to write RALPH.md: after a session was ended at a limit,
 * or when an agent without a stop hook ended by itself beyond its wrap-up mark.
 */
import { readMailbox } from "../../store/mailbox.ts";
import type { StopReason } from "../../core/journal/event.ts";
import { lastWordsMs } from "../../core/limits.ts";
import { outboxMessageSchema } from "../../core/session/message.ts";
import { hasPromise } from "../../core/exit/promise.ts";
import { findStatusBlock } from "../../core/exit/status-block.ts";
import { oneMoreTurn } from "./one-more-turn.ts";
import { isHandedOver } from "./own-handoff.ts";
import type { Starting } from "./launch.ts";
import { openingOf, settingsOf } from "../relay.ts";
import type { Relay } from "../relay.ts";
import type { Seen } from "../../core/session/observations.ts";
import { t } from "../../core/language/translate.ts";

const worthAsking: ReadonlySet<StopReason> = new Set(["context_limit", "timeout", "budget"]);

/**
 * `before` with the results of this turn. The turn has a time limit and needs an agent that can resume; it does not change the
 * session's stop reason.
 */
export async function askForHandoff(relay: Relay, starting: Starting, before: Seen): Promise<Seen> {
  const { agent, role } = starting;
  const { resume, stopHook } = agent.capabilities;
  const unheld = !stopHook && stoppedEarly(relay, starting, before) ? before.wrapUp : undefined;
  const at = before.stoppedBy ?? unheld;
  const asked = role === "executor" && resume && at !== undefined && worthAsking.has(at.reason);
  if (!asked || relay.control.interrupt.aborted || isHandedOver(relay, starting)) return before;
  relay.onProgress({ type: "step", text: t`asking the ended session for its handoff` });
  const prompt = relay.templates(settingsOf(relay).language).lastWords;
  const seen = await oneMoreTurn(relay, starting, { prompt, seen: before, msMax: lastWordsMs });
  return { ...seen, askedForHandoff: isHandedOver(relay, starting) };
}

/** Whether the session ended by itself without a submission, a question, or a claim to be done, which is scored. */
function stoppedEarly(relay: Relay, { places }: Starting, { agent, question, answer: said }: Seen): boolean {
  const { loop } = openingOf(relay);
  const isDone = loop ? hasPromise(said, loop.promise) : findStatusBlock(said) !== undefined;
  const letters = readMailbox(places.outbox, outboxMessageSchema);
  const hasWritten = letters.some(({ message }) => message.type !== "refused");
  return agent?.ending === "completed" && question === undefined && !isDone && !hasWritten;
}
