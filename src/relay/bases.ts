/** The commits of the base that the work of a relay rests on, or may: what it began from, and what it was given since. */
import type { RelayEvent } from "../core/journal/event.ts";
import { openingOf } from "./relay.ts";
import type { Relay } from "./relay.ts";

/** Of this opening; what Executors have had in their clones, and what submitted commits rest on. */
export function basesGiven(relay: Relay): Set<string> {
  const events = relay.journal.events();
  const opened = events.findLastIndex(({ type }) => type === "relay.opened");
  return new Set([openingOf(relay).baseCommit, ...events.slice(opened).flatMap(basesIn)]);
}

function basesIn(event: RelayEvent): string[] {
  if (event.type === "session.started" || event.type === "submission.requested")
    return event.base === undefined ? [] : [event.base];
  return event.type === "merge.conflicted" || event.type === "merge.rejected" ? [event.baseCommit] : [];
}
