/** Events that keep a relay from starting sessions: the breaker, usage limits, the hourly rate. */
import { z } from "zod";
import { accountReasonSchema } from "../../reason/account-schema.ts";
import { breakerReasonSchema } from "../../reason/breaker-schema.ts";
import { rateReasonSchema } from "../../reason/reason-schema.ts";
import { count, ordinal, resetGuessed } from "./fields.ts";

/** The positions of the circuit breaker: closed lets sessions through, half-open one probing session, open none. */
const breakerPositions = ["closed", "open", "half_open"] as const;

export const limitSchemas = [
  z
    .object({
      type: z.literal("breaker.changed"),
      to: z.enum(breakerPositions),
      reason: breakerReasonSchema,
      untilMs: count.optional(),
      coolDownMs: count.optional(),
      /** The number of failed probing sessions in a row. */
      failedProbes: count.optional(),
    })
    .describe("the circuit breaker opened, lets one session probe, or closed, and why"),
  z
    .object({
      type: z.literal("limit.hit"),
      session: ordinal,
      agent: z.string(),
      resetsAtMs: count,
      resetGuessed,
      text: z.string(),
    })
    .describe(
      "a usage limit, and when it resets; `resetGuessed` where the agent named no time that could be read",
    ),
  z
    .object({
      type: z.literal("agent.suspended"),
      account: z.string(),
      /** Without a time, a person has to act. */
      untilMs: count.optional(),
      reason: accountReasonSchema,
      /** How a person logs in, or updates the program. */
      program: z.string().optional(),
      /** The issue whose relay hit the limit, or found no login or an old program. */
      by: z.string(),
    })
    .describe(
      "an account is not used, without a session: another relay ran into its limit, or its login is found missing, or its program too old, before the session starts",
    ),
  z
    .object({
      type: z.literal("rate.limited"),
      untilMs: count,
      reason: rateReasonSchema,
    })
    .describe(
      "the hour's sessions or tokens are used up: how many, of how many, and until when the relay waits",
    ),
] as const;
