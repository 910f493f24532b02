/** Text from outside, made safe to print: no control sequences, no invisible or direction-changing characters. */

// Built from numbers, so that this file itself holds none of them. Strings (OSC, DCS, SOS, PM, APC) go first, then CSI,
// then two-byte escapes.
const escapes = new RegExp(
  [
    "\\u001b[\\]PX^_][\\s\\S]*?(?:\\u0007|\\u001b\\\\|\\u009c|$)",
    "[\\u009d\\u0090\\u0098\\u009e\\u009f][\\s\\S]*?(?:\\u0007|\\u001b\\\\|\\u009c|$)",
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

/** Keeps line ends and tabs. */
export function plain(text: string): string {
  return text.replace(/\r\n/g, "\n").replace(escapes, "").replace(controls, "");
}

/** A hint on one line: it holds commands with paths in them, so it is not cut short of the longest path. */
export function plainHint(text: string): string {
  return plainLine(text, 8_192);
}

/** On one line, at most `length` characters. (No import of limits.ts here: it would load zod into the hooks.) */
export function plainLine(text: string, length = 200): string {
  const line = plain(text).replace(/\s+/g, " ").trim();
  // A surrogate that lost its other half would be shown as a replacement character.
  return line.length > length ? `${line.slice(0, length - 1).replace(/[\ud800-\udbff]$/, "")}…` : line;
}
