/**
 * Whether all that a pack leads to is there. `git index-pack --strict` has found each object that another one in the pack names;
 * what is not in the pack has to be whole, too, and is where a tree of the commit before names it.
 */
import type { Git } from "../git.ts";
import type { Packed, PackedObject } from "./loose-pack.ts";
import { entriesIn, isFolder, treeAt } from "./tree.ts";
import type { Entry } from "./tree.ts";
import { treeDiff } from "./tree-diff.ts";
import type { Change } from "./tree-diff.ts";

/**
 * How many commits the pack has, where they all go on from the commit `before`, and all that they lead to is in the pack or in
 * trees of `before` at the places where it has others. Undefined where git has to look.
 */
export async function commitsIfWhole(
  ask: Git["ask"],
  { objects }: Packed,
  { tips, before }: { tips: readonly string[]; before: string },
): Promise<number | undefined> {
  const commits = [...objects.values()].filter(({ type }) => type === 1);
  const areCommits = tips.every((tip) => objects.get(tip)?.type === 1);
  // A root would be of another history; a tag is of no branch.
  if (!areCommits || commits.some(({ links }) => links.length < 2)) return undefined;
  const known = await knownBeside(ask, { objects, commits, before });
  if (!known) return undefined;
  const isThere = (name: string): boolean => objects.has(name) || known.has(name);
  const isWhole = [...objects.values()].every(({ type, links: [first, ...others] }) =>
    type === 1
      ? isThere(first!) && others.every((parent) => parent === before || objects.get(parent)?.type === 1)
      : type !== 4 && [first, ...others].every((name) => name === undefined || isThere(name)),
  );
  return isWhole ? commits.length : undefined;
}

/** What the trees of `before` name that stand where the pack has trees. */
async function knownBeside(
  ask: Git["ask"],
  of: { objects: Packed["objects"]; commits: readonly PackedObject[]; before: string },
): Promise<Set<string> | undefined> {
  const { objects, commits, before } = of;
  const root = `${before}^{tree}`;
  const known = new Set<string>();
  const trees = new Map<string, ReturnType<typeof treeAt>>();
  const treeOf = (name: string): ReturnType<typeof treeAt> => {
    const tree = trees.get(name) ?? treeAt(ask, name);
    trees.set(name, tree);
    return tree;
  };
  const seen = new Set<string>();
  const walk = async (hash: string, name: string | undefined): Promise<boolean> => {
    const object = objects.get(hash);
    const pair = `${hash} ${name}`;
    if (!object || seen.has(pair)) return true;
    seen.add(pair);
    const is = entriesIn(object.content, hash.length / 2);
    const was = name === undefined ? new Map<string, Entry>() : await treeOf(name);
    if (!is || !was || was === "nothing") return false;
    for (const entry of was.values()) if (entry.mode !== "160000") known.add(entry.hash);
    const below = [...is].map(async ([name, entry]) => {
      const before = was.get(name);
      return !isFolder(entry) || walk(entry.hash, isFolder(before) ? before.hash : undefined);
    });
    return (await Promise.all(below)).every(Boolean);
  };
  const walked = await Promise.all(commits.map(({ links }) => walk(links[0]!, root)));
  return walked.every(Boolean) ? known : undefined;
}

/** What differs between `before` and `tip` once the pack is there: until then nothing of it has been checked. */
export async function changesByPack(
  ask: Git["ask"],
  { objects }: Packed,
  { tip, before }: { tip: string; before: string },
): Promise<Change[] | undefined> {
  const ofBoth: Git["ask"] = async (how, name) => {
    const hash = name === `${tip}^{tree}` ? objects.get(tip)!.links[0]! : name;
    const packed = objects.get(hash);
    if (packed?.type !== 2) return ask?.(how, hash);
    return { hash, type: "tree", bytes: packed.content.length, content: packed.content };
  };
  return treeDiff(ofBoth, before, tip);
}

/** How many commits git finds from `tips` to `before`, with all that they lead to; undefined where a tip is none of them. */
export async function commitsWalked(
  git: Git,
  { tips, before }: { tips: readonly string[]; before: string },
): Promise<number | undefined> {
  const listed = await git(["rev-list", "--objects", ...tips, "--not", before]);
  // An object has its path beside it, if only an empty one.
  const commits = listed.split("\n").filter((line) => line !== "" && !line.includes(" "));
  return tips.every((tip) => commits.includes(tip)) ? commits.length : undefined;
}
