/** Reads a unified diff of git's: the removed and added lines of each file, without context. */

export type DiffLine = { line: number; text: string };

/** Adjacent lines: removed ones with their old numbers, added ones with their new numbers. */
export type DiffBlock = { removed: DiffLine[]; added: DiffLine[] };

export type FileDiff = {
  /** The file's new path; for a deleted file the old one. */
  path: string;
  /** The old path, if it differs. */
  was: string | undefined;
  change: "added" | "deleted" | "changed";
  /** Whether git shows no lines of it. */
  binary: boolean;
  blocks: DiffBlock[];
};

/** Never throws: text that is not a diff is skipped. A single pass over the lines. */
export function readDiff(text: string): FileDiff[] {
  const files: FileDiff[] = [];
  const lines = linesOf(text);
  let file: FileDiff | undefined;
  let hunk: Hunk | undefined;
  for (const line of lines) {
    if (file && hunk && inHunk(file, hunk, line)) continue;
    hunk = undefined;
    if (line.startsWith("diff --git ")) {
      file = { path: sameName(line.slice(11)), was: undefined, change: "changed", binary: false, blocks: [] };
      files.push(file);
    } else if (file && line.startsWith("@@ ")) hunk = hunkOf(line);
    else if (file) readHeader(file, line);
  }
  return files;
}

function* linesOf(text: string): Generator<string> {
  for (let start = 0; start < text.length;) {
    const end = text.indexOf("\n", start);
    const stop = end === -1 ? text.length : end;
    yield text.slice(start, stop);
    start = stop + 1;
  }
}

/** The rest of a hunk: while lines are left, a line that looks like a header is content. */
type Hunk = { before: number; after: number; removedLeft: number; addedLeft: number; block?: DiffBlock };

function hunkOf(line: string): Hunk | undefined {
  const [, before, removed = "1", after, added = "1"] =
    /^@@ -(\d{1,9})(?:,(\d{1,9}))? \+(\d{1,9})(?:,(\d{1,9}))? @@/.exec(line) ?? [];
  if (before === undefined || after === undefined) return undefined;
  return {
    before: Number(before),
    after: Number(after),
    removedLeft: Number(removed),
    addedLeft: Number(added),
  };
}

function inHunk(file: FileDiff, hunk: Hunk, line: string): boolean {
  if (line.startsWith("\\")) return true;
  if (hunk.removedLeft <= 0 && hunk.addedLeft <= 0) return false;
  const sign = line[0];
  const text = line.slice(1).replace(/\r$/, "");
  if (sign === "-" && hunk.removedLeft > 0) {
    blockOf(file, hunk).removed.push({ line: hunk.before, text });
    hunk.before += 1;
    hunk.removedLeft -= 1;
  } else if (sign === "+" && hunk.addedLeft > 0) {
    blockOf(file, hunk).added.push({ line: hunk.after, text });
    hunk.after += 1;
    hunk.addedLeft -= 1;
  } else if ((sign === " " || sign === undefined) && hunk.removedLeft > 0 && hunk.addedLeft > 0) {
    delete hunk.block;
    hunk.before += 1;
    hunk.after += 1;
    hunk.removedLeft -= 1;
    hunk.addedLeft -= 1;
  } else return false;
  return true;
}

function blockOf(file: FileDiff, hunk: Hunk): DiffBlock {
  if (!hunk.block) file.blocks.push((hunk.block = { removed: [], added: [] }));
  return hunk.block;
}

function readHeader(file: FileDiff, line: string): void {
  if (line.startsWith("deleted file mode ")) file.change = "deleted";
  else if (line.startsWith("new file mode ")) file.change = "added";
  else if (line.startsWith("rename from ")) file.was = unquoted(line.slice(12));
  else if (line.startsWith("rename to ")) file.path = unquoted(line.slice(10));
  else if (line.startsWith("copy to ")) {
    file.path = unquoted(line.slice(8));
    file.change = "added";
  } else if (line.startsWith("Binary files ") || line.startsWith("GIT binary patch")) file.binary = true;
  else if (line.startsWith("+++ ") || line.startsWith("--- ")) {
    const name = withoutSide(unquoted(line.slice(4).replace(/\t$/, "")));
    if (name !== undefined && (line.startsWith("+++ ") || file.change === "deleted")) file.path = name;
  }
}

/** The name in `a/NAME b/NAME` (or both in quotes), which is the same on both sides if the diff has no other line with the name. */
function sameName(names: string): string {
  const half = names.slice(0, (names.length - 1) / 2);
  return withoutSide(unquoted(half)) ?? half;
}

function withoutSide(name: string): string | undefined {
  return /^[ab]\//.test(name) ? name.slice(2) : undefined;
}

const escapes: Readonly<Record<string, number>> = { a: 7, b: 8, t: 9, n: 10, v: 11, f: 12, r: 13 };

/** A name that git quoted like a C string, with bytes outside ASCII in octal. */
function unquoted(name: string): string {
  if (!name.startsWith('"') || !name.endsWith('"') || name.length < 2) return name;
  const bytes: number[] = [];
  for (const [, octal, escaped, plain] of name.slice(1, -1).matchAll(/\\([0-7]{3})|\\(.)|([^\\]+)/gs)) {
    if (octal !== undefined) bytes.push(Number.parseInt(octal, 8) & 0xff);
    else if (escaped !== undefined) bytes.push(escapes[escaped] ?? escaped.charCodeAt(0) & 0xff);
    else for (const byte of new TextEncoder().encode(plain)) bytes.push(byte);
  }
  return new TextDecoder().decode(Uint8Array.from(bytes));
}
