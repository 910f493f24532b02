/** A relay that needs a person, seen by the run that left it: whether somebody has dealt with it since. */
import { existsSync } from "node:fs";
import { MonocoError } from "../../core/error/error.ts";
import type { Hint } from "../../core/error/hint-schema.ts";
import type { RelayEvent } from "../../core/journal/event.ts";
import { isHopeless } from "../../core/reason/block-rows.ts";
import { becauseOf } from "../../core/reason/reason.ts";
import type { Reason } from "../../core/reason/reason-schema.ts";
import { replay } from "../../core/journal/state.ts";
import { readJournal } from "../../store/journal.ts";
import { placesFor } from "../here.ts";
import type { Here } from "../here.ts";
import { t } from "../../core/language/translate.ts";

/** The number of its event, and whether it has resumed the relay: another process runs it then, or did. */
type Word = { seq: number; resumed: boolean };

/** Why a run leaves the relay to a person, who has not said anything since. */
export function leftToPerson(here: Here, issue: string): MonocoError | undefined {
  const events = eventsOf(here, issue);
  const halted = replay(events).opening?.halted;
  if (halted?.phase !== "blocked" || !isHopeless(halted.reason) || wordIn(events)) return undefined;
  const hint: Hint = [[{ do: "resume", issue }]];
  return new MonocoError("person", t`left to a person: ${becauseOf(halted.reason)}`, { hint });
}

/** Whether a person can make it go on. */
export function rests(here: Here, issue: string): boolean {
  const halted = replay(eventsOf(here, issue)).opening?.halted;
  return halted?.phase === "blocked" || halted?.phase === "paused";
}

/** The person's word by which the relay goes on, if there is one later than event `seq`. */
export function wordOn(here: Here, issue: string, seq = 0): Word | undefined {
  const word = wordIn(eventsOf(here, issue));
  return word && word.seq > seq ? word : undefined;
}

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

/** A damaged journal is reported where the relay is opened. */
function eventsOf(here: Here, issue: string): RelayEvent[] {
  const { journal } = placesFor(here, issue);
  try {
    return existsSync(journal) ? readJournal(journal) : [];
  } catch (error) {
    if (error instanceof MonocoError) return [];
    throw error;
  }
}
