/** Looks at relays on the remote: their journals, leases and letters. It fetches, and touches no relay here. */
import { MonocoError, wordsOf } from "../../core/error/error.ts";
import { emptyState } from "../../core/journal/relay-state.ts";
import type { RelayState } from "../../core/journal/relay-state.ts";
import { replay } from "../../core/journal/state.ts";
import { t } from "../../core/language/translate.ts";
import type { There } from "../../core/lease/lease.ts";
import type { Settings } from "../../core/settings/settings.ts";
import { readLease } from "../../git/carry/lease.ts";
import { listRemote } from "../../git/carry/remote.ts";
import { refs } from "../../git/refs.ts";
import { parseJournal } from "../../store/journal.ts";
import { carrierHere, fetchRelays, relaysAsked } from "../carry/carrier.ts";
import { textsIn } from "../carry/own.ts";
import type { Carrier, Commits } from "../carry/own.ts";
import { below } from "../carry/push.ts";
import type { Here } from "../here.ts";
import { slotHere } from "../lease/seen.ts";

export type RelayThere = There & {
  issue: string;
  /** Empty if its journal is not carried. */
  state: RelayState;
  /** Why its journal cannot be read. */
  failed?: MonocoError;
};

/** Those of the relays that the remote has; all without a name. Throws `later` if the remote cannot be reached. */
export async function relaysThere(carrier: Carrier, asked: readonly string[] = ["*"]): Promise<RelayThere[]> {
  const { prefix, remote } = carrier;
  const patterns = asked.map((issue) => `${prefix}/${issue}/*`);
  if (asked.length === 0) return [];
  const listed = below(await listRemote(remote, patterns), `${prefix}/`);
  const there = [...listed.keys()].flatMap((name) => /^(.+)\/(?:head|journal|lease)$/.exec(name)?.[1] ?? []);
  const issues = await relaysAsked(carrier, { ids: [], all: true, there });
  if (issues.length > 0) await fetchRelays(carrier, issues);
  return Promise.all(issues.map((issue) => relayThere(carrier, issue, below(listed, `${issue}/`))));
}

async function relayThere({ here, remote }: Carrier, issue: string, listed: Commits): Promise<RelayThere> {
  const { git } = here.repository;
  const [journal, held] = [listed.get("journal"), listed.get("lease")];
  const ids = [...below(listed, "letters/").keys()];
  const lease = held === undefined ? undefined : await readLease(git, held);
  const there = { issue, remote: remote.name, lease, letters: ids.length, state: emptyState() };
  const ref = `${refs.there(issue)}/journal`;
  try {
    const text = journal === undefined ? "" : (await textsIn(git, journal)).join("");
    if (text === "") return there;
    const state = replay(parseJournal(text, ref));
    return { ...there, state, letters: ids.filter((id) => !state.messageIds.has(id)).length };
  } catch (error) {
    const said = t`what ${remote.name} has as the journal of ${issue} cannot be read: ${wordsOf(error)}`;
    return { ...there, failed: new MonocoError("input", said, { hint: t`git log -p ${ref} shows it` }) };
  }
}

/** Throws `conflict` if another machine holds the relay and the settings say that this clone is one of several machines. */
export async function refuseElsewhere(here: Here, settings: Settings, issue: string): Promise<void> {
  if (!settings.remote?.runs) return;
  const [relay] = await relaysThere(carrierHere(here, settings), [issue]);
  if (relay?.lease && relay.lease.slot !== slotHere(here))
    throw new MonocoError("conflict", t`${issue} runs elsewhere: what is said here is not heard there`, {
      hint: t`the same command with --remote sends it there; monoco status ${issue} --remote shows who holds it`,
    });
}
