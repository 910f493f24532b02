/** The relays on the remote for monoco status and inbox with --remote: the same views, and who holds each. */
import { MonocoError } from "../../core/error/error.ts";
import type { RelayState } from "../../core/journal/relay-state.ts";
import { t } from "../../core/language/translate.ts";
import { overviewOf } from "../../core/overview/overview.ts";
import type { Item } from "../../core/overview/item.ts";
import { reportOf } from "../../core/report/report.ts";
import { carrierHere } from "../../app/carry/carrier.ts";
import type { Carrier } from "../../app/carry/own.ts";
import { openHere } from "../../app/here.ts";
import { relaysThere } from "../../app/letters/there.ts";
import type { RelayThere } from "../../app/letters/there.ts";
import type { OverviewHere } from "../../app/overview/overview-here.ts";
import { loadSettings } from "../../app/settings.ts";
import { validId } from "../../app/valid-id.ts";
import { refs } from "../../git/refs.ts";
import { tellFailure } from "../../views/failure.ts";
import { tellingOf } from "../../views/status.ts";
import type { Statuses, StatusReport } from "../../views/status.ts";
import { holderWords, lettersWords } from "../../views/overview/there.ts";

export async function carrierOfHere(): Promise<Carrier> {
  const here = await openHere();
  return carrierHere(here, loadSettings(here));
}

/** Throws if the remote has no such relay, or its journal cannot be read. */
export async function theRelayThere(carrier: Carrier, id: string): Promise<RelayThere> {
  const issue = validId(id);
  const [relay] = await relaysThere(carrier, [issue]);
  if (relay?.failed) throw relay.failed;
  if (relay) return relay;
  throw new MonocoError("input", t`${carrier.remote.name} has no relay ${issue}`, {
    hint: t`monoco status --remote lists those that are there; the settings (remote:) name the remote`,
  });
}

export async function statusThere(id: string): Promise<StatusReport> {
  return statusReport(await theRelayThere(await carrierOfHere(), id));
}

export async function statusesThere(): Promise<Statuses> {
  const carrier = await carrierOfHere();
  const relays = await relaysThere(carrier);
  const codes = relays.flatMap(({ issue, failed }) => (failed ? tellFailure(failed, issue) : []));
  const reports = relays.filter(({ failed }) => !failed).map(statusReport);
  return { reports, codes, none: t`${carrier.remote.name} has no relays yet\n` };
}

function statusReport({ issue, state, remote, lease, letters }: RelayThere): StatusReport {
  const now = { runnerAlive: lease !== undefined, nowMs: Date.now() };
  return {
    ...tellingOf({ ...state, remote: true }, now),
    issue,
    current: null,
    stoppedRunner: null,
    journal: `${refs.there(issue)}/journal`,
    there: { remote, lease, letters },
  };
}

export async function overviewThere(): Promise<OverviewHere> {
  const found = await relaysThere(await carrierOfHere());
  const nowMs = Date.now();
  const read = found.filter(({ failed }) => !failed);
  const relays = read.map(({ issue, state, lease }) => {
    const report = reportOf(state, { runnerAlive: lease !== undefined, nowMs });
    return { issue, atMs: state.atMs, report: { ...report, issue } };
  });
  const unread = found.flatMap(({ issue: id, failed }) =>
    failed ? [{ id, message: failed.message, hint: failed.hint ?? "" }] : [],
  );
  const overview = overviewOf({ relays, issues: [], unread, nowMs });
  const items = overview.items.map((item) => withHolder(item, read, nowMs));
  const states = new Map<string, RelayState & { remote: true }>();
  for (const { issue, state } of read) states.set(issue, { ...state, remote: true });
  return { overview: { ...overview, items }, states };
}

/** The item with who holds its relay, and how many letters nobody has read. */
function withHolder(item: Item, relays: readonly RelayThere[], nowMs: number): Item {
  const there = relays.find(({ issue }) => issue === item.id);
  if (!there || !("because" in item.why)) return item;
  const known = [item.why.because, holderWords(there, nowMs), lettersWords(there)].filter(Boolean);
  return { ...item, why: { ...item.why, because: known.join(t`; `) } };
}
