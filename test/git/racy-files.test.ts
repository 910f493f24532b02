/** Files that were written in the second of their index: git need not read those that nobody has touched, and misses none of the others. */
import { execaSync } from "execa";
import { mkdirSync, readFileSync, statSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { readingLess } from "../../src/git/clone/racy-files.ts";
import { temporaryRepository } from "../support/repository.ts";

// On a disk: files in memory have no times of their own for each change.
process.env["TMPDIR"] = "/var/tmp";

/** A repository with 30 files of 50 kB that are older than their index, and no second older. */
async function racyRepository(timeOf = "now") {
  const files = Array.from({ length: 30 }, (_, n) => [`d/${n}.txt`, `${n % 10}`.repeat(50_000)] as const);
  const { folder } = await temporaryRepository({ ...Object.fromEntries(files), "a.txt": "one" });
  const sh = (command: string): string => execaSync("/bin/sh", ["-ec", command], { cwd: folder }).stdout;
  const index = join(folder, ".git/index");
  const ages = (path: string): bigint[] => {
    const { mtimeNs, ctimeNs } = statSync(path, { bigint: true });
    return [mtimeNs, ctimeNs];
  };
  const isRacy = (): boolean => {
    const times = files.flatMap(([name]) => ages(join(folder, name)));
    const [written = 0n] = ages(index);
    return times.every((time) => time < written && time / 1_000_000_000n === written / 1_000_000_000n);
  };
  while (!isRacy()) sh(`touch d/*; touch -d "${timeOf}" a.txt; rm .git/index; git reset -q`);
  const [writtenMs] = [statSync(index).mtimeMs];
  const at = { index, folder, hashBytes: 20 };
  const read = (work: () => string = () => "") =>
    readingLess(at, async () => ({ isYounger: statSync(index).mtimeMs > writtenMs, told: work() }));
  return { sh, index, writtenMs, read };
}

// Without it git would write what it finds out.
const status = "GIT_OPTIONAL_LOCKS=0 git status --porcelain";

test.for<[string, string, string]>([
  ["nothing", "true", ""],
  ["a change of the same size at once", "printf two > a.txt", " M a.txt"],
  [
    "a change of the same size whose time was put back",
    "touch -r a.txt .git/time; printf two > a.txt; touch -r .git/time a.txt",
    " M a.txt",
  ],
  [
    "another file of the same size and time in its place",
    "touch -r a.txt .git/time; printf two > .git/b; touch -r .git/time .git/b; mv .git/b a.txt",
    " M a.txt",
  ],
  ["a change through another name", "ln a.txt .git/a; printf two > .git/a", " M a.txt"],
  ["a change that was taken back", "printf two > a.txt; printf one > a.txt", ""],
  ["an executable bit", "chmod +x a.txt", " M a.txt"],
  ["a link", "rm a.txt; ln -s d/0.txt a.txt", " T a.txt"],
  ["a deleted file", "rm a.txt", " D a.txt"],
  ["a folder in its place", "rm a.txt; mkdir a.txt; echo 1 > a.txt/x", " D a.txt"],
])("git takes the index at its word, and sees %s", async ([, work, told]) => {
  const { sh, read } = await racyRepository();
  sh(work);
  expect(await read(() => sh(status))).toEqual({ isYounger: true, told });
});

test("a file with a time in the future is git's to read", async () => {
  const { sh, read } = await racyRepository("@2147483646");
  sh("printf two > a.txt; touch -d @2147483646 a.txt");
  expect(await read(() => sh(status))).toEqual({ isYounger: true, told: " M a.txt" });
});

test("what is changed afterwards git sees, too", async () => {
  const { sh, read } = await racyRepository();
  await read();
  sh("printf two > a.txt");
  expect(sh(status)).toBe(" M a.txt");
});

test("once the second is over they are no longer read, and what is changed is seen", async () => {
  const { sh, index, writtenMs, read } = await racyRepository();
  await expect.poll(() => Math.floor(Date.now() / 1_000)).toBeGreaterThan(Math.floor(writtenMs / 1_000));
  await read();
  expect(statSync(index).mtimeMs).toBe(1_000 * (Math.floor(writtenMs / 1_000) + 1));
  expect((await read()).isYounger).toBe(true);
  sh("touch -r a.txt .git/time; printf two > a.txt; touch -r .git/time a.txt");
  expect(sh(status)).toBe(" M a.txt");
});

test("an index that git writes meanwhile is left as git has it", async () => {
  const { sh, index, read } = await racyRepository();
  sh("printf two > a.txt");
  const { told } = await read(() => {
    sh("git add a.txt");
    return readFileSync(index, "latin1");
  });
  expect(readFileSync(index, "latin1")).toBe(told);
  expect(sh(status)).toBe("M  a.txt");
  expect(sh("git fsck --no-dangling --no-progress")).toBe("");
});

test.for<[string, (of: { sh: (command: string) => string; index: string; writtenMs: number }) => void]>([
  [
    "no younger than its files",
    ({ index, writtenMs }) => utimesSync(index, new Date(0), Math.floor(writtenMs / 1_000)),
  ],
  ["of which more than a tenth was touched", ({ sh }) => sh("touch d/1*")],
  ["of another form", ({ sh }) => sh("git update-index --index-version 4")],
  ["that cannot be written", ({ index }) => mkdirSync(`${index}.doubted`)],
])("an index %s is left to git, which reads the files", async ([, make]) => {
  const { sh, index, writtenMs, read } = await racyRepository();
  make({ sh, index, writtenMs });
  sh("printf two > a.txt");
  const before = readFileSync(index, "latin1");
  const { told } = await read(() => sh(status) + readFileSync(index, "latin1"));
  expect(told).toBe(` M a.txt${before}`);
});
