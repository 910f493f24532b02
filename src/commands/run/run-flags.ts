/** What a run is asked for: its flags, and the settings that they put in force here. */
import { MonocoError } from "../../core/error/error.ts";
import type { Waiver } from "../../core/journal/event.ts";
import type { Settled } from "../../core/settings/layers.ts";
import type { QueueFlags, RunQueue } from "../../app/queue/queue.ts";
import { currentSession, refuseFromWithin } from "../../app/session-context.ts";
import { openHere } from "../../app/here.ts";
import { settledHere } from "../../app/settings.ts";
import type { Here } from "../../app/here.ts";
import { pathHere } from "../../io/io.ts";
import { tellNoSandbox } from "./no-sandbox.ts";
import { t } from "../../core/language/translate.ts";

export type RunFlags = {
  jobs: number;
  agent?: string;
  set?: string[];
  /** Policy files: each issue runs under one of them. */
  policy?: string[];
  /** The whole backlog, or what of it is named. */
  all?: boolean;
  /** Open a relay on an issue that says not when it is done. */
  withoutCriteria?: boolean;
  /** Begin an issue though what it depends on is not done. */
  ignoreDependencies?: boolean;
  /** What the Reviewers found beside becomes issues after the merge. */
  followUps?: boolean;
  once: boolean;
  wait: boolean;
  json: boolean;
  resume: boolean;
  /** Wait for new work when all is done. */
  watch?: boolean;
  /** No session begins after this time. */
  until?: string;
};

/** The settings in force: of an issue by itself, and of each policy that shares the issues. */
export type InForce = { here: Here; alone: Settled; policies: Settled[] };

/**
 * Where and under what a run is asked for; `opened` hears of the repository before the settings are read. Throws `input` inside
 * a session, and for policies that cannot be compared.
 */
export async function runHere(
  flags: Pick<RunFlags, "policy" | "set" | "agent">,
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
  refusePolicies(flags.policy ?? []);
  const policies = (flags.policy ?? []).map((policy) => settledHere(here, { ...flags, policy }));
  const alone = settledHere(here, { ...flags, policy: undefined });
  tellNoSandbox(alone.settings);
  return { here, policies, alone };
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

/** Two are compared; the same one twice compares nothing. */
function refusePolicies(files: readonly string[]): void {
  if (files.length < 2) return;
  const [one = "", other = ""] = files;
  const why =
    files.length > 2
      ? t`--policy: ${files.length} policy files, and at most two can be compared`
      : pathHere(one) === pathHere(other) && t`--policy: ${one} is named twice: there is nothing to compare`;
  if (why) throw new MonocoError("input", why, { hint: t`name one policy file, or two different ones` });
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
