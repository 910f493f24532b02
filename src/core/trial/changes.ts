/** The changes of a submission that can be taken back one at a time, the most central first. */
import { languageOf, splitLine } from "../weakening/code-line.ts";
import type { SourceLanguage } from "../weakening/code-line.ts";

/** Lines of the old file, and the lines in their place now; numbers begin at 1. */
export type Hunk = { before: { line: number; count: number }; after: { line: number; count: number } };

/** A source that the submission adds or changes. */
export type ChangedSource = {
  path: string;
  /** The old source; empty if the file is new. */
  before: string;
  after: string;
  hunks: readonly Hunk[];
  /** The number of the submission's files that refer to it. */
  namedBy: number;
};

/** `with`: the lines that take the place of the change's lines once it is taken back. */
export type Change = { file: string; line: number; lines: number; with: readonly string[] };

export type PlannedSource = ChangedSource & { mode: string };
/** The changes to take back, and their sources. */
export type Plan = { sources: ReadonlyMap<string, PlannedSource>; changes: Change[] };

/** The hunks of a diff without context, in which only headers (`@@ -1,2 +3 @@`) begin this way. */
export function hunksIn(diff: string): Hunk[] {
  // `^` would also match after a carriage return or U+2028.
  const heads = diff.matchAll(/(?<=^|\n)@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/g);
  const part = (line = "0", count = "1"): Hunk["before"] => ({ line: Number(line), count: Number(count) });
  return [...heads].map(([, a, b, c, d]) => ({ before: part(a, b), after: part(c, d) }));
}

/** All changes, the files taking turns, each with its largest change first. Changed files come before new ones, then those that most others refer to. */
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

/** The parts of a change whose lines are emptied instead of taken back; none if the lines open a bracket that others close. */
export function emptiedChange({ sources }: Plan, { file, line, lines }: Change): Change[] {
  const { after } = sources.get(file)!;
  const language = languageOf(file, after);
  const added = after.split("\n").slice(line - 1, line - 1 + lines);
  const marks = (pattern: RegExp): number => added.join("\n").match(pattern)?.length ?? 0;
  if (marks(/[{([]/g) !== marks(/[})\]]/g)) return [];
  return partsOf(added, language, { alone: true }).map((part) =>
    asChange(file, { line, count: lines }, part),
  );
}

function changesOf({ path, before, after, hunks }: ChangedSource): Change[] {
  const language = languageOf(path, after);
  const [then, now] = [before.split("\n"), after.split("\n")];
  return hunks.flatMap(({ before: old, after: fresh }): Change[] => {
    const removed = then.slice(old.line - 1, old.line - 1 + old.count);
    const added = now.slice(fresh.line - 1, fresh.line - 1 + fresh.count);
    if (![...removed, ...added].some((line) => isWork(line, language))) return [];
    if (old.count > 0) return [replaced(path, fresh, removed)];
    return partsOf(added, language).map((part) => asChange(path, fresh, part));
  });
}

/** The change that puts `removed` back in place of the added lines. */
export function replaced(file: string, { line, count }: Hunk["after"], removed: readonly string[]): Change {
  // For a hunk that only removes lines, git reports the line before them.
  return { file, line: count === 0 ? line + 1 : line, lines: count, with: removed };
}

export function asChange(file: string, { line }: Hunk["after"], { start, end, filled }: Part): Change {
  return { file, line: line + start, lines: end - start, with: filled };
}

/** Lines of a hunk, and the lines that replace them once they are taken out. */
export type Part = { start: number; end: number; filled: string[] };

/** Length above which the inner parts of a body are taken back one by one, like the methods of a class. */
const bodyLinesMax = 12;
const bodyDepthMax = 3;
/** Length above which a run of new lines is taken back as one: it is data, or not meant to be read. */
const partedLinesMax = 2_000;
/** Characters of a long line that are parsed. */
const lookedCharsMax = 500;

/**
 * The parts of new lines, which are emptied rather than removed: the name stays, so that its users can be loaded without its work.
 * `alone`: also lines outside any body, and bodies that do nothing.
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

/** Runs of lines that are indented deeper than the outermost ones; `others` are outermost lines without a body. */
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

/** Whether a line opens or closes a bracket or block for other lines, which would not parse without it. */
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

/** Languages in which an empty body is not allowed. */
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

/** Whether a line is code that does something: not a comment, a lone bracket, or an import. */
function isWork(line: string, language: SourceLanguage): boolean {
  const begin = line.slice(0, lookedCharsMax);
  return /\w/.test(splitLine(begin, language).code) && !loads.test(begin) && !begin.startsWith("#!");
}

/** The folder in which a check runs, if its command says so; changes outside it do not concern the check. */
export function folderOf(command: string): string {
  const match =
    /^\s*(?:\(\s*)?cd\s+(?:\.\/)?([\w.@/-]+)\s*&&/.exec(command) ??
    /\s(?:--prefix|--cwd|-C|--dir)[\s=](?:\.\/)?([\w.@/-]+)/.exec(command);
  const folder = match?.[1]?.replace(/(?<!\/)\/+$/, "") ?? "";
  return folder === "." || folder.startsWith("..") ? "" : folder;
}

/** The checks that a change in a file may turn red. */
export function checksOf(checks: readonly string[], file: string): string[] {
  return checks.filter((command) => {
    const folder = folderOf(command);
    return folder === "" || file.startsWith(`${folder}/`);
  });
}
