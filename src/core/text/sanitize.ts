/** Makes text from outside safe to print: no control sequences, no invisible or direction-changing characters. */

// The pattern is built from numbers, so that this file contains none of the characters. Strings (OSC, DCS, SOS, PM, APC) come first,
// then CSI, then two-byte escapes.
const escapes = new RegExp(
  [
    "\\u001b[\\]PX^_][^\\n]*?(?:\\u0007|\\u001b\\\\|\\u009c|(?=\\n)|$)",
    "[\\u009d\\u0090\\u0098\\u009e\\u009f][^\\n]*?(?:\\u0007|\\u001b\\\\|\\u009c|(?=\\n)|$)",
    "(?:\\u001b\\[|\\u009b)[0-?]*[ -/]*[@-~]",
    "\\u001b[ -/]*[0-~]",
  ].join("|"),
  "g",
);
const controls = new RegExp(
  "[\\u0000-\\u0008\\u000b-\\u001f\\u007f-\\u009f\\u00ad\\u061c\\u180e\\u200b-\\u200f\\u2028-\\u202e\\u2060-\\u206f\\ufeff" +
    "\\ufff9-\\ufffb\\u{e0000}-\\u{e007f}]",
  "gu",
);
// Excludes characters that scripts and emoji need (joiners, soft hyphens), and the line ends of Windows.
const driving = new RegExp(
  [
    "[\\u0000-\\u0008\\u000b\\u000c\\u000e-\\u001f\\u007f-\\u009f\\u061c\\u200e\\u200f\\u2028-\\u202e\\u2066-\\u206f]",
    "[\\u{e0000}-\\u{e007f}]",
    "\\r(?!\\n)",
  ].join("|"),
  "gu",
);

/** The safe text, with line ends and tabs. */
export function plain(text: string): string {
  return text.replace(/\r\n/g, "\n").replace(escapes, "").replace(controls, "");
}

/** A hint on one line, longer than the longest path, since it has commands with paths. */
export function plainHint(text: string): string {
  return plainLine(text, 8_192);
}

/** The safe text on one line of at most `length` characters. */
export function plainLine(text: string, length = 200): string {
  const line = plain(text).replace(/\s+/g, " ").trim();
  // Half of a surrogate pair would be shown as a replacement character.
  return line.length > length ? `${line.slice(0, length - 1).replace(/[\ud800-\udbff]$/, "")}…` : line;
}

/** Text from outside for a file or a prompt: control sequences and hidden characters are spelt `\u001b`, and nothing else changes. */
export function visible(text: string): string {
  return text.replace(driving, spelt);
}

const textCharsMax = 2_000_000;

/** `value` as JSON for a page: its texts are safe and bounded. */
export function plainJson(value: unknown): string {
  return JSON.stringify(value, (_, one: unknown) =>
    typeof one === "string" ? plain(one.slice(0, textCharsMax)) : one,
  );
}

/** `value` as JSON on one line that is safe to print and reads back as the same value. */
export function jsonLine(value: unknown): string {
  return JSON.stringify(value).replace(controls, spelt);
}

/** A character as JSON and JavaScript spell it: `\u` and four digits for each half. */
function spelt(character: string): string {
  return character
    .split("")
    .map((half) => `\\u${half.charCodeAt(0).toString(16).padStart(4, "0")}`)
    .join("");
}
