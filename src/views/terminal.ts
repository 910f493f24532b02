/** How monoco prints: colours only on a terminal, a live line only there too, everything from outside made plain. */
import { styleText } from "node:util";
import type { Line, Tone } from "../core/journal/events/line.ts";
import { cutTo } from "./columns.ts";
import { plain } from "../core/text/sanitize.ts";
import { io } from "../io/io.ts";
import type { Output } from "../io/io.ts";

const styles = { good: "green", bad: "red", dim: "gray" } as const;

/** Makes `text` plain, and colours it where `stream` is a terminal that wants them (NO_COLOR and FORCE_COLOR are honoured). */
export function paint(tone: Tone | "bold", text: string, stream: Output = io().stdout): string {
  if (tone === "plain") return plain(text);
  return styleText(tone === "bold" ? "bold" : styles[tone], plain(text), { stream });
}

/** Prints lines, each after the local time of day, above one live line, which is rewritten in place; only a terminal has a live line. */
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

/** Only a terminal has one. */
export function ringBell(stream: Output = io().stdout): void {
  if (stream.isTTY) stream.write("\u0007");
}

/** HH:MM:SS, local. */
function timeOfDay(date: Date): string {
  return date.toTimeString().slice(0, 8);
}
