/** Messages of a running relay for the terminal; nothing depends on them. */
import type { RelayEvent } from "../journal/event.ts";

export type News =
  | { type: "event"; event: RelayEvent }
  | { type: "message"; session: number; text: string }
  | { type: "tool"; session: number; name: string; summary: string }
  | { type: "usage"; session: number; contextTokens: number; windowTokens?: number | undefined }
  /** `ms`: the duration of a finished step. */
  | { type: "step"; text: string; ms?: number }
  /** A warning to people that is not part of the relay. */
  | { type: "warning"; text: string };
