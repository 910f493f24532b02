/** Patterns over paths, as .gitignore has them: a bare name anywhere, a slash binds to the root, a folder covers what is below it. */
import ignore from "ignore";
import { patternGlobstarsMax, patternPathFoldersMax } from "../limits.ts";

/** Whether any of `patterns`, none of which begins with `!`, covers a path. Make it anew for each list of paths: it remembers them. */
export function covers(patterns: readonly string[]): (path: string) => boolean {
  const rules = ignore({ ignorecase: false, allowRelativePaths: true }).add(patterns);
  return (path) => rules.ignores(withFewFolders(path));
}

/** Which pattern decides about a path: the last one that matches it, with its `!` where it begins with one. */
export function deciding(patterns: readonly string[]): (path: string) => string | undefined {
  const known = patterns.map((pattern) => ({ pattern, covers: covers([bare(pattern)]) }));
  return (path) => known.findLast((one) => one.covers(path))?.pattern;
}

/** Whether a text is a pattern that can cover anything, at a bounded cost. */
export function isPattern(text: string): boolean {
  const pattern = bare(text);
  const globstars = pattern.match(/\*{2,}/g)?.length ?? 0;
  return globstars <= patternGlobstarsMax && !coversNothing.some((shape) => shape.test(pattern));
}

/** Nothing but slashes and blanks, a folder without a name, a comment, a last backslash, a bracket that is not closed. */
const coversNothing = [/^[/\s]*$/, /\/\//, /^#/, /(?<!\\)(?:\\\\)*\\$/, /(?<!\\)\[(?!.[^\]]*\])/];

function bare(pattern: string): string {
  return pattern.replace(/^!/, "");
}

/** The time that a pattern takes grows with the folders of a path, and agents choose the paths. */
function withFewFolders(path: string): string {
  const names = path.split("/");
  return names.length <= patternPathFoldersMax
    ? path
    : [...names.slice(0, patternPathFoldersMax), names.at(-1)].join("/");
}
