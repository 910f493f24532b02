/** Trees that are compared by monoco: the names are those that `git diff-tree` has. */
import { execaSync } from "execa";
import { expect, onTestFinished, test } from "vitest";
import { gitIn, keepGit, zeroed } from "../../src/git/git.ts";
import { treeDiff } from "../../src/git/objects/tree-diff.ts";
import { temporaryRepository } from "../support/repository.ts";

test.for<[string, string]>([
  ["nothing", "true"],
  ["a file, a folder, a link", "echo 1 > new && mkdir -p b/c/d && echo 2 > b/c/d/e && ln -s new link"],
  ["what is gone", "rm -r dir a.txt"],
  [
    "a file that became a folder, and a folder that became a file",
    "rm a.txt && mkdir a.txt && echo 1 > a.txt/x && rm -r dir && echo 1 > dir",
  ],
  ["the right to execute", "chmod +x a.txt"],
  ["names beside a folder's", "echo 1 > dir.txt && echo 1 > dir-a && mkdir dir0 && echo 1 > dir0/x"],
  ["names of other letters", "mkdir 项目 && echo 1 > 项目/é && echo 1 > 'a b'"],
  ["a submodule", "git update-index --add --cacheinfo 160000,1111111111111111111111111111111111111111,sub"],
])("%s", async ([, work]) => {
  const { git, folder, commit } = await temporaryRepository({
    "a.txt": "one\n",
    "dir/one": "1",
    "dir/sub/two": "2",
  });
  const before = await commit({ "dir/sub/three": "3" });
  execaSync(
    "/bin/sh",
    [
      "-ec",
      `${work}; git add --all --ignore-removal . 2>/dev/null || true; git add -u; git commit -qm after --allow-empty`,
    ],
    { cwd: folder },
  );
  const after = await git("rev-parse", "HEAD");
  const expected = zeroed(
    await gitIn(folder)(["diff-tree", "-r", "--name-only", "-z", "--no-renames", before, after]),
  );
  onTestFinished(keepGit(folder));
  const changes = await treeDiff(gitIn(folder).ask, before, after);
  expect(changes?.map(({ path }) => path)).toEqual(expected);
});

test("is not known without a git that is kept, and of what is not there", async () => {
  const { git, folder } = await temporaryRepository();
  const head = await git("rev-parse", "HEAD");
  expect(await treeDiff(gitIn(folder).ask, head, head)).toBeUndefined();
  onTestFinished(keepGit(folder));
  expect(await treeDiff(gitIn(folder).ask, head, "1".repeat(40))).toBeUndefined();
});
