/** An index that goes on to another commit without a git is the one that `git read-tree` makes. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { execaSync } from "execa";
import { expect, onTestFinished, test } from "vitest";
import { gitIn, keepGit } from "../../src/git/git.ts";
import { indexWith } from "../../src/git/objects/index-file.ts";
import { treeDiff } from "../../src/git/objects/tree-diff.ts";
import { initRepository, temporaryFolder, temporaryRepository } from "../support/repository.ts";

const files = { "a.txt": "one\n", "dir/one": "1", "dir/sub/two": "2", "other/deep/three": "3" };

type Place = { git: (...args: string[]) => Promise<string>; folder: string };

const entriesOf = ({ git }: Place): Promise<string> => git("ls-files", "--stage", "--debug");

/** The index of the repository at `before`, brought to `after` by monoco; undefined where that is left to git. */
async function brought(place: Place, before: string, after: string): Promise<Buffer | undefined> {
  const leave = keepGit(place.folder);
  const changes = await treeDiff(gitIn(place.folder).ask, before, after);
  leave();
  return indexWith(readFileSync(join(place.folder, ".git/index")), changes!, before.length / 2);
}

test.for<[string, string]>([
  ["nothing", "true"],
  [
    "what has changed, and what is new",
    "echo 2 > dir/one && mkdir -p b/c && echo 3 > b/c/d && ln -s a.txt z",
  ],
  ["what is gone", "rm -r dir a.txt"],
  ["all that is gone", "rm -r *"],
  ["the right to execute", "chmod +x a.txt"],
  ["names beside a folder's", "echo 1 > dir.txt && echo 1 > dir-a && mkdir dir0 && echo 1 > dir0/x"],
  ["names of other letters", "mkdir 项目 && echo 1 > 项目/é && echo 1 > 'a b'"],
  ["a folder in a file's place", "rm a.txt && mkdir a.txt && echo 1 > a.txt/x"],
])("with %s: the same files are known, and none else", async ([, work]) => {
  const place = await temporaryRepository(files);
  const { git, folder } = place;
  await git("status");
  const before = await git("rev-parse", "HEAD");
  const index = join(folder, ".git/index");
  const kept = readFileSync(index);
  const add =
    "git add --all --ignore-removal .; git ls-files -dz a.txt dir other | xargs -0r git rm -q --cached --";
  execaSync("/bin/sh", ["-ec", `${work}; ${add}; git commit -qm after --allow-empty`], { cwd: folder });
  const after = await git("rev-parse", "HEAD");
  writeFileSync(index, kept);
  const mine = await brought(place, before, after);
  await git("read-tree", "-i", "-m", after);
  const theirs = await entriesOf(place);
  writeFileSync(index, mine!);
  expect(await entriesOf(place)).toBe(theirs);
  expect(await git("diff-index", "--cached", "--raw", after)).toBe("");
  // It looks at the order and at the checksum.
  expect(await git("fsck", "--no-dangling", "--no-progress")).toBe("");
  expect(await git("write-tree")).toBe(await git("rev-parse", `${after}^{tree}`));
});

test.for<[string, string, string]>([
  ["a folder became a file", "git read-tree HEAD", "rm -r dir && echo 1 > dir && git add --all"],
  ["a submodule came", "true", `git update-index --add --cacheinfo 160000,${"1".repeat(40)},sub`],
  ["the index has a shorter form", "git update-index --index-version 4", "rm a.txt && git add --all"],
  ["a file is passed over", "git update-index --assume-unchanged dir/one", "rm a.txt && git add --all"],
  [
    "a path has more than 4,094 bytes",
    "true",
    'git update-index --add --cacheinfo "100644,$(git hash-object -w a.txt),$(printf "%0200d/" $(seq 21))x"',
  ],
])("it is left to git where %s", async ([, make, work]) => {
  const place = await temporaryRepository(files);
  const { git, folder } = place;
  const before = await git("rev-parse", "HEAD");
  const sh = (script: string): unknown => execaSync("/bin/sh", ["-ec", script], { cwd: folder });
  sh(make);
  const index = join(folder, ".git/index");
  const kept = readFileSync(index);
  sh(work);
  await git("commit", "-qm", "after");
  writeFileSync(index, kept);
  expect(await brought(place, before, "HEAD")).toBeUndefined();
});

test("from one state to the next, files and folders coming and going: byte for byte what git writes", async () => {
  const folder = join(temporaryFolder(), "many");
  initRepository(folder);
  const git = async (...args: string[]): Promise<string> => gitIn(folder)(args);
  // The same numbers each time.
  let seed = 7;
  const random = (below: number): number => (seed = (seed * 48_271) % 0x7fffffff) % below;
  const nameOf = (): string => ["a", "a-b", "a.b", "ab", "a0", "b"][random(6)]!;
  const states = Array.from({ length: 12 }, () =>
    Array.from({ length: 8 }, () => [nameOf(), nameOf(), `${nameOf()}.txt`].slice(random(3)).join("/")),
  );
  const stream = states.map((paths, n) => {
    const lines = paths.map((path) => `M 100644 inline ${path}\ndata 1\n${random(4)}\n`).join("");
    return `commit refs/heads/main\nmark :${n + 1}\ncommitter T <t@example.invalid> ${n} +0000\ndata 0\ndeleteall\n${lines}\n`;
  });
  await gitIn(folder)(["fast-import", "--quiet"], { input: stream.join("") });
  const commits = (await git("rev-list", "--reverse", "main")).trim().split("\n");
  onTestFinished(keepGit(folder));
  const index = join(folder, ".git/index");
  let made = 0;
  for (const [at, after] of commits.entries()) {
    const before = commits[at - 1];
    const kept = before === undefined ? undefined : readFileSync(index);
    await git("read-tree", after);
    if (!kept) continue;
    const changes = (await treeDiff(gitIn(folder).ask, before!, after))!;
    const mine = indexWith(kept, changes, 20);
    if (!mine) continue;
    made += 1;
    const theirs = readFileSync(index);
    const entries = (all: Buffer): string => all.toString("latin1", 0, all.indexOf("TREE"));
    expect(entries(mine)).toBe(entries(theirs));
    writeFileSync(index, mine);
    expect(await git("write-tree")).toBe(await git("rev-parse", `${after}^{tree}`));
    await git("read-tree", after);
  }
  expect(made).toBeGreaterThan(commits.length / 2);
});

test.for<[string, (whole: Buffer) => Buffer]>([
  ["that is cut off", (whole) => whole.subarray(0, 100)],
  ["that is empty", () => Buffer.alloc(0)],
  [
    "with more entries than there are",
    (whole) => Buffer.concat([whole.subarray(0, 8), Buffer.from("ffffffff", "hex"), whole.subarray(12)]),
  ],
  ["of a merge", (whole) => Buffer.concat([whole.subarray(0, 72), Buffer.from([0x10]), whole.subarray(73)])],
])("nothing is made of an index %s", async ([, spoil]) => {
  const { folder } = await temporaryRepository(files);
  const whole = readFileSync(join(folder, ".git/index"));
  const changes = [{ path: "a.txt", is: undefined }];
  expect(indexWith(whole, changes, 20)).toBeDefined();
  expect(indexWith(spoil(whole), changes, 20)).toBeUndefined();
});
