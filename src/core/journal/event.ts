/** The events of a relay: one versioned union of the schemas in events/, checked when a journal is read. */
import { z } from "zod";
import { count, ordinal, sha256 } from "./events/fields.ts";
import { limitSchemas } from "./events/limit-schema.ts";
import { mergeSchemas } from "./events/merge-schema.ts";
import { peopleSchemas } from "./events/people-schema.ts";
import { relaySchemas } from "./events/relay-schema.ts";
import { reviewSchemas } from "./events/review-schema.ts";
import { sessionSchemas } from "./events/session-schema.ts";
import { submissionSchemas } from "./events/submission-schema.ts";

/** An agent's own report of its end, in words common to all agents. */
export const agentEndings = [
  "completed",
  "context_limit",
  "usage_limit",
  "budget",
  "needs_login",
  "interrupted",
  /** The vendor's server is busy, down or unreachable. */
  "outage",
  "failure",
  "unknown",
] as const;
export type AgentEnding = (typeof agentEndings)[number];

/** The fields of every event: version, sequence number, hash of the line before ("" for the first), time, message. */
const envelope = {
  v: z.literal(1),
  seq: ordinal,
  prev: z.union([sha256, z.literal("")]),
  atMs: count,
  messageId: z.string().optional(),
};

export const bodySchema = z.discriminatedUnion("type", [
  ...relaySchemas,
  ...sessionSchemas,
  ...peopleSchemas,
  ...submissionSchemas,
  ...reviewSchemas,
  ...limitSchemas,
  ...mergeSchemas,
]);
export const eventSchema = z.intersection(z.object(envelope), bodySchema);

/** An event without its place in the journal. */
export type EventBody = z.infer<typeof bodySchema>;
export type EventType = EventBody["type"];
export type EventOf<T extends EventType> = Extract<EventBody, { type: T }>;
export type Envelope = { v: 1; seq: number; prev: string; atMs: number; messageId?: string | undefined };
/** One line of a journal. */
export type RelayEvent = Envelope & EventBody;

export type StopReason = EventOf<"session.ended">["reason"];
export type OutsideCause = NonNullable<EventOf<"session.ended">["cause"]>;
export type RefusalKind = EventOf<"submission.refused">["kind"];
export type Waiver = NonNullable<EventOf<"relay.opened">["waived"]>[number];
export type BreakerPosition = EventOf<"breaker.changed">["to"];
