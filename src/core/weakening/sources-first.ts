/** Orders a diff that has to be cut: changed files before new ones, handwritten files before data. */
import { isCode, sourceFile } from "./code-file.ts";

/** The parts of a diff in order of reading; text before the first file stays first. */
export function sourcesFirst(diff: string): string {
  const parts = diff.split(/(?<=\n)(?=diff --git )/);
  const head = parts[0]?.startsWith("diff --git ") ? "" : (parts.shift() ?? "");
  const read = parts.map((text) => {
    const [header = ""] = text.split("\n@@ ", 1);
    const path = /^diff --git .* "?b\/(.*?)"?\n/.exec(header)?.[1] ?? "";
    return { text, path, isNew: /\nnew file mode /.test(header) };
  });
  return (
    head +
    changedFirst(read)
      .map(({ text }) => text)
      .join("")
  );
}

/** Changed sources, changed tests and settings, then new ones, and data last, so that hundreds of new files hide no changed one. */
export function changedFirst<File extends { path: string; isNew: boolean }>(files: readonly File[]): File[] {
  const ranked = files.map((file) => ({ file, rank: rankOf(file) }));
  return ranked.toSorted((a, b) => a.rank - b.rank).map(({ file }) => file);
}

function rankOf({ path, isNew }: { path: string; isNew: boolean }): number {
  const file = sourceFile(path, new Set());
  const isTestOrSettings = file.test || file.tool || file.runs;
  const isData = file.snapshot || !(isTestOrSettings || isCode(file.language));
  return (isData ? 4 : isTestOrSettings ? 1 : 0) + (isNew ? (isData ? 1 : 2) : 0);
}
