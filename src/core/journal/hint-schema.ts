/** What a person can do about a relay that rests, as data: the ways that lead on, each a list of steps. */
import { z } from "zod";
import type { BlockReason } from "../reason/block-schema.ts";

const verdicts = ["approve", "request_changes"] as const;

const stepSchema = z.discriminatedUnion("do", [
  /** The relay goes on, now that something has changed. */
  z.object({ do: z.literal("resume"), note: z.string().optional() }),
  /** The relay goes on though nothing has changed: sessions are paid for, and may end as the last ones did. */
  z.object({ do: z.literal("retry"), note: z.string() }),
  /** A person gives one of these verdicts on the submission under review. */
  z.object({ do: z.literal("judge"), verdicts: z.array(z.enum(verdicts)).min(1) }),
  z.object({ do: z.literal("answer") }),
  z.object({ do: z.literal("say") }),
  /** Commits of a person's own go up for review. */
  z.object({ do: z.literal("submit") }),
  z.object({ do: z.literal("clear"), note: z.string().optional() }),
  z.object({ do: z.literal("open"), note: z.string().optional() }),
  /** `where`: the setting, as the place that holds it names it. */
  z.object({ do: z.literal("raise"), setting: z.string(), where: z.string() }),
  /** What no command of monoco does. */
  z.object({ do: z.literal("by_hand"), what: z.string() }),
]);
export type Step = z.infer<typeof stepSchema>;
export type Way = readonly Step[];

export const hintSchema = z.array(z.array(stepSchema).readonly()).readonly();
export type Hint = readonly Way[];

export type Block = { reason: BlockReason; hint: Hint };
