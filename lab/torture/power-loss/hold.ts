/** Holds what is on the disk after a power loss to what was promised; throws what is lost, changed, or was never written. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { RelayEvent } from "../../../src/index.ts";
import { readHandOver } from "../../../src/store/handovers.ts";
import { readLearnings } from "../../../src/store/learnings.ts";
import { readMark } from "../../../src/store/mark.ts";
import { knownSuspensions } from "../../../src/store/suspensions.ts";
import type { Places, RepositoryPlaces } from "../../../src/store/places.ts";
import type { Ledger } from "./ledger.ts";

type Where = { repository: RepositoryPlaces; places: Places };

/** Each of `seen` is the journal by another reader. */
export function holdEvents(ledger: Ledger, seen: readonly (readonly RelayEvent[])[]): void {
  const [found = [], ...others] = seen.map((events) => events.map((event) => JSON.stringify(event)));
  if (others.some((other) => other.join("\n") !== found.join("\n")))
    throw new Error("one reader of the journal sees what another does not");
  for (const [index, event] of ledger.events.entries())
    if (found[index] !== event) throw lost(`event ${index + 1}`, event, found[index]);
  const more = found.slice(ledger.events.length);
  if (more.length > 1 || (more.length === 1 && more[0] !== ledger.underway))
    throw new Error(`the journal has an event that was never written: ${cut(more.at(-1))}`);
  ledger.events = found;
  ledger.underway = undefined;
}

/** The mailbox is drained: what people were told is kept stands in the journal, and all of it once. */
export function holdLetters(ledger: Ledger, events: readonly RelayEvent[]): void {
  const heard = events.flatMap((event) =>
    event.type === "note.said" && event.messageId ? [event.text] : [],
  );
  for (const text of heard) {
    if (!ledger.letters.has(text)) throw new Error(`a message that nobody sent: ${cut(text)}`);
    if (heard.indexOf(text) !== heard.lastIndexOf(text))
      throw new Error(`a message is there twice: ${cut(text)}`);
  }
  for (const [text, state] of ledger.letters)
    if (state === "kept" && !heard.includes(text)) throw lost("a message", text, undefined);
  ledger.letters = new Map(heard.map((text) => [text, "kept"]));
}

export function holdFiles(ledger: Ledger, where: Where): void {
  for (const [name, promise] of ledger.files) {
    const content = contentOf(name, where);
    if (!promise.contents.has(content))
      throw lost(name, [...promise.contents].map((one) => cut(one)).join(" or "), content);
    if (promise.kind === "view") continue;
    ledger.files.set(name, { contents: new Set([content]), kind: "durable" });
  }
}

/** As monoco's own reader has it. */
function contentOf(name: string, { repository, places }: Where): string | undefined {
  switch (name) {
    case "mark":
      return readMark(places.relay)?.value;
    case "hand-over":
      return readHandOver(repository, places.issue)?.text;
    case "learnings":
      return readLearnings(repository);
    case "suspension":
      return knownSuspensions(repository.accounts)[0]?.by;
    default: {
      const path = join(repository.monoco, name);
      return existsSync(path) ? readFileSync(path, "utf8") : undefined;
    }
  }
}

const shownChars = 60;
const cut = (text: string | undefined): string =>
  text === undefined ? "nothing" : JSON.stringify(text.slice(0, shownChars));

function lost(name: string, promised: string, found: string | undefined): Error {
  return new Error(`${name}: promised ${cut(promised)}, found ${cut(found)}`);
}
