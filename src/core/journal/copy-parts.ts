/** The copy of a journal in git: a tree of its parts in order, so that only the last part is rewritten as it grows. */

/** The size at which a part ends, with the line that reaches it: 100 MB make some 3,000 parts. */
export const partBytes = 32 * 1024;

/** The journal cut into parts. Lines are only appended, so all parts but the last stay the same. */
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

/** A shell command that prints the copy under `ref` from any folder, also an old copy that is a single blob. It fails if a part is missing. */
export function printCopy(ref: string): string {
  return `git rev-list --objects --no-object-names --filter=object:type=blob --filter-provided-objects ${ref} | xargs -n 1 git cat-file blob`;
}
