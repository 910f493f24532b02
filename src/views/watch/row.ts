/** An issue as a row of the list: its state's sign, what it asks or does, and its session's agent, context, time and cost. */
import type { Item, Kind } from "../../core/overview/item.ts";
import { t } from "../../core/language/translate.ts";
import { timeOf } from "../../core/text/figures.ts";
import { plainLine } from "../../core/text/sanitize.ts";
import { cutTo, widthOf } from "../columns.ts";
import { lineOf } from "../inbox.ts";
import { cell } from "./line.ts";
import type { Piece, ScreenLine } from "./line.ts";

/** An issue of one of the repositories; `key` names it among all. */
export type Row = { key: string; root: string; repository: string; item: Item };

/** The signs need no colour, and take one column in every terminal. */
const signs: Record<Kind, string> = {
  question: "?",
  approval: "!",
  pull_review: "!",
  stuck: "x",
  frozen: "#",
  cut_off: "x",
  idle: "|",
  unreadable: "x",
  left: "!",
  paused: "|",
  working: ">",
  waiting: "~",
  pull_request: "~",
  merged: "+",
  taken_over: "+",
  closed: "+",
  cancelled: "-",
  misled: "x",
  ready: ".",
  held: ".",
  put_off: ".",
};

const toneOf = ({ kind, group }: Item): Piece[0] => {
  if (kind === "stuck" || kind === "frozen" || kind === "cut_off" || kind === "unreadable") return "bad";
  if (group === "needs_you") return "bold";
  if (group === "working") return "good";
  return group === "done" || group === "not_begun" ? "dim" : "plain";
};

export type RowOptions = {
  width: number;
  nowMs: number;
  isSelected: boolean;
  /** Names the repository of each issue. */
  withRepository: boolean;
};

/** From this width on, a row has its issue's title, its session's context and time, and its cost. */
const wordsFrom = 60;

/** Columns are left out from the right as the terminal gets narrower; the sign, the issue, its words and its age always fit. */
export function rowLine({ item, repository }: Row, options: RowOptions): ScreenLine {
  const { width, nowMs, isSelected, withRepository } = options;
  const { running } = item;
  const tone = toneOf(item);
  const where = withRepository ? `${cell(repository, 12)} ` : "";
  const cost = width >= wordsFrom && item.costUsd !== null ? `$${item.costUsd.toFixed(2)}` : "";
  const age = item.sinceMs === null ? "" : shortTime(nowMs - item.sinceMs);
  const agent = width >= 100 ? (running ?? item.last)?.agent : undefined;
  const ends: Piece[] = [
    ...(agent === undefined ? [] : [["dim", ` ${cell(agent, 10)}`] as const]),
    ...(running && width >= wordsFrom ? gauge(running, width >= 100 ? 20 : 10) : []),
    ...(running && width >= wordsFrom ? [["plain", ` ${cell(clockOf(running, nowMs), 9)}`] as const] : []),
    ...(width >= wordsFrom ? [["plain", ` ${cost.padStart(7)}`] as const] : []),
    ["dim", ` ${age.padStart(4)}`],
  ];
  const head = `${isSelected ? ">" : " "}${signs[item.kind]} ${where}${cell(item.id, 10)} `;
  const left = width - [[tone, head] as const, ...ends].reduce((sum, [, text]) => sum + widthOf(text), 0);
  const isNamed = item.title !== "" && width >= (item.kind === "working" ? 100 : wordsFrom);
  const title = isNamed ? `${cutTo(plainLine(item.title), Math.floor(width / 4))} · ` : "";
  return [
    [isSelected ? "bold" : tone, head],
    [
      isSelected ? "bold" : "plain",
      cell(`${title}${lineOf(item)}${untilWords(item, nowMs)}`, Math.max(4, left)),
    ],
    ...ends,
  ];
}

/** When its wait ends, behind what it waits for. */
export function untilWords({ untilMs }: Item, nowMs: number): string {
  return untilMs === null ? "" : t` until ${timeOf(untilMs, nowMs)}`;
}

type Running = NonNullable<Item["running"]>;

/** The context's share of the window, with its three marks: `====|=-|--|---`. */
export function gauge({ contextTokens, windowTokens, contextMarks }: Running, width: number): Piece[] {
  if (contextTokens === null || !windowTokens) return [["plain", " ".repeat(width + 1)]];
  const at = (tokens: number): number => Math.min(width - 1, Math.floor((tokens / windowTokens) * width));
  const marks = (contextMarks ?? []).map(at);
  const filled = contextTokens === 0 ? 0 : at(contextTokens) + 1;
  const cells = Array.from({ length: width }, (_, index) =>
    marks.includes(index) ? "|" : index < filled ? "=" : "-",
  );
  const passed = (contextMarks ?? []).filter((mark) => contextTokens >= mark).length;
  const tone = passed >= 2 ? "bad" : passed === 1 ? "bold" : "plain";
  return [
    ["plain", " "],
    [tone, cells.join("")],
  ];
}

/** `12:30/60m`: the session's time against its limit. */
function clockOf({ startedAtMs, limitMs }: Running, nowMs: number): string {
  const whole = Math.max(0, Math.floor((nowMs - startedAtMs) / 1_000));
  const clock = `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, "0")}`;
  return limitMs === null ? clock : `${clock}/${Math.round(limitMs / 60_000)}m`;
}

/** `5s`, `12m`, `3h`, `9d`: the age of a row. */
export function shortTime(ms: number): string {
  const whole = Math.max(0, Math.floor(ms / 1_000));
  if (whole < 60) return `${whole}s`;
  if (whole < 3_600) return `${Math.floor(whole / 60)}m`;
  return whole < 172_800 ? `${Math.floor(whole / 3_600)}h` : `${Math.floor(whole / 86_400)}d`;
}
