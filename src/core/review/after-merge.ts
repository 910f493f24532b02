/** Decides whether an approval needs confirmation on the merged tree: the base has moved, and its changes meet the submission. */

/** The changes of each side since both were last reviewed together, and the lines of those files that refer to other files. */
export type Sides = {
  ours: readonly string[];
  theirs: readonly string[];
  lines: readonly { file: string; line: string }[];
};

/** A file that both sides changed, or two files of which one imports the other. */
export type Meeting = { ours: string; theirs: string };

/** The files where the sides meet; undefined if nothing needs confirmation. */
export function toConfirm(mode: "auto" | "always", sides: Sides): Meeting[] | undefined {
  if (sides.theirs.length === 0) return undefined;
  const meetings = meetingsOf(sides);
  return mode === "always" || meetings.length > 0 ? meetings : undefined;
}

function meetingsOf({ ours, theirs, lines }: Sides): Meeting[] {
  const [mine, its] = [new Set(ours), new Set(theirs)];
  const both = ours.filter((path) => its.has(path)).map((path) => ({ ours: path, theirs: path }));
  const packages = ours.flatMap((path) =>
    theirs.filter((other) => sharePackage(path, other)).map((other) => ({ ours: path, theirs: other })),
  );
  const imports = lines.flatMap(({ file, line }) => {
    const names = pathsNamed(line);
    const imported = (path: string): boolean => names.some((name) => leadsTo(path, { name, from: file }));
    return [
      ...(mine.has(file) ? theirs.filter(imported).map((path) => ({ ours: file, theirs: path })) : []),
      ...(its.has(file) ? ours.filter(imported).map((path) => ({ ours: path, theirs: file })) : []),
    ];
  });
  const all = [...both, ...packages, ...imports].filter(
    (one) => one.ours === one.theirs || !mine.has(one.theirs),
  );
  return [...new Map(all.map((one) => [`${one.ours}\0${one.theirs}`, one])).values()];
}

/** Whether two files are in one package, where they need no import of each other. */
function sharePackage(one: string, other: string): boolean {
  const [end] = /\.(?:go|java|kt|swift)$/.exec(one) ?? [];
  return end !== undefined && one !== other && other.endsWith(end) && folderOf(one) === folderOf(other);
}

/** The imports of a line, in the syntax of most languages: `import`, `require`, `#include`, `source`, `use`; in quotes if the line has any. */
function pathsNamed(line: string): string[] {
  if (!importing.test(line)) return [];
  const quoted = [...line.matchAll(/(["'`])(.*?)\1/g)].map(([, , text]) => text!);
  const tokens = (quoted.length > 0 ? quoted : [line]).flatMap(
    (text) => text.match(/[\p{L}\d_@.$~/\\:-]+/gu) ?? [],
  );
  return [...new Set([...quoted, ...tokens])];
}

/** A pattern for git that finds lines with an import: the words of `importing`. */
export const importWords =
  '(import|from|require|include|source|use|using|mod|load|extends|src|href)|^[[:space:]]*([.]|.*".*"[[:space:]]*$)';

const importing =
  /^\s*(?:(?:export |pub )?(?:import|from|require\w*|include\w*|source|use|using|mod|load|\.)\b|\.\s|[@#]\s*(?:import|include|use)\b|(?:[\w.]+\s+)?"[^"]+"\s*$)|\b(?:from|import\w*\(?|require\w*|include\w*|source|load|extends|src|href)\W{0,3}["'`]/;

/** Whether a line of `from` imports the file. */
export function importsFile(line: string, { path, from }: { path: string; from: string }): boolean {
  return pathsNamed(line).some((name) => leadsTo(path, { name, from }));
}

function leadsTo(path: string, { name, from }: { name: string; from: string }): boolean {
  if (path === from) return false;
  const stem = withoutEnd(path);
  const isIndex = /(?:^|\/)(?:index|__init__|mod)$/.test(stem);
  if (/^\.{1,2}(?:\/|$)/.test(name)) {
    const target = resolved(folderOf(from), name);
    return [path, stem, ...(isIndex ? [folderOf(path)] : [])].some(
      (one) => one === target || one === withoutEnd(target),
    );
  }
  const last = (text: string): string => text.slice(text.lastIndexOf("/") + 1);
  const word = isIndex || path.endsWith(".go") ? last(folderOf(path)) : last(stem);
  return word !== "" && (name.split(/[/\\.:]+/).includes(word) || withoutEnd(last(name)) === word);
}

function resolved(folder: string, path: string): string {
  const parts = folder.split("/").filter(Boolean);
  for (const part of path.split("/")) {
    if (part === "..") parts.pop();
    else if (part !== "." && part !== "") parts.push(part);
  }
  return parts.join("/");
}

const folderOf = (path: string): string => path.slice(0, Math.max(0, path.lastIndexOf("/")));
const withoutEnd = (path: string): string => path.replace(/(?<=[^/])(?:\.d)?\.[^./]+$/, "");
