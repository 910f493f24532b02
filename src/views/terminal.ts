/** The output of a run: lines in order, and on a terminal one live line below them. */
import type { Line } from "../core/journal/events/line.ts";
import { cutTo } from "./columns.ts";
import { paint } from "./paint.ts";
import { io } from "../io/io.ts";
import type { Output } from "../io/io.ts";

/** Prints lines, each after the local time of day, above one live line, which is rewritten in place. Only a terminal shows a live line. */
export type Screen = { line(line: Line): void; live(text: string): void; end(): void };

export function openScreen(stream: Output): Screen {
  let shown = false;
  const clear = (): void => {
    if (shown) stream.write("\r\u001b[2K");
    shown = false;
  };
  return {
    line: ({ tone, text }) => {
      clear();
      stream.write(`${paint("dim", timeOfDay(new Date()), stream)}  ${paint(tone, text, stream)}\n`);
    },
    live: (text) => {
      if (!stream.isTTY) return;
      clear();
      stream.write(paint("dim", cutTo(text, Math.max(20, (stream.columns ?? 80) - 1)), stream));
      shown = true;
    },
    end: clear,
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
