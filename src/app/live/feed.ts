/** A feed of what several repositories show: a snapshot now, and another one whenever something has changed. */
import { statSync, watch } from "node:fs";
import type { FSWatcher } from "node:fs";
import { basename } from "node:path";
import { setTimeout } from "node:timers/promises";
import { attempt } from "../../core/error/attempt.ts";
import { wordsOf } from "../../core/error/error.ts";
import type { RelayState } from "../../core/journal/relay-state.ts";
import { databaseVariable } from "../../core/lease/database.ts";
import { joined } from "../../core/overview/overview.ts";
import type { Overview } from "../../core/overview/overview.ts";
import { keepGit } from "../../git/git.ts";
import { io } from "../../io/io.ts";
import { repositoryPlaces } from "../../store/places.ts";
import type { FleetSeen } from "../fleet/follow.ts";
import type { Here } from "../here.ts";
import { placesFor } from "../here.ts";
import { openKnown } from "../overview/known.ts";
import type { Known } from "../overview/known.ts";
import { overviewHere } from "../overview/overview-here.ts";

/** A repository as last seen; `fault` says why it could not be read again. The states change in place. */
export type RepositoryView = {
  here: Here;
  root: string;
  name: string;
  overview: Overview;
  states: ReadonlyMap<string, RelayState>;
  fault?: string;
  /** Undefined without a database. */
  fleet?: FleetSeen | undefined;
};

export type Snapshot = { seq: number; repositories: RepositoryView[] };

/** Locks, processes and figures of relays are looked at this often, ms: nothing tells of their changes. */
const everyMs = 1_000;
/** Looks that a changed file asks for are at least this far apart, ms. */
const apartMs = 200;
/** Folders that are watched: the system has few watches for all programs, and each relay is looked at without one, too. */
const watchedMax = 200;

/**
 * Yields a snapshot at once, and one after each change, until `signal` aborts. Elapsed times alone are no change: a view counts
 * them from `startedAtMs`.
 */
export async function* openFeed(
  heres: readonly Here[],
  { signal }: { signal: AbortSignal },
): AsyncGenerator<Snapshot, void> {
  const sources = heres.map((here) => ({
    here,
    known: openKnown(),
    last: undefined as RepositoryView | undefined,
  }));
  const leave = heres.map(({ repository }) => keepGit(repository.root));
  const own = new AbortController();
  const fleetOf = io().env[databaseVariable]
    ? (await import("../fleet/follow.ts")).followFleet(heres, AbortSignal.any([signal, own.signal]))
    : () => undefined;
  const hints = openHints(signal);
  let shown = "";
  let seq = 0;
  try {
    while (!signal.aborted) {
      const beganMs = performance.now();
      const repositories: RepositoryView[] = [];
      for (const source of sources) {
        source.last = await lookAgain(source, sources.length === 1);
        repositories.push({ ...source.last, fleet: fleetOf(source.here) });
      }
      hints.watch(repositories.flatMap(foldersOf));
      const print = fingerprint(repositories);
      if (print !== shown) {
        shown = print;
        seq += 1;
        yield { seq, repositories };
      }
      await hints.next(beganMs);
    }
  } finally {
    own.abort();
    hints.close();
    for (const go of leave) go();
  }
}

type Source = { here: Here; known: Known; last: RepositoryView | undefined };

async function lookAgain({ here, known, last }: Source, isAlone: boolean): Promise<RepositoryView> {
  const { root } = here.repository;
  try {
    // Without its folder, a repository would look like one without relays.
    statSync(root);
    return { here, root, name: basename(root), ...(await overviewHere(here, known)) };
  } catch (error) {
    // The only repository is the caller's to refuse; among several, one that cannot be read hides no other.
    if (!last && isAlone) throw error;
    const nothing = { here, root, name: basename(root), overview: joined([]), states: new Map() };
    return { ...(last ?? nothing), fault: wordsOf(error) };
  }
}

/** The folders whose files change when a relay does. */
function foldersOf({ here, overview }: RepositoryView): string[] {
  const { relays, locks } = repositoryPlaces(here.repository.root, io().env);
  const open = overview.items.filter(({ group, sinceMs }) => group !== "done" && sinceMs !== null);
  return [relays, locks, ...open.map(({ id }) => placesFor(here, id).relay)];
}

/** What the views show, without the figures that change by themselves. */
function fingerprint(repositories: readonly RepositoryView[]): string {
  return JSON.stringify(
    repositories.map(({ root, fault, fleet, overview, states }) => [
      root,
      fault,
      fleet,
      // Its ages are words, which nobody else counts.
      typeof fleet === "object" && Math.floor(Date.now() / 60_000),
      overview,
      [...states.values()].map(({ seq }) => seq),
    ]),
    (key, value: unknown) => (changing.has(key) ? undefined : value),
  );
}

const changing = new Set(["atMs", "elapsedMs", "lastOutputMsAgo", "heard"]);

/** Waits between looks, for less time if a watched folder changes. */
function openHints(signal: AbortSignal): {
  watch(folders: readonly string[]): void;
  next(beganMs: number): Promise<void>;
  close(): void;
} {
  const watchers = new Map<string, FSWatcher>();
  let hinted = new AbortController();
  const hint = (): void => hinted.abort();
  signal.addEventListener("abort", hint, { once: true });
  const unwatch = (folder: string): void => {
    watchers.get(folder)?.close();
    watchers.delete(folder);
  };
  const open = (folder: string): void => {
    const watcher = attempt(() => watch(folder, { persistent: false }, hint), undefined);
    watcher?.on("error", () => unwatch(folder));
    if (watcher) watchers.set(folder, watcher);
  };
  return {
    watch: (folders) => {
      const wanted = new Set(folders.slice(0, watchedMax));
      for (const folder of watchers.keys()) if (!wanted.has(folder)) unwatch(folder);
      for (const folder of wanted) if (!watchers.has(folder)) open(folder);
    },
    next: async (beganMs) => {
      await pause(Math.max(apartMs, performance.now() - beganMs), signal);
      await pause(everyMs - (performance.now() - beganMs), hinted.signal);
      hinted = new AbortController();
    },
    close: () => {
      for (const folder of watchers.keys()) unwatch(folder);
    },
  };
}

/** Waits that long, or until the signal aborts. */
async function pause(ms: number, signal: AbortSignal): Promise<void> {
  if (ms > 0) await setTimeout(ms, undefined, { signal }).catch(() => undefined);
}
