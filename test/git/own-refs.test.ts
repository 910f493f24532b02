/** Refs and blobs that are written without a git: git finds what its own would have written, and has nothing to say against it. */
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { execaSync } from "execa";
import { expect, onTestFinished, test } from "vitest";
import { keepGit } from "../../src/git/git.ts";
import { writeByHand, writeTree } from "../../src/git/objects/loose-object.ts";
import { hasNoneBelow, moveByHand } from "../../src/git/objects/own-refs.ts";
import type { RefMove } from "../../src/git/objects/own-refs.ts";
import { openRepository } from "../../src/git/repository.ts";
import { temporaryRepository } from "../support/repository.ts";

const own = "refs/monoco/FEAT-0001";
const head = `${own}/head`;
const session = `${own}/sessions/1/head`;

/** Two commits, `first` and `second`; `before` is what the person did before monoco began, in a shell. */
async function kept(before = "true") {
  const { folder, git, commit } = await temporaryRepository();
  const first = await git("rev-parse", "HEAD");
  const second = await commit({ "a.txt": "two\n" });
  execaSync("/bin/sh", ["-ec", before], { cwd: folder, env: { first, second } });
  const repository = await openRepository(folder);
  onTestFinished(keepGit(folder));
  const refs = async (): Promise<string[]> =>
    (await git("for-each-ref", "--format=%(refname) %(objectname)")).split("\n");
  const locks = (): string[] =>
    readdirSync(join(folder, ".git"), { recursive: true, encoding: "utf8" }).filter((name) =>
      name.endsWith(".lock"),
    );
  return { git, own: repository.git, refs, locks, folder, first, second };
}

type Commits = { first: string; second: string };
type Case = [what: string, before: string, moves: (commits: Commits) => RefMove[]];
const isAtFirst = `git update-ref ${head} $first`;

test.for<Case>([
  ["one that is new", "true", ({ first }) => [{ ref: head, to: first }]],
  ["one that must not exist", "true", ({ first }) => [{ ref: head, to: first, expected: "" }]],
  ["one that is there, whatever it is", isAtFirst, ({ second }) => [{ ref: head, to: second }]],
  [
    "one that is what it should be",
    isAtFirst,
    ({ first, second }) => [{ ref: head, to: second, expected: first }],
  ],
  [
    "one that git has packed",
    `${isAtFirst}; git update-ref ${session} $second; git pack-refs --all`,
    ({ first, second }) => [{ ref: head, to: second, expected: first }],
  ],
  [
    "several",
    isAtFirst,
    ({ first, second }) => [
      { ref: head, to: second, expected: first },
      { ref: session, to: first, expected: "" },
    ],
  ],
])("refs are moved: %s", async ([, before, movesOf]) => {
  const place = await kept(before);
  const moves = movesOf(place);
  const names = moves.map(({ ref }) => ref);
  const others = (await place.refs()).filter((line) => !names.includes(line.split(" ")[0]!));
  expect(await moveByHand(place.own, moves)).toBe(true);
  const wanted = [...others, ...moves.map(({ ref, to }) => `${ref} ${to}`)];
  expect(await place.refs()).toEqual(wanted.toSorted());
  expect(place.locks()).toEqual([]);
  expect(await place.git("fsck", "--strict")).toBe("");
});

const toFirst: Case[2] = ({ first }) => [{ ref: head, to: first }];

test.for<Case>([
  ["one that is something else", isAtFirst, ({ second }) => [{ ref: head, to: second, expected: second }]],
  ["one that must not exist", isAtFirst, ({ second }) => [{ ref: head, to: second, expected: "" }]],
  [
    "one that must not exist, and is packed",
    `${isAtFirst}; git pack-refs --all`,
    ({ second }) => [{ ref: head, to: second, expected: "" }],
  ],
  [
    "several, of which the last is something else",
    isAtFirst,
    ({ second }) => [
      { ref: session, to: second },
      { ref: head, to: second, expected: second },
    ],
  ],
  ["one that is to be deleted", isAtFirst, () => [{ ref: head, to: "0".repeat(40) }]],
  ["a branch", "true", ({ first }) => [{ ref: "refs/heads/main", to: first }]],
  ["a branch beside another", "true", ({ first }) => [{ ref: "refs/monoco/../heads/main", to: first }]],
  ["to no object", "true", () => [{ ref: head, to: "1".repeat(40) }]],
  ["one that is locked", `mkdir -p .git/${own}; : > .git/${head}.lock`, toFirst],
  ["a folder of refs", `git update-ref ${head}/a $first`, toFirst],
  ["a folder of packed refs", `git update-ref ${head}/a $first; git pack-refs --all`, toFirst],
  ["one below a ref", `git update-ref ${own} $first`, toFirst],
  ["one below a packed ref", `git update-ref ${own} $first; git pack-refs --all`, toFirst],
  [
    "one below another of them",
    "true",
    ({ first }) => [
      { ref: head, to: first },
      { ref: `${head}/a`, to: first },
    ],
  ],
  ["one that stands for another", `git symbolic-ref ${head} refs/heads/main`, toFirst],
  ["one with a log", `git update-ref --create-reflog ${head} $second`, toFirst],
  ["where all refs have logs", "git config core.logAllRefUpdates always", toFirst],
  ["where files have modes of their own", "git config core.sharedRepository group", toFirst],
  ["where git syncs refs", "git config core.fsync all", toFirst],
  ["where the repository has a form of its own", "git config extensions.noop x", toFirst],
])("nothing is moved, and git is to be asked: %s", async ([, before, movesOf]) => {
  const place = await kept(before);
  const [refs, locks] = [await place.refs(), place.locks()];
  expect(await moveByHand(place.own, movesOf(place))).toBe(false);
  expect(await place.refs()).toEqual(refs);
  expect(place.locks()).toEqual(locks);
});

test("without a git that is kept, nothing is moved", async () => {
  const { folder, git } = await temporaryRepository();
  const repository = await openRepository(folder);
  const first = await git("rev-parse", "HEAD");
  expect(await moveByHand(repository.git, [{ ref: head, to: first }])).toBe(false);
});

test.for<[string, string, boolean]>([
  ["there is a ref", isAtFirst, false],
  ["git has packed one", `${isAtFirst}; git pack-refs --all`, false],
  ["another issue has one", "git update-ref refs/monoco/FEAT-00011/head $first", true],
  ["there is none", "true", true],
])("whether an issue has refs: %s", async ([, before, isNone]) => {
  const place = await kept(before);
  expect(hasNoneBelow(place.own, own)).toBe(isNone);
});

test("a blob is what git makes of the same bytes, also once it is there", async () => {
  const place = await kept();
  const bytes = Buffer.from(Array.from({ length: 1_000 }, (_, n) => n % 256));
  const { stdout } = execaSync("git", ["hash-object", "--stdin"], { input: bytes });
  expect(await writeByHand(place.own, "blob", bytes)).toBe(stdout);
  const read = execaSync("git", ["cat-file", "blob", stdout], { cwd: place.folder, encoding: "buffer" });
  expect(Buffer.from(read.stdout)).toEqual(bytes);
  expect(await place.git("fsck", "--strict", "--no-dangling")).toBe("");
  // It may be about to be cleaned away: git makes it younger.
  expect(await writeByHand(place.own, "blob", bytes)).toBeUndefined();
});

test.for([
  ["by hand", "true"],
  ["by git, where objects have syncs of their own", "git config core.fsync loose-object"],
])("a tree is what git makes of the same blobs: %s", async ([, before]) => {
  const place = await kept(before);
  const blob = await place.git("rev-parse", "HEAD:a.txt");
  const tree = await writeTree(place.own, [
    ["000001", blob],
    ["000002", blob],
  ]);
  expect(await place.git("ls-tree", tree)).toBe(
    ["000001", "000002"].map((name) => `100644 blob ${blob}\t${name}`).join("\n"),
  );
  expect(await place.git("fsck", "--strict", "--no-dangling")).toBe("");
});

test("where objects have modes or syncs of their own, git writes the blob", async () => {
  const place = await kept("git config core.fsync loose-object");
  expect(await writeByHand(place.own, "blob", Buffer.from("text"))).toBeUndefined();
});
