/** The inbox of a relay as people and liars fill it: letters come late, twice, in any order, and about what is long over. */
import { phaseOf } from "../../../src/index.ts";
import type { EventBody, RelayState } from "../../../src/index.ts";
import { whyNoVerdict, whyNotApproved } from "../../../src/core/relay/person-verdict.ts";
import { wordsEvent } from "../../../src/core/session/message.ts";
import type { InboxMessage } from "../../../src/core/session/message.ts";
import { decided, paused, requested } from "../../../test/core/support/relays.ts";
import type { Dice, Meanwhile } from "../../../test/core/support/simulation.ts";

/** In one run; each may be delivered more than once. */
const lettersMax = 12;
/** Every so many steps somebody writes, and every so many a letter arrives. */
const writtenEvery = 6;
const deliveredEvery = 3;

/** `taken`: what became an event. */
export type Post = {
  meanwhile: Meanwhile;
  delivered: () => { letters: number; twice: number; taken: number };
};

export function post(dice: Dice): Post {
  const onTheWay: InboxMessage[] = [];
  const seen = new Set<string>();
  let [written, letters, twice, taken] = [0, 0, 0, 0];
  return {
    delivered: () => ({ letters, twice, taken }),
    meanwhile: (state) => {
      if (written < lettersMax && dice(writtenEvery) === 0)
        onTheWay.push(letter(state, (written += 1), dice));
      if (onTheWay.length === 0 || dice(deliveredEvery) > 0) return [];
      const at = dice(onTheWay.length);
      const message = onTheWay[at]!;
      // One in three comes again: its sender heard nothing.
      if (dice(3) > 0) onTheWay.splice(at, 1);
      letters += 1;
      if (seen.has(message.id)) twice += 1;
      seen.add(message.id);
      const events = take(state, message);
      taken += events.length;
      return events;
    },
  };
}

/** What somebody writes who sees the relay as it is now, or has never looked. */
function letter(state: RelayState, number: number, dice: Dice): InboxMessage {
  const envelope = { id: `letter-${number}`, atMs: state.atMs };
  const words = { ...envelope, text: `words ${number}` };
  const verdict = dice(2) === 0 ? ("approve" as const) : ("request_changes" as const);
  // The one under review, one before it, or one that there is not.
  const submission = Math.max(1, state.submissions.length + 1 - dice(4));
  switch (dice(8)) {
    case 0:
      return { ...envelope, type: "stop" };
    case 1:
      return { ...envelope, type: "submit", commit: "c".repeat(40) };
    case 2:
      return { ...words, type: "say" };
    case 3:
      return { ...words, type: "answer" };
    default:
      return { ...envelope, type: "review", submission, verdict, findings: [], summary: "" };
  }
}

/** As `drainInbox` takes a letter, without what only git knows. */
function take(state: RelayState, message: InboxMessage): (EventBody & { messageId: string })[] {
  const { opening } = state;
  const { id: messageId } = message;
  if (state.messageIds.has(messageId) || !opening) return [];
  if (["none", "done", "cancelled"].includes(phaseOf(state))) return [];
  switch (message.type) {
    // Taken by the count of escapes, not by the relay.
    case "escaped":
      return [];
    case "stop":
      return [{ ...paused(), messageId }];
    case "submit":
      return [{ ...requested("person")(state), messageId }];
    case "say":
    case "answer": {
      const event = wordsEvent(message, { asked: opening.question });
      return event ? [event] : [];
    }
    case "review": {
      const { submission, verdict } = message;
      const record = state.submissions.find((one) => one.submission === submission);
      if (!record || whyNoVerdict(opening, submission) !== undefined) return [];
      if (verdict === "approve" && whyNotApproved(record) !== undefined) return [];
      return [{ ...decided(verdict, "person")(state), submission, messageId }];
    }
  }
}
