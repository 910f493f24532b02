/** The names that differ between two trees, read off the trees by a git that is kept: one whose trees differ in a few folders answers at once. */
import type { Git } from "../git.ts";

type Entry = { mode: string; hash: string };

/** As `git diff-tree -r --name-only`; undefined where no git is kept, or it does not have them, or they are large. */
export async function treeDiff(ask: Git["ask"], from: string, to: string): Promise<string[] | undefined> {
  const found: string[] = [];
  let entriesLeft = entriesMax;
  const entriesOf = async (name: string | undefined): Promise<Map<string, Entry> | undefined> => {
    if (name === undefined) return new Map();
    const answered = await ask?.("contents", name);
    if (!answered || answered === "nothing" || answered.type !== "tree") return undefined;
    const entries = entriesIn(answered.content, answered.hash.length / 2);
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
      if (isFile(was) || isFile(is)) found.push(path + name);
      const [left, right] = [was, is].map((entry) => (entry?.mode === treeMode ? entry.hash : undefined));
      if (left !== undefined || right !== undefined) folders.push(compare(`${path}${name}/`, left, right));
    }
    return (await Promise.all(folders)).every(Boolean);
  };
  if (!(await compare("", `${from}^{tree}`, `${to}^{tree}`))) return undefined;
  return found.toSorted((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
}

/** Beyond it a process of git's own is quicker. */
const entriesMax = 5_000;
const treeMode = "40000";

const isFile = (entry: Entry | undefined): boolean => entry !== undefined && entry.mode !== treeMode;

function entriesIn(tree: Buffer, hashBytes: number): Map<string, Entry> {
  const entries = new Map<string, Entry>();
  for (let at = 0; at < tree.length;) {
    const [space, end] = [tree.indexOf(32, at), tree.indexOf(0, at)];
    const hash = tree.toString("hex", end + 1, end + 1 + hashBytes);
    entries.set(tree.toString("utf8", space + 1, end), { mode: tree.toString("latin1", at, space), hash });
    at = end + 1 + hashBytes;
  }
  return entries;
}
