/** The inbox: what needs you, what works, what waits and what is done, sorted by need. */
import { h } from "preact";
import type { JSX } from "preact";
import { useEffect } from "preact/hooks";
import { signal } from "@preact/signals";
import type { Group } from "../core/overview/overview.ts";
import { seconds } from "../core/text/figures.ts";
import type { InboxFacts, Row } from "../views/page/facts.ts";
import { Inline } from "../views/page/markdown.ts";
import { Gauge } from "../views/page/relay.ts";
import { follow } from "./client.ts";
import { hrefOf } from "./address.ts";
import { Acts, Command } from "./parts.ts";
import { bound } from "./drafts.ts";
import { t } from "../core/language/translate.ts";
import { el } from "../views/page/el.ts";

const inbox = signal<InboxFacts | undefined>(undefined);
export const filter = signal("");

const groups: readonly Group[] = ["needs_you", "working", "waiting", "done", "not_begun"];

export function titleOf(group: Group): string {
  const titles = {
    needs_you: t`Needs you`,
    working: t`Working`,
    waiting: t`Waiting`,
    done: t`Done`,
    not_begun: t`Not begun`,
  };
  return titles[group];
}

/** Done and not begun are lists without an end: a person opens them. */
const folded: readonly Group[] = ["done", "not_begun"];
const shownMax = 300;

export function InboxPage(): JSX.Element {
  useEffect(() => {
    document.title = "monoco";
    return follow("/api/inbox", ({ data }) => (inbox.value = data as InboxFacts));
  }, []);
  const facts = inbox.value;
  if (!facts) return el("main", el("h1", t`Inbox`), el("p.dim", t`Looking …`));
  const words = filter.value.toLowerCase();
  const rows = facts.rows.filter(({ id, title, text }) =>
    `${id} ${title} ${text}`.toLowerCase().includes(words),
  );
  const needed = rows.filter(({ group }) => group === "needs_you").length;
  document.title = needed > 0 ? `(${needed}) monoco` : "monoco";
  return el(
    "main",
    el("h1.sr", t`Inbox`),
    facts.repositories.map((repository) =>
      h(Counts, { key: repository.root, ...repository, one: facts.repositories.length === 1 }),
    ),
    h("input", {
      type: "search",
      id: "filter",
      "aria-label": t`Filter`,
      placeholder: t`Filter by id, title or reason ( / )`,
      ...bound(filter),
    }),
    groups.map((group) =>
      h(Part, { key: group, group, rows: rows.filter((row) => row.group === group), atMs: facts.atMs }),
    ),
  );
}

function Counts({
  name,
  root,
  head,
  fault,
  one,
}: InboxFacts["repositories"][number] & { one: boolean }): JSX.Element {
  return el(
    "div",
    one ? null : h("h2", { title: root }, name),
    fault ? el("p.note", fault) : null,
    el(
      "dl.counts",
      head.map(([word, text]) => [el("dt", word), el("dd", text)]),
    ),
  );
}

function Part({
  group,
  rows,
  atMs,
}: {
  group: Group;
  rows: readonly Row[];
  atMs: number;
}): JSX.Element | null {
  if (rows.length === 0 && group !== "needs_you") return null;
  const list = [
    rows.length === 0 ? el("p.dim", t`Nothing needs you.`) : null,
    ...rows.slice(0, shownMax).map((row) => h(Entry, { key: `${row.repository} ${row.id}`, row, atMs })),
    rows.length > shownMax ? el("p.dim", t`… and ${rows.length - shownMax} more: filter them`) : null,
  ];
  const title = `${titleOf(group)} · ${rows.length}`;
  return folded.includes(group)
    ? h(
        "details",
        { "data-group": group },
        el("summary", h("h2", { style: { display: "inline-block", border: 0 } }, title)),
        list,
      )
    : h("section", { "data-group": group }, h("h2", { tabIndex: -1 }, title), list);
}

function Entry({ row, atMs }: { row: Row; atMs: number }): JSX.Element {
  const of = { id: row.id, repository: row.name && row.repository };
  const { running, costUsd, sinceMs } = row;
  const cost = costUsd === null ? "" : `$${costUsd.toFixed(2)}`;
  const since = running || sinceMs === null ? "" : ago(atMs - sinceMs);
  return h(
    "article",
    { class: "row", "data-id": row.id },
    el(
      "div.line",
      h("a", { href: hrefOf(of), "data-open": true }, row.id),
      row.name ? el("span.dim", row.name) : null,
      el("span.title", row.title),
      row.fresh ? el("span.warn", t`new`) : null,
      el("span.end", [cost, since].filter(Boolean).join(" · ")),
    ),
    running ? h(Now, { running }) : null,
    h("p", { class: row.group === "needs_you" ? "" : "dim" }, h(Inline, { text: row.text })),
    row.pullRequest?.startsWith("https://")
      ? el("p", h("a", { href: row.pullRequest, rel: "noreferrer" }, row.pullRequest))
      : null,
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
    contextTokens !== null && windowTokens
      ? h(Gauge, { tokens: contextTokens, windowTokens, marks: contextMarks ?? [] })
      : null,
    doing ? el("div", el("code", doing)) : null,
  );
}

/** The clock of running sessions. */
const nowMs = signal(Date.now());
setInterval(() => {
  if (!document.hidden) nowMs.value = Date.now();
}, 1_000);

/** A duration in whole minutes, hours or days. */
function ago(ms: number): string {
  const minutes = Math.max(0, Math.round(ms / 60_000));
  if (minutes < 120) return t`${minutes} min`;
  return minutes < 2_880 ? t`${Math.round(minutes / 60)} h` : t`${Math.round(minutes / 1_440)} days`;
}
