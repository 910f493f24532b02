/** A diff whose every line is read as code and comment, with what each file is for: what the rules for weakenings look at. */
import type { FileDiff } from "../text/diff.ts";
import { isCode, sourceFile } from "./code-file.ts";
import type { SourceFile } from "./code-file.ts";
import { splitLine } from "./code-line.ts";
import type { SourceLine } from "./code-line.ts";

export type SourceDiff = {
  diff: FileDiff;
  file: SourceFile;
  /** The same as it was before, under its name of then. */
  was: SourceFile;
  /** None of a file that no rule is for. */
  blocks: SourceBlock[];
};
export type SourceBlock = { removed: CodeLine[]; added: CodeLine[] };
export type CodeLine = SourceLine & { line: number; text: string };

/** A longer line is for no human eye; what is cut off is told of as hidden. */
export const lineCharsMax = 10_000;

/** `checks`: the files that monoco's commands name. */
export function sourceDiff(diff: FileDiff, checks: ReadonlySet<string>): SourceDiff {
  const file = sourceFile(diff.path, checks, diff.change === "added");
  const was = diff.was === undefined ? file : sourceFile(diff.was, checks);
  const read = ({ line, text }: { line: number; text: string }): CodeLine => {
    const cut = text.length > lineCharsMax ? text.slice(0, lineCharsMax) : text;
    return { line, text: cut, ...splitLine(cut, file.language) };
  };
  const blocks =
    isReadable(file) || isReadable(was)
      ? diff.blocks.map(({ removed, added }) => ({ removed: removed.map(read), added: added.map(read) }))
      : [];
  return { diff, file, was, blocks };
}

export function isReadable({ language, tool, runs }: SourceFile): boolean {
  return isCode(language) || tool || runs;
}
