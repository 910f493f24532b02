/** One relay: where it stands, what a person can do, its sessions in time and context, handoffs, decisions, and what it prints now. */
import { h } from "preact";
import type { JSX } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { useSignal } from "@preact/signals";
import { section } from "../views/page/evidence.ts";
import type { Act, MomentFacts, RelayFacts, TailFacts } from "../views/page/facts.ts";
import { Inline, Markdown } from "../views/page/markdown.ts";
import { Handoff, Moments, Sessions, Timeline } from "../views/page/relay.ts";
import { addressOf, follow } from "./client.ts";
import type { Of } from "./client.ts";
import { hrefOf } from "./address.ts";
import { Folded, Late } from "./late.ts";
import { Now } from "./inbox-page.ts";
import { Acts, Command } from "./parts.ts";
import { t } from "../core/language/translate.ts";
import { el } from "../views/page/el.ts";

export function RelayPage(of: Of): JSX.Element {
  const facts = useSignal<RelayFacts | undefined>(undefined);
  const moments = useSignal<MomentFacts[]>([]);
  const tail = useSignal<TailFacts[]>([]);
  useEffect(() => {
    document.title = `${of.id} · monoco`;
    return follow(addressOf("relay", of), ({ event, data }) => {
      if (event === "facts") facts.value = data as RelayFacts;
      else if (event === "moment") moments.value = [...moments.value, data as MomentFacts];
      else if (event === "tail") tail.value = data as TailFacts[];
    });
  }, [of.id, of.repository]);
  const now = facts.value;
  if (!now) return el("main", el("h1", of.id), el("p.dim", t`Looking …`));
  const { row, sessions, openedAtMs, handoffs, decisions } = now;
  const toMs = Math.max(...sessions.map(({ endedAtMs }) => endedAtMs ?? Date.now()));
  return el(
    "main",
    el("h1", `${now.id}: ${now.title}`),
    el("p", el("strong", now.phase), ": ", h(Inline, { text: now.because })),
    now.question && el("div.note", h(Inline, { text: now.question })),
    el("p.dim", now.spent),
    row?.running && h(Now, { running: row.running }),
    row && [
      h(Command, row),
      h(Acts, { of: row, acts: [...new Set<Act>([...row.acts, "review"])], href: hrefOf(of, "review") }),
    ],
    row?.running && section(t`Now`, h(Tail, { lines: tail.value })),
    section(t`Sessions`, [
      sessions.length === 0 ? el("p.dim", t`None yet.`) : h(Timeline, { sessions, fromMs: openedAtMs, toMs }),
      h(Sessions, { sessions, openedAtMs }),
    ]),
    handoffs.length > 0 &&
      section(t`Handoffs`, handoffs.map((_, at) => h(HandoffAt, { key: at, handoffs, at })).reverse()),
    section(t`Asked`, h(Markdown, { blocks: now.objective })),
    section(
      t`Decisions`,
      decisions.map(({ seq, what, by, because, lines }) => {
        const summary = [el("strong", what), el("span.dim", ` ${by}: `), because];
        return h(Folded, { key: `${seq} ${what}`, summary, show: () => el("pre", lines.join("\n")) });
      }),
    ),
    section(t`What happened`, h(Moments, { moments: moments.value })),
  );
}

/** Stays at the end unless a person has scrolled up. */
function Tail({ lines }: { lines: readonly TailFacts[] }): JSX.Element {
  const box = useRef<HTMLPreElement>(null);
  const atEnd = useRef(true);
  useEffect(() => {
    if (box.current && atEnd.current) box.current.scrollTop = box.current.scrollHeight;
  });
  return h(
    "pre",
    {
      class: "tail",
      ref: box,
      tabIndex: 0,
      "aria-label": t`What the session prints`,
      onScroll: ({ currentTarget: at }: { currentTarget: HTMLPreElement }) =>
        (atEnd.current = at.scrollHeight - at.scrollTop - at.clientHeight < 40),
    },
    lines.length === 0 ? t`Nothing yet.` : lines.map(({ is, text }) => h("div", { class: is }, text || " ")),
  );
}

function HandoffAt({ handoffs, at }: { handoffs: RelayFacts["handoffs"]; at: number }): JSX.Element {
  const { text, ...one } = handoffs[at]!;
  const before = handoffs[at - 1];
  const show = (): JSX.Element =>
    h(Late, { load: async () => (await import("./diff-view.ts")).textsView(before?.text ?? "", text) });
  return h(
    Handoff,
    { ...one, open: at === handoffs.length - 1 },
    before && h(Folded, { summary: t`The difference to the one before`, show }),
  );
}
