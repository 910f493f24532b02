/** Prints JSON: one value a line, without characters that a terminal acts on. */
import { jsonLine } from "../core/text/sanitize.ts";
import { io } from "../io/io.ts";

export function printJson(value: unknown): void {
  io().stdout.write(`${jsonLine(value)}\n`);
}
