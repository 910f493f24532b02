/** The inbox: what needs you, what works, what waits and what is done, sorted by need. */
import { h } from "preact";
import type { JSX } from "preact";
import { useEffect, useLayoutEffect } from "preact/hooks";
import { signal } from "@preact/signals";
import type { Signal } from "@preact/signals";
import type { Group } from "../core/overview/item.ts";
import { agoWords, seconds } from "../core/text/figures.ts";
import type { InboxFacts, Row } from "../views/page/facts.ts";
import { Inline } from "../views/page/markdown.ts";
import { Gauge } from "../views/page/relay.ts";
import { follow } from "./client.ts";
import { hrefOf } from "./address.ts";
import { Folded } from "./late.ts";
import { Acts, Command } from "./parts.ts";
import { bound } from "./drafts.ts";
import { t } from "../core/language/translate.ts";
import { el } from "../views/page/el.ts";

const inbox = signal<InboxFacts | undefined>(undefined);
const filter = signal("");

const titles = (): Record<Group, string> => ({
  needs_you: t`Needs you`,
  working: t`Working`,
  waiting: t`Waiting`,
  done: t`Done`,
  not_begun: t`Not begun`,
});

/** Done and not begun are lists without an end: a person opens them. */
const shut: Partial<Record<string, Signal<boolean>>> = { done: signal(true), not_begun: signal(true) };
const shownMax = 300;

export function InboxPage(): JSX.Element {
  useEffect(() => {
    document.title = "monoco";
    return follow("/api/inbox", ({ data }) => (inbox.value = data as InboxFacts));
  }, []);
  // A row that moves takes the focus along.
  const at = document.activeElement;
  useLayoutEffect(() => {
    if (at instanceof HTMLElement && at.isConnected && at !== document.activeElement) at.focus();
  });
  const facts = inbox.value;
  if (!facts) return el("main", el("h1", t`Inbox`), el("p.dim", t`Looking …`));
  const { atMs, repositories } = facts;
  const words = filter.value.toLowerCase();
  const rows = facts.rows.filter((row) => `${row.id} ${row.title} ${row.text}`.toLowerCase().includes(words));
  const needed = rows.filter(({ group }) => group === "needs_you").length;
  document.title = needed > 0 ? `(${needed}) monoco` : "monoco";
  return el(
    "main",
    el("h1.sr", t`Inbox`),
    repositories.map((one) => h(Counts, { key: one.root, ...one, isAlone: repositories.length === 1 })),
    h("input", {
      type: "search",
      id: "filter",
      "aria-label": t`Filter`,
      placeholder: t`Filter by id, title or reason ( / )`,
      ...bound(filter),
    }),
    // One list: a row that changes its group is still the same.
    Object.entries(titles()).flatMap(([group, title]) => {
      const own = rows.filter((row) => row.group === group);
      if (own.length === 0 && group !== "needs_you") return [];
      // A row that a person is in stays.
      const held = at?.closest<HTMLElement>(".row")?.dataset["key"];
      const shown = shut[group]?.value ? own.filter((row) => keyOf(row) === held) : own;
      return [
        h(Head, { key: group, group, title: `${title} · ${own.length}` }),
        own.length === 0 && h("p", { key: "none", class: "dim" }, t`Nothing needs you.`),
        ...shown.slice(0, shownMax).map((row) => h(Entry, { key: keyOf(row), row, atMs })),
        shown.length > shownMax &&
          h("p", { key: `more ${group}`, class: "dim" }, t`… and ${own.length - shownMax} more: filter them`),
      ];
    }),
  );
}

type CountsOf = InboxFacts["repositories"][number] & { isAlone: boolean };

function Counts({ name, root, head, fault, fleet, isAlone }: CountsOf): JSX.Element {
  const [first, ...others] = fleet;
  const lines = head.map(([word, text]) => [el("dt", word), el("dd", text)]);
  return el(
    "div",
    !isAlone && h("h2", { title: root }, name),
    fault && el("p.note", fault),
    el("dl.counts", lines),
    first !== undefined &&
      (others.length === 0
        ? el("p.dim", first)
        : h(Folded, { summary: first, open: true, show: () => el("pre", others.join("\n")) })),
  );
}

const keyOf = ({ repository, id }: Row): string => `${repository} ${id}`;

function Head({ group, title }: { group: string; title: string }): JSX.Element {
  const isShut = shut[group];
  if (!isShut) return h("h2", { "data-group": group }, title);
  const onToggle = ({ currentTarget: { open } }: { currentTarget: HTMLDetailsElement }): boolean =>
    (isShut.value = !open);
  return h("details", { "data-group": group, open: !isShut.value, onToggle }, el("summary", el("h2", title)));
}

function Entry({ row, atMs }: { row: Row; atMs: number }): JSX.Element {
  const of = { id: row.id, repository: row.name && row.repository };
  const { running, costUsd, sinceMs, pullRequest } = row;
  const cost = costUsd === null ? "" : `$${costUsd.toFixed(2)}`;
  const since = running || sinceMs === null ? "" : agoWords(atMs - sinceMs);
  return h(
    "article",
    { class: "row", "data-key": keyOf(row), "data-id": row.id, "data-group": row.group },
    el(
      "div.line",
      h("a", { href: hrefOf(of), "data-open": true }, row.id),
      row.name && el("span.dim", row.name),
      el("span.title", row.title),
      row.fresh && el("span.warn", t`new`),
      el("span.end", [cost, since].filter(Boolean).join(" · ")),
    ),
    running && h(Now, { running }),
    h("p", { class: row.group === "needs_you" ? "" : "dim" }, h(Inline, { text: row.text })),
    pullRequest?.startsWith("https://") &&
      el("p", h("a", { href: pullRequest, rel: "noreferrer" }, pullRequest)),
    el("div.foot", h(Acts, { of: row, acts: row.acts, href: hrefOf(of, "review") }), h(Command, row)),
  );
}

/** What the running session does: its agent, its context, its clock against the limit, its last tool or words. */
export function Now({ running }: { running: NonNullable<Row["running"]> }): JSX.Element {
  const { agent, session, startedAtMs, limitMs, contextTokens, windowTokens, contextMarks, doing } = running;
  const spent = seconds(Math.max(0, nowMs.value - startedAtMs));
  const clock = limitMs === null ? spent : t`${spent} of ${seconds(limitMs)}`;
  return el(
    "div.dim",
    t`session ${session}, ${agent}, ${clock} `,
    contextTokens !== null &&
      windowTokens &&
      h(Gauge, { tokens: contextTokens, windowTokens, marks: contextMarks ?? [] }),
    doing && el("div", el("code", doing)),
  );
}

/** The clock of running sessions. */
const nowMs = signal(Date.now());
setInterval(() => {
  if (!document.hidden) nowMs.value = Date.now();
}, 1_000);
