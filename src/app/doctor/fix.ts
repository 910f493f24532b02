/** Does what loses nothing: ends orphans, removes what killed commands left. Whoever else is at work on a relay keeps it. */
import type { Finding } from "../../core/doctor/finding.ts";
import { removeTree } from "../../git/folders.ts";
import { removeClone } from "../../git/clone/workspace.ts";
import { standingOf } from "../../core/doctor/repository.ts";
import { isSafe } from "../../core/doctor/doctor.ts";
import { unlessRefused } from "../../core/error/attempt.ts";
import { emptyState } from "../../core/journal/relay-state.ts";
import { replay } from "../../core/journal/state.ts";
import { endTree } from "../../relay/session/recover.ts";
import { existsSync, readdirSync, renameSync } from "node:fs";
import { join } from "node:path";
import { readJournal } from "../../store/journal.ts";
import { io } from "../../io/io.ts";
import { isLocked } from "../../store/lock.ts";
import { repositoryPlaces } from "../../store/places.ts";
import type { RepositoryPlaces } from "../../store/places.ts";
import { tryRunnerLock } from "../runner-lock.ts";
import { placesFor } from "../here.ts";
import type { Here } from "../here.ts";
import { removeAbandoned } from "../temporary.ts";
import { cachesAside } from "./left.ts";
import type { Gathered } from "./gather.ts";

/** Those of the findings that were fixed. */
export async function fixSafe(findings: readonly Finding[], gathered: Gathered): Promise<Finding[]> {
  const fixed: Finding[] = [];
  for (const finding of findings.filter(isSafe)) if (await fixOne(finding, gathered)) fixed.push(finding);
  return fixed;
}

async function fixOne(finding: Finding, { here, temporaries }: Gathered): Promise<boolean> {
  if (finding.rule === "temporary_left") {
    const { path } = finding;
    const issue = temporaries.find((left) => left.path === path)?.issue;
    if (here && path === cachesAside(placesOf(here))) removeTree(path);
    else if (issue === undefined) removeAbandoned(path);
    else if (here)
      await holding(here, issue, () => {
        if (!isLocked(placesFor(here, issue).sessionLock)) removeTree(path);
      });
    return !existsSync(path);
  }
  if (!here) return false;
  if (finding.rule === "orphan") return holding(here, finding.issue, () => endOrphan(here, finding.issue));
  if (finding.rule === "caches_large") return removeCaches(here, finding.path);
  if (finding.rule !== "spare_left") return false;
  const { issue, path } = finding;
  await holding(here, issue, () => {
    const places = placesFor(here, issue);
    if (standingOf(replay(readJournal(places.journal))) !== "open" && !isLocked(places.sessionLock))
      removeClone(path);
  });
  return !existsSync(path);
}

/** False where somebody else holds the relay: what was seen may be in use by now. */
async function holding<T>(here: Here, issue: string, does: () => Promise<T> | T): Promise<T | false> {
  const lock = tryRunnerLock(placesFor(here, issue).runnerLock);
  if (!lock) return false;
  try {
    return await does();
  } finally {
    lock.release();
  }
}

/** Only while nobody is at work in the repository. Put aside first: whoever begins meanwhile makes new ones. */
function removeCaches(here: Here, path: string): boolean {
  const places = placesOf(here);
  const names = existsSync(places.locks) ? readdirSync(places.locks) : [];
  if (names.some((name) => isLocked(join(places.locks, name)))) return false;
  const aside = cachesAside(places);
  removeTree(aside);
  renameSync(path, aside);
  removeTree(aside);
  return true;
}

const placesOf = ({ repository }: Here): RepositoryPlaces => repositoryPlaces(repository.root, io().env);

/** As the next run would, before it collects what the session left. */
async function endOrphan(here: Here, issue: string): Promise<boolean> {
  const places = placesFor(here, issue);
  const state = unlessRefused(() => replay(readJournal(places.journal))) ?? emptyState();
  return endTree(places, state.sessions.at(-1));
}
