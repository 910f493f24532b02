/** monoco status and inbox with --remote: the same views of the relays on the remote, and who holds each. */
import { MonocoError } from "../../core/error/error.ts";
import type { RelayState } from "../../core/journal/relay-state.ts";
import { t } from "../../core/language/translate.ts";
import { overviewOf } from "../../core/overview/overview.ts";
import type { Item } from "../../core/overview/overview.ts";
import { reportOf } from "../../core/report/report.ts";
import { carrierHere } from "../../app/carry/carrier.ts";
import type { Carrier } from "../../app/carry/own.ts";
import { openHere } from "../../app/here.ts";
import { relaysThere } from "../../app/letters/there.ts";
import type { RelayThere } from "../../app/letters/there.ts";
import { loadSettings } from "../../app/settings.ts";
import { validId } from "../../app/valid-id.ts";
import { refs } from "../../git/refs.ts";
import { io } from "../../io/io.ts";
import { tellFailure } from "../../views/failure.ts";
import { renderInbox } from "../../views/inbox.ts";
import { printJson } from "../../views/json.ts";
import { overviewJson } from "../../views/overview/overview-json.ts";
import { renderStatus, renderStatuses, tellingOf } from "../../views/status.ts";
import type { StatusReport } from "../../views/status.ts";
import { holderWords, lettersWords, thereOf } from "../../views/overview/there.ts";
import type { There } from "../../views/overview/there.ts";
import { chosen, width } from "../inbox.ts";
import type { InboxFlags } from "../inbox.ts";

export async function carrierOfHere(): Promise<Carrier> {
  const here = await openHere();
  return carrierHere(here, loadSettings(here));
}

/** Throws if the remote has no such relay, or its journal cannot be read. */
export async function theRelayThere(carrier: Carrier, id: string): Promise<RelayThere> {
  const issue = validId(id);
  const [relay] = await relaysThere(carrier, issue);
  if (relay?.failed) throw relay.failed;
  if (relay) return relay;
  throw new MonocoError("input", t`${carrier.remote.name} has no relay ${issue}`, {
    hint: t`monoco status --remote lists those that are there; the settings (remote:) name the remote`,
  });
}

export async function statusThere(
  id: string | undefined,
  flags: { all: boolean; json: boolean },
): Promise<number> {
  const carrier = await carrierOfHere();
  if (id !== undefined) {
    const report = statusReport(carrier, await theRelayThere(carrier, id));
    if (flags.json) printJson(report);
    else io().stdout.write(renderStatus(report, Date.now()));
    return 0;
  }
  const relays = await relaysThere(carrier);
  const codes = relays.flatMap(({ issue, failed }) => (failed ? tellFailure(failed, issue) : []));
  const reports = relays.flatMap((relay) => (relay.failed ? [] : statusReport(carrier, relay)));
  if (flags.json) printJson(reports);
  else if (reports.length > 0) io().stdout.write(renderStatuses(reports, flags.all));
  else if (codes.length === 0) io().stdout.write(t`${carrier.remote.name} has no relays yet\n`);
  return Math.max(0, ...codes);
}

function statusReport(carrier: Carrier, relay: RelayThere): StatusReport {
  const { issue, state, lease, letters } = relay;
  const there = thereOf(carrier.remote.name, lease, letters);
  const now = { runnerAlive: lease !== undefined, nowMs: Date.now() };
  const none = { current: null, stoppedRunner: null };
  const journal = `${refs.there(issue)}/journal`;
  return { ...tellingOf({ ...state, remote: true }, now), issue, ...none, journal, there };
}

export async function inboxThere(flags: InboxFlags): Promise<number> {
  if (flags.everywhere) throw new MonocoError("input", t`--remote or --everywhere, not both`);
  const carrier = await carrierOfHere();
  const nowMs = Date.now();
  const found = await relaysThere(carrier);
  const theres = new Map(
    found.map(({ issue, lease, letters }) => [issue, thereOf(carrier.remote.name, lease, letters)]),
  );
  const states = new Map<string, RelayState & { remote: true }>();
  const relays = found.flatMap(({ issue, state, lease, failed }) => {
    if (failed) return [];
    states.set(issue, { ...state, remote: true });
    const report = reportOf(state, { runnerAlive: lease !== undefined, nowMs });
    return [{ issue, atMs: state.atMs, report: { ...report, issue } }];
  });
  const unread = found.flatMap(({ issue: id, failed }) =>
    failed ? [{ id, message: failed.message, hint: failed.hint ?? "" }] : [],
  );
  const all = overviewOf({ relays, issues: [], unread, nowMs });
  const overview = { ...all, items: all.items.map((item) => withHolder(item, theres.get(item.id), nowMs)) };
  const items = chosen(overview, flags);
  const ids = items.filter(({ group }) => items !== overview.items || group === "needs_you");
  if (flags.ids) io().stdout.write(ids.map(({ id }) => `${id}\n`).join(""));
  else if (flags.json) {
    const json = overviewJson({ ...overview, items }, states);
    printJson({ ...json, items: json.items.map((item) => ({ ...item, there: theres.get(item.id) })) });
  } else if (found.length === 0) io().stdout.write(t`${carrier.remote.name} has no relays yet\n`);
  else io().stdout.write(renderInbox({ ...overview, items }, states, { width: width(), all: flags.all }));
  return 0;
}

/** The item with who holds its relay, and how many letters it has not read. */
function withHolder(item: Item, there: There | undefined, nowMs: number): Item {
  const { why } = item;
  if (!there || !("because" in why)) return item;
  const known = [why.because, holderWords(there, nowMs), lettersWords(there)].filter(Boolean);
  return { ...item, why: { ...why, because: known.join(t`; `) } };
}
