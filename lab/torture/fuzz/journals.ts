/** Journals: damaged as a disk or a hand would, and with lines changed and sealed again, which the hashes do not tell. */
import { createHash } from "node:crypto";
import { eventSchema } from "../../../src/core/journal/event.ts";
import { describeEvent } from "../../../src/core/journal/events/records.ts";
import { replay } from "../../../src/core/journal/state.ts";
import { jsonOf } from "../../../src/core/error/attempt.ts";
import { isRecord } from "../../../src/core/text/record.ts";
import { jsonLine } from "../../../src/core/text/sanitize.ts";
import { lineOf, readChain } from "../../../src/store/chain.ts";
import type { Accepted, Chain } from "../../../src/store/chain.ts";
import { diceFrom, runToRest } from "../../../test/core/support/simulation.ts";
import { foundBefore } from "./corpus.ts";
import type { Target } from "./target.ts";

/** Seeds whose relays meet most of what relays can. */
const relays = [1, 2, 3, 4, 5].map((seed) => runToRest(diceFrom(seed)).events.map(jsonLine));
/** Without the settings of its first line a journal is hardly more than that. */
const eventsMax = 25;
const plainJournals = relays.map((lines) => `${lines.slice(0, eventsMax).join("\n")}\n`);

/** Each object of the lines with its number, the hash of the line before, and its own. */
function sealed(text: string): string {
  let prev = "";
  const lines = text.split("\n").flatMap((line) => {
    const value = jsonOf(line);
    return isRecord(value) ? [value] : [];
  });
  return lines
    .map((value, index) => {
      const line = lineOf(jsonLine({ ...value, seq: index + 1, prev }));
      prev = createHash("sha256").update(line).digest("hex");
      return `${line}\n`;
    })
    .join("");
}

function accept(value: object): Accepted {
  const parsed = eventSchema.safeParse(value);
  return parsed.success ? { event: parsed.data } : { damage: "malformed" };
}

const read = (text: string): Chain => readChain(Buffer.from(text), "journal.jsonl", accept);

export const journals: readonly Target[] = [
  {
    name: "journal",
    corpus: [...plainJournals.map(sealed), ...foundBefore("journal")],
    read: (text) => {
      const { events } = read(text);
      replay(events);
      for (const event of events) describeEvent(event);
    },
  },
  {
    // Its events hold, one by one; only their order need not.
    name: "journal-sealed",
    corpus: [...plainJournals, ...foundBefore("journal-sealed")],
    read: (text) => {
      const { events } = read(sealed(text));
      for (const event of events) describeEvent(event);
    },
  },
];
