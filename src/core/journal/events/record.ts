/**
 * An event is one record in two files: its schema, and here its effect on a relay and the sentence that reports it. They
 * are apart because `relay status` folds journals without loading zod, and because the state is made of events: a fold
 * knows the state, which knows the schemas. The types join them: a schema without a record does not compile.
 */
import type { z } from "zod";
import type { Envelope, EventBody, EventType } from "../event.ts";
import type { RelayState } from "../relay-state.ts";
import type { Tone } from "./line.ts";

export type EventMap = { [Body in EventBody as Body["type"]]: Body };

/** How a person is told of an event; undefined for what only machines need. */
export type Sentence = readonly [Tone, string] | undefined;

export type EventRecord<T extends EventType> = {
  /** Somebody chose: a Reviewer, a person, or monoco by a rule. A relay's account lists these apart. */
  isChoice?: true;
  /** Changes `state` in place. */
  fold(state: RelayState, event: Envelope & EventMap[T]): void;
  sentence(event: EventMap[T]): Sentence;
};

export type EventRecords<T extends EventType = EventType> = { [Type in T]: EventRecord<Type> };

/** The records that a subject's schemas ask for. */
export type RecordsOf<Schemas extends readonly z.ZodType<EventBody>[]> = EventRecords<
  z.infer<Schemas[number]>["type"]
>;
