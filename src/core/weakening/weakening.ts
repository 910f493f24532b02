/** What in a diff weakens tests and checks, for the Reviewer to judge: a list of places, never a verdict. */
import type { FileDiff } from "../text/diff.ts";
import { isReadable, lineCharsMax, sourceDiff } from "./code-diff.ts";
import type { CodeLine, SourceBlock, SourceDiff } from "./code-diff.ts";
import { missing } from "./counts.ts";
import { weakeningKinds } from "./kinds.ts";
import type { Weakening } from "./schema.ts";
import type { WeakeningKind } from "./kinds.ts";
import { changedNumbers } from "./numbers.ts";
import { lineRules } from "./rules.ts";
import type { LineRule } from "./line-rule.ts";
import { acrossLines } from "./across.ts";
import { t } from "../language/translate.ts";

const textCharsMax = 160;

/** `checks`: the files that monoco's commands name. Gravest first, then as they stand in the diff. */
export function weakeningsIn(
  diff: readonly FileDiff[],
  checks: ReadonlySet<string> = new Set(),
): Weakening[] {
  const files = diff.map((one) => sourceDiff(one, checks));
  const found = [
    ...files.flatMap(ofWholeFile),
    ...missing(files),
    ...files.flatMap(ofLines),
    ...acrossLines(files),
  ];
  const rank = (one: Weakening): number => weakeningKinds.indexOf(one.kind);
  return found.toSorted((a, b) => rank(a) - rank(b));
}

function ofWholeFile({ diff, file, was }: SourceDiff): Weakening[] {
  const whole = (kind: WeakeningKind, text: string): Weakening => ({ file: diff.path, kind, text });
  if (file.snapshot && diff.change !== "added")
    return [whole("snapshot", diff.change === "deleted" ? t`deleted` : "")];
  if (was.test && !file.test && diff.change !== "deleted") {
    return [whole("file deleted", t`it was ${diff.was}, where tests are looked for`)];
  }
  if (diff.binary && diff.change !== "deleted" && isReadable(file))
    return [whole("hidden", t`taken for binary`)];
  const long = file.test || file.runs ? diff.blocks.flatMap(({ added }) => added.filter(tooLong)) : [];
  return long
    .slice(0, 1)
    .map(({ line, text }) => ({ ...whole("hidden", t`a line of ${text.length} characters`), line }));
}

const tooLong = ({ text }: { text: string }): boolean => text.length > lineCharsMax;

function ofLines(read: SourceDiff): Weakening[] {
  const { diff, file } = read;
  if (diff.change === "deleted") return [];
  const rules = lineRules.filter((rule) => rule.for(file));
  return read.blocks.flatMap((block) => {
    const lines = rules.flatMap((rule) =>
      addedBy(rule, block).map((line) => told(diff.path, rule.kind, line)),
    );
    return [...once(lines), ...changedNumbers(read, block)];
  });
}

/** Lines that were there before, in this place, are not new: a code's as often as they were, a comment's word by word. */
function addedBy(rule: LineRule, block: SourceBlock): CodeLine[] {
  const now = block.added.filter((line) => fires(rule, line));
  if (now.length === 0) return [];
  const before = block.removed.filter((line) => fires(rule, line));
  if (rule.in !== "comment") {
    const same = new Set(before.map((line) => line.text.trim()));
    const others = now.filter((line) => !same.has(line.text.trim()));
    const left = now.length - before.length;
    return left <= 0 ? [] : others.slice(-left);
  }
  const comments = before.map((line) => line.comment);
  return now.filter((line) => {
    const at = comments.indexOf(line.comment);
    if (at !== -1) comments.splice(at, 1);
    return at === -1;
  });
}

function fires(rule: LineRule, line: CodeLine): boolean {
  const text = rule.in === "line" ? line.text : line[rule.in];
  if (text === "" || !rule.pattern.test(text)) return false;
  // A comment has its rules: what stands in one is not run.
  if (rule.in === "line" && line.code.trim() === "") return false;
  return !rule.unless?.test(text);
}

function once(found: Weakening[]): Weakening[] {
  const seen = new Set<string>();
  return found.filter(({ line, kind }) => {
    const key = `${line} ${kind}`;
    if (seen.has(key)) return false;
    return seen.add(key);
  });
}

/** One place, with the line as it stands there. */
function told(file: string, kind: WeakeningKind, { line, text }: { line: number; text: string }): Weakening {
  return { file, line, kind, text: text.trim().slice(0, textCharsMax) };
}
