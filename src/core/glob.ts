/** Patterns over paths, as .gitignore has them: a bare name anywhere, a slash binds to the root, a folder covers what is below it. */

/** One pattern, read: its segments, `**` being any number of folders. */
type Pattern = { folderOnly: boolean; segments: readonly (Segment | "**")[] };
type Segment = readonly Token[];
type Token = { is: "star" } | { is: "any" } | { is: "char"; char: string } | { is: "class"; has: RegExp };

/** The last of `patterns` that covers `path`, unless that one begins with `!`. */
export function coveredBy(patterns: readonly string[], path: string): string | undefined {
  const segments = path.split("/");
  const last = patterns.findLast((pattern) => matches(read(pattern), segments));
  return last === undefined || last.startsWith("!") ? undefined : last;
}

/** Whether a text is a pattern that can cover anything. */
export function isPattern(text: string): boolean {
  return read(text).segments.length > 0;
}

const known = new Map<string, Pattern>();

function read(text: string): Pattern {
  const found = known.get(text) ?? parse(text);
  known.set(text, found);
  return found;
}

function parse(written: string): Pattern {
  // Any number of folders twice in a row is any number of them.
  const text = written.replace(/^!/, "").replace(/(?:\*\*\/)+\*\*$/, "**");
  const body = text.replace(/(?<=.)\/\*\*$/, "/");
  const folderOnly = body.endsWith("/");
  const trimmed = body.replace(/^\//, "").replace(/\/+$/, "");
  const names = trimmed.split("/").filter((name) => name !== "");
  const anywhere = names.length === 1 && !/^\/|\/\*\*$/.test(text);
  const segments = names.map((name, at) => (name === "**" && at < names.length - 1 ? "**" : tokens(name)));
  return { folderOnly, segments: anywhere ? ["**", ...segments] : segments };
}

function tokens(name: string): Segment {
  const found: Token[] = [];
  for (let at = 0; at < name.length; at += 1) {
    const char = name[at]!;
    const end = char === "[" ? name.indexOf("]", at + 2) : -1;
    if (char === "*") {
      if (found.at(-1)?.is !== "star") found.push({ is: "star" });
    } else if (char === "?") found.push({ is: "any" });
    else if (end !== -1) {
      found.push({ is: "class", has: classOf(name.slice(at + 1, end)) });
      at = end;
    } else {
      if (char === "\\" && at + 1 < name.length) at += 1;
      found.push({ is: "char", char: name[at]! });
    }
  }
  return found;
}

function classOf(inside: string): RegExp {
  const negated = /^[!^]/.test(inside);
  const members = (negated ? inside.slice(1) : inside).replace(/[\\\]^[]/g, "\\$&");
  try {
    return new RegExp(`^[${negated ? "^" : ""}${members}]$`);
  } catch {
    // A range that runs backwards has no members.
    return /^(?!)/;
  }
}

/** Some folder on the way, or the path itself. One pass with one place to go back to: never more than both lengths multiplied. */
function matches({ segments, folderOnly }: Pattern, path: readonly string[]): boolean {
  if (segments.length === 0) return false;
  let [at, to, retry, from] = [0, 0, -1, 0];
  for (;;) {
    if (at === segments.length) return !folderOnly || to < path.length;
    const segment = segments[at]!;
    if (segment === "**") {
      [retry, from] = [at, to];
      at += 1;
    } else if (to < path.length && matchesName(segment, path[to]!)) {
      at += 1;
      to += 1;
    } else {
      if (retry === -1 || from >= path.length) return false;
      from += 1;
      [at, to] = [retry + 1, from];
    }
  }
}

function matchesName(segment: Segment, name: string): boolean {
  let [at, to, retry, from] = [0, 0, -1, 0];
  while (to < name.length || at < segment.length) {
    const token = segment[at];
    if (token?.is === "star") {
      [retry, from] = [at, to];
      at += 1;
    } else if (token && to < name.length && isOne(token, name[to]!)) {
      at += 1;
      to += 1;
    } else {
      if (retry === -1 || from >= name.length) return false;
      from += 1;
      [at, to] = [retry + 1, from];
    }
  }
  return true;
}

function isOne(token: Token, char: string): boolean {
  if (token.is === "char") return token.char === char;
  return token.is === "any" || (token.is === "class" && token.has.test(char));
}
