/** The table of the bench: each row has a figure, what it is next to, and whether its aim is met. */
import { cpus } from "node:os";
import { ratios, spreadOf } from "./rounds.ts";
import type { Spread } from "./rounds.ts";

/** `ratio` is to `beside`, pair by pair; an aim is held against the figure's median, or against the ratio's (`isOfRatio`). */
export type Row = Spread & {
  name: string;
  unit: "ms" | "s" | "MB" | "";
  beside?: string;
  ratio?: Spread;
  aim?: number;
  isOfRatio?: true;
  met?: boolean;
};

/** `nextTo` is what each figure is divided by; `aim` is in the figure's unit, `aimOfRatio` for the ratio. */
type Held = {
  beside?: string;
  nextTo?: readonly number[];
  aim?: number | undefined;
  aimOfRatio?: number | undefined;
};

export function rowOf(name: string, unit: Row["unit"], figures: readonly number[], held: Held = {}): Row {
  const { beside, nextTo, aim, aimOfRatio } = held;
  const ratio = nextTo && spreadOf(ratios(figures, nextTo));
  const own = spreadOf(figures);
  return {
    name,
    unit,
    ...own,
    ...(beside === undefined || !ratio ? {} : { beside, ratio }),
    ...(aim === undefined ? {} : { aim, met: own.median <= aim }),
    ...(aimOfRatio === undefined || !ratio
      ? {}
      : { aim: aimOfRatio, isOfRatio: true as const, met: ratio.median <= aimOfRatio }),
  };
}

export function print(rows: readonly Row[], about: readonly string[]): void {
  const say = (text: string): void => void process.stdout.write(`${text}\n`);
  const cells = rows.map(cellsOf);
  const widths = cells[0]!.map((_, column) => Math.max(...cells.map((row) => row[column]!.length)));
  say(
    `Node ${process.version}, ${cpus().length} processors. Medians; in brackets where the middle half lies.`,
  );
  say(`${about.join("\n")}\n`);
  for (const row of cells)
    say(
      row
        .map((cell, column) => cell.padEnd(widths[column]!))
        .join("  ")
        .trimEnd(),
    );
  const held = rows.filter((row) => row.aim !== undefined);
  say(`\n${held.filter((row) => row.met).length} of ${held.length} aims met.`);
}

function cellsOf(row: Row): string[] {
  const { name, unit, beside, ratio, aim, isOfRatio, met } = row;
  const limit = `${aim} ${isOfRatio ? "×" : unit}`.trimEnd();
  return [
    name,
    `${figure(row)} ${unit}`,
    ratio ? `${figure(ratio)} × ${beside}` : "",
    aim === undefined ? "" : `aim ≤ ${limit}: ${met ? "met" : "NOT met"}`,
  ];
}

function figure({ median, low, high }: Spread): string {
  return `${short(median)} (${short(low)}–${short(high)})`;
}

function short(value: number): string {
  return value < 10 ? value.toFixed(2) : value.toFixed(value < 100 ? 1 : 0);
}
