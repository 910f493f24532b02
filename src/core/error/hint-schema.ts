/** What a person can do about a relay that rests or a command that failed, as data: the ways that lead on, each a list of steps. */
import { z } from "zod";

const verdicts = ["approve", "request_changes"] as const;

const note = { note: z.string().optional() };
/** Left out where it is the relay's own. */
const issue = { issue: z.string().optional() };

const stepSchema = z.discriminatedUnion("do", [
  /** The relay goes on, now that something has changed. */
  z.object({ do: z.literal("resume"), ...issue, ...note }),
  /** The relay goes on though nothing has changed: sessions are paid for, and may end as the last ones did. */
  z.object({ do: z.literal("retry"), note: z.string() }),
  /** A person gives one of these verdicts on the submission under review. */
  z.object({ do: z.literal("judge"), verdicts: z.array(z.enum(verdicts)).min(1) }),
  z.object({ do: z.literal("answer") }),
  z.object({ do: z.literal("say") }),
  /** A person puts their own commits up for review. */
  z.object({ do: z.literal("submit"), ...issue }),
  z.object({ do: z.literal("clear"), ...issue, ...note }),
  z.object({ do: z.literal("open"), ...issue, ...note }),
  z.object({ do: z.literal("log"), ...issue, ...note }),
  /** A step of the issue's life (`transitions`). */
  z.object({ do: z.literal("move"), by: z.string(), ...issue }),
  z.object({ do: z.literal("import"), from: z.string(), as: z.string().optional() }),
  z.object({ do: z.enum(["create", "init", "list_settings", "lint", "heal"]), ...note }),
  /** `where`: the setting, as the place that holds it names it. */
  z.object({ do: z.literal("raise"), setting: z.string(), where: z.string() }),
  /** What no command of monoco does. */
  z.object({ do: z.literal("by_hand"), what: z.string() }),
]);
export type Step = z.infer<typeof stepSchema>;
export type Way = readonly Step[];

export const hintSchema = z.array(z.array(stepSchema).readonly()).readonly();
export type Hint = readonly Way[];
/** Words alone where no command of monoco helps. */
export type Advice = string | Hint;
