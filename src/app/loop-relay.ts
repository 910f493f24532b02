/** The relay under a loop: the existing one for the same work, or a new one under the next free LOOP id. */
import type { News } from "../core/session/news.ts";
import { existsSync } from "node:fs";
import { loopPrefix } from "../core/issue/name.ts";
import { contractOf, isSameLoop } from "../core/prompt/loop.ts";
import type { Loop } from "../core/journal/loop-schema.ts";
import type { Settled } from "../core/settings/layers.ts";
import { isOver } from "../core/relay/phase.ts";
import { replay } from "../core/journal/state.ts";
import { commitOfBase } from "../git/repository.ts";
import { canOpen, openOrResume } from "../relay/open.ts";
import type { FoundIssue } from "../relay/open.ts";
import { openRelay } from "../relay/relay.ts";
import type { Control, Relay } from "../relay/relay.ts";
import { viewJournal } from "../store/journal-view.ts";
import type { Lock } from "../store/lock.ts";
import { placesFor } from "./here.ts";
import type { Here } from "./here.ts";
import { relayIds } from "./here.ts";
import { takeRunnerLock, tryRunnerLock } from "./runner-lock.ts";
import { layOut, loadTerms, setUpRelay } from "./wire.ts";

export type Listen = { control: Control; onProgress(issue: string): (progress: News) => void };

/** Opens or resumes the loop's relay. The caller gets its lock, and releases it. */
export async function openLoop(
  here: Here,
  { loop, settled }: { loop: Loop; settled: Settled },
  listen: Listen,
): Promise<{ relay: Relay; lock: Lock }> {
  const baseCommit = await commitOfBase(here.repository.git, settled.settings.base);
  const terms = loadTerms(here, settled);
  const open = openLoops(here).find((one) => isSameLoop(one.loop, loop));
  const foundFor = (issue: string): FoundIssue => ({
    path: `.monoco/relays/${issue}/issue.md`,
    text: contractOf(issue, loop),
    baseCommit,
    loop,
  });
  const setUp = (issue: string) =>
    setUpRelay(here, issue, { control: listen.control, onProgress: listen.onProgress(issue) });
  if (!open) await canOpen(setUp(firstId), terms, foundFor(firstId));
  layOut(here);
  const { issue, lock } = open
    ? {
        issue: open.issue,
        lock: await takeRunnerLock(placesFor(here, open.issue).runnerLock, open.issue),
      }
    : await nextFree(here);
  try {
    const relay = openRelay(setUp(issue));
    await openOrResume(relay, terms, foundFor(issue));
    return { relay, lock };
  } catch (error) {
    lock.release();
    throw error;
  }
}

const firstId = "LOOP-0001";

function openLoops(here: Here): { issue: string; loop: Loop }[] {
  return loopIds(here).flatMap((issue) => {
    const { opening } = replay(viewJournal(placesFor(here, issue).journal));
    if (!opening?.loop || opening.cleared || isOver(opening)) return [];
    return opening.halted?.phase === "cancelled" ? [] : [{ issue, loop: opening.loop }];
  });
}

function loopIds(here: Here): string[] {
  return relayIds(here).filter((issue) => issue.startsWith(loopPrefix));
}

/** The number above those of all relays and branches. Taking the lock of an unused number reserves it. */
async function nextFree(here: Here): Promise<{ issue: string; lock: Lock }> {
  const refs = await here.repository.git([
    "for-each-ref",
    "--format=%(refname)",
    "refs/monoco",
    "refs/heads/monoco",
  ]);
  const taken = [...refs.matchAll(/\/LOOP-(\d{4,})/g)].map(([, digits]) => Number(digits));
  const own = loopIds(here).map((issue) => Number(issue.slice(loopPrefix.length)));
  for (let number = Math.max(0, ...taken, ...own) + 1; ; number++) {
    const issue = `${loopPrefix}${String(number).padStart(4, "0")}`;
    const { runnerLock, journal } = placesFor(here, issue);
    const lock = tryRunnerLock(runnerLock);
    if (lock && !existsSync(journal)) return { issue, lock };
    lock?.release();
  }
}
