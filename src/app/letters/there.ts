/** Looks at relays on the remote: their journals, leases and letters. It fetches, and touches no relay here. */
import { MonocoError, wordsOf } from "../../core/error/error.ts";
import { issueIdPattern } from "../../core/issue/name.ts";
import { emptyState } from "../../core/journal/relay-state.ts";
import type { RelayState } from "../../core/journal/relay-state.ts";
import { replay } from "../../core/journal/state.ts";
import { t } from "../../core/language/translate.ts";
import type { Lease } from "../../core/lease/lease.ts";
import type { Settings } from "../../core/settings/settings.ts";
import { readLease } from "../../git/carry/lease.ts";
import { listRemote } from "../../git/carry/remote.ts";
import { refs } from "../../git/refs.ts";
import { parseJournal } from "../../store/journal.ts";
import { carrierHere, fetchRelays } from "../carry/carrier.ts";
import { textsIn } from "../carry/own.ts";
import type { Carrier, Commits } from "../carry/own.ts";
import { below } from "../carry/push.ts";
import type { Here } from "../here.ts";
import { slotHere } from "../lease/seen.ts";
import { lettersOf } from "./send.ts";

export type RelayThere = {
  issue: string;
  /** Empty if its journal is not carried. */
  state: RelayState;
  lease: Lease | undefined;
  /** The letters that its journal does not have yet. */
  letters: number;
  /** Why its journal cannot be read. */
  failed?: MonocoError;
};

/** All relays of the remote, or the one that is asked for. Throws `later` if the remote cannot be reached. */
export async function relaysThere(carrier: Carrier, asked = "*"): Promise<RelayThere[]> {
  const { prefix, remote } = carrier;
  const listed = await listRemote(remote, [`${prefix}/${asked}/*`]);
  const names = [...below(listed, `${prefix}/`).keys()].map((name) => name.split("/"));
  const known = names.flatMap(([issue = "", name = "", ...more]) =>
    isKept.test(name) && more.length === 0 && issueIdPattern.test(issue) ? issue : [],
  );
  const issues = [...new Set(known)].toSorted();
  if (issues.length > 0) await fetchRelays(carrier, issues);
  return Promise.all(issues.map((issue) => relayThere(carrier, issue, listed)));
}

/** The refs that show that a relay is there. */
const isKept = /^(?:head|journal|lease)$/;

async function relayThere(carrier: Carrier, issue: string, listed: Commits): Promise<RelayThere> {
  const { here, prefix, remote } = carrier;
  const { git } = here.repository;
  const [journal, held] = ["journal", "lease"].map((name) => listed.get(`${prefix}/${issue}/${name}`));
  const lease = held === undefined ? undefined : await readLease(git, held);
  const folder = `${lettersOf(prefix, issue)}/`;
  const ids = [...listed.keys()].flatMap((ref) => (ref.startsWith(folder) ? ref.slice(folder.length) : []));
  try {
    const text = journal === undefined ? "" : (await textsIn(git, journal)).join("");
    const state = text === "" ? emptyState() : replay(parseJournal(text, `${refs.there(issue)}/journal`));
    const letters = ids.filter((id) => !state.messageIds.has(id)).length;
    return { issue, state, lease, letters };
  } catch (error) {
    const said = t`what ${remote.name} has as the journal of ${issue} cannot be read: ${wordsOf(error)}`;
    const hint = t`git log -p ${refs.there(issue)}/journal shows it`;
    const failed = new MonocoError("input", said, { hint });
    return { issue, state: emptyState(), lease, letters: ids.length, failed };
  }
}

/** Throws `conflict` if another machine holds the relay and the settings say that this clone is one of several machines. */
export async function refuseElsewhere(here: Here, settings: Settings, issue: string): Promise<void> {
  if (!settings.remote?.runs) return;
  const [relay] = await relaysThere(carrierHere(here, settings), issue);
  if (relay?.lease && relay.lease.slot !== slotHere(here))
    throw new MonocoError("conflict", t`${issue} runs elsewhere: what is said here is not heard there`, {
      hint: t`the same command with --remote sends it there; monoco status ${issue} --remote shows who holds it`,
    });
}

/** The error for a relay that is unknown here, and that the remote of the settings has; undefined if it has none, or does not answer. */
export async function onlyThere(
  here: Here,
  { remote: settings }: Settings,
  issue: string,
): Promise<MonocoError | undefined> {
  if (!settings) return undefined;
  const { remote, prefix } = carrierHere(here, { remote: settings });
  const listed = await listRemote(remote, [`${prefix}/${issue}/*`]).catch(() => new Map<string, string>());
  if (listed.size === 0) return undefined;
  return new MonocoError("input", t`${issue} has no relay here, but ${remote.name} has one`, {
    hint: t`monoco status ${issue} --remote shows it; say, answer, stop, issue review and issue submit reach it with --remote`,
  });
}
