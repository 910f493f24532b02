/** The account of a relay for outsiders: the request, the result, who decided what, the use, how to undo it. */
import { criteriaOf } from "../issue/contract.ts";
import { parseIssue } from "../issue/issue.ts";
import type { RelayEvent } from "../journal/event.ts";
import { describeEvent, isChoice } from "../journal/events/records.ts";
import type { Line } from "../journal/events/line.ts";
import type { Opening, RelayState } from "../journal/relay-state.ts";
import type { Criterion } from "../review/verdict-schema.ts";
import type { MergeStrategy } from "../settings/finish-schema.ts";
import { reportOf } from "./report.ts";
import type { RelayReport, SessionReport } from "./report.ts";

export type Moment = Line & { atMs: number };

/** One whose runner died is `cut_off`; it ended after the last event, nobody knows when. */
export type TimedSession = SessionReport & { startedAtMs: number; endedAtMs: number | null };

export type Account = {
  issue: string;
  title: string;
  phase: RelayReport["phase"];
  because: string;
  openedAtMs: number;
  lastAtMs: number;
  objective: string;
  criteria: { text: string; evidence: Criterion[] }[];
  mergedAs: string | null;
  leftOn: RelayReport["leftOn"];
  decided: Moment[];
  timeline: Moment[];
  sessions: TimedSession[];
  /** `costKnown` sessions reported a cost. */
  spent: { sessions: number; costKnown: number; costUsd: number; durationMs: number };
  /** The commit for git revert: a merge by its first parent, or one commit. */
  undo: { commit: string; strategy: MergeStrategy } | null;
};

/** The account of the last opening; undefined if the journal has none. */
export function accountOf(
  events: readonly RelayEvent[],
  { state, now }: { state: RelayState; now: Parameters<typeof reportOf>[1] },
): Account | undefined {
  const { opening } = state;
  if (!opening) return undefined;
  const report = reportOf(state, now);
  const own = events.slice(events.findLastIndex(({ type }) => type === "relay.opened"));
  const { sessions } = report;
  const costs = sessions.flatMap(({ costUsd }) => costUsd ?? []);
  const { issue, title, phase, because, mergedAs, leftOn } = report;
  return {
    issue,
    title,
    phase,
    because,
    openedAtMs: opening.atMs,
    lastAtMs: state.atMs,
    ...askedOf(opening),
    mergedAs,
    leftOn,
    decided: momentsOf(own.filter(isChoice)),
    timeline: momentsOf(own),
    sessions: sessions.map((one, index) => {
      const { startedAtMs, ended } = opening.sessions[index]!;
      const end = !ended && report.runner === "none" ? { reason: "cut_off", endedAtMs: state.atMs } : {};
      return { ...one, startedAtMs, endedAtMs: ended?.atMs ?? null, ...end };
    }),
    spent: {
      sessions: sessions.length,
      costKnown: costs.length,
      costUsd: costs.reduce((sum, cost) => sum + cost, 0),
      durationMs: sessions.reduce((sum, { durationMs }) => sum + (durationMs ?? 0), 0),
    },
    undo: opening.pulled === undefined ? undoOf(own) : null,
  };
}

function momentsOf(events: readonly RelayEvent[]): Moment[] {
  return events.flatMap((event) => {
    const line = describeEvent(event);
    return line ? [{ ...line, atMs: event.atMs }] : [];
  });
}

/** The pinned contract, each criterion with its evidence in the Reviewer's last verdict that counted. */
function askedOf({ contract, submissions }: Opening): Pick<Account, "objective" | "criteria"> {
  const issue = parseIssue(contract.text, contract.path);
  const verdict = submissions.flatMap(({ reviews }) => reviews).findLast(({ by }) => by === "reviewer");
  const criteria = criteriaOf(issue).map((text, index) => ({
    text,
    evidence: (verdict?.criteria ?? []).filter(({ criterion }) => criterion === index + 1),
  }));
  return { objective: issue.objective, criteria };
}

function undoOf(events: readonly RelayEvent[]): Account["undo"] {
  const done = events.findLast((event) => event.type === "merge.done");
  const prepared = events.findLast((event) => event.type === "merge.prepared");
  // A merge elsewhere has another history there.
  if (!done || !prepared || done.pullRequest !== undefined) return null;
  return { commit: done.commit, strategy: prepared.strategy };
}
