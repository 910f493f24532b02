/** Folds a journal into the state of its relay. */
import { foldEvent } from "./events/records.ts";
import type { RelayEvent } from "./event.ts";
import { emptyState } from "./relay-state.ts";
import type { RelayState } from "./relay-state.ts";

/** The state after `events`, which start at the journal's first. */
export function replay(events: readonly RelayEvent[]): RelayState {
  const state = emptyState();
  for (const event of events) evolve(state, event);
  return state;
}

/** The events that this clone recorded itself: those after the last pull of the journal. A relay that was taken over counts as its own. */
export function recordedHere(events: readonly RelayEvent[]): readonly RelayEvent[] {
  return events.slice(events.findLastIndex(isPulled) + 1);
}

/** Whether the journal up to this event is another clone's. */
export function isPulled(event: RelayEvent): boolean {
  return event.type === "relay.pulled" && !event.goesOn;
}

/** Folds one event into `state` in place, and returns it. */
export function evolve(state: RelayState, event: RelayEvent): RelayState {
  state.seq = event.seq;
  state.atMs = event.atMs;
  if (event.messageId) state.messageIds.add(event.messageId);
  foldEvent(state, event);
  return state;
}
