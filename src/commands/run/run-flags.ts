/** The flags of a run, and the settings that they put in force here. */
import { MonocoError } from "../../core/error/error.ts";
import type { Waiver } from "../../core/journal/event.ts";
import type { Settled } from "../../core/settings/layers.ts";
import type { QueueFlags, RunQueue } from "../../app/queue/queue.ts";
import { currentSession, refuseFromWithin } from "../../app/session-context.ts";
import { refuseUnsafeRunner } from "../../app/ci/runner.ts";
import { openHere } from "../../app/here.ts";
import { settledHere } from "../../app/settings.ts";
import { io } from "../../io/io.ts";
import type { Here } from "../../app/here.ts";
import { tellNotices } from "./notices.ts";
import { t } from "../../core/language/translate.ts";

export type RunFlags = {
  jobs: number;
  agent?: string;
  set?: string[];
  /** A file of thresholds. */
  policy?: string;
  /** Run the whole backlog, or the named issues of it. */
  all?: boolean;
  /** Open a relay on an issue without acceptance criteria. */
  withoutCriteria?: boolean;
  /** Begin an issue even if its dependencies are not done. */
  ignoreDependencies?: boolean;
  /** After the merge, turn the Reviewers' other findings into issues. */
  followUps?: boolean;
  once: boolean;
  wait: boolean;
  json: boolean;
  resume: boolean;
  /** Wait for new work when all is done. */
  watch?: boolean;
  /** Fast-forward the base to its upstream first. */
  update?: boolean;
  /** No session begins after this time. */
  until?: string;
  /** Run in the background. */
  detach?: boolean;
  /** Take a lease of each relay on the remote. */
  remote?: boolean;
  /** Share the backlog with the workers of a fleet; implies `remote`. */
  fleet?: boolean;
  /** The address of the fleet's database. */
  database?: string;
};

/** The repository of a run, and the settings in force there. */
export type InForce = { here: Here; settled: Settled };

/** `opened` gets the repository before the settings are read. Throws `input` inside a session. */
export async function runHere(
  flags: Pick<RunFlags, "policy" | "set" | "agent" | "remote" | "fleet">,
  opened?: (repository: Here["repository"]) => void,
): Promise<InForce> {
  if (currentSession()) {
    throw new MonocoError("input", t`a session cannot run relays`, {
      hint: t`monoco issue submit, or monoco relay prepare`,
    });
  }
  const here = await openHere();
  opened?.(here.repository);
  refuseFromWithin(here.repository);
  const set = [...(flags.set ?? []), ...(flags.remote || flags.fleet ? ["remote.runs=true"] : [])];
  const settled = settledHere(here, { ...flags, set });
  if (settled.settings.remote?.runs) refuseUnsafeRunner(settled.settings, io().env);
  tellNotices(settled.settings);
  return { here, settled };
}

export function queueFlags(
  { all = false, ignoreDependencies = false, watch = false }: Partial<RunFlags>,
  base: string,
  onIdle?: () => void,
): QueueFlags {
  if (watch && !all)
    throw new MonocoError("input", t`--watch waits for new work of the whole backlog: it needs --all`, {
      hint: "monoco run --all --watch",
    });
  return { base, all, ignoreDependencies, ...(watch && { onIdle }) };
}

export function waivedFor(
  id: string,
  { flags, next }: { flags: Partial<RunFlags>; next: RunQueue },
): Waiver[] {
  return [
    ...(flags.withoutCriteria ? (["criteria"] as const) : []),
    ...(next.waives(id) ? (["dependencies"] as const) : []),
  ];
}
