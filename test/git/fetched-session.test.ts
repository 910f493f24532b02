/** What a session committed: all of it comes to the person's repository, and nothing that is not whole. */
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { execaSync } from "execa";
import { expect, onTestFinished, test } from "vitest";
import { fetchSession } from "../../src/git/clone/fetch-session.ts";
import { keepGit } from "../../src/git/git.ts";
import { refs } from "../../src/git/refs.ts";
import { branch, issue, sessionClone } from "../support/session-clone.ts";

async function placeWithClone() {
  const place = await sessionClone({ "a.txt": "one\n" });
  const { source, workspace, start } = place;
  const fetchNow = () => fetchSession(source, { workspace, issue, session: 1, previousHead: start });
  const shell = (cwd: string, script: string) => execaSync("/bin/sh", ["-ec", script], { cwd });
  return { ...place, fetchNow, shell };
}

test.for<[string, string]>([
  [
    "files in folders, a link, an executable file",
    "mkdir -p a/b && echo 1 > a/b/c && ln -s c a/b/d && echo 2 > e && chmod +x e && git add . && git commit -qm last",
  ],
  [
    "a merge of a branch of its own",
    "git checkout -qb side && git commit -qm side --allow-empty && git checkout -q - && git commit -qm one --allow-empty && git merge -q --no-ff -m last side",
  ],
  [
    "a file that is committed again",
    "echo 1 > x && git add x && git commit -qm x && git rm -q x && git commit -qm last",
  ],
  [
    "what is not committed beside it",
    "git commit -qm last --allow-empty && echo 1 > secret && git add secret",
  ],
  ["another branch", "git commit -qm last --allow-empty && git branch idea/two HEAD"],
  [
    "a submodule",
    "git update-index --add --cacheinfo 160000,1111111111111111111111111111111111111111,sub && git commit -qm last",
  ],
])("%s: the same objects come as by a fetch", async ([, work]) => {
  const place = await placeWithClone();
  place.shell(place.workspace, work);
  const head = await place.agent("rev-parse", "HEAD");
  // What a fetch would take.
  const taken = (
    await place.agent("rev-list", "--objects", "--no-object-names", "--branches", `^${place.start}`)
  )
    .split("\n")
    .sort();
  const all = (git: typeof place.git) =>
    git("cat-file", "--batch-all-objects", "--batch-check=%(objectname)");
  const before = new Set((await all(place.git)).split("\n"));
  expect(await place.fetchNow()).toEqual({ head });
  const came = (await all(place.git)).split("\n").filter((hash) => !before.has(hash));
  expect(came.sort()).toEqual(taken);
  expect(await place.git("fsck", "--strict")).not.toMatch(/error|missing|broken/);
  const names = await place.git(
    "for-each-ref",
    "--format=%(objectname) %(refname:lstrip=4)",
    refs.session(issue, 1),
  );
  const own = await place.agent("for-each-ref", "--format=%(objectname) 1/%(refname:lstrip=1)", "refs/heads");
  expect(names.split("\n").sort()).toEqual([...own.split("\n"), `${head} 1/head`].sort());
});

test.for<[string, string]>([
  [
    "a commit that has no author",
    `git update-ref HEAD $(printf 'tree %s\\n\\nno author\\n' $(git rev-parse HEAD^{tree}) | git hash-object --literally -t commit -w --stdin)`,
  ],
  [
    "a tree with a `.git` in it",
    `git update-ref HEAD $(git commit-tree -p HEAD -m x $(printf '100644 .git\\0%s' "$(git rev-parse HEAD:a.txt | xxd -r -p)" | git hash-object --literally -t tree -w --stdin))`,
  ],
  [
    "an object that is another one's",
    `git commit -qm a --allow-empty && p=.git/objects/$(git rev-parse HEAD | sed 's|..|&/|') && git commit -qm b --allow-empty && q=.git/objects/$(git rev-parse HEAD | sed 's|..|&/|') && cp -f $p $q`,
  ],
  [
    "an object that is a link to nothing",
    `git commit -qm a --allow-empty && p=.git/objects/$(git rev-parse HEAD | sed 's|..|&/|') && rm -f $p && ln -s /nowhere $p`,
  ],
])("goes on from the head before where there is %s", async ([, damage]) => {
  const place = await placeWithClone();
  place.shell(place.workspace, damage);
  expect(await place.fetchNow()).toMatchObject({ head: place.start, trouble: expect.any(Object) });
  expect(await place.git("rev-parse", refs.head(issue))).toBe(place.start);
});

test("a commit of the person's that nothing holds, and that is not whole, is not taken for one that is there", async () => {
  const place = await placeWithClone();
  place.shell(
    place.folder,
    `t=$(echo lost | git hash-object -w --stdin) && t=$(printf '100644 blob %s\\tlost\\n' $t | git mktree) && git commit-tree -p HEAD -m dangling $t > ../dangling && rm -f .git/objects/$(echo $t | sed 's|..|&/|')`,
  );
  place.shell(
    place.workspace,
    "git update-ref HEAD $(git commit-tree -p $(cat ../dangling) -p HEAD -m last HEAD^{tree})",
  );
  expect(await place.fetchNow()).toMatchObject({ head: place.start, trouble: expect.any(Object) });
});

/** A tree of the person's that nothing holds, and whose only file is gone; its hash in ../dangling. */
const danglingTree =
  "b=$(echo lost | git hash-object -w --stdin) && t=$(printf '100644 blob %s\\tlost\\n' $b | git mktree) && echo $t > ../dangling && rm -f .git/objects/$(echo $b | sed 's|..|&/|')";
const treeWithIt =
  "t=$(printf '100644 blob %s\\ta.txt\\n040000 tree %s\\tsub\\n' $(git rev-parse HEAD:a.txt) $(cat ../dangling) | git mktree --missing)";

test.for<[string, string]>([
  ["as it is", "true"],
  [
    "with another one under its name in the clone",
    "p=.git/objects/$(cat ../dangling | sed 's|..|&/|') && mkdir -p $(dirname $p) && cp $(o=$(printf '100644 blob %s\\tx\\n' $(git rev-parse HEAD:a.txt) | git mktree) && echo .git/objects/$(echo $o | sed 's|..|&/|')) $p",
  ],
])("a tree of the person's that is not whole is not taken for one that is, %s", async ([, besides]) => {
  const place = await placeWithClone();
  onTestFinished(keepGit(place.folder));
  place.shell(place.folder, danglingTree);
  place.shell(
    place.workspace,
    `${treeWithIt} && c=$(git commit-tree -p HEAD -m last $t) && ${besides} && git update-ref HEAD $c`,
  );
  expect(await place.fetchNow()).toMatchObject({ head: place.start, trouble: expect.any(Object) });
});

test("the name of a branch is no order to git", async () => {
  const place = await placeWithClone();
  await place.git("branch", "mine");
  place.shell(place.workspace, "git commit -qm last --allow-empty");
  const head = await place.agent("rev-parse", "HEAD");
  const name = `x ${head}\ndelete refs/heads/mine\nupdate refs/heads/new`;
  const file = join(place.workspace, ".git/refs/heads", name);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, `${head}\n`);
  expect(await place.fetchNow()).toMatchObject({ head });
  expect(await place.git("for-each-ref", "--format=%(refname:short)", "refs/heads")).toBe(
    `main\nmine\n${branch}`,
  );
});

test("of a HEAD that is on no branch come, though a git killed in an earlier fetch has left the lock of its ref", async () => {
  const place = await placeWithClone();
  place.shell(place.workspace, "git checkout -q --detach && git commit -qm detached --allow-empty");
  const lock = join(place.folder, ".git", `${refs.session(issue, 1)}/head.lock`);
  mkdirSync(dirname(lock), { recursive: true });
  writeFileSync(lock, "");
  expect(await place.fetchNow()).toEqual({ head: await place.agent("rev-parse", "HEAD") });
  expect(existsSync(lock)).toBe(false);
});
