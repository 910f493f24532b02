/** What monoco promises to tell of a relay, apart from its words: golden files keep this, so that they outlive the shape of the state. */
import { decide } from "../../../src/core/relay/decide.ts";
import { standings } from "../../../src/core/relay/budget.ts";
import type { EventOf, RelayEvent } from "../../../src/core/journal/event.ts";
import type {
  Opening,
  RelayState,
  SessionRecord,
  SubmissionRecord,
} from "../../../src/core/journal/relay-state.ts";
import { settingsSchema } from "../../../src/core/settings/settings.ts";
import { currentSubmission, phaseOf, runningSession } from "../../../src/core/relay/phase.ts";
import { evolve, replay } from "../../../src/core/journal/state.ts";
import {
  askedInARow,
  failuresInARow,
  findingsRepeated,
  reviewRounds,
  stalledInARow,
  uncharged,
} from "../../../src/core/journal/counts.ts";

/** The relay after all of `events`; and after each of them the phase, the next action, and what has come (+) and gone (-). */
export function viewOf(events: readonly RelayEvent[]): object {
  const state = replay([]);
  let before = viewNow(state);
  const steps = events.map((event) => {
    const now = viewNow(evolve(state, event));
    const changes = changesOf(before, now);
    before = now;
    return `${phaseOf(state)}, then ${next(state)}${changes}`;
  });
  return compact({ ...stateView(state), steps });
}

const viewNow = (state: RelayState): Map<string, string> =>
  new Map(Object.entries(compact(stateView(state))).map(([key, value]) => [key, JSON.stringify(value)]));

/** They are told in full at the end, or follow from the rest. */
const untold: ReadonlySet<string> = new Set([
  "phase",
  "next",
  "sessions",
  "submissions",
  "messagesTaken",
  "counts",
  "spent",
]);

function changesOf(before: ReadonlyMap<string, string>, now: ReadonlyMap<string, string>): string {
  const keys = [...new Set([...before.keys(), ...now.keys()])].filter((key) => !untold.has(key));
  const changed = keys.filter((key) => before.get(key) !== now.get(key)).toSorted();
  return changed.map((key) => ` ${now.has(key) ? "+" : "-"}${key}`).join("");
}

function next(state: RelayState): string {
  if (!state.opening) return "nothing";
  return decide(state, state.opening.settings.limits, state.atMs).do;
}

function stateView(state: RelayState): object {
  const { opening } = state;
  const { halted, merge, merged, finished, breaker, mergeTrouble, refusal, handoff } = opening ?? {};
  return {
    phase: phaseOf(state),
    next: next(state),
    halted: halted?.phase,
    opened: opening && {
      issue: opening.issue,
      title: opening.title,
      base: opening.base,
      baseCommit: opening.baseCommit,
      branch: opening.branch,
      contract: opening.contract.sha256,
      criticality: opening.criticality,
      waived: opening.waived,
      loop: opening.loop,
    },
    settings: opening && changedSettings(opening),
    policy: opening?.policy,
    preset: opening?.preset?.name,
    sessions: state.sessions.map((session) => sessionView(state, session)),
    submissions: state.submissions.map(submissionView),
    currentSubmission: opening && currentSubmission(opening)?.submission,
    question: opening?.question,
    said: opening?.said ?? [],
    messagesTaken: [...state.messageIds].toSorted(),
    handoff: handoff && `of session ${handoff.session}: ${handoff.sha256}`,
    nextIsFresh: opening?.freshSince !== undefined,
    refused: refusal && { by: refusal.by, session: refusal.session, head: refusal.head },
    mergeTrouble: mergeTrouble && {
      submission: mergeTrouble.submission,
      paths: mergeTrouble.type === "merge.conflicted" ? mergeTrouble.paths : undefined,
    },
    mergePrepared: merge && { submission: merge.submission, commit: merge.commit, strategy: merge.strategy },
    mergedAs: merged?.commit,
    leftOnBranch: finished && { commit: finished.commit, pullRequest: finished.pullRequest },
    kept: merged?.kept ?? finished?.kept,
    breaker: breaker && { is: breaker.to, untilMs: breaker.untilMs, coolDownMs: breaker.coolDownMs },
    waitUntilMs: opening?.sinceResume.wait.untilMs,
    suspended: [...(opening?.sinceResume.suspended.values() ?? [])].map(({ account, untilMs }) => ({
      account,
      untilMs,
    })),
    resumedAtMs: opening?.sinceResume.atMs,
    isCleared: opening?.cleared,
    counts: !opening || runningSession(state) ? undefined : countsView(opening),
    spent: spentView(state),
  };
}

function sessionView(state: RelayState, session: SessionRecord): object {
  const { started, ended, handoff, checks, scored } = session;
  return {
    session: session.session,
    role: session.role,
    agent: session.agent,
    isOfEarlierOpening: !state.opening?.sessions.includes(session),
    startedAtMs: session.startedAtMs,
    continues: started.continues,
    given: started.handoff?.session,
    reviews: started.submission,
    agentSessionId: session.agentSessionId,
    isRenamed: session.renamed,
    reason: ended?.reason,
    endedAtMs: ended?.atMs,
    head: ended?.head,
    commits: ended?.commits,
    filesChanged: ended?.filesChanged,
    progress: ended?.progress,
    wip: ended?.wip,
    denied: ended?.denied,
    costUsd: session.costUsd,
    tokens: session.tokens,
    contextTokens: session.contextTokens,
    windowTokens: session.windowTokens,
    extendedMinutes: session.extendedMinutes,
    handoff: handoff?.source,
    checks: colour(checks),
    score: scored?.total,
    saysDone: scored?.done,
    looksFinished: scored?.finished,
    asked: session.asked,
    isSubmitSettled: session.submissionSettled,
  };
}

function submissionView(record: SubmissionRecord): object {
  const { inspection } = record;
  return {
    submission: record.submission,
    head: record.head,
    tree: record.tree,
    by: record.by,
    session: record.session,
    tampered: record.tampered,
    protected: inspection?.protected.map(({ path, kind }) => ({ path, kind })),
    weakened: inspection?.weakened.map(({ file, kind }) => ({ file, kind })),
    checks: colour(record.checks),
    mergeChecks: colour(record.mergeChecks),
    isVerdictDue: record.given !== undefined,
    verdictsRefused: record.refusals.map(({ session, verdict }) => ({ session, verdict })),
    reviews: record.reviews.map(({ by, session, verdict, overrides, findings }) => ({
      by,
      session,
      verdict,
      overrides,
      findings: findings.map(({ id, severity, title, holds }) => ({ id, severity, title, holds })),
    })),
    outcome: record.outcome,
  };
}

function colour(checks: EventOf<"checks.ran"> | undefined): string | undefined {
  return checks && (checks.ok ? "green" : "red");
}

/** Since the opening, or since a person last resumed; what runs is not counted before it has ended. */
function countsView(opening: Opening): object {
  const { sessions, mergeRepairs } = opening.sinceResume;
  return {
    sessionsCharged: sessions.filter((session) => !uncharged(session)).length,
    stalledInARow: stalledInARow(opening),
    failuresInARow: failuresInARow(opening),
    askedInARow: askedInARow(opening),
    reviewRounds: reviewRounds(opening),
    mergeRepairs,
    findingsRepeated: findingsRepeated(opening).map(({ id, rounds }) => ({ id, rounds })),
  };
}

function spentView(state: RelayState): object {
  const counted = { elsewhere: [], run: state.sessions.at(-1)?.started.run, nowMs: state.atMs };
  return {
    costUsd: state.sessions.reduce((sum, { costUsd = 0 }) => sum + costUsd, 0),
    tokens: state.sessions.reduce((sum, { tokens = 0 }) => sum + tokens, 0),
    budgets: standings(state, counted).map(({ span, unit, used, max }) => ({ span, unit, used, max })),
  };
}

/** The settings in force that differ from their defaults, by their keys, each with the place that it was written in. */
function changedSettings({ settings, origins = {} }: Opening): object {
  const defaults = new Map(leaves(settingsSchema.parse({})));
  const changed = leaves(settings).filter(
    ([key, value]) => JSON.stringify(defaults.get(key)) !== JSON.stringify(value),
  );
  return Object.fromEntries(changed.map(([key, value]) => [key, [value, origins[key] ?? "nowhere"]]));
}

function leaves(value: object, prefix = ""): [string, unknown][] {
  return Object.entries(value).flatMap(([key, one]: [string, unknown]) =>
    typeof one === "object" && one !== null && !Array.isArray(one)
      ? leaves(one, `${prefix}${key}.`)
      : [[`${prefix}${key}`, one]],
  );
}

/** Keys in order, and none whose value says nothing: no, zero, or empty. */
function compact(value: unknown): object {
  const kept = Object.entries(value ?? {}).flatMap(([key, one]: [string, unknown]) => {
    const shown = shownAs(one);
    return isNothing(shown) ? [] : [[key, shown] as const];
  });
  return Object.fromEntries(kept.toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

function shownAs(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(shownAs);
  return typeof value === "object" && value !== null ? compact(value) : value;
}

function isNothing(value: unknown): boolean {
  if (typeof value === "object" && value !== null) return Object.keys(value).length === 0;
  return value === undefined || value === false || value === 0 || value === "";
}
