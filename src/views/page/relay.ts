/** A relay for people: its sessions in time and in context, its moments and its decisions. Drawn as SVG, so that a page without scripts has the same. */
import { h } from "preact";
import type { ComponentChildren, JSX } from "preact";
import { percent, seconds, timeOf, momentOf } from "../../core/text/figures.ts";
import { counted } from "../../core/language/counted.ts";
import { named } from "../../core/language/names.ts";
import type { MomentFacts, RelayFacts, SessionFacts } from "./facts.ts";
import { Inline, Markdown } from "./markdown.ts";
import { t } from "../../core/language/translate.ts";
import { el } from "./el.ts";

type Span = { fromMs: number; toMs: number };
const [barHeight, rowHeight, width] = [14, 22, 1_000];

/** Each session from its start to its end, to scale; the gaps are waits. */
export function Timeline({
  sessions,
  fromMs,
  toMs,
}: Span & { sessions: readonly SessionFacts[] }): JSX.Element {
  const spanMs = Math.max(1, toMs - fromMs);
  const xOf = (ms: number): number => Math.round(((ms - fromMs) / spanMs) * width);
  const height = sessions.length * rowHeight + 4;
  return el(
    "div.chart",
    h(
      "svg",
      {
        viewBox: `0 0 ${width} ${height}`,
        preserveAspectRatio: "none",
        style: { height: `${height}px` },
        role: "img",
        "aria-label": t`Timeline of the sessions`,
      },
      sessions.map((one, at) => {
        const [from, to] = [xOf(one.startedAtMs), xOf(one.endedAtMs ?? toMs)];
        const y = at * rowHeight + 4;
        const waitFrom = xOf(at === 0 ? fromMs : (sessions[at - 1]!.endedAtMs ?? one.startedAtMs));
        return [
          h("rect", {
            class: "wait",
            x: waitFrom,
            y: y + barHeight / 2 - 1,
            width: Math.max(0, from - waitFrom),
            height: 2,
          }),
          h(
            "rect",
            { class: `bar ${one.role}`, x: from, y, width: Math.max(3, to - from), height: barHeight },
            el("title", sessionWords(one)),
          ),
        ];
      }),
    ),
    el("div.axis", el("span", timeOf(fromMs)), el("span", seconds(spanMs)), el("span", timeOf(toMs, fromMs))),
  );
}

/** `1 executor by claude: completed` */
export function sessionWords(one: SessionFacts): string {
  return t`${one.session} ${named(one.role)} by ${one.agent}: ${named(one.reason ?? "running")}`;
}

/** The sessions as text, each with its wait before it. */
export function Sessions({
  sessions,
  openedAtMs,
}: {
  sessions: readonly SessionFacts[];
  openedAtMs: number;
}): JSX.Element {
  return el(
    "ol.sessions",
    sessions.map((one, at) => {
      const before = at === 0 ? openedAtMs : (sessions[at - 1]!.endedAtMs ?? one.startedAtMs);
      const waitMs = Math.max(0, one.startedAtMs - before);
      const facts = [
        one.durationMs === null ? "" : seconds(one.durationMs),
        waitMs >= 1_000 ? t`waited ${seconds(waitMs)}` : "",
        one.contextTokens === null
          ? ""
          : t`context ${percent(one.contextTokens, one.windowTokens ?? undefined)}`,
        one.costUsd === null ? "" : `$${one.costUsd.toFixed(2)}`,
        one.tokens ? t`${thousands(one.tokens)} tokens` : "",
        one.commits === null ? "" : counted(one.commits, "commit"),
        one.handoff === null ? "" : t`handoff: ${named(one.handoff)}`,
      ];
      return el(
        "li",
        el(
          "div.line",
          h("span", { class: `dot ${one.role}`, "aria-hidden": "true" }),
          el("strong", sessionWords(one)),
        ),
        el("div.dim", facts.filter(Boolean).join(" · ")),
        h(Curve, { session: one }),
        one.evidence.length > 0
          ? el("details", el("summary", t`Why it ended`), el("pre", one.evidence.join("\n")))
          : null,
      );
    }),
  );
}

/** The share of its context that a session has used, with the three marks. */
export function Gauge(of: { tokens: number; windowTokens: number; marks: readonly number[] }): JSX.Element {
  const { tokens, windowTokens, marks } = of;
  const xOf = (count: number): number => Math.min(100, (count / windowTokens) * 100);
  return el(
    "span.gauge",
    h(
      "svg",
      {
        viewBox: "0 0 100 10",
        preserveAspectRatio: "none",
        role: "img",
        "aria-label": t`context ${percent(tokens, windowTokens)}`,
      },
      h("rect", { x: 0, y: 0, width: xOf(tokens), height: 10 }),
      marks.map((mark, at) =>
        h("line", { class: `mark m${at}`, x1: xOf(mark), x2: xOf(mark), y1: 0, y2: 10 }),
      ),
    ),
  );
}

/** The context of a session, with its three marks. */
function Curve({ session }: { session: SessionFacts }): JSX.Element | null {
  const { curve, marks, contextTokens, windowTokens } = session;
  const last = curve.at(-1) ?? contextTokens;
  if (last === null || last === undefined) return null;
  const most = Math.max(...marks, ...curve, 1) * 1.05;
  const yOf = (tokens: number): number => 60 - (tokens / most) * 60;
  const xOf = (at: number): number => (curve.length < 2 ? width : (at / (curve.length - 1)) * width);
  const points = [
    `0,60`,
    ...curve.map((tokens, at) => `${xOf(at).toFixed(1)},${yOf(tokens).toFixed(1)}`),
    `${width},60`,
  ];
  const said = t`Context: ${percent(last, windowTokens ?? undefined)}; marks at ${marks.map(thousands).join(", ")} tokens`;
  return el(
    "figure.curve",
    h(
      "svg",
      { viewBox: `0 0 ${width} 60`, preserveAspectRatio: "none", role: "img", "aria-label": said },
      marks.map((tokens, at) =>
        h("line", { class: `mark m${at}`, x1: 0, x2: width, y1: yOf(tokens), y2: yOf(tokens) }),
      ),
      h("polygon", { points: points.join(" ") }),
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
