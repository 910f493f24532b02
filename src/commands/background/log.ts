/** monoco log: the output of the last run in the background, or the events of a relay, as sentences or as the journal has them. */
import { existsSync } from "node:fs";
import type { RelayEvent } from "../../core/journal/event.ts";
import { describeEvent } from "../../core/journal/events/records.ts";
import { clockWords, momentOf } from "../../core/text/figures.ts";
import { jsonLine, plain } from "../../core/text/sanitize.ts";
import { readJournal } from "../../store/journal.ts";
import { isLocked } from "../../store/lock.ts";
import { repositoryPlaces } from "../../store/places.ts";
import { paint } from "../../views/paint.ts";
import { openHere, placesFor } from "../../app/here.ts";
import { begunRelay } from "../../app/no-relay.ts";
import { currentSession } from "../../app/session-context.ts";
import { io } from "../../io/io.ts";
import { linesIn, printTail } from "./tail.ts";

export type LogFlags = { last: number; follow: boolean; json: boolean };

/** The last `flags.last` lines, oldest first, and with `--follow` those that come. `--json` prints one object for each event. */
export async function log(id: string | undefined, flags: LogFlags): Promise<number> {
  const { last, follow, json } = flags;
  if (id === undefined && !json && !currentSession()) {
    const { repository } = await openHere();
    const { runLog, runLock } = repositoryPlaces(repository.root, io().env);
    if (existsSync(runLog)) {
      const lines = linesIn(runLog);
      const isOver = follow ? () => !isLocked(runLock) : undefined;
      await printTail({ last, read: () => lines().map(plain), isOver });
      return 0;
    }
  }
  const { here, issue, journal } = await begunRelay(id);
  if (!json) io().stdout.write(`${paint("dim", clockWords(Date.now()))}\n`);
  const { runnerLock } = placesFor(here, issue);
  let seen = 0;
  const read = (): string[] => {
    const events = readJournal(journal).slice(seen);
    seen += events.length;
    return events.map(json ? jsonLine : inWords);
  };
  await printTail({ last, read, isOver: follow ? () => !isLocked(runnerLock) : undefined });
  return 0;
}

/** `seq  time  type  sentence`: the type is the stable word to search for. */
function inWords(event: RelayEvent): string {
  const described = describeEvent(event);
  const head = `${String(event.seq).padStart(4)}  ${momentOf(event.atMs)}  ${event.type}`;
  return described ? `${paint("dim", head)}  ${paint(described.tone, described.text)}` : paint("dim", head);
}
