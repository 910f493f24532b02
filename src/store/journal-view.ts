/** Reads a journal without zod, for views: fast enough to be called often, not strict enough to act on. */
import { readFileSync } from "node:fs";
import type { RelayEvent } from "../core/journal/event.ts";
import { isJournal, readChain } from "./chain.ts";

/**
 * The events of the journal at `path`; empty if there is no file. Each event was validated when it was written, and the chain
 * proves that no line but the last was changed since. Code that fails on an event all the same should call `readJournal`, which
 * names the line and the field.
 */
export function viewJournal(path: string): RelayEvent[] {
  if (!isJournal(path)) return [];
  return readChain(readFileSync(path), path, (value) => ({ event: value as RelayEvent })).events;
}
