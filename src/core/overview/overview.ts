/** The overview of a repository's relays and issues: which need a person, and which run, wait, are done or not begun. */
import { byId, circleThrough, missingOf, worksOf } from "../backlog/backlog.ts";
import type { Work } from "../backlog/backlog.ts";
import type { Card } from "../issue/card.ts";
import { rankOf } from "../issue/priority.ts";
import type { Advice, Hint } from "../error/hint-schema.ts";
import { waysOf } from "../journal/steps.ts";
import type { Current } from "../report/current.ts";
import type { RelayReport, SessionReport } from "../report/report.ts";
import { waitsWords } from "../reason/pull-rows.ts";
import { named } from "../language/names.ts";
import { asksForApproval } from "../report/notice.ts";
import { t } from "../language/translate.ts";

export type Group = "needs_you" | "working" | "waiting" | "done" | "not_begun";

/** The groups in the order in which a person deals with them. */
const groups = {
  question: "needs_you",
  approval: "needs_you",
  pull_review: "needs_you",
  stuck: "needs_you",
  frozen: "needs_you",
  cut_off: "needs_you",
  idle: "needs_you",
  unreadable: "needs_you",
  left: "needs_you",
  paused: "needs_you",
  working: "working",
  waiting: "waiting",
  pull_request: "waiting",
  merged: "done",
  taken_over: "done",
  closed: "done",
  cancelled: "done",
  misled: "not_begun",
  ready: "not_begun",
  held: "not_begun",
  put_off: "not_begun",
} as const satisfies Record<string, Group>;

export type Kind = keyof typeof groups;
export const kinds: readonly Kind[] = Object.keys(groups).filter((kind): kind is Kind => kind in groups);

export function groupOf(kind: Kind): Group {
  return groups[kind];
}

/** The reason for an item's group: the relay's reason, or the ids that the issue waits for. */
export type Why =
  | { because: string; rule: string | null }
  | { waitsFor: readonly string[]; how: "open" | "dropped" | "unknown" | "circle" }
  | { waitsFor: readonly [] }
  /** The branch of a person's session that handed over, before any relay took it up. */
  | { handedOver: string };

export type Item = {
  id: string;
  title: string;
  kind: Kind;
  group: Group;
  why: Why;
  hint: Hint;
  priority: string | null;
  /** The time of the last event of its relay. */
  sinceMs: number | null;
  untilMs: number | null;
  /** Whether that event came after this person's last look. */
  fresh: boolean;
  /** The session that runs. */
  running: Running | null;
  /** The last session, whether it runs or not. */
  last: Last | null;
  /** The cost of its sessions; null if none reported one. */
  costUsd: number | null;
  /** The address of the pull request that it waits for. */
  pullRequest: string | null;
};

type Running = Omit<Current, "processAlive" | "stoppedProcess">;
type Last = Pick<
  SessionReport,
  "session" | "role" | "agent" | "reason" | "contextTokens" | "windowTokens" | "durationMs"
>;

/** An item of an issue without a relay. */
const unbegun = {
  priority: null,
  sinceMs: null,
  untilMs: null,
  fresh: false,
  running: null,
  last: null,
  costUsd: null,
  pullRequest: null,
};

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

export type OverviewFacts = {
  relays: readonly SeenRelay[];
  issues: readonly Card[];
  /** Files and journals that cannot be read. */
  unread: readonly { id: string; message: string; hint: Advice }[];
  /** The branches of people's sessions that handed over, by issue. */
  handedOver?: ReadonlyMap<string, string>;
  nowMs: number;
  lastLookMs?: number | undefined;
  background?: Overview["background"];
};

export type Overview = {
  atMs: number;
  lastLookMs: number | null;
  /** The run that goes on in the background; without `pid` on another machine. */
  background: { pid?: number; sinceMs: number } | null;
  /** The items, the most urgent first; each issue and each relay occurs once. */
  items: Item[];
  counts: Record<Kind, number>;
  /** The relays merged since the last look. */
  mergedSince: number;
  /** The total use of the relays; `costKnown` sessions reported a cost. */
  spent: { sessions: number; costKnown: number; costUsd: number };
};

/** The overview that every view shows. */
export function overviewOf(facts: OverviewFacts): Overview {
  const { relays, issues, unread, nowMs, lastLookMs, handedOver } = facts;
  const cards = new Map(issues.map((card) => [card.id, card]));
  const works = byId(worksOf(issues));
  const seen = relays.flatMap(
    (relay) => itemOfRelay(relay, { card: cards.get(relay.issue), lastLookMs }) ?? [],
  );
  const taken = new Set([...seen.map(({ id }) => id), ...unread.map(({ id }) => id)]);
  const rest = issues
    .filter(({ id }) => !taken.has(id))
    .map((card) => itemOfIssue(card, works, handedOver?.get(card.id)));
  const items = [...seen, ...rest, ...unread.map(itemOfUnread)].toSorted(byUrgency);
  const sessions = relays.flatMap(({ report }) => report.sessions);
  const costs = sessions.flatMap(({ costUsd }) => costUsd ?? []);
  const numberOf = (kind: Kind): number => items.filter((item) => item.kind === kind).length;
  return {
    atMs: nowMs,
    lastLookMs: lastLookMs ?? null,
    background: facts.background ?? null,
    items,
    counts: Object.fromEntries(kinds.map((kind) => [kind, numberOf(kind)])) as Record<Kind, number>,
    mergedSince: items.filter(({ kind, fresh }) => kind === "merged" && fresh).length,
    spent: {
      sessions: sessions.length,
      costKnown: costs.length,
      costUsd: costs.reduce((sum, cost) => sum + cost, 0),
    },
  };
}

/** The overview of several repositories together; an id may occur in more than one. */
export function joined(overviews: readonly Overview[]): Overview {
  const [first = overviewOf({ relays: [], issues: [], unread: [], nowMs: 0 }), ...others] = overviews;
  return others.reduce(
    (one, { items, counts, spent, mergedSince, lastLookMs }) => ({
      ...one,
      lastLookMs: one.lastLookMs && lastLookMs && Math.min(one.lastLookMs, lastLookMs),
      background: null,
      items: [...one.items, ...items].toSorted(byUrgency),
      counts: Object.fromEntries(kinds.map((kind) => [kind, one.counts[kind] + counts[kind]])) as Record<
        Kind,
        number
      >,
      mergedSince: one.mergedSince + mergedSince,
      spent: {
        sessions: one.spent.sessions + spent.sessions,
        costKnown: one.spent.costKnown + spent.costKnown,
        costUsd: one.spent.costUsd + spent.costUsd,
      },
    }),
    first,
  );
}

/** The most urgent first. */
export function byUrgency(one: Item, other: Item): number {
  return (
    kinds.indexOf(one.kind) - kinds.indexOf(other.kind) ||
    rankOf(one.priority ?? undefined) - rankOf(other.priority ?? undefined) ||
    (one.sinceMs ?? 0) - (other.sinceMs ?? 0) ||
    (one.id < other.id ? -1 : 1)
  );
}

type Beside = { card: Card | undefined; lastLookMs: number | undefined };

/** The item of a relay; undefined if the issue's file knows better: the relay was cleared, or its issue reopened. */
function itemOfRelay(relay: SeenRelay, { card, lastLookMs }: Beside): Item | undefined {
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
    group: groups[kind],
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

function itemOfIssue(card: Card, works: ReadonlyMap<string, Work>, handedOver: string | undefined): Item {
  const waits = handedOver !== undefined && card.status === "open";
  const { kind, why } = waits ? ({ kind: "idle", why: { handedOver } } as const) : standingOf(card, works);
  const { id, title, priority = null } = card;
  const hint: Hint = waits ? [[{ do: "resume" }]] : kind === "ready" ? [[{ do: "open" }]] : [];
  return {
    id,
    title,
    kind,
    group: groups[kind],
    why,
    hint,
    ...unbegun,
    priority,
  };
}

/** The group of an issue without a relay: done by hand, put off, waiting or ready. */
function standingOf(card: Card, works: ReadonlyMap<string, Work>): { kind: Kind; why: Why } {
  const nothing = { waitsFor: [] } as const;
  if (card.status === "closed") return { kind: "closed", why: nothing };
  if (card.status === "backlog" || card.stage === "freezed" || card.type === "epic")
    return { kind: "put_off", why: nothing };
  const work = works.get(card.id);
  if (!work || work.needs.length === 0) return { kind: "ready", why: nothing };
  const circle = circleThrough(works, card.id);
  if (circle) return { kind: "misled", why: { waitsFor: circle, how: "circle" } };
  const missing = missingOf(works, work);
  for (const how of ["unknown", "dropped"] as const)
    if (missing[how].length > 0) return { kind: "misled", why: { waitsFor: missing[how], how } };
  if (missing.open.length > 0) return { kind: "held", why: { waitsFor: missing.open, how: "open" } };
  return { kind: "ready", why: nothing };
}

function itemOfUnread({ id, message, hint }: OverviewFacts["unread"][number]): Item {
  return {
    id,
    title: "",
    kind: "unreadable",
    group: "needs_you",
    why: { because: message, rule: null },
    hint: waysOf(hint),
    ...unbegun,
  };
}
