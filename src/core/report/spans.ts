/** The sessions of a relay in time, and the waits between them, each with its reason. */
import type { RelayState } from "../journal/relay-state.ts";
import { becauseOf } from "../reason/reason.ts";
import type { StopReason } from "../journal/event.ts";
import type { Role } from "../settings/agent-kinds.ts";

export type Span = { fromMs: number; toMs: number | null } & (
  | { is: "session"; session: number; role: Role; agent: string; reason: StopReason | null }
  /** Nothing ran; `because` is the reason why the next session began. */
  | { is: "wait"; because: string }
);

/** Shorter gaps are monoco's own work between two sessions, ms. */
const waitFromMs = 5_000;

/** The spans of the last opening, oldest first; what has not ended has no `toMs`. */
export function spansOf({ opening }: RelayState): Span[] {
  const { sessions = [] } = opening ?? {};
  return sessions.flatMap(({ session, role, agent, startedAtMs, started, ended }, index): Span[] => {
    const before = sessions[index - 1]?.ended?.atMs;
    const own: Span = {
      is: "session",
      session,
      role,
      agent,
      reason: ended?.reason ?? null,
      fromMs: startedAtMs,
      toMs: ended?.atMs ?? null,
    };
    if (before === undefined || startedAtMs - before < waitFromMs) return [own];
    return [{ is: "wait", because: becauseOf(started.reason), fromMs: before, toMs: startedAtMs }, own];
  });
}
