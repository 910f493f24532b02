/** Colours text, on a terminal only, and removes control characters from foreign text. Loads nothing, for short lists. */
import { styleText } from "node:util";
import type { Tone } from "../core/journal/events/line.ts";
import { plain } from "../core/text/sanitize.ts";
import { io } from "../io/io.ts";
import type { Output } from "../io/io.ts";

const styles = { good: "green", bad: "red", dim: "gray" } as const;

/** Makes `text` plain, and colours it if `stream` is a terminal with colours (NO_COLOR and FORCE_COLOR are honoured). */
export function paint(tone: Tone | "bold", text: string, stream: Output = io().stdout): string {
  if (tone === "plain") return plain(text);
  return styleText(tone === "bold" ? "bold" : styles[tone], plain(text), { stream });
}
