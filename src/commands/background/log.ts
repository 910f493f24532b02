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
import { openHere, placesFor, relayIds } from "../../app/here.ts";
import type { Here } from "../../app/here.ts";
import { begunRelay } from "../../app/no-relay.ts";
import { backgroundRun, holderHere } from "../../app/runner-lock.ts";
import { currentSession } from "../../app/session-context.ts";
import { io } from "../../io/io.ts";
import { t } from "../../core/language/translate.ts";
import { linesIn, printTail } from "./tail.ts";

export type LogFlags = { last: number; follow: boolean; json: boolean };

/** The last `flags.last` lines, oldest first (of a run in the background below its title), and with `--follow` those that come. `--json` prints one object for each event. */
export async function log(id: string | undefined, flags: LogFlags): Promise<number> {
  const { last, follow, json } = flags;
  if (id === undefined && !json && !currentSession()) {
    const here = await openHere();
    const { runLog, runLock } = repositoryPlaces(here.repository.root, io().env);
    if (existsSync(runLog)) {
      const lines = linesIn(runLog);
      const [title = "", ...printed] = lines().map(plain);
      const state = isLocked(runLock) ? t`goes on` : t`ended`;
      io().stdout.write(`${title}  ${paint("dim", `(${state})`)}\n${atItsTerminal(here)}`);
      const isOver = follow ? () => !isLocked(runLock) : undefined;
      await printTail({ last, read: () => [...printed.splice(0), ...lines().map(plain)], isOver });
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

/** Points to a run that goes on now and writes to no log. */
function atItsTerminal(here: Here): string {
  const background = backgroundRun(repositoryPlaces(here.repository.root, io().env));
  const issue = relayIds(here).find((id) => {
    const { runnerLock } = placesFor(here, id);
    return isLocked(runnerLock) && (!background || holderHere(runnerLock) !== background.pid);
  });
  return issue === undefined
    ? ""
    : t`another run prints at its own terminal: monoco log ${issue} has its events\n`;
}

/** `seq  time  type  sentence`: the type is the stable word to search for. */
function inWords(event: RelayEvent): string {
  const described = describeEvent(event);
  const head = `${String(event.seq).padStart(4)}  ${momentOf(event.atMs)}  ${event.type}`;
  return described ? `${paint("dim", head)}  ${paint(described.tone, described.text)}` : paint("dim", head);
}
