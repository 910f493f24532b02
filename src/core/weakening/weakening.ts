/** Finds places in a diff that weaken tests or checks. A place is never a verdict: the Reviewer judges it. */
import type { FileDiff } from "../text/diff.ts";
import { isCode, sourceFile } from "./code-file.ts";
import type { SourceFile } from "./code-file.ts";
import { splitLine } from "./code-line.ts";
import type { CodeLine, CodePlace } from "./code-line.ts";
import { weakeningKinds } from "./kinds.ts";
import type { WeakeningKind } from "./kinds.ts";
import { lowered } from "./numbers.ts";
import { isSettings, lineRules } from "./rules.ts";
import type { LineRule } from "./rules.ts";
import type { Weakening } from "./schema.ts";
import { t } from "../language/translate.ts";

const textCharsMax = 160;
/** Length at which a line is cut; the rest of a longer one is reported as hidden. */
const lineCharsMax = 10_000;

/** `checks`: the files in monoco's commands. The gravest come first, then in the order of the diff. */
export function weakeningsIn(
  diff: readonly FileDiff[],
  checks: ReadonlySet<string> = new Set(),
): Weakening[] {
  const rank = (one: Weakening): number => weakeningKinds.indexOf(one.kind);
  const files = diff
    .filter(({ change }) => change !== "deleted")
    .map((one) => ({ diff: one, file: sourceFile(one.path, checks) }))
    .filter(({ file }) => file.language !== "prose" && (isCode(file.language) || isSettings(file)));
  return files
    .flatMap((one) => [...hiddenIn(one.diff), ...weakIn(one.diff, one.file)])
    .toSorted((a, b) => rank(a) - rank(b));
}

function hiddenIn({ path, binary, blocks }: FileDiff): Weakening[] {
  if (binary) return [{ file: path, kind: "hidden", text: t`taken for binary` }];
  const [long] = blocks.flatMap(({ added }) => added.filter(({ text }) => text.length > lineCharsMax));
  const text = t`a line of ${long?.text.length ?? 0} characters`;
  return long ? [{ file: path, line: long.line, kind: "hidden", text }] : [];
}

function weakIn({ path, blocks }: FileDiff, file: SourceFile): Weakening[] {
  const rules = lineRules.filter((rule) => rule.for(file));
  const read = ({ line, text }: { line: number; text: string }): CodeLine => {
    const cut = text.slice(0, lineCharsMax);
    return { line, text: cut, ...splitLine(cut, file.language) };
  };
  const place = (kind: WeakeningKind, line: CodeLine, text = line.text.trim()): Weakening => ({
    file: path,
    line: line.line,
    kind,
    text: text.slice(0, textCharsMax),
  });
  return blocks.flatMap((block) => {
    const lines = { removed: block.removed.map(read), added: block.added.map(read) };
    const places = rules.flatMap((rule) => addedBy(rule, lines).map((line) => place(rule.kind, line)));
    const numbers = isSettings(file) ? lowered(lines) : [];
    return [
      ...new Map(places.map((one) => [`${one.line} ${one.kind}`, one])).values(),
      ...numbers.map(({ kind, line, text }) => place(kind, line, text)),
    ];
  });
}

/** The added lines that match the rule beyond those that the place had before: code counts by number, comments by their text. */
function addedBy(rule: LineRule, { removed, added }: CodePlace): CodeLine[] {
  const now = added.filter((line) => fires(rule, line));
  const before = now.length === 0 ? [] : removed.filter((line) => fires(rule, line));
  const wordsOf = ({ comment, text }: CodeLine): string => (rule.in === "comment" ? comment : text.trim());
  const same = Map.groupBy(before, wordsOf);
  const others = now.filter((line) => same.get(wordsOf(line))?.pop() === undefined);
  const more = Math.max(0, now.length - before.length);
  return rule.in === "comment" ? others : others.slice(others.length - more);
}

/** Code in a comment does not run: only the rules for comments apply to it. */
function fires({ in: view, pattern }: LineRule, line: CodeLine): boolean {
  const text = view === "line" ? line.text : line[view];
  return text !== "" && pattern.test(text) && (view === "comment" || line.code.trim() !== "");
}
