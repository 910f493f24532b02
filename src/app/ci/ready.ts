/** The issues of the base that a worker can begin now, by the relays of this clone, or by those of the remote. */
import { byId, byPriority, missingOf } from "../../core/backlog/backlog.ts";
import { whyNotNow } from "../../core/lease/ready.ts";
import type { Seen } from "../../core/lease/ready.ts";
import { unlessRefused } from "../../core/error/attempt.ts";
import { replay } from "../../core/journal/state.ts";
import { t } from "../../core/language/translate.ts";
import { phaseOf } from "../../core/relay/phase.ts";
import type { Phase } from "../../core/relay/phase.ts";
import type { Settings } from "../../core/settings/settings.ts";
import { systemClock } from "../../relay/clock.ts";
import { readJournal } from "../../store/journal.ts";
import { isLocked } from "../../store/lock.ts";
import { baseReader } from "../base-issues.ts";
import { carrierHere } from "../carry/carrier.ts";
import { placesFor } from "../here.ts";
import { relaysThere } from "../letters/there.ts";
import type { Here } from "../here.ts";
import { planOf } from "../queue/plan.ts";
import type { Refused } from "../queue/plan.ts";

/** An issue that can begin; `relay` is the phase of the relay that goes on. */
export type Ready = { issue: string; title: string; relay: Phase };
/** An issue that cannot begin now. */
export type Left = { issue: string; because: string };

/** Urgent issues come first. Without ids, all open issues are asked for. */
export async function readyHere(
  here: Here,
  ids: readonly string[],
  settings: Settings & { byRemote: boolean },
): Promise<{ ready: Ready[]; left: Left[] }> {
  const { base, byRemote } = settings;
  const onBase = await baseReader(here, base).read();
  const flags = { base, all: ids.length === 0, ignoreDependencies: false };
  const { works, asked, ...plan } = await planOf(here, ids, { flags, onBase });
  const refused: readonly Refused[] = plan.refused;
  const backlog = byId(works);
  const seenOf = byRemote ? await remoteRelays(here, settings) : localRelays(here);
  const left = refused.map(({ id, error }): Left => ({ issue: id, because: error.message }));
  const ready: Ready[] = [];
  for (const work of works.toSorted(byPriority)) {
    const issue = work.id;
    if (!asked.includes(issue) || refused.some(({ id }) => id === issue)) continue;
    const title = onBase.sound.get(issue)?.card.title;
    if (title === undefined) {
      left.push({ issue, because: t`${base} has no such issue` });
      continue;
    }
    const seen = await seenOf(issue);
    const relay = seen.state ? phaseOf(seen.state) : "none";
    const { open } = missingOf(backlog, work);
    const why =
      whyNotNow(seen, { issue, nowMs: systemClock.nowMs(), asked: ids.includes(issue) }) ??
      // A relay that has begun waits for no other issue.
      (relay === "none" && open.length > 0 ? t`it waits for ${open.join(", ")}` : undefined);
    if (why === undefined) ready.push({ issue, title, relay });
    else left.push({ issue, because: why });
  }
  return { ready, left };
}

type Look = (issue: string) => Promise<Seen>;

function localRelays(here: Here): Look {
  return async (issue) => {
    const { journal, runnerLock } = placesFor(here, issue);
    const state = unlessRefused(() => replay(readJournal(journal)));
    return { state, running: isLocked(runnerLock), letters: false };
  };
}

/** The relays of the remote. Whoever may push could have written them, so they decide no more than which jobs begin. */
async function remoteRelays(here: Here, settings: Settings): Promise<Look> {
  const relays = await relaysThere(carrierHere(here, settings));
  return async (issue) => {
    // What is no journal holds no issue back.
    const there = relays.find((relay) => relay.issue === issue);
    return { ...there, letters: (there?.letters ?? 0) > 0 };
  };
}
