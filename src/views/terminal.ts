/** The output of a run: lines in order, and on a terminal one steady line for each relay below them. */
import type { Line } from "../core/journal/events/line.ts";
import { t } from "../core/language/translate.ts";
import { cutTo, widthOf } from "./columns.ts";
import { paint } from "./paint.ts";
import { io } from "../io/io.ts";
import type { Output } from "../io/io.ts";

/**
 * Prints lines, each after the local time of day, above the live lines, which are rewritten in place. Only a terminal shows live
 * lines; each relay keeps its place among them until `end`, which without a name ends them all.
 */
export type Screen = {
  line(line: Line): void;
  live(name: string, text: string): void;
  end(name?: string): void;
};

/** More live lines would leave no room for the log. */
const liveLinesMax = 12;

export function openScreen(stream: Output): Screen {
  const lives = new Map<string, string>();
  /** The columns of each line that is shown. */
  let shown: number[] = [];
  const clear = (): void => {
    // A terminal that has become narrower has wrapped them.
    const rows = shown.reduce(
      (sum, width) => sum + Math.max(1, Math.ceil(width / (stream.columns ?? 80))),
      0,
    );
    if (rows > 0) stream.write(`\r${rows > 1 ? `\u001b[${rows - 1}A` : ""}\u001b[J`);
    shown = [];
  };
  const draw = (): void => {
    const width = Math.max(20, (stream.columns ?? 80) - 1);
    const all = [...lives.values()];
    const left = all.length - liveLinesMax;
    const some =
      left > 0 ? [...all.slice(0, liveLinesMax - 1), t`… and ${left + 1} more: monoco watch`] : all;
    const lines = some.map((line) => cutTo(line, width));
    stream.write(lines.map((line) => paint("dim", line, stream)).join("\n"));
    shown = lines.map(widthOf);
  };
  return {
    line: ({ tone, text }) => {
      clear();
      stream.write(`${paint("dim", timeOfDay(new Date()), stream)}  ${paint(tone, text, stream)}\n`);
      draw();
    },
    live: (name, text) => {
      if (!stream.isTTY || lives.get(name) === text) return;
      lives.set(name, text.replaceAll("\n", " "));
      clear();
      draw();
    },
    end: (name) => {
      clear();
      if (name === undefined) lives.clear();
      else lives.delete(name);
      draw();
    },
  };
}

/** Rings the bell, on a terminal only. */
export function ringBell(stream: Output = io().stdout): void {
  if (stream.isTTY) stream.write("\u0007");
}

/** The local time as HH:MM:SS. */
function timeOfDay(date: Date): string {
  return date.toTimeString().slice(0, 8);
}
