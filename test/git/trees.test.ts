/** Trees made of two commits' files, and folders that are made those of a tree, whatever ran in them. */
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { execaSync } from "execa";
import { expect, test } from "vitest";
import { gitIn } from "../../src/git/git.ts";
import {
  changedFiles,
  ignoredIn,
  keepGitState,
  layTree,
  restoreGitState,
  treeWith,
} from "../../src/git/trees.ts";
import { makeClone } from "../../src/git/clone/workspace.ts";
import { temporaryRepository } from "../support/repository.ts";

async function place() {
  const repository = await temporaryRepository({
    "a.txt": "one\n",
    "b/c.txt": "two\n",
    ".gitignore": "out/\n",
  });
  const { folder: root, outside, git } = repository;
  const person = { root, commonDir: join(root, ".git") };
  const folder = join(outside, "clone");
  await makeClone(
    { root, base: "main", ref: "refs/heads/main", branch: "work", clones: "borrowed" as const },
    folder,
  );
  const make = async (edits: Parameters<typeof treeWith>[1]["edits"]): Promise<string> =>
    treeWith(person, { start: await git("rev-parse", "main"), edits, own: join(outside, "own") });
  return { repository, person, folder, make };
}

test("an edit takes a file's place, even a folder's, and leaves the person's index alone", async () => {
  const { repository, make } = await place();
  const hash = await repository.git("rev-parse", "main:a.txt");
  const tree = await make([
    { path: "b", to: { mode: "100644", hash } },
    { path: "new/d.txt", to: { mode: "100755", text: "three\n" } },
    { path: "a.txt", to: undefined },
  ]);
  expect(await repository.git("ls-tree", "-r", "--format=%(objectmode) %(path)", tree)).toBe(
    "100644 .gitignore\n100644 b\n100755 new/d.txt",
  );
  expect(await repository.git("status", "--porcelain")).toBe("");
});

test.for<[string, string | undefined]>([
  ["nothing yet", undefined],
  ["an empty HEAD", ""],
  ["zeros in the place of its HEAD, after a power loss", "\0".repeat(41)],
])("a git directory that a killed run was making is made anew: %s", async ([, head]) => {
  const { repository, make } = await place();
  const own = join(repository.outside, "own");
  mkdirSync(join(own, "refs"), { recursive: true });
  if (head !== undefined) writeFileSync(join(own, "HEAD"), head);
  const tree = await make([{ path: "a.txt", to: undefined }]);
  expect(await repository.git("ls-tree", "--name-only", tree)).toBe(".gitignore\nb");
});

test("no two trees in a row have a file of one second: bytecode and builds are told by that", async () => {
  const { person, folder, make } = await place();
  const seconds: number[] = [];
  for (const text of ["ONE\n", "two\n", "ONE\n"]) {
    const tree = await make([{ path: "a.txt", to: { mode: "100644", text } }]);
    await layTree(person, folder, tree);
    expect(readFileSync(join(folder, "a.txt"), "utf8")).toBe(text);
    seconds.push(Math.floor(statSync(join(folder, "a.txt")).mtimeMs / 1_000));
  }
  expect(seconds.toSorted((a, b) => a - b)).toEqual(seconds);
  expect(new Set(seconds).size).toBe(3);
});

test("changed files are told with what they were and are; a renamed one is gone and new", async () => {
  const { repository } = await place();
  const start = await repository.git("rev-parse", "main");
  await repository.git("mv", "a.txt", "登录.txt");
  const head = await repository.commit({ "b/c.txt": "more\n" });
  const files = await changedFiles(gitIn(repository.folder), start, head);
  expect(files.map(({ path, before, after }) => [path, before !== undefined, after !== undefined])).toEqual([
    ["a.txt", true, false],
    ["b/c.txt", true, true],
    ["登录.txt", false, true],
  ]);
});

test("a folder is made a tree again: tracked, new and deleted files, not what is ignored, and not its own git", async () => {
  const { repository, person, folder, make } = await place();
  const tree = await make([{ path: "new.txt", to: { mode: "100644", text: "new\n" } }]);
  await layTree(person, folder, tree);
  const index = readFileSync(join(folder, ".git", "index"));
  const spoil =
    "echo x > a.txt; touch -d 2001-01-01 a.txt; rm -r b new.txt; mkdir new.txt out more; echo x > new.txt/x; echo x > out/x; echo x > more/x; git init -q more/nested";
  execaSync("/bin/sh", ["-c", spoil], { cwd: folder });
  await layTree(person, folder, tree);
  expect(["a.txt", "b/c.txt", "new.txt"].map((path) => readFileSync(join(folder, path), "utf8"))).toEqual([
    "one\n",
    "two\n",
    "new\n",
  ]);
  expect(existsSync(join(folder, "more"))).toBe(false);
  expect(await ignoredIn(person, folder, tree)).toEqual(["out/"]);
  expect(readFileSync(join(folder, ".git", "index"))).toEqual(index);
  // From one tree to the next.
  await layTree(person, folder, await repository.git("rev-parse", "main^{tree}"));
  expect(existsSync(join(folder, "new.txt"))).toBe(false);
  rmSync(join(folder, ".git"), { recursive: true });
  await layTree(person, folder, tree);
  expect(existsSync(join(folder, "new.txt"))).toBe(true);
});

test("a link in the folder's place is refused: the repository that it leads to stays as it is", async () => {
  const { repository, person, folder, make } = await place();
  const tree = await make([]);
  await layTree(person, folder, tree);
  keepGitState(folder);
  renameSync(folder, `${folder}.away`);
  symlinkSync(repository.folder, folder);
  writeFileSync(join(repository.folder, "mine.txt"), "mine\n");
  const before = await repository.git("for-each-ref");
  await expect(layTree(person, folder, tree)).rejects.toThrow("is no folder of its own");
  await expect(ignoredIn(person, folder, tree)).rejects.toThrow("is no folder of its own");
  for (const touch of [keepGitState, restoreGitState])
    expect(() => touch(folder)).toThrow("is no folder of its own");
  expect(await repository.git("for-each-ref")).toBe(before);
  expect(readFileSync(join(repository.folder, "mine.txt"), "utf8")).toBe("mine\n");
});

test("folders that nobody may write in, and the lock of a run that was killed, are no hindrance", async () => {
  const { person, folder, make } = await place();
  const tree = await make([]);
  await layTree(person, folder, tree);
  mkdirSync(join(folder, "closed"));
  writeFileSync(join(folder, "closed", "x"), "");
  chmodSync(join(folder, "closed"), 0o555);
  writeFileSync(join(`${folder}.trees`, "index.lock"), "");
  await layTree(person, folder, tree);
  expect(existsSync(join(folder, "closed"))).toBe(false);
});
