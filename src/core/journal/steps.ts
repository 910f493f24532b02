/** Steps that many hints share; separate from their schema, for callers that do not load zod. */
import type { Advice, Hint, Way } from "../error/hint-schema.ts";
import type { BlockReason } from "../reason/block-schema.ts";

export type Block = { reason: BlockReason; hint: Hint };

/** Resumes the relay, since something has changed. */
export const resume = { do: "resume" } as const;

/** A step without monoco, and then a resume. */
export function byHand(what: string): Way {
  return [{ do: "by_hand", what }, resume];
}

/** An error's advice as a hint. */
export function waysOf(advice: Advice = []): Hint {
  return typeof advice === "string" ? [[{ do: "by_hand", what: advice }]] : advice;
}
