/** Steps that many hints are made of; apart from their schema, for what does without zod. */
import type { Way } from "./hint-schema.ts";

/** Something else has changed, and the relay goes on. */
export const resume = { do: "resume" } as const;

/** Done by a person without monoco, and the relay goes on. */
export function byHand(what: string): Way {
  return [{ do: "by_hand", what }, resume];
}
