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

/** Folds one event into `state` in place, and returns it. */
export function evolve(state: RelayState, event: RelayEvent): RelayState {
  state.seq = event.seq;
  state.atMs = event.atMs;
  if (event.messageId) state.messageIds.add(event.messageId);
  foldEvent(state, event);
  return state;
}
