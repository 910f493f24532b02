/** Reasons why a session continues a conversation, or begins a fresh one. */
import { z } from "zod";
import { count, ordinal } from "./fields.ts";

/** Events after which a conversation is never continued. */
const turningPoints = ["breaker", "stop", "submission", "review", "agents"] as const;
export type TurningPoint = (typeof turningPoints)[number];

export const conversationSchema = z.discriminatedUnion("rule", [
  z.object({ rule: z.literal("goes_on"), session: ordinal }),
  z.object({ rule: z.literal("fresh_agent"), session: ordinal, agent: z.string() }),
  z.object({ rule: z.literal("fresh_always"), agent: z.string() }),
  z.object({ rule: z.literal("fresh_since"), what: z.enum(turningPoints) }),
  z.object({ rule: z.literal("fresh_ended"), session: ordinal, how: z.string().optional() }),
  z.object({ rule: z.literal("fresh_uncertain"), session: ordinal }),
  z.object({ rule: z.literal("fresh_old") }),
  z.object({ rule: z.literal("fresh_full"), tokens: count }),
]);
export type ConversationReason = z.infer<typeof conversationSchema>;
