/** Reads the spending of other relays' sessions from their journals; a stored total could disagree with them. */
import { readdirSync, statSync } from "node:fs";
import { attempt } from "../core/error/attempt.ts";
import { join } from "node:path";
import { issueIdPattern } from "../core/issue/name.ts";
import { spendingOf } from "../core/relay/spending.ts";
import type { Spending } from "../core/relay/spending.ts";
import type { RelayState } from "../core/journal/relay-state.ts";
import { replay } from "../core/journal/state.ts";
import { viewJournal } from "./journal-view.ts";

/** The spending of sessions that belong to no relay: those that propose issues. */
export type Others = () => Spending[];

export type SpendingsReader = (ask: { sinceMs: number; except: string }) => Spending[];

/** The spending in each journal as last read: `relay status` asks for every relay, and a waiting relay asks every second. */
const lastRead = new Map<string, { version: string; spendings: Spending[] }>();

/** The last states of relays in this process, by journal, until the reader has used them. */
const noted = new Map<string, { bytes: number; state: RelayState }>();

/** Notes the state of a journal of this length, so that the reader need not read it again. */
export function noteState(path: string, bytes: number, state: RelayState): void {
  noted.set(path, { bytes, state });
}

/** Reads the relays in `folder`, without `except` and those that are older; a journal is read again only after a change. */
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
        const before = lastRead.get(path);
        if (before?.version === version) return before.spendings;
        const own = noted.get(path);
        noted.delete(path);
        const spendings = own?.bytes === stat.size ? spendingOf(own.state) : readOne(path);
        lastRead.set(path, { version, spendings });
        return spendings;
      }),
  ];
}

/** A reader over states that are loaded already, for one look at all relays. */
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

/** The spending in a journal. A damaged one counts as empty here: its own relay reports the damage. */
function readOne(path: string): Spending[] {
  return attempt(() => spendingOf(replay(viewJournal(path))), []);
}
