/** The names of all events, for readers that do without zod: one that is not here comes from a newer monoco. */
import type { EventType } from "./event.ts";

const types = {
  "relay.opened": true,
  "session.started": true,
  "session.identified": true,
  "usage.measured": true,
  "extension.granted": true,
  "session.ended": true,
  "handoff.recorded": true,
  "question.asked": true,
  "question.answered": true,
  "note.said": true,
  "signal.scored": true,
  "submission.requested": true,
  "submission.refused": true,
  "contract.tampered": true,
  "checks.ran": true,
  "review.given": true,
  "review.refused": true,
  "review.decided": true,
  "breaker.changed": true,
  "limit.hit": true,
  "agent.suspended": true,
  "rate.limited": true,
  "merge.prepared": true,
  "merge.done": true,
  "merge.conflicted": true,
  "merge.rejected": true,
  "relay.finished": true,
  "relay.paused": true,
  "relay.resumed": true,
  "relay.blocked": true,
  "relay.cancelled": true,
  "relay.cleared": true,
} as const satisfies Record<EventType, true>;

export const knownEventTypes: ReadonlySet<string> = new Set(Object.keys(types));
