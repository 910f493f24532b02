/** monoco log: the events of a relay, one a line, as sentences or as the journal has them. */
import { clockWords, momentOf } from "../../core/text/figures.ts";
import type { RelayEvent } from "../../core/journal/event.ts";
import { describeEvent } from "../../core/journal/events/records.ts";
import { readJournal } from "../../store/journal.ts";
import { printJson } from "../../views/json.ts";
import { paint } from "../../views/paint.ts";
import { begunRelay } from "../../app/no-relay.ts";
import { io } from "../../io/io.ts";

export type LogFlags = { last: number; json: boolean };

/** The last `flags.last` events, oldest first; `--json` prints one object for each. */
export async function log(id: string | undefined, flags: LogFlags): Promise<number> {
  const { journal } = await begunRelay(id);
  if (!flags.json) io().stdout.write(`${paint("dim", clockWords(Date.now()))}\n`);
  for (const event of readJournal(journal).slice(-flags.last)) {
    if (flags.json) printJson(event);
    else io().stdout.write(`${inWords(event)}\n`);
  }
  return 0;
}

/** `seq  time  type  sentence`: the type is the stable word to search for. */
function inWords(event: RelayEvent): string {
  const described = describeEvent(event);
  const head = `${String(event.seq).padStart(4)}  ${momentOf(event.atMs)}  ${event.type}`;
  return described ? `${paint("dim", head)}  ${paint(described.tone, described.text)}` : paint("dim", head);
}
