/** The item of a relay in the overview: what it waits for, and what a person can do. */
import type { Hint } from "../error/hint-schema.ts";
import type { Card } from "../issue/card.ts";
import { named } from "../language/names.ts";
import { t } from "../language/translate.ts";
import { waitsWords } from "../reason/pull-rows.ts";
import type { Current } from "../report/current.ts";
import { asksForApproval } from "../report/notice.ts";
import type { RelayReport } from "../report/report.ts";
import { groupOf } from "./item.ts";
import type { Item, Kind, Last, Running } from "./item.ts";

/** Processes of a relay that are stopped (SIGSTOP): alive but idle. */
type Processes = {
  stoppedRunner?: number | undefined;
  /** A stopped process of the session, and its process group. */
  stoppedSession?: { pid: number; group: number } | null | undefined;
};

/** A relay as its journal and the machine show it. */
export type SeenRelay = Processes & {
  issue: string;
  running?: Current | null;
  report: RelayReport;
  atMs: number;
  /** Whether its issue is open again on a tree that has the merge. */
  reopened?: boolean;
};

type Beside = { card: Card | undefined; lastLookMs: number | undefined };

/** The item of a relay; undefined if the issue's file knows better: the relay was cleared, or its issue reopened. */
export function itemOfRelay(relay: SeenRelay, { card, lastLookMs }: Beside): Item | undefined {
  const { report, atMs } = relay;
  const kind = kindOf(relay);
  if (kind === undefined) return undefined;
  const { question } = report;
  const verdict = kind === "idle" && isJudged(report) ? report.submissions.at(-1)?.verdict : null;
  const pull = report.phase === "pull_request" ? report.pullRequest : null;
  const waits = pull?.seen ? waitsWords(pull.seen) : report.because;
  const because = verdict ? t`a person has given a verdict: ${named(verdict)}` : waits;
  const stopped = kind === "frozen" ? stoppedIn(relay) : undefined;
  const said = stopped ?? { because, rule: report.rule };
  return {
    id: report.issue,
    title: report.title,
    kind,
    group: groupOf(kind),
    why: kind === "question" && question ? { because: question.text, rule: "question" } : said,
    hint: stopped ? [[{ do: "by_hand", what: stopped.command }]] : hintOf(relay, kind),
    priority: card?.priority ?? null,
    sinceMs: atMs,
    untilMs: report.waitingUntilMs,
    fresh: lastLookMs !== undefined && atMs > lastLookMs,
    running: runningOf(relay),
    last: lastOf(report),
    costUsd: report.sessions.some((session) => session.costUsd !== null) ? report.costUsd : null,
    pullRequest: pull?.url ?? null,
  };
}

/** The session that runs; without its runner, nobody watches it. */
function runningOf({ running, report }: SeenRelay): Running | null {
  if (!running || report.runner === "none") return null;
  const { processAlive: _alive, stoppedProcess: _stopped, ...shown } = running;
  return shown;
}

function lastOf({ sessions }: RelayReport): Last | null {
  const last = sessions.at(-1);
  if (!last) return null;
  const { session, role, agent, reason, contextTokens, windowTokens, durationMs } = last;
  return { session, role, agent, reason, contextTokens, windowTokens, durationMs };
}

/** The stopped process of a relay and the command that resumes it. The runner comes first: without it, nobody watches the session. */
export function stoppedIn({
  stoppedRunner,
  stoppedSession,
}: Processes): { because: string; rule: string; command: string } | undefined {
  if (stoppedRunner !== undefined) {
    const because = t`its runner, process ${stoppedRunner}, is stopped by a signal`;
    return { because, rule: "runner_stopped", command: `kill -CONT ${stoppedRunner}` };
  }
  if (!stoppedSession) return undefined;
  const because = t`its session, process ${stoppedSession.pid}, is stopped by a signal`;
  return { because, rule: "session_stopped", command: `kill -CONT -${stoppedSession.group}` };
}

/** The group of a relay, by its phase and by the state of its runner, never by a recorded flag that nobody cleared. */
function kindOf(relay: SeenRelay): Kind | undefined {
  const { report, reopened } = relay;
  const { phase, rule } = report;
  if (phase === "none" || (phase === "done" && reopened)) return undefined;
  if (phase === "done") {
    if (report.mergedAs !== null || rule === "nothing_changed") return "merged";
    if (rule === "taken_over") return "taken_over";
    return "left";
  }
  if (phase === "cancelled") return "cancelled";
  if (report.runner === "alive" && stoppedIn(relay)) return "frozen";
  if (phase === "pull_request")
    return report.pullRequest?.seen?.decision === "review_required" ? "pull_review" : "pull_request";
  if (report.question) return "question";
  if (phase === "blocked") {
    if (rule === "question" || isJudged(report)) return "idle";
    return rule !== null && asksForApproval(rule) ? "approval" : "stuck";
  }
  if (phase === "paused") return "paused";
  // A session without an end is running, or its runner died.
  const open = report.sessions.at(-1)?.reason === null;
  if (report.runner === "none") return open ? "cut_off" : "idle";
  return report.waitingUntilMs !== null && !open ? "waiting" : "working";
}

/** Whether a person has given the requested verdict, and only the resume is missing. */
function isJudged({ hint, submissions }: RelayReport): boolean {
  return submissions.at(-1)?.decidedBy === "person" && hint.flat().some((step) => step.do === "judge");
}

function hintOf({ report }: SeenRelay, kind: Kind): Hint {
  if (kind === "question") return [[{ do: "answer" }]];
  if (kind === "cut_off" || kind === "idle") return [[{ do: "resume" }]];
  if (kind === "pull_review") return [[{ do: "by_hand", what: report.pullRequest?.url ?? "" }]];
  return report.hint;
}
