/** Reads a journal without zod, for views: fast enough to be called often, not strict enough to act on. */
import { closeSync, fstatSync, openSync, readFileSync, readSync } from "node:fs";
import { attempt } from "../core/error/attempt.ts";
import type { RelayEvent } from "../core/journal/event.ts";
import { emptyState } from "../core/journal/relay-state.ts";
import type { RelayState } from "../core/journal/relay-state.ts";
import { evolve } from "../core/journal/state.ts";
import { isJournal, readChain } from "./chain.ts";
import type { ChainEnd } from "./chain.ts";

/**
 * The events of the journal at `path`; empty if there is no file. Each event was validated when it was written, and the chain
 * proves that no line but the last was changed since. Code that fails on an event all the same should call `readJournal`, which
 * names the line and the field.
 */
export function viewJournal(path: string): RelayEvent[] {
  if (!isJournal(path)) return [];
  return readChain(readFileSync(path), path, (value) => ({ event: value as RelayEvent })).events;
}

const start: ChainEnd = { lines: 0, head: "", bytes: 0 };

/**
 * Follows the journal at `path`: each call returns its state now, and reads only what was appended since the last call. The state
 * changes in place. A journal that is another file, is shorter, was written without growing, or does not go on from what was read
 * is read again as a whole, into another state.
 */
export function followJournal(path: string): () => RelayState {
  let version = "";
  let file = "";
  let end = start;
  let state = emptyState();
  let size = 0;
  let failed: { error: unknown } | undefined;
  const readOn = (fd: number, from: ChainEnd): void => {
    if (from === start) state = emptyState();
    const added = Buffer.alloc(Math.max(0, size - from.bytes));
    const read = readSync(fd, added, 0, added.length, from.bytes);
    const asEvent = (value: object): { event: RelayEvent } => ({ event: value as RelayEvent });
    const { events, head, bytes } = readChain(added.subarray(0, read), path, asEvent, from);
    for (const event of events) evolve(state, event);
    end = { lines: from.lines + events.length, head, bytes };
  };
  return () => {
    if (!isJournal(path)) return emptyState();
    const fd = openSync(path, "r");
    try {
      const stat = fstatSync(fd);
      const now = `${stat.ino} ${stat.size} ${stat.mtimeMs}`;
      if (now === version) {
        if (failed) throw failed.error;
        return state;
      }
      const grows = !failed && end !== start && file === `${stat.dev} ${stat.ino}` && stat.size > size;
      [version, file, size, failed] = [now, `${stat.dev} ${stat.ino}`, stat.size, undefined];
      if (!grows || !attempt(() => (readOn(fd, end), true), false)) readOn(fd, start);
      return state;
    } catch (error) {
      failed = { error };
      throw error;
    } finally {
      closeSync(fd);
    }
  };
}
