/** A relay's current state: its journal folded, with its locks, processes and kept output. Reads only, and loads no zod. */
import { existsSync, readFileSync, statSync } from "node:fs";
import { isAlive, isStopped, stoppedFrom } from "../../agents/process-identity.ts";
import type { ProcessIdentity } from "../../agents/process-identity.ts";
import { MonocoError } from "../../core/error/error.ts";
import type { RelayState } from "../../core/journal/relay-state.ts";
import { replay } from "../../core/journal/state.ts";
import { commitElsewhere, runningSession } from "../../core/relay/phase.ts";
import type { Current } from "../../core/report/current.ts";
import type { reportOf } from "../../core/report/report.ts";
import { parseLive } from "../../core/session/live.ts";
import { isAncestor } from "../../git/repository.ts";
import { io } from "../../io/io.ts";
import { viewJournal } from "../../store/journal-view.ts";
import { isLocked } from "../../store/lock.ts";
import { repositoryPlaces } from "../../store/places.ts";
import type { Places } from "../../store/places.ts";
import { spendingsReader } from "../../store/spendings.ts";
import type { SpendingsReader } from "../../store/spendings.ts";
import { othersHere, placesFor } from "../here.ts";
import type { Here } from "../here.ts";
import { holderHere } from "../runner-lock.ts";
import { t } from "../../core/language/translate.ts";

export type Look = {
  issue: string;
  state: RelayState;
  /** The part of a report that is not in the journal. */
  now: Parameters<typeof reportOf>[1];
  current: Current | null;
  /** The runner's process, if stopped (SIGSTOP): it holds the lock, and does nothing. */
  stoppedRunner?: number;
  journal: string;
};

const dayMs = 24 * 60 * 60_000;

/** State that a look at many relays has read already. */
export type Read = { state: RelayState; elsewhere: SpendingsReader; isIn?: typeof isAncestor };

/** Looks at the relay. Throws `input` if the issue has none, or its journal is damaged. */
export async function lookAt(here: Here, issue: string, read?: Read): Promise<Look> {
  const places = placesFor(here, issue);
  const state = read?.state ?? replay(viewJournal(places.journal));
  if (state.seq === 0) {
    throw new MonocoError("input", t`${issue} has no relay`, {
      hint: [[{ do: "open", issue, note: t`opens one` }]],
    });
  }
  const runnerAlive = isLocked(places.runnerLock);
  const nowMs = Date.now();
  const { relays } = repositoryPlaces(here.repository.root, io().env);
  const elsewhere = read?.elsewhere ?? spendingsReader(relays, othersHere(here));
  const around = {
    elsewhere: elsewhere({ sinceMs: nowMs - dayMs, except: issue }),
    run: runnerAlive ? state.sessions.at(-1)?.started.run : undefined,
    takenOver: await isTakenOver(here, state, read?.isIn),
  };
  const holder = runnerAlive ? holderHere(places.runnerLock) : undefined;
  return {
    issue,
    state,
    now: { runnerAlive, nowMs, around },
    current: currentOf(state, { places, nowMs }),
    journal: places.journal,
    ...(holder !== undefined && isStopped(holder) ? { stoppedRunner: holder } : {}),
  };
}

function currentOf(state: RelayState, { places, nowMs }: { places: Places; nowMs: number }): Current | null {
  const running = runningSession(state);
  if (!running) return null;
  const session = places.session(running.session, running.role);
  const identity = readJson(session.identity) as ProcessIdentity | undefined;
  const processAlive = identity?.pid !== undefined && isAlive(identity);
  const live = existsSync(session.live) ? parseLive(readFileSync(session.live, "utf8")) : undefined;
  const output = statSync(session.stream, { throwIfNoEntry: false });
  return {
    session: running.session,
    role: running.role,
    agent: running.agent,
    startedAtMs: running.startedAtMs,
    elapsedMs: nowMs - running.startedAtMs,
    limitMs: live ? live.deadlineMs - live.startedAtMs : null,
    processAlive,
    stoppedProcess: (processAlive && stoppedFrom(identity.pid)) || null,
    lastOutputMsAgo: output && output.size > 0 ? nowMs - output.mtimeMs : null,
    contextTokens: live?.contextTokens ?? null,
    windowTokens: live?.windowTokens ?? null,
    windowAssumed: live?.windowAssumed ?? false,
    contextMarks: live?.contextMarks ?? null,
    doing: live?.doing ?? null,
  };
}

async function isTakenOver(
  { repository }: Here,
  { opening }: RelayState,
  isIn = isAncestor,
): Promise<boolean> {
  const commit = commitElsewhere(opening);
  if (!opening || commit === undefined) return false;
  return isIn(repository.git, commit, `refs/heads/${opening.base}`);
}

function readJson(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, "utf8"));
  } catch {
    return undefined;
  }
}
