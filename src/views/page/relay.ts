/**
 * A relay for people: its sessions in time and in context, its moments and its handoffs. The curves are SVG of our own rather than
 * uPlot's canvas, since the report's page shows the same without a script.
 */
import { h } from "preact";
import type { ComponentChildren, JSX } from "preact";
import { percent, seconds, timeOf, momentOf } from "../../core/text/figures.ts";
import { counted } from "../../core/language/counted.ts";
import { named } from "../../core/language/names.ts";
import type { MomentFacts, RelayFacts, SessionFacts } from "./facts.ts";
import { Inline, Markdown } from "./markdown.ts";
import { t } from "../../core/language/translate.ts";
import { el } from "./el.ts";

const [barHeight, rowHeight, width] = [14, 22, 1_000];

/** A drawing that fills its place; `label` says it in words. */
function drawing(label: string, [across, down]: [number, number], ...of: ComponentChildren[]): JSX.Element {
  const box = {
    viewBox: `0 0 ${across} ${down}`,
    preserveAspectRatio: "none",
    style: { height: `${down}px` },
  };
  return h("svg", { ...box, role: "img", "aria-label": label }, of);
}

type TimelineOf = { sessions: readonly SessionFacts[]; fromMs: number; toMs: number };

/** Each session from its start to its end, to scale; the gaps are waits. */
export function Timeline({ sessions, fromMs, toMs }: TimelineOf): JSX.Element {
  const spanMs = Math.max(1, toMs - fromMs);
  const xOf = (ms: number): number => Math.round(((ms - fromMs) / spanMs) * width);
  const bars = sessions.map((one, at) => {
    const [from, to] = [xOf(one.startedAtMs), xOf(one.endedAtMs ?? toMs)];
    const y = at * rowHeight + 4;
    const begin = xOf(endBefore(sessions, at, fromMs));
    const wait = { x: begin, y: y + barHeight / 2 - 1, width: Math.max(0, from - begin), height: 2 };
    const bar = { x: from, y, width: Math.max(3, to - from), height: barHeight };
    return [
      h("rect", { class: "wait", ...wait }),
      h("rect", { class: `bar ${one.role}`, ...bar }, el("title", sessionWords(one))),
    ];
  });
  return el(
    "div.chart",
    drawing(t`Timeline of the sessions`, [width, sessions.length * rowHeight + 4], bars),
    el("div.axis", el("span", timeOf(fromMs)), el("span", seconds(spanMs)), el("span", timeOf(toMs, fromMs))),
  );
}

/** When the session before this one ended. */
function endBefore(sessions: readonly SessionFacts[], at: number, openedAtMs: number): number {
  return at === 0 ? openedAtMs : (sessions[at - 1]!.endedAtMs ?? sessions[at]!.startedAtMs);
}

/** `1 executor by claude: completed` */
export function sessionWords(one: SessionFacts): string {
  return t`${one.session} ${named(one.role)} by ${one.agent}: ${named(one.reason ?? "running")}`;
}

type SessionsOf = { sessions: readonly SessionFacts[]; openedAtMs: number };

/** The sessions as text, each with its wait before it. */
export function Sessions({ sessions, openedAtMs }: SessionsOf): JSX.Element {
  return el(
    "ol.sessions",
    sessions.map((one, at) => {
      const { durationMs, contextTokens, windowTokens, costUsd, tokens, commits, handoff, evidence } = one;
      const waitMs = Math.max(0, one.startedAtMs - endBefore(sessions, at, openedAtMs));
      const facts = [
        durationMs !== null && seconds(durationMs),
        waitMs >= 1_000 && t`waited ${seconds(waitMs)}`,
        contextTokens !== null && t`context ${percent(contextTokens, windowTokens ?? undefined)}`,
        costUsd !== null && `$${costUsd.toFixed(2)}`,
        tokens && t`${thousands(tokens)} tokens`,
        commits !== null && counted(commits, "commit"),
        handoff !== null && t`handoff: ${named(handoff)}`,
      ];
      const dot = h("span", { class: `dot ${one.role}`, "aria-hidden": "true" });
      return el(
        "li",
        el("div.line", dot, el("strong", sessionWords(one))),
        el("div.dim", facts.filter(Boolean).join(" · ")),
        h(Curve, { session: one }),
        evidence.length > 0 && el("details", el("summary", t`Why it ended`), el("pre", evidence.join("\n"))),
      );
    }),
  );
}

const markAt = (at: number, line: object): JSX.Element => h("line", { class: `mark m${at}`, ...line });

type GaugeOf = { tokens: number; windowTokens: number; marks: readonly number[] };

/** The share of its context that a session has used, with the three marks. */
export function Gauge({ tokens, windowTokens, marks }: GaugeOf): JSX.Element {
  const xOf = (count: number): number => Math.min(100, (count / windowTokens) * 100);
  const lines = marks.map((mark, at) => markAt(at, { x1: xOf(mark), x2: xOf(mark), y1: 0, y2: 10 }));
  const used = h("rect", { x: 0, y: 0, width: xOf(tokens), height: 10 });
  return el("span.gauge", drawing(t`context ${percent(tokens, windowTokens)}`, [100, 10], used, lines));
}

/** The context of a session, with its three marks. */
function Curve({ session }: { session: SessionFacts }): JSX.Element | null {
  const { curve, marks, contextTokens, windowTokens } = session;
  const last = curve.at(-1) ?? contextTokens;
  if (last === null) return null;
  const most = Math.max(...marks, ...curve, 1) * 1.05;
  const yOf = (tokens: number): number => Math.round(60 - (tokens / most) * 60);
  const xOf = (at: number): number => Math.round((at / Math.max(1, curve.length - 1)) * width);
  const points = curve.map((tokens, at) => `${xOf(at)},${yOf(tokens)}`);
  const said = t`Context: ${percent(last, windowTokens ?? undefined)}; marks at ${marks.map(thousands).join(", ")} tokens`;
  return el(
    "figure.curve",
    drawing(
      said,
      [width, 60],
      marks.map((mark, at) => markAt(at, { x1: 0, x2: width, y1: yOf(mark), y2: yOf(mark) })),
      h("polygon", { points: ["0,60", ...points, `${width},${yOf(last)}`, `${width},60`].join(" ") }),
    ),
    el("figcaption.dim", said),
  );
}

function thousands(tokens: number): string {
  return tokens >= 10_000 ? `${Math.round(tokens / 1_000)}k` : String(tokens);
}

/** What happened, a line each. */
export function Moments({ moments }: { moments: readonly Omit<MomentFacts, "seq">[] }): JSX.Element {
  return el(
    "table.moments",
    el(
      "tbody",
      moments.map(({ atMs, text, tone }) =>
        el("tr", el("td.time", momentOf(atMs).slice(5, 19)), h("td", { class: tone }, h(Inline, { text }))),
      ),
    ),
  );
}

/** What a session left to the next one; `children` come below it. */
export function Handoff(
  of: Omit<RelayFacts["handoffs"][number], "text"> & { open: boolean; children?: ComponentChildren },
): JSX.Element {
  return h(
    "details",
    { open: of.open },
    el("summary", t`After session ${of.session} (${of.source})`),
    h(Markdown, { blocks: of.blocks }),
    of.children,
  );
}
