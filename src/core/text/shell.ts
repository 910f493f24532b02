/** A word for a POSIX shell, quoted if necessary. */
export function shellWord(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}

/** The placeholder for file paths in a command. */
export const filesPlace = "{files}";

/** A command with paths in place of `{files}`. */
export function withFiles(command: string, paths: readonly string[]): string {
  return command.replaceAll(filesPlace, () => paths.map(shellWord).join(" "));
}

const closers: Readonly<Record<string, string>> = { '"': '"', "`": "`", "(": ")", "[": "]", "{": "}" };

/** Commands before a pipe that only give the next one its input: their exit status shows nothing. */
const feeds = /^[\s{!]*(?:echo|printf|cat|yes|seq)\b/;

/**
 * Whether the last command of a pipe alone decides how `command` ends, so that a failure before it is lost: `npm test | tee log`.
 * A pipe that another command follows, and one whose statuses are asked for, do not decide.
 */
export function endsByPipe(command: string): boolean {
  if (/pipe_?fail|pipestatus/i.test(command)) return false;
  const lists = withoutNested(command)
    .replaceAll(/[<>]&|&>|>\|/g, ">")
    .replaceAll("|&", "|")
    .replaceAll(/([|&])\s*\n/g, "$1")
    .split(/;|\n|(?<!&)&(?!&)/)
    .filter((list) => !/^\s*(?:[{}]|fi|done|esac)?\s*$/.test(list));
  const pipes = (lists.at(-1) ?? "").split(/&&|\|\|/).map((pipe) => pipe.split("|").slice(0, -1));
  return pipes.some((before) => before.some((part) => !feeds.test(part)));
}

/** A command without comments, and without what is quoted, substituted or in brackets; a subshell's commands stay. */
function withoutNested(command: string): string {
  const open: string[] = [];
  let kept = "";
  for (let at = 0; at < command.length; at += 1) {
    const char = command[at]!;
    const before = command[at - 1] ?? "";
    const inside = open.at(-1);
    const isPlain = inside === undefined;
    const isQuote = char === "'" && inside !== '"';
    const isComment = char === "#" && (isPlain || inside === ")") && /^[\s;&|(]?$/.test(before);
    if (isPlain) kept += isComment || char === "(" || char === ")" ? " " : char;
    if (char === "\\") at += 1;
    else if (isQuote || isComment) at = endAt(command, isQuote ? "'" : "\n", at) - (isComment ? 1 : 0);
    else if (char === inside) open.pop();
    else if (opens(char, before, inside)) open.push(closers[char]!);
  }
  return kept;
}

function endAt(text: string, end: string, from: number): number {
  const at = text.indexOf(end, from + 1);
  return at === -1 ? text.length : at;
}

function opens(char: string, before: string, inside: string | undefined): boolean {
  if (inside === '"') return char === "`" || (char === "(" && before === "$");
  if (char === "{") return before === "$";
  // Any other bracket is a subshell's.
  if (char === "(") return inside !== undefined || /[$<>=\w@?*+!]/.test(before);
  return Object.hasOwn(closers, char);
}
