/** Messages from other processes to a relay: from a session's agent through its outbox, from people through the inbox. */
import { z } from "zod";
import { commit, via } from "../journal/events/fields.ts";
import type { EventOf } from "../journal/event.ts";
import { findingSchema } from "../review/verdict-schema.ts";
import { saidCharsMax } from "../limits.ts";

const id = { id: z.string().min(8), atMs: z.number().int().nonnegative() };

const said = z.string().min(1).max(saidCharsMax);

const extend = z.object({
  ...id,
  type: z.literal("extend"),
  minutes: z.number().positive(),
  because: z.string().min(1),
});

/** Messages from an Executor. Its session's outbox accepts these, for that session only. */
export const outboxMessageSchema = z.discriminatedUnion("type", [
  z.object({ ...id, type: z.literal("submit"), commit }),
  /** `monoco issue submit` refused to submit; the runner finds out why once the session has ended. */
  z.object({ ...id, type: z.literal("refused") }),
  z.object({ ...id, type: z.literal("handoff") }),
  z.object({ ...id, type: z.literal("ask"), text: said }),
  extend,
]);
export type OutboxMessage = z.infer<typeof outboxMessageSchema>;

/** Messages from a Reviewer: a request for time. Its verdict is read from its output. */
export const reviewerOutboxSchema = z.discriminatedUnion("type", [extend]);

/** Messages that people also send from elsewhere. */
export const letterSchema = z.discriminatedUnion("type", [
  z.object({ ...id, via, type: z.literal("stop") }),
  z.object({ ...id, via, type: z.literal("answer"), text: said }),
  z.object({ ...id, via, type: z.literal("say"), text: said }),
  z.object({ ...id, via, type: z.literal("submit"), commit }),
  z.object({
    ...id,
    via,
    type: z.literal("review"),
    submission: z.number().int().positive(),
    /** The submission's commit, which an approval from elsewhere has to name. */
    commit: commit.optional(),
    verdict: z.enum(["approve", "request_changes"]),
    findings: z.array(findingSchema),
    summary: z.string(),
  }),
]);

/** Messages from people. */
export const inboxMessageSchema = z.discriminatedUnion("type", [
  ...letterSchema.options,
  z.object({ ...id, via, type: z.literal("escaped"), text: said }),
]);
export type InboxMessage = z.infer<typeof inboxMessageSchema>;

/** A person's message as an event; `told` is the running session that gets it at once. Undefined for an answer without a question. */
export function wordsEvent(
  message: Extract<InboxMessage, { type: "say" | "answer" }>,
  { asked, told }: { asked: { session: number } | undefined; told?: number | undefined },
): ((EventOf<"note.said"> | EventOf<"question.answered">) & { messageId: string }) | undefined {
  const event = {
    by: "person" as const,
    text: message.text,
    ...(message.via && { via: message.via }),
    ...(told === undefined ? {} : { told }),
    messageId: message.id,
  };
  if (message.type === "say") return { type: "note.said", ...event };
  return asked && { type: "question.answered", session: asked.session, ...event };
}
