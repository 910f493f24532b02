/** monoco report: the results of relays, as Markdown, JSON or one HTML file. */
import { join } from "node:path";
import { MonocoError } from "../core/error/error.ts";
import { accountOf } from "../core/report/account.ts";
import type { Account } from "../core/report/account.ts";
import type { RelayEvent } from "../core/journal/event.ts";
import type { RelayState } from "../core/journal/relay-state.ts";
import { replay } from "../core/journal/state.ts";
import { spendingsIn } from "../store/spendings.ts";
import { plainLine } from "../core/text/sanitize.ts";
import { openHere, othersHere, placesFor, relayIds } from "../app/here.ts";
import type { Here } from "../app/here.ts";
import { noOpenRelay } from "../app/no-relay.ts";
import { lookAt } from "../app/overview/relay-look.ts";
import { validId } from "../app/valid-id.ts";
import { readJournal } from "../store/journal.ts";
import { writeAtomically } from "../store/durable.ts";
import { repositoryPlaces } from "../store/places.ts";
import { accountsMarkdown } from "../views/account.ts";
import type { Accounts } from "../views/account.ts";
import { accountsPage } from "../views/account-page.ts";
import { tellFailure } from "../views/failure.ts";
import { printJson } from "../views/json.ts";
import { sinceTime } from "./options.ts";
import { io, pathHere } from "../io/io.ts";
import { t } from "../core/language/translate.ts";

export type ReportFlags = { since?: string; html?: string; json: boolean };

export async function report(id: string | undefined, flags: ReportFlags): Promise<number> {
  const here = await openHere();
  const issue = id === undefined ? undefined : validId(id);
  if (issue !== undefined && flags.since !== undefined)
    throw new MonocoError("input", t`an ID or --since, not both`, {
      hint: t`--since chooses the relays itself`,
    });
  if (issue !== undefined && !relayIds(here).includes(issue)) throw await noOpenRelay(here, issue);
  const sinceMs = flags.since === undefined ? null : sinceTime(flags.since);
  const { accounts, code } = await accountsOf(
    here,
    issue === undefined ? relayIds(here) : [issue],
    sinceMs ?? 0,
  );
  const all: Accounts = { accounts, sinceMs, madeAtMs: Date.now() };
  if (flags.html !== undefined) {
    writeAtomically(pathHere(flags.html), accountsPage(all));
    io().stdout.write(t`wrote ${plainLine(flags.html, 400)}\n`);
  } else if (flags.json) printJson(accounts);
  else io().stdout.write(accountsMarkdown(all));
  return code;
}

/** The accounts of relays with events since then. Reports a damaged journal, and shows all others. */
async function accountsOf(
  here: Here,
  issues: readonly string[],
  sinceMs: number,
): Promise<{ accounts: Account[]; code: number }> {
  const accounts: Account[] = [];
  const journals = new Map<string, RelayEvent[]>();
  const states = new Map<string, RelayState>();
  let code = 0;
  const tried = async (issue: string, does: () => Promise<void> | void): Promise<void> => {
    try {
      await does();
    } catch (error) {
      code = Math.max(code, tellFailure(error, issue));
    }
  };
  for (const issue of issues)
    await tried(issue, () => {
      const events = readJournal(placesFor(here, issue).journal);
      states.set(issue, replay(events));
      if ((events.at(-1)?.atMs ?? 0) >= sinceMs) journals.set(issue, events);
    });
  const all = issues.length === 1 ? undefined : spendingsIn(states, othersHere(here));
  for (const [issue, events] of journals)
    await tried(issue, async () => {
      const state = states.get(issue)!;
      const { now } = await lookAt(here, issue, all && { state, elsewhere: all });
      accounts.push(...[accountOf(events, { state, now }) ?? []].flat());
    });
  return { accounts, code };
}

/** Writes a report of a whole run's relays into .monoco. Returns the file to open. */
export async function writeReport(here: Here, sinceMs: number): Promise<string> {
  const { monoco } = repositoryPlaces(here.repository.root, io().env);
  const { accounts } = await accountsOf(here, relayIds(here), sinceMs);
  const all: Accounts = { accounts, sinceMs, madeAtMs: Date.now() };
  writeAtomically(join(monoco, "report.md"), accountsMarkdown(all));
  writeAtomically(join(monoco, "report.html"), accountsPage(all));
  return join(".monoco", "report.html");
}
