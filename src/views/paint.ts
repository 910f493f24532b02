/** Text with colours, only on a terminal; everything from outside is made plain. It loads nothing: short lists need it. */
import { styleText } from "node:util";
import type { Tone } from "../core/journal/events/line.ts";
import { plain } from "../core/text/sanitize.ts";
import { io } from "../io/io.ts";
import type { Output } from "../io/io.ts";

const styles = { good: "green", bad: "red", dim: "gray" } as const;

/** Makes `text` plain, and colours it where `stream` is a terminal that wants them (NO_COLOR and FORCE_COLOR are honoured). */
export function paint(tone: Tone | "bold", text: string, stream: Output = io().stdout): string {
  if (tone === "plain") return plain(text);
  return styleText(tone === "bold" ? "bold" : styles[tone], plain(text), { stream });
}
