/** With the index that the last snapshot left, a snapshot is what it is without one, whatever was done to the files. */
import { join } from "node:path";
import { execaSync } from "execa";
import { expect, onTestFinished } from "vitest";
import { keepGit } from "../../src/git/git.ts";
import { takeSnapshot } from "../../src/git/snapshot.ts";
import { makeClone, replaceGitDir } from "../../src/git/clone/workspace.ts";
import { temporaryRepository } from "../support/repository.ts";
import { testRows } from "../support/full.ts";

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
  const person = { root: place.folder, commonDir: join(place.folder, ".git") };
  const source = { root: place.folder, base: "main", branch: "work", clones: "borrowed" as const };
  const session = async (work: string, keepsIndex: boolean): Promise<object> => {
    execaSync("/bin/sh", ["-ec", work], { cwd: workspace });
    const head = execaSync("git", ["rev-parse", "HEAD"], { cwd: workspace }).stdout;
    await place.git("fetch", "--quiet", workspace, "+HEAD:refs/kept/head");
    const seen = await takeSnapshot(person, workspace, head, { keepsIndex });
    await replaceGitDir({ ...source, ref: "refs/kept/head" }, workspace);
    const told = execaSync("git", ["status", "--porcelain"], { cwd: workspace }).stdout;
    return { head, ...seen, told };
  };
  await makeClone({ ...source, ref: "HEAD" }, workspace);
  await session("true", true);
  const kept = await session(work, true);
  const plain = await session("true", false);
  expect(kept).toEqual(plain);
});
