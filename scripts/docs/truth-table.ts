/** When work counts as finished, as a table, from the program's own rules. */
import { finishedBy, indicatorsMin } from "../../src/core/exit/detection.ts";
import type { ExitJudged } from "../../src/core/exit/detection.ts";
import type { ExitFacts } from "../../src/core/reason/exit-schema.ts";
import { table } from "./markdown.ts";

const threshold = 0.6;

type Flat = Pick<ExitJudged, "exitSignal" | "closing" | "promise" | "indicators" | "total"> & {
  checks: ExitFacts["checks"];
  resolved: number;
};

/** A column: its name, and its values in words and as what is judged. */
type Column = { name: string; values: readonly [string, Partial<Flat>][] };
const columns: readonly Column[] = [
  {
    name: "closing answer",
    values: [
      ["not done", { closing: { done: false, remaining: [] } }],
      ["done", { closing: { done: true, remaining: [] } }],
      ["not asked", { closing: undefined }],
    ],
  },
  {
    name: "last checks",
    values: [
      ["failed", { checks: "failed" }],
      ["passed", { checks: "passed" }],
      ["not run", { checks: "not_run" }],
    ],
  },
  {
    name: "`EXIT_SIGNAL`",
    values: [
      ["true", { exitSignal: true }],
      ["false", { exitSignal: false }],
      ["absent", { exitSignal: null }],
    ],
  },
  {
    name: "boxes",
    values: [
      ["all ticked", { resolved: 2 }],
      ["some ticked", { resolved: 1 }],
      ["none ticked", { resolved: 0 }],
    ],
  },
  {
    name: "promise",
    values: [
      ["yes", { promise: true }],
      ["no", { promise: false }],
    ],
  },
  {
    name: "indicators",
    values: [
      [`${indicatorsMin} or more`, { indicators: indicatorsMin }],
      ["fewer", { indicators: indicatorsMin - 1 }],
    ],
  },
  {
    name: "vote",
    values: [
      [`${threshold} or more`, { total: threshold }],
      ["less", { total: threshold - 0.05 }],
    ],
  },
];

/** Of work that has changed files. */
function finished({ checks, resolved, ...judged }: Flat): boolean {
  const facts = { checks, resolved, total: 2, changed: 1 };
  return finishedBy({ ...judged, facts }, { threshold }).finished;
}

type Row = { cells: string[]; finished: boolean };

/** Every combination, with those that differ in nothing that matters written as one: `–` is any value. */
function rowsFor(judged: Partial<Flat>, left: readonly Column[]): Row[] {
  const [column, ...rest] = left;
  if (!column) return [{ cells: [], finished: finished(judged as Flat) }];
  const groups = new Map<string, { words: string[]; rows: Row[] }>();
  for (const [word, value] of column.values) {
    const rows = rowsFor({ ...judged, ...value }, rest);
    const key = JSON.stringify(rows);
    const group = groups.get(key) ?? { words: [], rows };
    group.words.push(word);
    groups.set(key, group);
  }
  return [...groups.values()].flatMap(({ words, rows }) => {
    const cell = words.length === column.values.length ? "–" : words.join(", ");
    return rows.map((row) => ({ cells: [cell, ...row.cells], finished: row.finished }));
  });
}

/** When work counts as finished. */
export function truthTable(): string {
  const head = [...columns.map(({ name }) => name), "put up for review"];
  const rows = rowsFor({}, columns).map(({ cells, finished }) => [...cells, finished ? "**yes**" : "no"]);
  return table(head, rows);
}
