/** A journal for those who only look, without zod: quick enough to be asked often, never enough to act on. */
import { readFileSync } from "node:fs";
import type { RelayEvent } from "../core/journal/event.ts";
import { isJournal, readChain } from "./chain.ts";

/**
 * The events of the journal at `path`; none where there is no file. Each was validated when it was written, and the chain shows that no line but the
 * last was changed since. What trips over them all the same should ask `readJournal`, which names the line and the field.
 */
export function viewJournal(path: string): RelayEvent[] {
  if (!isJournal(path)) return [];
  return readChain(readFileSync(path), path, (value) => ({ event: value as RelayEvent })).events;
}
