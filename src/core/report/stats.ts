/** Statistics over many relays: merges, sessions that made progress, durations, endings, costs. */
import type { RelayEvent, StopReason } from "../journal/event.ts";
import type { RelayState, SessionRecord } from "../journal/relay-state.ts";
import { recordedHere, replay } from "../journal/state.ts";
import { rateOf } from "./escapes.ts";
import type { Merge, Rate } from "./escapes.ts";
import { failures, outsideItsControl } from "../journal/counts.ts";

export type Figures = {
  sessions: number;
  /** The sessions that count; those that ended for outside reasons (a limit, a login, a person, an outage, a dead runner) do not. */
  counted: number;
  /** Of the counted sessions: an Executor that made progress and did not fail, or a Reviewer whose verdict counts. */
  advanced: number;
  meanDurationMs: number | null;
  reasons: Partial<Record<StopReason, number>>;
  handoffs: { agent: number; completed: number; generated: number };
  costUsd: number;
  /** The sessions that reported a cost; `costUsd` is their sum. */
  costKnown: number;
};

/** The schema of `stats --json`. */
export type Stats = {
  since: string | null;
  /** Each opening of an issue is one relay. Success means merged; `left`: done, with its commits left on its branch. */
  relays: { known: number; merged: number; left: number };
  breakerTrips: number;
  all: Figures;
  by: (Figures & { agent: string; role: string; escapes?: Rate })[];
  /** The merges that turned out to be wrong; those of a Reviewer's agent stand beside its figures. */
  escapes: Rate;
};

/** The statistics of sessions that started in this clone, and events and merges that happened, at `sinceMs` or later. */
export function statsOf(
  known: readonly (readonly RelayEvent[])[],
  sinceMs = 0,
  allMerges: readonly Merge[] = [],
): Stats {
  const journals = known.map(recordedHere);
  const merges = allMerges.filter(({ atMs }) => atMs >= sinceMs);
  const recent = journals.map((events) => events.filter(({ atMs }) => atMs >= sinceMs));
  const happened = recent.flat();
  const sessions = journals.flatMap((events) =>
    sessionsOf(replay(events)).filter(({ startedAtMs }) => startedAtMs >= sinceMs),
  );
  const relays = journals.flatMap(openings).map((events) => events.filter(({ atMs }) => atMs >= sinceMs));
  const having = (type: RelayEvent["type"]): number =>
    relays.filter((events) => events.some((event) => event.type === type)).length;
  const count = (is: (event: RelayEvent) => boolean): number => happened.filter(is).length;
  return {
    since: sinceMs === 0 ? null : new Date(sinceMs).toISOString(),
    relays: {
      known: relays.filter((events) => events.length > 0).length,
      merged: having("merge.done"),
      left: having("relay.finished"),
    },
    breakerTrips: count((event) => event.type === "breaker.changed" && event.to === "open"),
    all: figuresOf(sessions),
    by: players(sessions).map(({ agent, role }) => ({
      agent,
      role,
      ...figuresOf(sessions.filter((one) => one.agent === agent && one.role === role)),
      ...(role === "reviewer" ? { escapes: rateOf(merges.filter(approvedBy(agent))) } : {}),
    })),
    escapes: rateOf(merges),
  };
}

const approvedBy =
  (agent: string) =>
  ({ reviewers }: Merge): boolean =>
    reviewers.some((one) => one.agent === agent);

/** The events of each relay in a journal: reopening an issue begins another relay. */
function openings(events: readonly RelayEvent[]): RelayEvent[][] {
  const relays: RelayEvent[][] = [];
  for (const event of events) {
    if (event.type === "relay.opened" || relays.length === 0) relays.push([]);
    relays.at(-1)!.push(event);
  }
  return relays;
}

type Session = SessionRecord & { advanced: boolean };

function sessionsOf({ sessions, submissions }: Pick<RelayState, "sessions" | "submissions">): Session[] {
  const refused = new Set(submissions.flatMap(({ refusals }) => refusals.map(({ session }) => session)));
  return sessions.map((record) => ({
    ...record,
    advanced: hasAdvanced(record) && !refused.has(record.session),
  }));
}

/** Each pair of agent and role, by name. */
function players(sessions: readonly SessionRecord[]): { agent: string; role: string }[] {
  const pairs = sessions.map(({ agent, role }) => [`${agent}\n${role}`, { agent, role }] as const);
  const byKey = new Map(pairs.toSorted(([a], [b]) => (a < b ? -1 : Number(a > b))));
  return [...byKey.values()];
}

function figuresOf(sessions: readonly Session[]): Figures {
  const ended = sessions.flatMap(({ ended: end }) => end ?? []);
  const counted = sessions.filter((session) => session.ended && !outsideItsControl(session));
  const costs = sessions.flatMap(({ costUsd }) => costUsd ?? []);
  return {
    sessions: sessions.length,
    counted: counted.length,
    advanced: counted.filter(({ advanced }) => advanced).length,
    meanDurationMs: ended.length === 0 ? null : sum(ended.map(({ durationMs }) => durationMs)) / ended.length,
    reasons: reasonsOf(ended.map(({ reason }) => reason)),
    handoffs: handoffsOf(sessions),
    costUsd: sum(costs),
    costKnown: costs.length,
  };
}

/** Whether a session advanced: a Reviewer gave a verdict; an Executor submitted, or made progress and did not fail. */
function hasAdvanced({ role, ended }: SessionRecord): boolean {
  if (!ended) return false;
  if (role === "reviewer") return ended.reason === "decided";
  return ended.reason === "submitted" || (ended.progress && !failures.has(ended.reason));
}

/** The stop reasons, the most frequent first. */
function reasonsOf(reasons: readonly StopReason[]): Figures["reasons"] {
  const counts = new Map<StopReason, number>();
  for (const reason of reasons) counts.set(reason, (counts.get(reason) ?? 0) + 1);
  return Object.fromEntries([...counts].toSorted(([, a], [, b]) => b - a));
}

function handoffsOf(sessions: readonly SessionRecord[]): Figures["handoffs"] {
  const handoffs = { agent: 0, completed: 0, generated: 0 };
  for (const { handoff } of sessions) if (handoff) handoffs[handoff.source] += 1;
  return handoffs;
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
