/** A number of things in words: `1 session`, `2 sessions`; in a catalogue, `{0} session`. */
import { translated } from "./translate.ts";

export function counted(n: number, noun: string): string {
  const key = `{0} ${noun}`;
  const other = translated(key);
  return other === key ? `${n} ${noun}${n === 1 ? "" : "s"}` : other.replace("{0}", String(n));
}
