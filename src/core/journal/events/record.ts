/**
 * An event is one record in two files: its schema, and here its fold and the sentence that reports it. They
 * are separate because `relay status` folds journals without loading zod, and because the state consists of events: a fold
 * knows the state, which knows the schemas. The types join them: a schema without a record does not compile.
 */
import type { z } from "zod";
import type { Envelope, EventBody, EventType } from "../event.ts";
import type { RelayState } from "../relay-state.ts";
import type { Tone } from "./line.ts";

export type EventMap = { [Body in EventBody as Body["type"]]: Body };

/** The sentence for people; undefined for an event that only machines need. */
export type Sentence = readonly [Tone, string] | undefined;

export type EventRecord<T extends EventType> = {
  /** The event records a choice by a Reviewer, a person, or one of monoco's rules. The account of a relay lists these separately. */
  isChoice?: true;
  /** Changes `state` in place. */
  fold(state: RelayState, event: Envelope & EventMap[T]): void;
  sentence(event: EventMap[T]): Sentence;
};

export type EventRecords<T extends EventType = EventType> = { [Type in T]: EventRecord<Type> };

/** The records for a subject's schemas. */
export type RecordsOf<Schemas extends readonly z.ZodType<EventBody>[]> = EventRecords<
  z.infer<Schemas[number]>["type"]
>;
