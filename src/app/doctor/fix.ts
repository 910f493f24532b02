/** Applies the fixes that lose nothing: ends orphans, removes the clones of reviews. A relay that another process holds is left alone. */
import type { Finding } from "../../core/doctor/finding.ts";
import { rowOf } from "../../core/doctor/rows.ts";
import { unlessRefused } from "../../core/error/attempt.ts";
import { replay } from "../../core/journal/state.ts";
import { removeClone } from "../../git/clone/workspace.ts";
import { endTree } from "../../relay/session/recover.ts";
import { readJournal } from "../../store/journal.ts";
import { isLocked } from "../../store/lock.ts";
import { placesFor } from "../here.ts";
import type { Here } from "../here.ts";
import { tryRunnerLock } from "../runner-lock.ts";
import { standingOf } from "./gather.ts";
import { mend } from "./runner.ts";

/** Fixes the findings, and returns those that were fixed. */
export async function fixSafe(findings: readonly Finding[], here: Here | undefined): Promise<Finding[]> {
  const fixed: Finding[] = [];
  const safe = findings.filter((one) => rowOf(one).safe);
  for (const finding of safe) if (await fixOne(finding, here)) fixed.push(finding);
  return fixed;
}

async function fixOne(finding: Finding, here: Here | undefined): Promise<boolean> {
  if (!here) return false;
  if (finding.rule.startsWith("ci_")) return mend(here, finding);
  if (finding.rule !== "orphan" && finding.rule !== "clone_left") return false;
  const places = placesFor(here, finding.issue);
  const lock = tryRunnerLock(places.runnerLock);
  // The relay may be in use by now.
  if (!lock) return false;
  try {
    const state = unlessRefused(() => replay(readJournal(places.journal)));
    // The next run would do the same before it collects the session's work.
    if (finding.rule === "orphan") return await endTree(places, state?.sessions.at(-1));
    if (!state || isLocked(places.sessionLock) || standingOf(state) === "open") return false;
    removeClone(finding.path);
    return true;
  } finally {
    lock.release();
  }
}
