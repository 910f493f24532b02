/** The order of a diff that has to be cut: what is written by hand before data. */
import { isCode, sourceFile } from "./code-file.ts";

/** Parts of a diff, what stands before the first file included, with sources first, then tests and settings, then the rest. */
export function sourcesFirst(diff: string): string {
  const [head = "", ...files] = diff.split(/(?<=\n|^)(?=diff --git )/);
  const ranked = files.map((text) => ({
    text,
    rank: rankOf(/^diff --git .* "?b\/(.*?)"?$/m.exec(text)?.[1] ?? ""),
  }));
  return (
    head +
    ranked
      .toSorted((a, b) => a.rank - b.rank)
      .map(({ text }) => text)
      .join("")
  );
}

function rankOf(path: string): number {
  const file = sourceFile(path, new Set());
  if (file.snapshot) return 2;
  if (isCode(file.language) && !file.test) return 0;
  return file.test || file.tool || file.runs ? 1 : 2;
}
