/** A normalised form of error texts: two reports of one error have the same signature. */

/** The signature covers only the end of a text: the cause is printed last, and a megabyte of log must cost nothing. */
const signatureChars = 2_000;

/**
 * The signature of an error text. It leaves out paths, numbers, hexadecimal words, request ids, quotes around names, colours and
 * spacing, and ignores case. A text with nothing left has the signature "".
 */
export function errorSignature(text: string): string {
  return normalised(text.slice(-4 * signatureChars).replace(colours, "")).slice(-signatureChars);
}

/** `text` in lower case, without the parts that vary between runs. */
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
