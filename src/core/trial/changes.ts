/** The changes of a submission that can be taken back one at a time, and in which order: the most central first. */
import { languageOf, splitLine } from "../weakening/code-line.ts";
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

/** All of them: of each file the largest first, the files in turn: changed ones before new ones, then those that most others name. */
export function centralFirst(sources: readonly ChangedSource[]): Change[] {
  const files = sources
    .map((source) => ({ source, changes: changesOf(source).toSorted((a, b) => b.lines - a.lines) }))
    .filter(({ changes }) => changes.length > 0)
    .toSorted(
      (a, b) =>
        Number(a.source.before === "") - Number(b.source.before === "") ||
        b.source.namedBy - a.source.namedBy ||
        b.changes[0]!.lines - a.changes[0]!.lines,
    );
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

/** What a change consists of when its lines are emptied rather than taken back; nothing where they open what other lines close. */
export function emptiedChange({ sources }: Plan, { file, line, lines }: Change): Change[] {
  const language = languageOf(file);
  const added = sources
    .get(file)!
    .after.split("\n")
    .slice(line - 1, line - 1 + lines);
  const marks = (pattern: RegExp): number => added.join("\n").match(pattern)?.length ?? 0;
  if (marks(/[{([]/g) !== marks(/[})\]]/g)) return [];
  return partsOf(added, language, { alone: true }).map((part) =>
    asChange(file, { line, count: lines }, part),
  );
}

function changesOf({ path, before, after, hunks }: ChangedSource): Change[] {
  const language = languageOf(path);
  const [then, now] = [before.split("\n"), after.split("\n")];
  return hunks.flatMap(({ before: old, after: fresh }): Change[] => {
    const removed = then.slice(old.line - 1, old.line - 1 + old.count);
    const added = now.slice(fresh.line - 1, fresh.line - 1 + fresh.count);
    if (![...removed, ...added].some((line) => isWork(line, language))) return [];
    if (old.count > 0) return [replaced(path, fresh, removed)];
    return partsOf(added, language).map((part) => asChange(path, fresh, part));
  });
}

/** Lines that stand in the place of others. */
export function replaced(file: string, { line, count }: Hunk["after"], removed: readonly string[]): Change {
  // Of lines that are only removed, git tells the line before.
  return { file, line: count === 0 ? line + 1 : line, lines: count, with: removed };
}

export function asChange(file: string, { line }: Hunk["after"], { start, end, filled }: Part): Change {
  return { file, line: line + start, lines: end - start, with: filled };
}

/** Some of the lines of a hunk, and what stands in their place once they are taken out. */
export type Part = { start: number; end: number; filled: string[] };

/** Above so many lines, what stands inside of a body is taken back by itself: the methods of a class. */
const bodyLinesMax = 12;
const bodyDepthMax = 3;
/** A longer run of new lines is data, or nobody's to read: it is taken back as one. */
const partedLinesMax = 2_000;
/** Of a longer line the beginning is looked at. */
const lookedCharsMax = 500;

/**
 * What is new is emptied rather than removed: its name stays, so that what needs it can be loaded, and only its work is gone.
 * `alone`: so are the lines besides that belong to no body, and bodies that do nothing.
 */
export function partsOf(
  lines: readonly string[],
  language: SourceLanguage,
  { alone = false, depth = bodyDepthMax } = {},
): Part[] {
  const { bodies, others } =
    lines.length > partedLinesMax ? { bodies: [], others: [] } : bodiesIn(lines, language, alone);
  if (bodies.length === 0) return [{ start: 0, end: lines.length, filled: [] }];
  const parts = bodies.flatMap((body) => {
    const inner = lines.slice(body.start, body.end);
    const finer = inner.length > bodyLinesMax && bodiesIn(inner, language, alone).bodies.length > 0;
    if (depth === 0 || !finer) return [body];
    return partsOf(inner, language, { alone, depth: depth - 1 }).map((part) => ({
      ...part,
      start: part.start + body.start,
      end: part.end + body.start,
    }));
  });
  return [...parts, ...(alone ? others : [])];
}

/** Lines in a row that are indented deeper than the outermost ones; `others` are those of the outermost that need none. */
function bodiesIn(
  lines: readonly string[],
  language: SourceLanguage,
  all: boolean,
): { bodies: Part[]; others: Part[] } {
  const code = lines
    .map((line, at) => ({ at, text: line.slice(0, lookedCharsMax) }))
    .filter(({ text }) => isCodeLine(text, language))
    .map(({ at, text }) => ({
      at,
      indent: /^\s*/.exec(text)![0].length,
      code: splitLine(text, language).code,
    }));
  const least = code.reduce((all, { indent }) => Math.min(all, indent), Infinity);
  const bodies: Part[] = [];
  const others: Part[] = [];
  let open: Part | undefined;
  for (const [index, { at, indent, code: text }] of code.entries()) {
    const next = code[index + 1];
    const isHead = next !== undefined && (next.indent > least || /^\s*\{\s*$/.test(next.code));
    if (indent === least) {
      open = undefined;
      if (!isHead && !isPaired(text)) others.push({ start: at, end: at + 1, filled: [] });
    } else if (open) open.end = at + 1;
    else {
      open = { start: at, end: at + 1, filled: fillerFor(lines, at, language) };
      bodies.push(open);
    }
  }
  const works = ({ start, end }: Part): boolean =>
    lines.slice(start, end).some((line) => isWork(line, language));
  return { bodies: all ? bodies : bodies.filter(works), others };
}

/** It opens or closes what other lines close or open: without it they would not parse. */
function isPaired(code: string): boolean {
  const opened = code.match(/[{([]/g)?.length ?? 0;
  const closed = code.match(/[})\]]/g)?.length ?? 0;
  return (
    opened !== closed ||
    /^[\s{}()[\],;]*$/.test(code) ||
    /^\s*(?:[})\]]|(?:fi|done|esac|end|else|elif|elsif|then|do|except|finally|catch|rescue|ensure)\b)/.test(
      code,
    )
  );
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
  return /\w/.test(splitLine(begin, language).code) && !loads.test(begin) && !begin.startsWith("#!");
}

/** The folder that a check works in, where it says so; a change outside of it is none of its business. */
export function folderOf(command: string): string {
  const named =
    /^\s*(?:\(\s*)?cd\s+(?:\.\/)?([\w.@/-]+)\s*&&/.exec(command) ??
    /\s(?:--prefix|--cwd|-C|--dir)[\s=](?:\.\/)?([\w.@/-]+)/.exec(command);
  const folder = named?.[1]?.replace(/(?<!\/)\/+$/, "") ?? "";
  return folder === "." || folder.startsWith("..") ? "" : folder;
}

/** The checks that a change in a file may turn red. */
export function checksOf(checks: readonly string[], file: string): string[] {
  return checks.filter((command) => {
    const folder = folderOf(command);
    return folder === "" || file.startsWith(`${folder}/`);
  });
}
