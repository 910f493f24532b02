/** The budgets under `budgets:` in monoco.yaml: what a session, a relay, a run and a day may use; none is set by default. */
import { z } from "zod";

/** Wall time of sessions, minutes; waiting between them is not counted. */
const minutes = z.number().positive().optional();
/** Tokens, in and out, as the agents tell them. */
const tokens = z.number().int().positive().optional();
/** Money, US dollars, as the agents tell it. */
const costUsd = z.number().positive().optional();
const sessions = z.number().int().positive().optional();

export const budgetsSchema = z.strictObject({
  /** One session; its wall time is limits.sessionMinutes. */
  session: z.strictObject({ tokens, costUsd }).prefault({}),
  /** One relay since its opening; its sessions are limits.sessionsMax. */
  relay: z.strictObject({ minutes, tokens, costUsd }).prefault({}),
  /** All relays of one `monoco run`. */
  run: z.strictObject({ sessions, minutes, tokens, costUsd }).prefault({}),
  /** All relays of the repository, within 24 hours. */
  day: z.strictObject({ sessions, minutes, tokens, costUsd }).prefault({}),
  /** What has to be left for a session to be started; without it, what this relay's sessions took on average. */
  reserve: z.strictObject({ minutes, tokens, costUsd }).prefault({}),
});
export type Budgets = z.infer<typeof budgetsSchema>;
