/** How long issues that could begin waited for their first session, though a worker was free. */
import type { RelayEvent } from "../../src/core/journal/event.ts";
import type { Planned } from "./backlog.ts";

type Busy = { id: string; fromMs: number; toMs: number };

/** In ms, for each issue that began; `events` has its journals by issue, and all were there at `beganMs`. */
export function waitsMs(
  backlog: readonly Planned[],
  events: ReadonlyMap<string, RelayEvent[][]>,
  { workers, beganMs }: { workers: number; beganMs: number },
): number[] {
  const timesOf = (id: string, ...types: string[]): number[] =>
    (events.get(id) ?? []).flat().flatMap(({ type, atMs }) => (types.includes(type) ? [atMs] : []));
  const busy = backlog.flatMap(({ id }): Busy[] => {
    const started = timesOf(id, "session.started");
    const ended = timesOf(id, "merge.done", "relay.blocked");
    return started.length === 0 ? [] : [{ id, fromMs: Math.min(...started), toMs: Math.max(...ended) }];
  });
  return busy.map(({ id, fromMs }) => {
    const needs = backlog.find((one) => one.id === id)?.needs ?? [];
    const readyMs = needs.map((other) => Math.min(...timesOf(other, "merge.done")));
    const others = busy.filter((one) => one.id !== id && one.fromMs <= fromMs);
    const isFull = (atMs: number): boolean =>
      others.filter((one) => one.fromMs <= atMs && atMs < one.toMs).length >= workers;
    // All were busy until one of them ended.
    const freeMs = others.flatMap(({ toMs }) => (toMs <= fromMs && isFull(toMs - 1) ? [toMs] : []));
    return fromMs - Math.max(beganMs, ...readyMs, ...freeMs);
  });
}

/** The value that this share of the values does not exceed. */
export function quantile(values: readonly number[], share: number): number {
  const inOrder = values.toSorted((one, other) => one - other);
  return inOrder[Math.max(0, Math.ceil(inOrder.length * share) - 1)] ?? NaN;
}
