/** Steps that many hints are made of; apart from their schema, for what does without zod. */
import type { Advice, Hint, Way } from "../error/hint-schema.ts";
import type { BlockReason } from "../reason/block-schema.ts";

export type Block = { reason: BlockReason; hint: Hint };

/** Something else has changed, and the relay goes on. */
export const resume = { do: "resume" } as const;

/** Done by a person without monoco, and the relay goes on. */
export function byHand(what: string): Way {
  return [{ do: "by_hand", what }, resume];
}

/** An error's advice as the ways that it names. */
export function waysOf(advice: Advice = []): Hint {
  return typeof advice === "string" ? [[{ do: "by_hand", what: advice }]] : advice;
}
