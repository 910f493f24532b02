/** The changes of a submission that can be taken back one at a time, and in which order: the most central first. */
import { asComment, languageOf, splitLine } from "../weakening/code-line.ts";
import type { SourceLanguage } from "../weakening/code-line.ts";

/** Lines of the file as it was, and those that stand in their place now; numbers begin at 1. */
export type Hunk = { before: { line: number; count: number }; after: { line: number; count: number } };

/** A source that the submission adds or changes. */
export type ChangedSource = {
  path: string;
  /** Empty where it is new. */
  before: string;
  after: string;
  hunks: readonly Hunk[];
  /** Files of the submission that name it. */
  namedBy: number;
};

/** `with`: what stands in the place of the lines once they are taken back. */
export type Change = { file: string; line: number; lines: number; with: readonly string[] };

export type PlannedSource = ChangedSource & { mode: string };
/** The changes that can be taken back, with their sources. */
export type Plan = { sources: ReadonlyMap<string, PlannedSource>; changes: Change[] };

/** `@@ -1,2 +3 @@` of a diff without context, which has no line that begins so but these. */
export function hunksIn(diff: string): Hunk[] {
  // `^` would find one behind a carriage return or U+2028, too.
  const heads = diff.matchAll(/(?<=^|\n)@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/g);
  const part = (line = "0", count = "1"): Hunk["before"] => ({ line: Number(line), count: Number(count) });
  return [...heads].map(([, a, b, c, d]) => ({ before: part(a, b), after: part(c, d) }));
}

/** All of them: of each file the largest first, the files in turn, those that most others name first. */
export function centralFirst(sources: readonly ChangedSource[]): Change[] {
  const files = sources
    .map((source) => ({ source, changes: changesOf(source).toSorted((a, b) => b.lines - a.lines) }))
    .filter(({ changes }) => changes.length > 0)
    .toSorted((a, b) => b.source.namedBy - a.source.namedBy || b.changes[0]!.lines - a.changes[0]!.lines);
  const rounds = Math.max(0, ...files.map(({ changes }) => changes.length));
  return Array.from({ length: rounds }, (_, round) =>
    files.flatMap(({ changes }) => changes[round] ?? []),
  ).flat();
}

/** A source without some of its changes, which do not overlap. */
export function without(source: ChangedSource, changes: readonly Change[]): string {
  const lines = source.after.split("\n");
  for (const change of changes.toSorted((a, b) => b.line - a.line))
    lines.splice(change.line - 1, change.lines, ...change.with);
  return lines.join("\n");
}

/** A source without all of its changes, whose lines stand in a comment at its end: who looks for words finds them. */
export function withoutButWords(source: ChangedSource, changes: readonly Change[]): string {
  const lines = source.after.split("\n");
  const taken = changes.flatMap(({ line, lines: count }) => lines.slice(line - 1, line - 1 + count));
  return withWords(source.path, without(source, changes), taken);
}

/** A source as submitted, with what its changes stand for in a comment: who looks whether words are gone finds them. */
export function withOldWords(source: ChangedSource, changes: readonly Change[]): string {
  const old = changes.flatMap(({ with: lines }) => lines);
  return withWords(source.path, source.after, old);
}

function withWords(path: string, text: string, lines: readonly string[]): string {
  const words = asComment(lines, languageOf(path));
  return words.length === 0 ? text : `${text.replace(/\n?$/, "\n")}${words.join("\n")}\n`;
}

function changesOf({ path, before, after, hunks }: ChangedSource): Change[] {
  const language = languageOf(path);
  const [then, now] = [before.split("\n"), after.split("\n")];
  return hunks.flatMap(({ before: old, after: fresh }): Change[] => {
    const removed = then.slice(old.line - 1, old.line - 1 + old.count);
    const added = now.slice(fresh.line - 1, fresh.line - 1 + fresh.count);
    if (![...removed, ...added].some((line) => isWork(line, language))) return [];
    if (old.count > 0) {
      // Of lines that are only removed, git tells the line before.
      const line = fresh.count === 0 ? fresh.line + 1 : fresh.line;
      return [{ file: path, line, lines: fresh.count, with: removed }];
    }
    return partsOf(added, language).map(({ start, end, filled }) => ({
      file: path,
      line: fresh.line + start,
      lines: end - start,
      with: filled,
    }));
  });
}

type Part = { start: number; end: number; filled: string[] };

/** Above so many lines, what stands inside of a body is taken back by itself: the methods of a class. */
const bodyLinesMax = 12;
const bodyDepthMax = 3;
/** A longer run of new lines is data, or nobody's to read: it is taken back as one. */
const partedLinesMax = 2_000;
/** Of a longer line the beginning is looked at. */
const lookedCharsMax = 500;

/** What is new is emptied rather than removed: its name stays, so that what needs it can be loaded, and only its work is gone. */
function partsOf(lines: readonly string[], language: SourceLanguage, depth = bodyDepthMax): Part[] {
  const bodies = lines.length > partedLinesMax ? [] : bodiesIn(lines, language);
  if (bodies.length === 0) return [{ start: 0, end: lines.length, filled: [] }];
  return bodies.flatMap((body) => {
    const inner = lines.slice(body.start, body.end);
    const finer = depth > 0 && inner.length > bodyLinesMax && bodiesIn(inner, language).length > 0;
    if (!finer) return [body];
    return partsOf(inner, language, depth - 1).map((part) => ({
      ...part,
      start: part.start + body.start,
      end: part.end + body.start,
    }));
  });
}

/** Lines in a row that are indented deeper than the outermost ones. */
function bodiesIn(lines: readonly string[], language: SourceLanguage): Part[] {
  const indents = lines.map((line) =>
    isCodeLine(line, language) ? /^\s*/.exec(line)![0].length : undefined,
  );
  const least = indents.reduce<number>((all, indent) => Math.min(all, indent ?? all), Infinity);
  const bodies: Part[] = [];
  let open: Part | undefined;
  for (const [at, indent] of indents.entries()) {
    if (indent === undefined) continue;
    if (indent === least) open = undefined;
    else if (open) open.end = at + 1;
    else {
      open = { start: at, end: at + 1, filled: fillerFor(lines, at, language) };
      bodies.push(open);
    }
  }
  return bodies.filter(({ start, end }) => lines.slice(start, end).some((line) => isWork(line, language)));
}

/** Languages in which an empty body is none. */
const fillers: Partial<Record<SourceLanguage, { after: RegExp; text: string }>> = {
  py: { after: /:\s*$/, text: "pass" },
  sh: { after: /(?:\{|\bthen|\bdo|\belse)\s*$/, text: ":" },
  go: { after: /\bfunc\b.*\{\s*$/, text: 'panic("")' },
  rs: { after: /\bfn\b.*\{\s*$/, text: "unimplemented!()" },
};

function fillerFor(lines: readonly string[], at: number, language: SourceLanguage): string[] {
  const filler = fillers[language];
  const head = lines.slice(0, at).findLast((line) => isCodeLine(line, language)) ?? "";
  return filler?.after.test(splitLine(head, language).code)
    ? [`${/^\s*/.exec(lines[at]!)![0]}${filler.text}`]
    : [];
}

function isCodeLine(line: string, language: SourceLanguage): boolean {
  return splitLine(line.slice(0, lookedCharsMax), language).code.trim() !== "";
}

const loads =
  /^\s*(?:import\b|from\s+\S+\s+import\b|export\s+.*\bfrom\b|(?:const|let|var)\s.*=\s*require\(|use\s|using\s|#\s*include|package\s|mod\s)/;

/** Code that does something: no comment, no bracket alone, and not what only loads. */
function isWork(line: string, language: SourceLanguage): boolean {
  const begin = line.slice(0, lookedCharsMax);
  return /\w/.test(splitLine(begin, language).code) && !loads.test(begin);
}

/** The folder that a check works in, where it says so; a change outside of it is none of its business. */
export function folderOf(command: string): string {
  const named =
    /^\s*(?:\(\s*)?cd\s+(?:\.\/)?([\w.@/-]+)\s*&&/.exec(command) ??
    /\s(?:--prefix|--cwd|-C|--dir)[\s=](?:\.\/)?([\w.@/-]+)/.exec(command);
  const folder = named?.[1]?.replace(/\/+$/, "") ?? "";
  return folder === "." || folder.startsWith("..") ? "" : folder;
}

/** The checks that a change in a file may turn red. */
export function checksOf(checks: readonly string[], file: string): string[] {
  return checks.filter((command) => {
    const folder = folderOf(command);
    return folder === "" || file.startsWith(`${folder}/`);
  });
}
