/** The sessions of a relay in time, and the waits between them, each with its reason. */
import type { RelayEvent } from "../journal/event.ts";
import { becauseOf } from "../reason/reason.ts";
import type { TimedSession } from "./account.ts";

export type Span =
  | ({ is: "session" } & TimedSession)
  /** Nothing ran; `because` is why the relay rested, or else why the next session began. */
  | { is: "wait"; fromMs: number; toMs: number; because: string };

/** Shorter gaps are monoco's own work between two sessions, ms. */
const waitFromMs = 5_000;

/** The spans of these sessions and of the journal that has them, oldest first. */
export function spansOf(events: readonly RelayEvent[], sessions: readonly TimedSession[]): Span[] {
  return sessions.flatMap((session, index): Span[] => {
    const own: Span = { is: "session", ...session };
    const before = sessions[index - 1];
    const [fromMs, toMs] = [before?.endedAtMs, session.startedAtMs];
    if (fromMs == null || toMs - fromMs < waitFromMs) return [own];
    return [{ is: "wait", fromMs, toMs, because: reasonAfter(events, before?.session) }, own];
  });
}

/** The first reason that the journal has after the session's end. */
function reasonAfter(events: readonly RelayEvent[], session: number | undefined): string {
  const end = events.findIndex((event) => event.type === "session.ended" && event.session === session);
  for (const event of events.slice(end + 1))
    if ("reason" in event && typeof event.reason === "object") return becauseOf(event.reason);
  return "";
}
