/** An error without what differs from one time to the next: two texts of one error have one signature. */

/** Only the end is compared: an error's cause is printed last, and a megabyte of log has to cost nothing. */
const signatureChars = 2_000;

/**
 * Paths, numbers, hexadecimal words, ids of requests, quoted names' quotes, colours and spacing are taken out; letters count whatever
 * their case. A text with nothing left has the signature "".
 */
export function errorSignature(text: string): string {
  return normalised(text.slice(-4 * signatureChars).replace(colours, "")).slice(-signatureChars);
}

/** `text` in small letters, without what differs from one time to the next. */
export function normalised(text: string): string {
  return text
    .toLowerCase()
    .replace(/(?:(?<![\w.@~-])|(?=[a-z]:))(?:[a-z]:)?(?:[\w.@~-]*[/\\])+[\w.@~-]*/g, "<path>")
    .replace(/\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/g, "<id>")
    .replace(/\b[a-z]{2,10}_(?=[a-z]*\d)[a-z0-9]{12,}\b/g, "<id>")
    .replace(/\b(?:0x[0-9a-f]+|(?=[a-f]*\d)[0-9a-f]{7,})\b/g, "<hex>")
    .replace(/\d+(?:[.,:]\d+)*/g, "<n>")
    .replace(/<n>\s*(?:ms|µs|s|sec|seconds?|m|min|minutes?)\b/g, "<n>")
    .replace(/\s+/g, " ")
    .trim();
}

// oxlint-disable-next-line no-control-regex -- colours are control characters
export const colours = /\u001B\[[0-9;]*m/g;
