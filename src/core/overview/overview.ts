/** The overview of a repository's relays and issues: which need a person, and which run, wait, are done or not begun. */
import { byId, circleThrough, missingOf, worksOf } from "../backlog/backlog.ts";
import type { Work } from "../backlog/backlog.ts";
import type { Advice, Hint } from "../error/hint-schema.ts";
import type { Card } from "../issue/card.ts";
import { rankOf } from "../issue/priority.ts";
import { waysOf } from "../journal/steps.ts";
import { groupOf, kinds, unbegun } from "./item.ts";
import type { Item, Kind, Why } from "./item.ts";
import { itemOfRelay } from "./relay-item.ts";
import type { SeenRelay } from "./relay-item.ts";

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

function itemOfIssue(card: Card, works: ReadonlyMap<string, Work>, handedOver: string | undefined): Item {
  const waits = handedOver !== undefined && card.status === "open";
  const { kind, why } = waits ? ({ kind: "idle", why: { handedOver } } as const) : standingOf(card, works);
  const { id, title, priority = null } = card;
  const hint: Hint = waits ? [[{ do: "resume" }]] : kind === "ready" ? [[{ do: "open" }]] : [];
  return {
    id,
    title,
    kind,
    group: groupOf(kind),
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
