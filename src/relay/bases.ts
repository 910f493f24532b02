/** The commits of the base that a relay's work may rest on. */
import type { RelayEvent } from "../core/journal/event.ts";
import { openingOf } from "./relay.ts";
import type { Relay } from "./relay.ts";

/** This opening's base commits: the first one, those in Executors' clones, and those that submissions rest on. */
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
