/** Trees as a git that is kept has them: what is in a folder of a commit, without a process for each question. */
import type { Git } from "../git.ts";

export type Entry = { mode: string; hash: string };

/** Beyond so many a process of git's own is quicker. */
export const entriesMax = 5_000;

export const isFolder = (entry: Entry | undefined): entry is Entry => entry?.mode === "40000";

/** The entries of the tree that `name` stands for; undefined where no git is kept, or it cannot say. */
export async function treeAt(
  ask: Git["ask"],
  name: string,
): Promise<Map<string, Entry> | "nothing" | undefined> {
  const answered = await ask?.("contents", name);
  if (!answered || answered === "nothing") return answered;
  return answered.type === "tree" ? entriesIn(answered.content, answered.hash.length / 2) : "nothing";
}

/**
 * All that is no folder at `ref`, by path, in git's order; with `names` only what these have of the top. Undefined where git has
 * to be asked in another way, and where it is more than `most`.
 */
export async function filesAt(
  ask: Git["ask"],
  ref: string,
  { names, most = entriesMax }: { names?: readonly string[]; most?: number } = {},
): Promise<Map<string, Entry> | undefined> {
  const found: [path: string, entry: Entry][] = [];
  let left = most;
  const walk = async (name: string, path: string): Promise<boolean> => {
    const entries = await treeAt(ask, name);
    if (!entries || entries === "nothing") return false;
    const taken = [...entries].filter(([one]) => path !== "" || !names || names.includes(one));
    left -= taken.length;
    if (left < 0) return false;
    const below = taken.flatMap(([one, entry]) => {
      if (isFolder(entry)) return [walk(entry.hash, `${path}${one}/`)];
      found.push([path + one, entry]);
      return [];
    });
    return (await Promise.all(below)).every(Boolean);
  };
  if (!(await walk(`${ref}^{tree}`, ""))) return undefined;
  return new Map(found.toSorted(([a], [b]) => Buffer.compare(Buffer.from(a), Buffer.from(b))));
}

/** Undefined where two names could be one to us, as they are not UTF-8. */
export function entriesIn(tree: Buffer, hashBytes: number): Map<string, Entry> | undefined {
  const entries = new Map<string, Entry>();
  for (let at = 0; at < tree.length;) {
    const [space, end] = [tree.indexOf(32, at), tree.indexOf(0, at)];
    const hash = tree.toString("hex", end + 1, end + 1 + hashBytes);
    const name = tree.toString("utf8", space + 1, end);
    if (name.includes("\uFFFD")) return undefined;
    // Old tools write a folder's mode with a zero before it.
    entries.set(name, { mode: tree.toString("latin1", at, space).replace(/^0+/, ""), hash });
    at = end + 1 + hashBytes;
  }
  return entries;
}
