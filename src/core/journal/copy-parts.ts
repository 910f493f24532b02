/** How the copy of a journal lies in git: a tree of its parts, in their order, so that the copy of a long one writes only its end anew. */

/** A part ends with the line that reaches so many bytes: 100 MB have some 3,000 parts. */
export const partBytes = 32 * 1024;

/** The journal, cut into parts. Lines are only appended, so all parts but the last stay as they are. */
export function partsOf(journal: Buffer): { name: string; content: Buffer }[] {
  const parts: { name: string; content: Buffer }[] = [];
  for (let start = 0; start < journal.length;) {
    const newline = journal.indexOf("\n", start + partBytes - 1);
    const end = newline < 0 ? journal.length : newline + 1;
    parts.push({ name: String(parts.length + 1).padStart(6, "0"), content: journal.subarray(start, end) });
    start = end;
  }
  return parts;
}

/** A command for a shell that prints the copy under `ref`, from any folder; also one that is a single blob. It fails where a part is missing. */
export function printCopy(ref: string): string {
  return `git rev-list --objects --no-object-names --filter=object:type=blob --filter-provided-objects ${ref} | xargs -n 1 git cat-file blob`;
}
