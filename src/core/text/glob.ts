/** Path patterns as in .gitignore: a bare name matches anywhere, a slash binds to the root, a folder covers its contents. */
import ignore from "ignore";
import { patternGlobstarsMax, patternPathFoldersMax } from "../limits.ts";

/** A test whether any of `patterns` (without `!`) covers a path. It caches paths, so make a new one for each list. */
export function covers(patterns: readonly string[]): (path: string) => boolean {
  const rules = ignore({ ignorecase: false, allowRelativePaths: true }).add(patterns);
  return (path) => rules.ignores(withFewFolders(path));
}

/** The pattern that decides about a path: the last match, with its `!` if it has one. */
export function deciding(patterns: readonly string[]): (path: string) => string | undefined {
  const matchers = patterns.map((pattern) => ({ pattern, covers: covers([bare(pattern)]) }));
  return (path) => matchers.findLast((one) => one.covers(path))?.pattern;
}

/** Whether a text is a pattern that can match, at a bounded cost. */
export function isPattern(text: string): boolean {
  const pattern = bare(text);
  const globstars = pattern.match(/\*{2,}/g)?.length ?? 0;
  return globstars <= patternGlobstarsMax && !coversNothing.some((shape) => shape.test(pattern));
}

/** Patterns that match nothing: only slashes and blanks, a folder without a name, a comment, a last backslash, an unclosed bracket. */
const coversNothing = [/^[/\s]*$/, /\/\//, /^#/, /(?<!\\)(?:\\\\)*\\$/, /(?<!\\)\[(?!.[^\]]*\])/];

function bare(pattern: string): string {
  return pattern.replace(/^!/, "");
}

/** The path with few folders: a pattern's cost grows with the folders, and agents choose the paths. */
function withFewFolders(path: string): string {
  const names = path.split("/");
  return names.length <= patternPathFoldersMax
    ? path
    : [...names.slice(0, patternPathFoldersMax), names.at(-1)].join("/");
}
