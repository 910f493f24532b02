/** The event of a person by which a relay that rests can go on. */
import type { RelayEvent } from "../journal/event.ts";
import { replay } from "../journal/state.ts";
import type { Reason } from "../reason/reason-schema.ts";

/** The number of that event, and whether it has resumed the relay (another process then runs it, or did). */
export type Word = { seq: number; resumed: boolean };

/** The last answer, verdict, submission or resume by a person since the relay halted; undefined if something else still blocks it. */
export function wordIn(events: readonly RelayEvent[]): Word | undefined {
  const { opening } = replay(events);
  const halted = opening?.halted;
  if (!opening || opening.cleared || (halted && halted.phase !== "blocked")) return undefined;
  const halt = events.findLastIndex(({ type }) => type === "relay.blocked" || type === "relay.paused");
  const word = events.slice(halt + 1).findLast((event) => isWord(event, halted?.reason));
  return word && { seq: word.seq, resumed: halted === undefined };
}

/** Whether the relay was left to a person on another machine, and no person has acted since. */
export function isLeftElsewhere(events: readonly RelayEvent[]): boolean {
  const { opening } = replay(events);
  if (!opening?.halted || opening.cleared) return false;
  const halt = events.findLastIndex(({ type }) => type === "relay.blocked" || type === "relay.paused");
  return events.slice(halt).some(({ type }) => type === "relay.pulled") && wordIn(events) === undefined;
}

/** Whether an event lets the relay go on after `halt`; an answer helps only if that is a question. */
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
