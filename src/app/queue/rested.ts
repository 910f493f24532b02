/** A relay that needs a person, seen by the run that left it: whether somebody has dealt with it since. */
import { statSync } from "node:fs";
import { MonocoError } from "../../core/error/error.ts";
import type { Hint } from "../../core/error/hint-schema.ts";
import type { RelayEvent } from "../../core/journal/event.ts";
import { isHopeless } from "../../core/reason/block-rows.ts";
import { becauseOf } from "../../core/reason/reason.ts";
import type { Reason } from "../../core/reason/reason-schema.ts";
import type { Opening } from "../../core/journal/relay-state.ts";
import { replay } from "../../core/journal/state.ts";
import { readJournal } from "../../store/journal.ts";
import { placesFor } from "../here.ts";
import type { Here } from "../here.ts";
import { t } from "../../core/language/translate.ts";

/** The number of its event, and whether it has resumed the relay: another process runs it then, or did. */
type Word = { seq: number; resumed: boolean };

/** Why a run leaves the relay to a person, who has not said anything since. */
export function leftToPerson(here: Here, issue: string): MonocoError | undefined {
  const { halted, word } = seen(here, issue);
  if (halted?.phase !== "blocked" || !isHopeless(halted.reason) || word) return undefined;
  const hint: Hint = [[{ do: "resume", issue }]];
  return new MonocoError("person", t`left to a person: ${becauseOf(halted.reason)}`, { hint });
}

/** Whether a person can make it go on. */
export function rests(here: Here, issue: string): boolean {
  const { halted } = seen(here, issue);
  return halted?.phase === "blocked" || halted?.phase === "paused";
}

/** The person's word by which the relay goes on, if there is one later than event `seq`. */
export function wordOn(here: Here, issue: string, seq = 0): Word | undefined {
  const { word } = seen(here, issue);
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

type Seen = { halted: Opening["halted"]; word: Word | undefined };

/** What was seen in each journal: a run looks at all that it has left each second. */
const known = new Map<string, { version: string; seen: Seen }>();

/** The journal is read again only when it has grown. */
function seen(here: Here, issue: string): Seen {
  const { journal } = placesFor(here, issue);
  const stat = statSync(journal, { throwIfNoEntry: false });
  const version = stat ? `${stat.ino} ${stat.size} ${stat.mtimeMs}` : "";
  const before = known.get(journal);
  if (before?.version === version) return before.seen;
  const events = stat ? eventsIn(journal) : [];
  const now = { halted: replay(events).opening?.halted, word: wordIn(events) };
  known.set(journal, { version, seen: now });
  return now;
}

/** A damaged journal is reported where the relay is opened. */
function eventsIn(journal: string): RelayEvent[] {
  try {
    return readJournal(journal);
  } catch (error) {
    if (error instanceof MonocoError) return [];
    throw error;
  }
}
