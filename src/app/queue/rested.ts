/** The relays that a run has left to a person: whether the person has acted since. */
import { statSync } from "node:fs";
import { wordIn } from "../../core/backlog/word.ts";
import type { Word } from "../../core/backlog/word.ts";
import { MonocoError } from "../../core/error/error.ts";
import type { Hint } from "../../core/error/hint-schema.ts";
import type { RelayEvent } from "../../core/journal/event.ts";
import { isHopeless } from "../../core/reason/block-rows.ts";
import { becauseOf } from "../../core/reason/reason.ts";
import type { Opening } from "../../core/journal/relay-state.ts";
import { replay } from "../../core/journal/state.ts";
import { readJournal } from "../../store/journal.ts";
import { placesFor } from "../here.ts";
import type { Here } from "../here.ts";
import { t } from "../../core/language/translate.ts";

export type Seen = { halted: Opening["halted"]; word: Word | undefined };

/** Reads the journal of an issue's relay, again only if it has grown: a run looks at all the relays it has left every second. */
export function relaysSeen(here: Here): (issue: string) => Seen {
  const lastRead = new Map<string, { version: string; seen: Seen }>();
  return (issue) => {
    const { journal } = placesFor(here, issue);
    const stat = statSync(journal, { throwIfNoEntry: false });
    const version = stat ? `${stat.ino} ${stat.size} ${stat.mtimeMs}` : "";
    const before = lastRead.get(issue);
    if (before?.version === version) return before.seen;
    const events = stat ? eventsIn(journal) : [];
    const seen = { halted: replay(events).opening?.halted, word: wordIn(events) };
    lastRead.set(issue, { version, seen });
    return seen;
  };
}

/** Why the run leaves the relay to a person, who has not acted since. */
export function leftToPerson(issue: string, { halted, word }: Seen): MonocoError | undefined {
  if (halted?.phase !== "blocked" || !isHopeless(halted.reason) || word) return undefined;
  const hint: Hint = [[{ do: "resume", issue }]];
  return new MonocoError("person", t`left to a person: ${becauseOf(halted.reason)}`, { hint });
}

/** Whether a person can make the relay go on. */
export function rests({ halted }: Seen): boolean {
  return halted?.phase === "blocked" || halted?.phase === "paused";
}

/** A damaged journal is reported where the relay is opened. */
function eventsIn(journal: string): RelayEvent[] {
  try {
    return readJournal(journal);
  } catch (error) {
    if (error instanceof MonocoError) return [];
    throw error;
  }
}
