/** How monoco prints JSON: one value a line, with nothing in it that a terminal acts on. */
import { jsonLine } from "../core/plain.ts";

export function printJson(value: unknown): void {
  process.stdout.write(`${jsonLine(value)}\n`);
}
