/** A relay that needs a person, seen by the run that left it: whether somebody has dealt with it since. */
import { existsSync } from "node:fs";
import { MonocoError } from "../core/error.ts";
import type { RelayEvent } from "../core/event.ts";
import { replay } from "../core/state.ts";
import { readJournal } from "../store/journal.ts";
import { placesFor } from "./here.ts";
import type { Here } from "./here.ts";

/** The number of its last event, where it is blocked; undefined where no word of a person's would make it go on. */
export function restsAt(here: Here, issue: string): number | undefined {
  const { halted, seq } = replay(eventsOf(here, issue));
  return halted?.phase === "blocked" ? seq : undefined;
}

/** Whether a person has answered, judged, submitted or resumed since event `seq`, and nothing stands in the way now. */
export function goesOn(here: Here, issue: string, seq: number): boolean {
  const events = eventsOf(here, issue);
  const { opened, cleared, halted } = replay(events);
  if (!opened || cleared || (halted && halted.phase !== "blocked")) return false;
  // Who resumed it elsewhere may have come to the next block.
  const block = events.findLastIndex(({ type }) => type === "relay.blocked");
  return events.slice(block + 1).some((event) => event.seq > seq && isWord(event));
}

function isWord(event: RelayEvent): boolean {
  switch (event.type) {
    case "question.answered":
    case "relay.resumed":
      return true;
    case "review.decided":
    case "submission.requested":
      return event.by === "person";
    default:
      return false;
  }
}

/** A damaged journal is told where the relay is opened. */
function eventsOf(here: Here, issue: string): RelayEvent[] {
  const { journal } = placesFor(here, issue);
  try {
    return existsSync(journal) ? readJournal(journal) : [];
  } catch (error) {
    if (error instanceof MonocoError) return [];
    throw error;
  }
}
