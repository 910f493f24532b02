/** The thresholds that would have been right most often on labelled sessions, and how far that can be trusted. */
import type { ExitPolicy } from "../exit/detection.ts";
import type { EventOf, RelayEvent } from "../journal/event.ts";
import type { Label } from "./labels.ts";
import { rescore } from "./rescore.ts";
import { settingsSchema } from "../settings/settings.ts";
import { evolve, replay } from "../journal/state.ts";
import { scoredBefore, stalledInARow } from "../journal/counts.ts";
import { t } from "../language/translate.ts";

/** With fewer labels a fit learns their accidents. */
export const labelsMin = 20;

/** A label with what a threshold is held against, as it stood after that session. */
export type Example = Label & { project: string; evidence: Evidence };

type Evidence =
  | { scored: EventOf<"signal.scored">; before: { done: boolean; testOnly: boolean }[]; completed: boolean }
  | { stalls: number };

export type Thresholds = Pick<ExitPolicy, "doneSessions" | "testSessions" | "threshold"> & {
  stalledMax: number;
};

export type Fit = {
  labels: number;
  thresholds: Thresholds;
  /** Labels that each gets right: with the thresholds as they are by default, and with those proposed. */
  right: { byDefault: number; fitted: number };
  /** Labels that are right by thresholds fitted to all others; the same with whole projects left out, where there are several. */
  leftOut: { label: number; project: number | null };
  /** Labels that it gains over the defaults, each label left out, and the least gain that chance does not explain. */
  gain: number;
  needed: number;
  /** What it proposes is better than the defaults by more than its error; else: keep these. */
  advice: Advice;
};

export type Advice = "take" | "keep_no_gain" | "keep_within_error" | "keep_other_projects";

/** A proposal on labels that say nothing is as rare as this. */
const chanceMax = 0.05;

/** What can be learnt from one journal's labels; a label whose session was never scored teaches nothing. */
export function examplesOf(
  project: string,
  events: readonly RelayEvent[],
  labels: readonly Label[],
): Example[] {
  const state = replay([]);
  const stalls = new Map<number, number>();
  for (const event of events) {
    const { opening } = state;
    const session = opening?.sessions.at(-1);
    if (opening && session?.ended)
      stalls.set(session.session, Math.max(stalls.get(session.session) ?? 0, stalledInARow(opening)));
    evolve(state, event);
  }
  const { opening } = state;
  return labels.flatMap((label): Example[] => {
    if (label.truth === "stop" || label.truth === "go_on")
      return [{ ...label, project, evidence: { stalls: stalls.get(label.session) ?? 0 } }];
    const record = state.sessions.find(({ session }) => session === label.session);
    // A loop is done by its promise: no threshold has a say.
    if (!opening || !record?.scored || opening.loop) return [];
    const before = scoredBefore(opening, label.session);
    const completed = record.ended?.reason === "completed_without_submit";
    return [{ ...label, project, evidence: { scored: record.scored, before, completed } }];
  });
}

/** Tries every combination of a grid; of equals the one nearest to the defaults wins. Undefined with too few labels. */
export function fitPolicy(examples: readonly Example[]): Fit | undefined {
  if (examples.length < labelsMin) return undefined;
  // Of those that do the same on all labels, the one nearest to the defaults stands for all.
  const tried = new Map<string, { thresholds: Thresholds; row: boolean[] }>();
  for (const thresholds of grid) {
    const row = examples.map((example) => isRight(example, thresholds));
    if (!tried.has(row.join())) tried.set(row.join(), { thresholds, row });
  }
  const candidates = [...tried.values()];
  const rights = candidates.map(({ row }) => row);
  const all = examples.map(() => true);
  const best = bestOf(rights, all);
  const projects = [...new Set(examples.map(({ project }) => project))];
  const byDefault = rights[0]!;
  const seenLess = examples.map((_, out) => rights[bestOf(rights, all.with(out, false))]![out]!);
  const better = count(seenLess.map((right, at) => right && !byDefault[at]));
  const worse = count(seenLess.map((right, at) => !right && byDefault[at]!));
  const gain = better - worse;
  const needed = gainNeeded(better + worse, rights.length);
  const project =
    projects.length < 2 ? null : projects.reduce((sum, one) => sum + rightWithout(one, examples, rights), 0);
  const advice = adviceOn({ gain, needed, elsewhere: project === null ? null : project - count(byDefault) });
  return {
    labels: examples.length,
    thresholds: candidates[best]!.thresholds,
    right: { byDefault: count(byDefault), fitted: count(rights[best]!) },
    leftOut: { label: count(seenLess), project },
    gain,
    needed,
    advice,
  };
}

function adviceOn(found: { gain: number; needed: number; elsewhere: number | null }): Advice {
  if (found.gain <= 0) return "keep_no_gain";
  if (found.gain < found.needed) return "keep_within_error";
  return found.elsewhere !== null && found.elsewhere <= 0 ? "keep_other_projects" : "take";
}

/**
 * Of `labels` on which the fit and the defaults differ, the least gain that chance would not bring to the best of `tried`
 * different policies: the sign test, with the share of each one tried (Bonferroni). More than `labels` where none is enough.
 */
export function gainNeeded(labels: number, tried: number): number {
  let tail = 0;
  let ways = 1;
  for (let worse = 0; worse <= labels / 2; worse++) {
    tail += ways * 0.5 ** labels;
    if (tail * tried > chanceMax) return labels - 2 * worse + 2;
    ways = (ways * (labels - worse)) / (worse + 1);
  }
  return 1;
}

/** Labels of `project` that are right by the thresholds that all other projects propose. */
function rightWithout(
  project: string,
  examples: readonly Example[],
  rights: readonly (readonly boolean[])[],
): number {
  const others = examples.map((example) => example.project !== project);
  const best = rights[bestOf(rights, others)]!;
  return count(best.filter((_, index) => !others[index]));
}

/** The first in the grid that gets most of the labels right that are `used`. */
function bestOf(rights: readonly (readonly boolean[])[], used: readonly boolean[]): number {
  const counts = rights.map((row) => count(row.filter((_, index) => used[index])));
  return counts.indexOf(Math.max(...counts));
}

function count(values: readonly boolean[]): number {
  return values.filter(Boolean).length;
}

function isRight({ truth, evidence }: Example, thresholds: Thresholds): boolean {
  if ("stalls" in evidence) return evidence.stalls >= thresholds.stalledMax === (truth === "stop");
  const policy = { ...defaults.exit, ...thresholds };
  const submits = evidence.completed && rescore(evidence.scored, evidence.before, policy).finished;
  return submits === (truth === "done");
}

const defaults = settingsSchema.parse({});
const asItIs: Thresholds = {
  doneSessions: defaults.exit.doneSessions,
  testSessions: defaults.exit.testSessions,
  threshold: defaults.exit.threshold,
  stalledMax: defaults.limits.stalledMax,
};

/** Every combination, the defaults first and then by how far it lies from them. */
const grid: readonly Thresholds[] = [1, 2, 3, 4]
  .flatMap((doneSessions) => [2, 3, 4, 5].map((testSessions) => ({ doneSessions, testSessions })))
  .flatMap((one) => [0.35, 0.4, 0.55, 0.6, 0.65, 0.75, 0.8].map((threshold) => ({ ...one, threshold })))
  .flatMap((one) => [2, 3, 4, 5, 6].map((stalledMax) => ({ ...one, stalledMax })))
  .toSorted((a, b) => distance(a) - distance(b));

function distance(one: Thresholds): number {
  return (
    Math.abs(one.doneSessions - asItIs.doneSessions) +
    Math.abs(one.testSessions - asItIs.testSessions) +
    Math.abs(one.threshold - asItIs.threshold) * 10 +
    Math.abs(one.stalledMax - asItIs.stalledMax)
  );
}

/** The policy file of a fit: what `extends` takes along to another project. */
export function policyText({ thresholds, labels, right, leftOut, gain, needed }: Fit): string {
  const { doneSessions, testSessions, threshold, stalledMax } = thresholds;
  const elsewhere =
    leftOut.project === null ? "" : t` Each project by a fit to all others: ${leftOut.project}.`;
  const comments = [
    t`Thresholds fitted to ${labels} labels: ${right.fitted} right, by default ${right.byDefault};`,
    t`each label judged by a fit to all others: ${leftOut.label} right, ${gain} more than by default (chance: less than ${needed}).${elsewhere}`,
    t`In monoco.yaml: extends: path/to/this/file`,
  ];
  return `${comments.map((line) => `# ${line}\n`).join("")}exit: { doneSessions: ${doneSessions}, testSessions: ${testSessions}, threshold: ${threshold} }
limits: { stalledMax: ${stalledMax} }
`;
}
