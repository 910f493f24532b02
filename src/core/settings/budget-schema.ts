/** The schema of `budgets:` in monoco.yaml: the allowed use by a session, a relay, a run and a day. None is set by default. */
import { z } from "zod";
import { setting } from "./setting.ts";

/** Wall time of sessions; waits between them do not count. */
const minutes = (about: string) => setting(z.number().positive().optional(), about, "minutes");
/** Input and output, as the agents report them. */
const tokens = (about: string) => setting(z.number().int().positive().optional(), about, "tokens");
/** The cost, as the agents report it. */
const costUsd = (about: string) => setting(z.number().positive().optional(), about, "US dollars");
const sessions = (about: string) => setting(z.number().int().positive().optional(), about, "sessions");

const left =
  "that must be left for a session to be started; without it, what this relay's sessions took on average";

export const budgetsSchema = z.strictObject({
  // A session's wall time is limits.sessionMinutes.
  session: z
    .strictObject({
      tokens: tokens("what one session uses, in and out"),
      costUsd: costUsd("what one session costs"),
    })
    .prefault({}),
  // A relay's sessions are limits.sessionsMax.
  relay: z
    .strictObject({
      minutes: minutes("wall time of all sessions of a relay since its opening"),
      tokens: tokens("what all sessions of a relay use"),
      costUsd: costUsd("what all sessions of a relay cost"),
    })
    .prefault({}),
  run: z
    .strictObject({
      sessions: sessions("sessions that one run starts, in all its relays"),
      minutes: minutes("wall time of the sessions of one run; two relays at once count twice"),
      tokens: tokens("what the sessions of one run use"),
      costUsd: costUsd("what the sessions of one run cost"),
    })
    .prefault({}),
  day: z
    .strictObject({
      sessions: sessions("sessions of all relays of the repository within the last 24 hours"),
      minutes: minutes("wall time of all sessions within the last 24 hours"),
      tokens: tokens("what all sessions used within the last 24 hours"),
      costUsd: costUsd("what all sessions cost within the last 24 hours"),
    })
    .prefault({}),
  reserve: z
    .strictObject({
      minutes: minutes(`wall time ${left}`),
      tokens: tokens(`tokens ${left}`),
      costUsd: costUsd(`money ${left}`),
    })
    .prefault({}),
});
export type Budgets = z.infer<typeof budgetsSchema>;
