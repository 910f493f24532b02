/** monoco report: the results of relays, as Markdown, JSON or one HTML file. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { MonocoError } from "../core/error/error.ts";
import { accountOf } from "../core/report/account.ts";
import type { Account } from "../core/report/account.ts";
import { escapesOf } from "../core/report/escapes.ts";
import type { RelayEvent } from "../core/journal/event.ts";
import type { RelayState } from "../core/journal/relay-state.ts";
import { replay } from "../core/journal/state.ts";
import { spendingsIn } from "../store/spendings.ts";
import { plain, plainLine } from "../core/text/sanitize.ts";
import { openHere, othersHere, placesFor, relayIds } from "../app/here.ts";
import type { Here } from "../app/here.ts";
import { noOpenRelay } from "../app/no-relay.ts";
import { overviewHere } from "../app/overview/overview-here.ts";
import { lookAt } from "../app/overview/relay-look.ts";
import { validId } from "../app/valid-id.ts";
import { besideUpstream } from "../git/remotes.ts";
import { readJournal } from "../store/journal.ts";
import { viewJournal } from "../store/journal-view.ts";
import { gitOr } from "../git/git.ts";
import { plainDiff } from "./relay/diff.ts";
import { makeFolder, writeAtomically } from "../store/durable.ts";
import { repositoryPlaces } from "../store/places.ts";
import { accountsMarkdown } from "../views/account.ts";
import type { Accounts } from "../views/account.ts";
import type { Beside } from "../views/account-page.ts";
import { tellFailure } from "../views/failure.ts";
import { entriesOf } from "../views/inbox.ts";
import { printJson } from "../views/json.ts";
import { escapeLines } from "../views/history/escapes.ts";
import { mergesHere } from "../app/overview/escapes-here.ts";
import { sinceTime } from "./options.ts";
import { journalsHere } from "./relay/journals.ts";
import { io, pathHere } from "../io/io.ts";
import { named } from "../core/language/names.ts";
import { t } from "../core/language/translate.ts";

export type ReportFlags = { since?: string; html?: string; escapes: boolean; json: boolean };

export async function report(id: string | undefined, flags: ReportFlags): Promise<number> {
  if (flags.escapes) return reportEscapes(id, flags);
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
    writeAtomically(pathHere(flags.html), await pageOf(here, all));
    io().stdout.write(t`wrote ${plainLine(flags.html, 400)}\n`);
  } else if (flags.json) printJson(accounts);
  else io().stdout.write(accountsMarkdown(all));
  return code;
}

/** Reports the merges that turned out to be wrong. */
async function reportEscapes(id: string | undefined, { since, html, json }: ReportFlags): Promise<number> {
  if (id !== undefined || html !== undefined)
    throw new MonocoError("input", t`--escapes counts all merges: it takes no ID and writes no HTML`, {
      hint: t`monoco report --escapes --since 2026-11-21 --json`,
    });
  const { here, journals, code } = await journalsHere();
  const merges = await mergesHere(
    here,
    journals.map(({ events }) => events),
  );
  const escapes = escapesOf(merges, since === undefined ? 0 : sinceTime(since));
  if (json) printJson(escapes);
  else io().stdout.write(`${escapeLines(escapes).join("\n")}\n`);
  return code;
}

/** The accounts of relays with events since then. Reports a damaged journal, and shows all others. */
async function accountsOf(
  here: Here,
  issues: readonly string[],
  sinceMs: number,
): Promise<{ accounts: Account[]; events: RelayEvent[]; code: number }> {
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
  return { accounts, events: [...journals.values()].flat(), code };
}

/** The accounts as a page, with what only a page shows. What makes a page is loaded for it alone. */
async function pageOf(here: Here, all: Accounts): Promise<string> {
  const [{ accountsPage }, { contextOf }] = await Promise.all([
    import("../views/account-page.ts"),
    import("../app/live/context.ts"),
  ]);
  const style = readFileSync(new URL("../../src/page/style.css", import.meta.url), "utf8");
  const beside = new Map<string, Beside>();
  for (const { issue } of all.accounts) {
    const { opening } = replay(viewJournal(placesFor(here, issue).journal));
    if (!opening) continue;
    const { baseCommit, sessions, settings, submissions } = opening;
    const head = submissions.at(-1)?.head;
    const range = ["diff", "--stat", ...plainDiff, `${baseCommit}...${head}`];
    beside.set(issue, {
      contexts: new Map(sessions.map((one) => [one.session, contextOf(here, issue, one, settings)])),
      handoffs: sessions
        .flatMap(({ handoff }) => handoff ?? [])
        .map(({ session, source, text }) => ({ session, source: named(source), text })),
      stat: head === undefined ? "" : plain(await gitOr(here.repository.git(range), "")).trimEnd(),
    });
  }
  return accountsPage(all, { style, beside });
}

/** Writes a report of a whole run's relays into .monoco, if a session ran or something was merged. Returns the file to open. */
export async function writeReport(
  here: Here,
  { sinceMs, base }: { sinceMs: number; base: string },
): Promise<string | undefined> {
  const { reports } = repositoryPlaces(here.repository.root, io().env);
  const { accounts, events } = await accountsOf(here, relayIds(here), sinceMs);
  const isWork = ({ type, atMs }: RelayEvent): boolean =>
    atMs >= sinceMs && (type === "session.started" || type === "merge.done");
  if (!events.some(isWork)) return undefined;
  const { overview, states } = await overviewHere(here);
  const unpushed = (await besideUpstream(here.repository.git, base))?.ahead ?? 0;
  const top = { needed: entriesOf(overview, states), unpushed };
  const all: Accounts = { accounts, sinceMs, madeAtMs: Date.now(), top };
  const name = `${new Date(sinceMs).toISOString().slice(0, 19).replaceAll(":", "-")}Z`;
  makeFolder(reports);
  writeAtomically(join(reports, `${name}.md`), accountsMarkdown(all));
  writeAtomically(join(reports, `${name}.html`), await pageOf(here, all));
  return join(".monoco", "reports", `${name}.html`);
}
