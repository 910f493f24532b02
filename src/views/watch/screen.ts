/** The terminal view as lines: the five counts, the list or a page about one issue, the command that deals with it, and the keys. */
import type { RelayState } from "../../core/journal/relay-state.ts";
import type { Group } from "../../core/overview/item.ts";
import type { Overview } from "../../core/overview/overview.ts";
import { t, translatable, translated } from "../../core/language/translate.ts";
import { plainHint } from "../../core/text/sanitize.ts";
import { firstWay } from "../hint.ts";
import { wrapTo } from "../columns.ts";
import { headOf, saidOf } from "../inbox.ts";
import { cell, painted } from "./line.ts";
import type { ScreenLine } from "./line.ts";
import type { Asking, Model, Page, Section } from "./model.ts";
import { rowLine } from "./row.ts";
import type { Row } from "./row.ts";

export type Size = { width: number; height: number };

export type Scene = {
  model: Model;
  overview: Overview;
  shown: readonly Row[];
  /** The chosen row, which a page may keep though the list has lost it. */
  row: Row | undefined;
  /** Its relay's state, for its command. */
  state: RelayState | undefined;
  /** The lines of the page about it. */
  lines: readonly ScreenLine[];
  /** Of the chosen repository, in lines. */
  fleet: readonly string[];
  /** What the last key came to, and what cannot be read. */
  said: ScreenLine | undefined;
  /** The line in which a text is typed, as the terminal gets it. */
  typing: string | undefined;
  everywhere: boolean;
  nowMs: number;
};

/** From this height on, each of the five counts has a line. */
const tallFrom = 18;

/** Exactly `height` lines of at most `width` columns. */
export function screenOf(scene: Scene, { width, height }: Size): string[] {
  const { model } = scene;
  const isList = model.page === "list";
  const head = isList ? headLines(scene, height >= tallFrom) : [];
  const foot = footLines(scene, { width, height });
  const rows = Math.max(1, height - head.length - foot.length);
  const body = isList ? listLines(scene, { width, rows }) : pageLines(scene, rows);
  const whole = [...head, ...body.slice(0, rows)].map((line) => painted(line, width));
  const filled = [
    ...whole,
    ...Array.from({ length: Math.max(0, height - whole.length - foot.length) }, () => ""),
  ];
  const last = foot.map((line) => (line === "typing" ? (scene.typing ?? "") : painted(line, width)));
  return [...filled, ...last].slice(-height);
}

/** The rows of a page at this height. */
export function pageRows(height: number): number {
  return Math.max(1, height - 2);
}

function headLines({ overview, fleet, model, everywhere }: Scene, isTall: boolean): ScreenLine[] {
  const head = headOf(overview);
  const counts: ScreenLine[] = isTall
    ? head.map(([name, text], index) => [[index === 0 ? "bold" : "plain", `${cell(name, 11)} ${text}`]])
    : shortCounts(overview);
  // Its first line has the numbers; a database that is away has no other.
  if (isTall && fleet[0] !== undefined)
    counts.push([[fleet.length > 1 ? "plain" : "dim", `${cell(t`fleet (f)`, 11)} ${fleet[0]}`]]);
  const filter = model.filter === "" ? "" : ` · ${t`filter: ${model.filter}`}`;
  const where = everywhere ? ` · ${t`all repositories`}` : "";
  return [...counts, [["dim", `── ${translated(sectionWords[model.section])}${where}${filter}`]]];
}

/** The counts of the four sections on two lines. */
function shortCounts({ items }: Overview): ScreenLine[] {
  const numberOf = (...groups: Group[]): number => items.filter(({ group }) => groups.includes(group)).length;
  const [needed, working] = [numberOf("needs_you"), numberOf("working", "waiting")];
  const [done, notBegun] = [numberOf("done"), numberOf("not_begun")];
  return [
    [["bold", t`needs you ${needed} · working ${working}`]],
    [["plain", t`done ${done} · not begun ${notBegun}`]],
  ];
}

const sectionWords: Record<Section, string> = translatable({
  all: "all that is not done",
  needs_you: "needs you",
  working: "working and waiting",
  done: "done",
  not_begun: "not begun",
});

function listLines(scene: Scene, { width, rows }: { width: number; rows: number }): ScreenLine[] {
  const { shown, model, nowMs, everywhere } = scene;
  if (shown.length === 0)
    return [[["dim", `  ${t`nothing here; escape shows all that is not done, 3 what is done`}`]]];
  const at = shown.findIndex(({ key }) => key === model.chosen);
  const first = Math.max(0, Math.min(shown.length - rows, at - Math.floor(rows / 2)));
  return shown
    .slice(first, first + rows)
    .map((row) =>
      rowLine(row, { width, nowMs, isSelected: row.key === model.chosen, withRepository: everywhere }),
    );
}

function pageLines({ model, lines }: Scene, rows: number): readonly ScreenLine[] {
  const first = Math.min(model.scroll, Math.max(0, lines.length - rows));
  return lines.slice(first, first + rows);
}

/** The chosen issue, then a question, what was said, or the keys. */
function footLines(scene: Scene, size: Size): (ScreenLine | "typing")[] {
  const { model, row, said } = scene;
  const about = aboutLines(scene, size);
  const refusal = model.draft && said;
  if (model.asking) return [...about, refusal ?? [["bold", translated(askingWords[model.asking])]], "typing"];
  if (model.confirming) return [...about, [["bold", confirmWords(model, row?.item.id ?? "")]]];
  return [...about, said ?? [["dim", translated(keyWords[model.page])]]];
}

/**
 * The chosen issue's title and words, which its row has no room for, and the command that deals with it: always as many lines, so
 * that the list keeps its place.
 */
function aboutLines({ model, row, state }: Scene, { width, height }: Size): ScreenLine[] {
  const { asking, page } = model;
  const room =
    asking && asking !== "filter" ? height / 3 : page === "list" && height >= tallFrom ? height / 6 : 0;
  const command = row ? plainHint(firstWay(row.item.hint, { ...state, issue: row.item.id })) : "";
  const lines: ScreenLine[] = [];
  if (room > 0 && row) {
    lines.push([["bold", `${row.item.id}  ${row.item.title}`]]);
    for (const text of wrapTo(saidOf(row.item), width, Math.floor(room) - 1)) lines.push([["plain", text]]);
  }
  if (command !== "" && !asking) lines.push([["dim", `$ ${command}`]]);
  return Array.from({ length: Math.floor(room) + (asking ? 0 : 1) }, (_, index) => lines[index] ?? []);
}

const askingWords: Record<Asking, string> = translatable({
  answer: "your answer (enter sends it, escape does not):",
  say: "what you say to it (enter sends it, escape does not):",
  changes: "what has to change (enter sends it, escape does not):",
  filter: "words to look for (enter filters, escape shows all):",
});

function confirmWords({ confirming }: Model, id: string): string {
  return confirming === "stop"
    ? t`stop ${id} with a handoff? y, or any other key`
    : t`approve ${id}, and merge it? y, or any other key`;
}

const keyWords: Record<Page, string> = translatable({
  list: "? help  enter open  a answer  s say  v review  d diff  x stop  r resume  / find",
  detail: "? help  esc back  a answer  s say  v review  d diff  x stop  r resume  G end",
  review: "? help  esc back  y approve  n request changes  d diff",
  fleet: "esc back",
  help: "esc back",
});
