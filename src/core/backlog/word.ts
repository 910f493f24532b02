/** A person's word on a relay that rests: the event by which it goes on. */
import type { RelayEvent } from "../journal/event.ts";
import { replay } from "../journal/state.ts";
import type { Reason } from "../reason/reason-schema.ts";

/** The number of its event, and whether it has resumed the relay: another process runs it then, or did. */
export type Word = { seq: number; resumed: boolean };

/** The last answer, verdict, submission or resume of a person since the relay halted, where nothing else prevents it from going on. */
export function wordIn(events: readonly RelayEvent[]): Word | undefined {
  const { opening } = replay(events);
  const halted = opening?.halted;
  if (!opening || opening.cleared || (halted && halted.phase !== "blocked")) return undefined;
  const halt = events.findLastIndex(({ type }) => type === "relay.blocked" || type === "relay.paused");
  const word = events.slice(halt + 1).findLast((event) => isWord(event, halted?.reason));
  return word && { seq: word.seq, resumed: halted === undefined };
}

/** `halt` is why the relay rests: an answer helps where that is a question. */
function isWord(event: RelayEvent, halt: Reason | undefined): boolean {
  switch (event.type) {
    case "relay.resumed":
      return true;
    case "question.answered":
      return halt?.rule === "question";
    case "review.decided":
    case "submission.requested":
      return event.by === "person";
    default:
      return false;
  }
}
