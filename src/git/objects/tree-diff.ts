/** What differs between two trees, read off the trees by a git that is kept: one whose trees differ in a few folders answers at once. */
import type { Git } from "../git.ts";
import { remembered } from "../remembered.ts";
import { entriesMax, isFolder, treeAt } from "./tree.ts";
import type { Entry } from "./tree.ts";

/** What is at a path in the second tree; undefined where nothing, or a folder, is there. */
export type Change = { path: string; is: Entry | undefined };

/** Of the paths that `git diff-tree -r` lists; undefined where no git is kept, or it does not have them, or they are large. */
export async function treeDiff(ask: Git["ask"], from: string, to: string): Promise<Change[] | undefined> {
  const found: Change[] = [];
  let entriesLeft = entriesMax;
  const entriesOf = async (name: string | undefined): Promise<Map<string, Entry> | undefined> => {
    if (name === undefined) return new Map();
    const entries = await treeAt(ask, name);
    if (!entries || entries === "nothing") return undefined;
    entriesLeft -= entries.size;
    return entriesLeft < 0 ? undefined : entries;
  };
  const compare = async (path: string, one?: string, other?: string): Promise<boolean> => {
    const [before, after] = await Promise.all([entriesOf(one), entriesOf(other)]);
    if (!before || !after) return false;
    const folders: Promise<boolean>[] = [];
    for (const name of new Set([...before.keys(), ...after.keys()])) {
      const [was, is] = [before.get(name), after.get(name)];
      if (was?.hash === is?.hash && was?.mode === is?.mode) continue;
      if (isFile(was) || isFile(is)) found.push({ path: path + name, is: isFile(is) ? is : undefined });
      const [left, right] = [was, is].map((entry) => (isFolder(entry) ? entry.hash : undefined));
      if (left !== undefined || right !== undefined) folders.push(compare(`${path}${name}/`, left, right));
    }
    return (await Promise.all(folders)).every(Boolean);
  };
  if (!(await compare("", `${from}^{tree}`, `${to}^{tree}`))) return undefined;
  return found.toSorted((a, b) => Buffer.compare(Buffer.from(a.path), Buffer.from(b.path)));
}

const isFile = (entry: Entry | undefined): boolean => entry !== undefined && !isFolder(entry);

/** The same, asked once of two hashes. */
export async function changesBetween(
  ask: Git["ask"],
  from: string,
  to: string,
): Promise<Change[] | undefined> {
  return remembered("changes", [from, to], () => treeDiff(ask, from, to));
}
