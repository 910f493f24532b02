/** A runner's life between two power losses: it goes on with what it finds as `relay resume` does, is held to what was promised, and works. */
import { join } from "node:path";
import { opened } from "../../../test/core/support/relays.ts";
import type { Dice } from "../../../test/core/support/simulation.ts";
import { drainInbox } from "../../../src/relay/people/inbox.ts";
import { openRelay } from "../../../src/relay/relay.ts";
import type { Relay, RelaySetup } from "../../../src/relay/relay.ts";
import type { NewEvent } from "../../../src/store/journal.ts";
import { readJournal } from "../../../src/store/journal.ts";
import { viewJournal } from "../../../src/store/journal-view.ts";
import { tryLock } from "../../../src/store/lock.ts";
import { placesOf, repositoryPlaces } from "../../../src/store/places.ts";
import type { Places } from "../../../src/store/places.ts";
import { holdEvents, holdFiles, holdLetters } from "./hold.ts";
import { appended, promised } from "./ledger.ts";
import type { Kept, Ledger } from "./ledger.ts";
import { workOnce } from "./work.ts";

/** `count` answers with another number each time, through all lives of a case. */
export type Given = Kept & { dice: Dice; ledger: Ledger; count(): number };

/** Throws what does not hold, else works `times` times. `ledger` becomes what was found: that is on the disk, promised or not. */
export async function live(given: Given, times: number): Promise<void> {
  const { folder } = given.recording;
  const repository = repositoryPlaces(folder, { HOME: join(folder, "home") });
  const places = placesOf(repository, "FEAT-0001");
  const lock = tryLock(places.runnerLock);
  if (!lock) throw new Error("the runner's lock is held");
  try {
    holdFiles(given.ledger, { repository, places });
    const relay = openForReal(given, places);
    try {
      if (relay.state.seq === 0) relay.record(opened());
      const drain = (): Promise<void> => drained(relay);
      await drain();
      holdLetters(given.ledger, relay.journal.events());
      for (let left = times; left > 0; left -= 1)
        await workOnce({ ...given, repository, places, relay, drain });
    } finally {
      relay.journal.close();
    }
  } finally {
    lock.release();
  }
}

async function drained(relay: Relay): Promise<void> {
  const refused = await drainInbox(relay);
  if (refused.length > 0) throw new Error(`a message was refused: ${refused.map(({ why }) => why).join()}`);
}

/** Set up with all that the inbox and the journal ask for. */
function openForReal(given: Given, places: Places): Relay {
  const seen = [readJournal(places.journal), viewJournal(places.journal)];
  const setup: Partial<RelaySetup> = {
    issue: places.issue,
    places,
    nowMs: () => 1,
    onProgress: () => undefined,
  };
  const relay = openRelay(setup as RelaySetup);
  holdEvents(given.ledger, [...seen, relay.journal.events()]);
  const record = (body: NewEvent) =>
    promised(
      given,
      () => relay.record(body),
      (event) => appended(JSON.stringify(event)),
    );
  return { ...relay, record };
}
