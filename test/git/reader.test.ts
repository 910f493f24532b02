/** The git that is kept for a relay answers as a git of its own would, whatever others do in the repository meanwhile. */
import { readFileSync, readdirSync, readlinkSync } from "node:fs";
import { execaSync } from "execa";
import { expect, onTestFinished, test } from "vitest";
import { attempt } from "../../src/core/error/attempt.ts";
import { gitIn, keepGit } from "../../src/git/git.ts";
import { blobAt, commitOf, commitsOf, fileAt, mergeBase, treeOf } from "../../src/git/repository.ts";
import { temporaryRepository } from "../support/repository.ts";

const kept = async (files?: Record<string, string>) => {
  const place = await temporaryRepository(files);
  const git = gitIn(place.folder);
  const leave = keepGit(place.folder);
  onTestFinished(leave);
  return { ...place, git, leave };
};

test.for<[string, string]>([
  ["a file", "main:a.txt"],
  ["a file without an end of its last line", "main:folder/b.txt"],
  ["an empty file", "main:empty.txt"],
  ["a file of many lines", "main:long.txt"],
  ["a name with blanks", "main:a name.txt"],
  ["a name in other letters", "main:项目.txt"],
  ["what is not there", "main:nothing.txt"],
  ["a folder", "main:folder"],
  ["a branch that is not there", "refs/heads/none:a.txt"],
  ["a name that ends as an answer does", "main:is missing"],
  ["no name", ""],
  ["two lines", "main:a.txt\nmain:folder/b.txt"],
])("%s is read as by a git of its own", async ([, name]) => {
  const files = {
    "a.txt": "one\n\ntwo\n",
    "folder/b.txt": "no end",
    "empty.txt": "",
    "long.txt": "line of text\n".repeat(100_000),
    "a name.txt": "1",
    "项目.txt": "一",
  };
  const place = await kept(files);
  // One without a kept git.
  const other = (...args: string[]): string | undefined => {
    const options = { cwd: place.folder, reject: false, stripFinalNewline: false } as const;
    const { exitCode, stdout } = execaSync("git", args, options);
    return exitCode === 0 ? stdout : undefined;
  };
  expect(await blobAt(place.git, name)).toBe(other("cat-file", "blob", name));
  const commit = other("rev-parse", "--verify", "--quiet", `${name}^{commit}`);
  expect(await commitOf(place.git, name)).toBe(commit?.trim());
});

test("what others commit, move, pack and prune is seen at once", async () => {
  const { git, folder, commit } = await kept();
  for (const round of [1, 2, 3]) {
    const head = await commit({ "a.txt": `round ${round}\n` });
    expect(await commitOf(git, "refs/heads/main")).toBe(head);
    execaSync("git", ["repack", "-adq"], { cwd: folder });
    execaSync("git", ["pack-refs", "--all"], { cwd: folder });
    expect(await fileAt(git, "main", "a.txt")).toBe(`round ${round}\n`);
    const tree = execaSync("git", ["rev-parse", "main^{tree}"], { cwd: folder }).stdout;
    expect(await treeOf(git, "main")).toBe(tree);
  }
  const first = await commitOf(git, "main~2");
  expect(await mergeBase(git, "main", first!)).toBe(first);
  execaSync("git", ["branch", "-m", "main", "trunk"], { cwd: folder });
  expect(await commitsOf(git, ["main", "trunk"])).toEqual([undefined, await commitOf(git, "trunk")]);
});

test("where it is killed, or ended by its last user, another git answers", async () => {
  const { git, folder, leave } = await kept();
  const leaveToo = keepGit(folder);
  const head = await commitOf(git, "main");
  const readers = (): string[] =>
    readdirSync("/proc").filter(
      (pid) =>
        /^\d+$/.test(pid) &&
        attempt(() => readlinkSync(`/proc/${pid}/cwd`), "") === folder &&
        attempt(() => readFileSync(`/proc/${pid}/cmdline`, "utf8"), "").includes("--batch-command"),
    );
  expect(readers()).toHaveLength(1);
  const asked = Array.from({ length: 50 }, () => commitOf(git, "main"));
  process.kill(Number(readers()[0]), "SIGKILL");
  expect(new Set(await Promise.all(asked))).toEqual(new Set([head]));
  expect(await fileAt(git, "main", "a.txt")).toBe("one\n");
  leave();
  leaveToo();
  await expect.poll(readers).toEqual([]);
  expect(await commitOf(git, "main")).toBe(head);
});
