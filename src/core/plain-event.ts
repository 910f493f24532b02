/** An event as stable words for grep: its type, then each of its plain fields as `name=value`. */
import type { RelayEvent } from "./event.ts";
import { plainLine } from "./plain.ts";

/** A text is cut here. */
const valueCharsMax = 120;

/** Of no use on a line: hashes, whole documents. */
export const unsaid: ReadonlySet<string> = new Set([
  "v",
  "prev",
  "seq",
  "atMs",
  "type",
  "text",
  "settingsSha256",
  "sha256",
  "messageId",
]);

/** `4 2026-11-21T12:00:00.000Z session.ended session=1 reason=timeout …`; lists and maps stay in the journal. */
export function plainEvent(event: RelayEvent): string {
  const fields = Object.entries(event).flatMap(([name, value]) =>
    unsaid.has(name) || typeof value === "object" ? [] : [`${name}=${word(value)}`],
  );
  return [event.seq, new Date(event.atMs).toISOString(), event.type, ...fields].join(" ");
}

/** Numbers, true and false as they are; a text with blanks or quotes in it in quotes, as in JSON. */
function word(value: unknown): string {
  if (typeof value !== "string") return String(value);
  const text = plainLine(value, valueCharsMax);
  return /^[^\s"=]+$/.test(text) ? text : JSON.stringify(text);
}
