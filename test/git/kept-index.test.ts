/** With the index that a checkout or the last snapshot left, git finds what it finds without one, whatever was done to the files. */
import { mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { execaSync } from "execa";
import { expect, onTestFinished, test } from "vitest";
import { keepGit } from "../../src/git/git.ts";
import { layTree } from "../../src/git/trees.ts";
import { makeClone, renewClone } from "../../src/git/clone/workspace.ts";
import { temporaryRepository } from "../support/repository.ts";
import { snapshotAfter, sourceIn } from "../support/snapshot-after.ts";
import { testRows } from "../support/full.ts";

// On a disk: of files in memory no index is kept.
process.env["TMPDIR"] = "/var/tmp";

const works: [string, string][] = [
  ["nothing", "true"],
  ["a change of the same size at once", "printf two > a.txt"],
  [
    "a change of the same size whose time was put back",
    "touch -r a.txt ../time; printf two > a.txt; touch -r ../time a.txt",
  ],
  [
    "another file of the same size and time in its place",
    "touch -r a.txt ../time; printf two > b; touch -r ../time b; mv b a.txt",
  ],
  ["an executable bit", "chmod +x a.txt"],
  ["a link", "rm a.txt && ln -s d/e.txt a.txt"],
  ["a deleted file", "rm d/e.txt"],
  ["a folder that became a file", "rm -r d && echo d > d"],
  ["a new file, and one that is ignored", "echo 1 > new.txt; echo 2 > x.ignored"],
  ["a commit, and a change beside it", "printf six > a.txt; git commit -qam six; printf ten > d/e.txt"],
  [
    "a commit, and a change of the same size whose time was put back",
    "touch -r a.txt ../time; printf six > d/e.txt; git commit -qam six; printf two > a.txt; touch -r ../time a.txt",
  ],
  [
    "commits of what is new, what is gone, and what became something else",
    "mkdir n; echo 1 > n/n; git add n; git commit -qm n; git rm -q a.txt; mkdir a.txt; echo 1 > a.txt/x; ln -s x l; git add .; git commit -qm x; echo 2 > n/n",
  ],
  ["a commit that is taken back", "printf six > a.txt; git commit -qam six; git reset -q --hard HEAD^"],
];

testRows(
  works.flatMap(([what, work]) => [
    { what, work, keeps: true },
    { what: `${what}, without a git that is kept`, work, keeps: false },
  ]),
  (_, at) => at < 2,
)("$what", async ({ work, keeps }) => {
  const place = await temporaryRepository({ "a.txt": "one", "d/e.txt": "one", ".gitignore": "*.ignored\n" });
  const workspace = join(place.outside, "clone");
  if (keeps) onTestFinished(keepGit(place.folder));
  const session = (work: string, keepsIndex: boolean): Promise<object> =>
    snapshotAfter(place, workspace, { work, keepsIndex });
  await makeClone({ ...sourceIn(place), ref: "HEAD" }, workspace);
  await session("true", true);
  const kept = await session(work, true);
  const plain = await session("true", false);
  expect(kept).toEqual(plain);
});

const before = { "a.txt": "one", "d/e.txt": "one", "run.sh": "one" };

async function clone(around?: string, files: Record<string, string> = before) {
  const place = await temporaryRepository(files);
  if (around !== undefined) onTestFinished(() => rmSync(around, { recursive: true }));
  const folder = join(around ?? place.outside, "clone");
  const source = { ...sourceIn(place), ref: "HEAD" };
  await makeClone(source, folder);
  const person = { root: place.folder, commonDir: join(place.folder, ".git") };
  const tree = execaSync("git", ["rev-parse", "HEAD^{tree}"], { cwd: place.folder }).stdout;
  const looks =
    "find . -name .git -prune -o -name .kept -prune -o ! -type d -printf '%p %y %m %l ' -exec cat {} \\; -exec echo \\;";
  const look = (): string => execaSync("/bin/sh", ["-c", `${looks} | sort`], { cwd: folder }).stdout;
  return {
    folder,
    files: look,
    renew: () => renewClone(source, folder),
    lay: () => layTree(person, folder, tree),
  };
}

testRows<[string, string]>([
  ["a change of the same size at once", "printf two > a.txt"],
  [
    "a change of the same size whose time was put back",
    "touch -r a.txt ../time; printf two > a.txt; touch -r ../time a.txt",
  ],
  [
    "another file of the same size and time in its place",
    "touch -r a.txt ../time; printf two > ../b; touch -r ../time ../b; mv ../b a.txt",
  ],
  ["an executable bit", "chmod +x run.sh"],
  ["a link", "rm a.txt && ln -s d/e.txt a.txt"],
  ["a deleted folder", "rm -r d"],
  ["a folder that was moved, and a link to it in its place", "mkdir .kept; mv d .kept/d; ln -s .kept/d d"],
  ["a folder that was moved out, and a link to it in its place", "mv d ../d; ln -s ../d d"],
  [
    "an index that says that nothing changed",
    "printf two > a.txt; git update-index --assume-unchanged a.txt",
  ],
])("after %s, a clone is made again what its commit says", async ([, work]) => {
  for (const again of ["renew", "lay"] as const) {
    const made = await clone();
    const asMade = made.files();
    execaSync("/bin/sh", ["-ec", work], { cwd: made.folder });
    await made[again]();
    expect(made.files()).toBe(asMade);
  }
});

test("an index that somebody else has written in the place of the kept one is not used", async () => {
  const { folder, files, renew } = await clone();
  const asMade = files();
  const forge = "printf two > a.txt; GIT_INDEX_FILE=../clone.index git add a.txt";
  execaSync("/bin/sh", ["-ec", `${forge}; touch -r a.txt ../clone.index`], { cwd: folder });
  await renew();
  expect(files()).toBe(asMade);
});

test("a clone that is made again writes no file that has not changed", async () => {
  for (const again of ["renew", "lay"] as const) {
    const { folder, ...made } = await clone();
    const inode = (): number => statSync(join(folder, "a.txt")).ino;
    const asMade = inode();
    execaSync("/bin/sh", ["-ec", "echo two > d/e.txt"], { cwd: folder });
    await made[again]();
    expect([again, inode()]).toEqual([again, asMade]);
  }
});

test.for(["renew", "lay"] as const)(
  "of a large clone no file is written that nobody has changed, however young it is: %s",
  async (again) => {
    const many = Array.from({ length: 100 }, (_, n) => [`d/${n}.txt`, `${n % 10}`.repeat(20_000)] as const);
    const { folder, ...made } = await clone(undefined, { ...Object.fromEntries(many), "a.txt": "one" });
    const ages = (): string =>
      execaSync("/bin/sh", ["-c", "stat -c '%n %y' d/* | sort"], { cwd: folder }).stdout;
    const asMade = ages();
    for (let round = 0; round < 3; round += 1) {
      execaSync("/bin/sh", ["-c", "printf two > a.txt"], { cwd: folder });
      await made[again]();
      expect(ages()).toBe(asMade);
      expect(readFileSync(join(folder, "a.txt"), "utf8")).toBe("one");
    }
  },
);

test.runIf(process.platform === "linux")(
  "where a write leaves no trace in a file's times, all are written again",
  async () => {
    const { folder, ...made } = await clone(mkdtempSync("/dev/shm/monoco-test-"));
    for (const again of [made.renew, made.lay, made.lay]) {
      const before = statSync(join(folder, "a.txt")).ino;
      await again();
      expect(statSync(join(folder, "a.txt")).ino).not.toBe(before);
    }
  },
);
