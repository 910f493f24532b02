/** The records of all events, and what is made from them: the fold of a journal, its lines for people, the list of names. */
import { eventCharsMax } from "../../limits.ts";
import type { Line } from "./line.ts";
import { plainLine } from "../../text/sanitize.ts";
import type { Envelope, EventBody, EventType, RelayEvent } from "../event.ts";
import type { RelayState } from "../relay-state.ts";
import { limitRecords } from "./limit.ts";
import { mergeRecords } from "./merge.ts";
import { peopleRecords } from "./people.ts";
import type { EventMap, EventRecords, Sentence } from "./record.ts";
import { relayRecords } from "./relay.ts";
import { reviewRecords } from "./review.ts";
import { sessionRecords } from "./session.ts";
import { submissionRecords } from "./submission.ts";

const records: EventRecords = {
  ...relayRecords,
  ...sessionRecords,
  ...peopleRecords,
  ...submissionRecords,
  ...reviewRecords,
  ...limitRecords,
  ...mergeRecords,
};

/** All known types; an event of any other type comes from a newer monoco. */
export const knownEventTypes: ReadonlySet<string> = new Set(Object.keys(records));

export function isChoice({ type }: EventBody): boolean {
  return records[type].isChoice === true;
}

/** Folds `event` into `state`, in place. */
export function foldEvent(state: RelayState, event: RelayEvent): void {
  foldAs(event.type, state, event);
}

/** The line for an event; undefined for one that only machines need. */
export function describeEvent(event: EventBody): Line | undefined {
  const sentence = sentenceAs(event.type, event);
  return sentence && { tone: sentence[0], text: plainLine(sentence[1], eventCharsMax) };
}

function foldAs<T extends EventType>(type: T, state: RelayState, event: Envelope & EventMap[T]): void {
  records[type].fold(state, event);
}

function sentenceAs<T extends EventType>(type: T, event: EventMap[T]): Sentence {
  return records[type].sentence(event);
}
