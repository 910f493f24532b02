/** What the sessions of other relays have used, read from their journals: nothing is kept that could disagree with them. */
import { readdirSync, statSync } from "node:fs";
import { attempt } from "../core/error/attempt.ts";
import { join } from "node:path";
import { issueIdPattern } from "../core/issue/name.ts";
import { spendingOf } from "../core/relay/spending.ts";
import type { Spending } from "../core/relay/spending.ts";
import type { RelayState } from "../core/journal/relay-state.ts";
import { replay } from "../core/journal/state.ts";
import { viewJournal } from "./journal-view.ts";

/** What belongs to no relay: sessions that propose issues. */
export type Others = () => Spending[];

export type SpendingsReader = (ask: { sinceMs: number; except: string }) => Spending[];

/** What was read of each journal: `relay status` asks for every relay, and a waiting one asks each second. */
const known = new Map<string, { version: string; spendings: Spending[] }>();

/** The states of relays that this process runs, by their journals, as long as nobody has asked since their last event. */
const noted = new Map<string, { bytes: number; state: RelayState }>();

/** Of a journal of so many bytes, which its own runner need not have read again. */
export function noteState(path: string, bytes: number, state: RelayState): void {
  noted.set(path, { bytes, state });
}

/** Reads the relays in `folder`, but for `except` and those to which nothing has happened since; each again only when it has grown. */
export function spendingsReader(folder: string, others: Others): SpendingsReader {
  return ({ sinceMs, except }) => [
    ...others(),
    ...namesIn(folder)
      .filter((name) => name !== except && issueIdPattern.test(name))
      .flatMap((name) => {
        const path = join(folder, name, "journal.jsonl");
        const stat = statSync(path, { throwIfNoEntry: false });
        if (!stat || stat.mtimeMs < sinceMs) return [];
        const version = `${stat.ino} ${stat.size} ${stat.mtimeMs}`;
        const before = known.get(path);
        if (before?.version === version) return before.spendings;
        const own = noted.get(path);
        noted.delete(path);
        const spendings = own?.bytes === stat.size ? spendingOf(own.state) : readOne(path);
        known.set(path, { version, spendings });
        return spendings;
      }),
  ];
}

/** The same for one look at all relays, whose states are at hand: no journal is read again. */
export function spendingsIn(states: ReadonlyMap<string, RelayState>, others: Others): SpendingsReader {
  const all = [...states].map(([issue, state]) => ({
    issue,
    atMs: state.atMs,
    spendings: spendingOf(state),
  }));
  return ({ sinceMs, except }) => [
    ...others(),
    ...all.flatMap((one) => (one.issue === except || one.atMs < sinceMs ? [] : one.spendings)),
  ];
}

function namesIn(folder: string): string[] {
  return attempt(() => readdirSync(folder), []);
}

/** Another relay's journal that is damaged is that relay's trouble, and told there. */
function readOne(path: string): Spending[] {
  return attempt(() => spendingOf(replay(viewJournal(path))), []);
}
