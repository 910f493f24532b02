/** What a fast-forward that was killed leaves in a checkout goes back, and a person's own changes stay. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { execa } from "execa";
import { describe, expect, onTestFinished, test } from "vitest";
import { gitIn } from "../../src/git/git.ts";
import { moveBase, settleCut } from "../../src/git/landing.ts";
import { locksAround } from "../../src/git/killed/locks.ts";
import { plainGit, temporaryRepository, writeFiles } from "../support/repository.ts";
import type { TestRepository } from "../support/repository.ts";

type Cut = { place: TestRepository; folder: string; expected: string; commit: string };

/** `a.txt` changes, `gone.txt` goes, `new.txt` comes; then git is killed as it writes the last file. */
async function killed(): Promise<Cut> {
  const place = await temporaryRepository();
  const expected = await place.commit({ "a.txt": "one\n", "gone.txt": "", "mine.txt": "mine\n" });
  await place.git("checkout", "--quiet", "-b", "work");
  await place.git("rm", "--quiet", "gone.txt");
  const commit = await place.commit({ "a.txt": "two\n", "new.txt": "new\n", "z.txt": "z\n" });
  await place.git("checkout", "--quiet", "main");
  writeFiles(place.folder, { ".git/info/attributes": "z.txt filter=kill\n" });
  await place.git("config", "filter.kill.smudge", "rm .git/armed 2> /dev/null && kill -KILL $PPID; cat");
  writeFileSync(join(place.folder, ".git/armed"), "");
  const moved = await moveBase(gitIn(place.folder), { base: "main", commit, expected });
  expect(moved).toMatchObject({ moved: false, why: "held", worktree: place.folder });
  expect(readFileSync(join(place.folder, "a.txt"), "utf8")).toBe("two\n");
  return { place, folder: place.folder, expected, commit };
}

const settle = ({ place, folder, expected, commit }: Cut): ReturnType<typeof settleCut> =>
  settleCut(gitIn(folder), { base: "main", commit, expected, scratch: join(place.outside, "scratch") });
const status = ({ folder }: Cut): Promise<string> => plainGit(folder)("status", "--porcelain");

describe("a fast-forward that was killed", () => {
  test("is left as it is while its lock is there, with the command that removes that", async () => {
    const cut = await killed();
    const before = await status(cut);
    const lock = join(cut.folder, ".git/index.lock");
    expect(await settle(cut)).toMatchObject({
      worktree: cut.folder,
      remedy: `no git is at work there, so a killed one left its lock: rm ${lock}`,
    });
    expect(await status(cut)).toBe(before);
    expect(existsSync(lock)).toBe(true);
  });

  test("goes back once that is removed, so that it can be made again", async () => {
    const cut = await killed();
    await cut.place.git("config", "--unset", "filter.kill.smudge");
    unlock(cut);
    expect(await settle(cut)).toBeUndefined();
    expect(await status(cut)).toBe("");
    expect(await moveBase(gitIn(cut.folder), { base: "main", ...cut })).toEqual({ moved: true });
    expect(await status(cut)).toBe("");
  });

  test.for<[string, Record<string, string>]>([
    ["a file that the merge does not touch", { "mine.txt": "edited\n" }],
    ["a file that it has written", { "a.txt": "two\nand more\n" }],
    ["a file that it has made", { "new.txt": "another\n" }],
  ])("stays where a person has since edited %s", async ([, files]) => {
    const cut = await killed();
    unlock(cut);
    writeFiles(cut.folder, files);
    const before = await status(cut);
    await settle(cut);
    expect(await status(cut)).toBe(before);
    for (const [path, text] of Object.entries(files))
      expect(readFileSync(join(cut.folder, path), "utf8")).toBe(text);
  });

  test("goes back where the index has moved, and the branch has not", async () => {
    const cut = await killed();
    unlock(cut);
    await settle(cut);
    await cut.place.git("read-tree", "-m", "-u", cut.expected, cut.commit);
    expect(await settle(cut)).toBeUndefined();
    expect(await status(cut)).toBe("");
  });
});

test("files that a person deleted stay deleted, where nothing else is of the merge", async () => {
  const cut = await killed();
  unlock(cut);
  await settle(cut);
  rmSync(join(cut.folder, "a.txt"));
  const before = await status(cut);
  expect(await settle(cut)).toBeUndefined();
  expect(await status(cut)).toBe(before);
});

test("a git that is at work may hold the lock: it is named, and nothing is to be removed", async () => {
  const cut = await killed();
  const working = spawn("git", ["cat-file", "--batch"], { cwd: cut.folder, stdio: "pipe" });
  onTestFinished(() => void working.kill());
  await once(working, "spawn");
  expect(await locksAround(gitIn(cut.folder))).toMatchObject({ atWork: [working.pid] });
  expect(await settle(cut)).toMatchObject({
    remedy: `wait for the git that is at work there: process ${working.pid}`,
  });
});

/** `1.txt` and `in/2.txt` go, `b.txt` comes, `y.txt` changes; git is killed as it asks a filter for the first file that it is to write. */
async function killedAtDeletions(): Promise<Cut> {
  const place = await temporaryRepository();
  const mine = { "a.txt": "a\n", "mine.txt": "mine\n" };
  const expected = await place.commit({ "1.txt": "1\n", "in/2.txt": "2\n", "y.txt": "y\n", ...mine });
  await place.git("checkout", "--quiet", "-b", "work");
  await place.git("rm", "--quiet", "1.txt", "in/2.txt");
  const commit = await place.commit({ "b.txt": "b\n", "y.txt": "changed\n" });
  await place.git("checkout", "--quiet", "main");
  writeFiles(place.folder, { ".git/info/attributes": "b.txt filter=stands\n" });
  const [at, on] = [join(place.outside, "at"), join(place.outside, "on")];
  await execa("mkfifo", [at, on]);
  await place.git("config", "filter.stands.smudge", `echo $PPID > ${at}; read -r _ < ${on}; cat`);
  const moved = moveBase(gitIn(place.folder), { base: "main", commit, expected });
  process.kill(Number((await execa("cat", [at])).stdout), "SIGKILL");
  await execa("/bin/sh", ["-c", `echo go > ${on}`]);
  expect(await moved).toMatchObject({ moved: false, why: "held" });
  await place.git("config", "--unset", "filter.stands.smudge");
  const cut = { place, folder: place.folder, expected, commit };
  expect(await status(cut)).toBe(" D 1.txt\n D in/2.txt");
  return cut;
}

describe("a fast-forward that was killed when it had only deleted files", () => {
  test("goes back once its lock is removed, so that it can be made again", async () => {
    const cut = await killedAtDeletions();
    expect(await settle(cut)).toMatchObject({ worktree: cut.folder });
    expect(await status(cut)).toBe(" D 1.txt\n D in/2.txt");
    unlock(cut);
    expect(await settle(cut)).toBeUndefined();
    expect(await status(cut)).toBe("");
    expect(readFileSync(join(cut.folder, "in/2.txt"), "utf8")).toBe("2\n");
    expect(await moveBase(gitIn(cut.folder), { base: "main", ...cut })).toEqual({ moved: true });
    expect(await status(cut)).toBe("");
  });

  test("goes back where it had not deleted all of them", async () => {
    const cut = await killedAtDeletions();
    unlock(cut);
    await cut.place.git("restore", "in/2.txt");
    expect(await settle(cut)).toBeUndefined();
    expect(await status(cut)).toBe("");
  });

  test.for<[string, (cut: Cut) => unknown]>([
    ["deleted a file that the merge does not touch", ({ folder }) => rmSync(join(folder, "mine.txt"))],
    ["deleted a file that the merge changes", ({ folder }) => rmSync(join(folder, "y.txt"))],
    ["edited a file", ({ folder }) => writeFiles(folder, { "mine.txt": "edited\n" })],
    ["put a file in the place of a deleted one", ({ folder }) => writeFiles(folder, { "1.txt": "new\n" })],
    ["brought back what git deletes first", ({ place }) => place.git("restore", "1.txt")],
    ["staged a deletion", ({ place }) => place.git("rm", "--quiet", "--cached", "1.txt")],
  ])("stays where a person has since %s", async ([, meddle]) => {
    const cut = await killedAtDeletions();
    unlock(cut);
    await meddle(cut);
    const before = await status(cut);
    expect(before).not.toBe("");
    await settle(cut);
    expect(await status(cut)).toBe(before);
  });
});

test("what a person deleted stays deleted where no merge was begun from there", async () => {
  const cut = await killedAtDeletions();
  unlock(cut);
  await cut.place.git("update-ref", "-d", "ORIG_HEAD");
  const before = await status(cut);
  await settle(cut);
  expect(await status(cut)).toBe(before);
});

function unlock({ folder }: Cut): void {
  rmSync(join(folder, ".git/index.lock"));
}
