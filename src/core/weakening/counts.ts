/** Tests and assertions that were there and are nowhere now: counted file by file, what only moved left out. */
import type { FileDiff } from "../text/diff.ts";
import type { CodeLine, SourceDiff } from "./code-diff.ts";
import { assertions, holdsTests, testCases } from "./test-cases.ts";
import type { Weakening } from "./schema.ts";
import type { WeakeningKind } from "./kinds.ts";
import { t } from "../language/translate.ts";

/** `file deleted`, `tests removed`, `assertions removed`. */
export function missing(files: readonly SourceDiff[]): Weakening[] {
  const tests = countAll(files, testCases);
  const asserted = countAll(files, assertions);
  return files.flatMap((read) => {
    const gone = lost(read, tests, "tests removed");
    if (read.diff.change === "deleted")
      return deleted(read, gone ?? lost(read, asserted, "assertions removed"));
    return [gone, lost(read, asserted, "assertions removed")].filter((one) => one !== undefined);
  });
}

type Found = { line: CodeLine; times: number };
type Counted = Map<FileDiff, { removed: Found[]; added: Found[] }>;

/** What stands in both, removed here and added there, has moved and counts for neither. */
function countAll(files: readonly SourceDiff[], patterns: typeof testCases): Counted {
  const counted: Counted = new Map();
  for (const read of files) {
    if (!holdsTests(read.file) && !holdsTests(read.was)) continue;
    const find = (lines: readonly CodeLine[], { language }: SourceDiff["file"]): Found[] => {
      const pattern = patterns[language];
      return pattern
        ? lines.map((line) => ({ line, times: timesIn(line, pattern) })).filter(({ times }) => times > 0)
        : [];
    };
    counted.set(read.diff, {
      removed: holdsTests(read.was) ? read.blocks.flatMap(({ removed }) => find(removed, read.was)) : [],
      added: holdsTests(read.file) ? read.blocks.flatMap(({ added }) => find(added, read.file)) : [],
    });
  }
  const pool = new Map<string, number>();
  for (const { added } of counted.values()) {
    for (const { line } of added) pool.set(keyOf(line), (pool.get(keyOf(line)) ?? 0) + 1);
  }
  const moved = new Map<string, number>();
  for (const one of counted.values()) {
    one.removed = one.removed.filter(({ line }) => !take(pool, line, moved));
  }
  for (const one of counted.values()) one.added = one.added.filter(({ line }) => !take(moved, line));
  return counted;
}

function timesIn({ code }: CodeLine, pattern: RegExp): number {
  return code === "" ? 0 : [...code.matchAll(pattern)].length;
}

/** `x` and `f` before a test, and `.skip` behind it, have rules of their own. */
function keyOf({ text }: CodeLine): string {
  return text
    .trim()
    .replace(/\s+/g, " ")
    .replace(/^[xf](?=(?:it|test|specify)\b)/, "")
    .replace(/^(it|test|specify)\.(?:skip|only|todo|fixme|fails)\b/, "$1");
}

function take(from: Map<string, number>, line: CodeLine, into?: Map<string, number>): boolean {
  const key = keyOf(line);
  const left = from.get(key) ?? 0;
  if (left === 0) return false;
  from.set(key, left - 1);
  into?.set(key, (into.get(key) ?? 0) + 1);
  return true;
}

function lost({ diff }: SourceDiff, counted: Counted, kind: WeakeningKind): Weakening | undefined {
  const { removed, added } = counted.get(diff) ?? { removed: [], added: [] };
  const [was, is] = [sum(removed), sum(added)];
  if (was <= is) return undefined;
  const examples = removed.slice(0, 3).map(({ line }) => line.text.trim().slice(0, 60));
  const text = t`${was} removed, ${is} added: ${examples.join(" | ")}${removed.length > 3 ? " | …" : ""}`;
  return { file: diff.path, line: removed[0]!.line.line, kind, text };
}

function sum(found: readonly Found[]): number {
  return found.reduce((total, { times }) => total + times, 0);
}

/** One whose tests all stand elsewhere now has only moved, and a helper's file is none; a script's tests cannot be told. */
function deleted({ diff, was }: SourceDiff, gone: Weakening | undefined): Weakening[] {
  if (gone) return [{ file: diff.path, kind: "file deleted", text: gone.text }];
  return was.test && testCases[was.language] === undefined
    ? [{ file: diff.path, kind: "file deleted", text: "" }]
    : [];
}
