/** The messages that a relay shows at a terminal while it runs; nothing depends on them. */
import type { RelayEvent } from "../journal/event.ts";

export type News =
  | { type: "event"; event: RelayEvent }
  | { type: "message"; session: number; text: string }
  | { type: "tool"; session: number; name: string; summary: string }
  | { type: "usage"; session: number; contextTokens: number; windowTokens?: number | undefined }
  /** `ms`: the step is over, and how long it took. */
  | { type: "step"; text: string; ms?: number }
  /** Worth a person's look, and not part of the relay. */
  | { type: "warning"; text: string };
