/** The clones that agents work in: what they are made of, how they get a trusted .git again, what is fetched from them. */
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
} from "node:fs";
import { join } from "node:path";
import { execaSync } from "execa";
import { describe, expect, test } from "vitest";
import { gitIn } from "../../src/git/git.ts";
import { keepTree, takeSnapshot } from "../../src/git/snapshot.ts";
import {
  makeClone,
  removeClone,
  renewClone,
  replaceGitDir,
  restoreFiles,
} from "../../src/git/clone/workspace.ts";
import { bringInBase } from "../../src/git/clone/settle.ts";
import { fetchSession } from "../../src/git/clone/fetch-session.ts";
import { refs, startRefs } from "../../src/git/refs.ts";
import { worktreesOf } from "../../src/git/worktrees.ts";
import { plainGit, temporaryRepository, writeFiles } from "../support/repository.ts";
import { testRows } from "../support/full.ts";
import { branch, issue, sessionClone } from "../support/session-clone.ts";
import type { SessionClone } from "../support/session-clone.ts";

describe("a clone", () => {
  test("has the work branch checked out, the tags, no remote, no hooks, an identity and nothing to sign", async () => {
    const place = await placeWithClone();
    const { agent, workspace } = place;
    expect(await agent("status", "--porcelain=v2", "--branch")).toBe(
      `# branch.oid ${place.start}\n# branch.head ${branch}`,
    );
    expect([await agent("remote"), await agent("tag")]).toEqual(["", "v1"]);
    expect((await agent("for-each-ref", "--format=%(refname)")).split("\n")).toEqual([
      "refs/heads/main",
      `refs/heads/${branch}`,
      "refs/remotes/origin/main",
      "refs/tags/v1",
    ]);
    expect(existsSync(join(workspace, ".git/hooks"))).toBe(false);
    // TRAP 50
    expect(await agent("config", "--local", "--get-regexp", "^(user|commit)\\.")).toBe(
      "user.name A Person\nuser.email person@example.invalid\ncommit.gpgsign false",
    );
  });

  test("gets the base as it is now, its own branch and files as they are; where the base is gone it is left", async () => {
    const place = await placeWithClone();
    writeFiles(place.workspace, { "half.txt": "half" });
    const base = await place.commit({ "theirs.txt": "theirs" });
    await bringInBase(place.source, place.workspace);
    expect(await place.agent("rev-parse", "main", "origin/main", branch)).toBe(
      `${base}\n${base}\n${place.start}`,
    );
    expect(await place.agent("status", "--porcelain")).toBe("?? half.txt");
    expect(await place.agent("merge", "--quiet", "main", "--message", "m")).toBe("");
    await place.git("branch", "--quiet", "-m", "main", "trunk");
    await bringInBase(place.source, place.workspace);
    expect(await place.agent("rev-parse", "origin/main")).toBe(base);
  });

  test("leaves a base that a session moved, or stands on", async () => {
    const place = await placeWithClone();
    await place.agent("checkout", "--quiet", "main");
    const base = await place.commit({ "theirs.txt": "theirs" });
    await bringInBase(place.source, place.workspace);
    expect(await place.agent("rev-parse", "main", "origin/main")).toBe(`${place.start}\n${base}`);
    expect(await place.agent("status", "--porcelain")).toBe("");
  });

  test("keeps RALPH.md out of its commits", async () => {
    const { agent, workspace } = await placeWithClone();
    writeFiles(workspace, { "RALPH.md": "mine", "docs/RALPH.md": "work" });
    expect(await agent("status", "--porcelain", "--untracked-files=all")).toBe("?? docs/RALPH.md");
  });

  test("borrows the objects of the person's repository, and those that it borrows itself; it has none of its own", async () => {
    const { folder, outside, workspace, source } = await placeWithClone();
    const lender = join(outside, "lender");
    await plainGit(outside)("clone", "--quiet", "--bare", folder, lender);
    const objects = join(folder, ".git/objects");
    writeFiles(objects, { "info/alternates": `${lender}/objects\n` });
    await makeClone(source, workspace);
    const alternates = join(workspace, ".git/objects/info/alternates");
    expect(readFileSync(alternates, "utf8")).toBe(`${objects}\n${lender}/objects\n`);
    expect(objectsOf(join(workspace, ".git"))).toEqual([alternates]);
  });

  test("of which objects are copied shares no object file with the person's repository", async () => {
    const { folder, workspace, source } = await placeWithClone();
    await makeClone({ ...source, clones: "copied" }, workspace);
    const linked = objectsOf(join(workspace, ".git")).filter((path) => statSync(path).nlink > 1);
    expect([objectsOf(join(workspace, ".git")).length > 0, linked]).toEqual([true, []]);
    expect(existsSync(join(workspace, ".git/objects/info/alternates"))).toBe(false);
    expect(objectsOf(join(folder, ".git")).length).toBeGreaterThan(0);
  });

  test("has what it borrows though the person moves the base and prunes in the middle of a session", async () => {
    const place = await placeWithClone();
    const old = await place.commit({ "old.txt": "old" });
    await replaceGitDir(
      { ...place.source, hold: { base: refs.base(issue), remotes: refs.remotes(issue) } },
      place.workspace,
    );
    writeFiles(place.workspace, { "work.txt": "work" });
    await place.agent("add", "work.txt");
    await place.git("commit", "--quiet", "--amend", "--message", "another");
    await place.git("reflog", "expire", "--expire=now", "--all");
    await place.git("gc", "--quiet", "--prune=now");
    expect(await place.agent("rev-parse", "main")).toBe(old);
    await place.agent("commit", "--quiet", "--message", "work");
    expect(await place.agent("fsck", "--strict", "--no-dangling")).toBe("");
    const { head, trouble } = await fetchFrom(place);
    expect([head, trouble]).toEqual([await place.agent("rev-parse", "HEAD"), undefined]);
  });

  test("starts at the source's ref, wherever base is, and replaces what stood in its place", async () => {
    const place = await placeWithClone();
    await place.git("checkout", "--quiet", "--detach");
    const other = await place.commit({ "other.txt": "other" });
    await place.git("update-ref", refs.head(issue), other);
    writeFiles(place.workspace, { "left-over.txt": "" });
    await makeClone(place.source, place.workspace);
    expect(await place.agent("rev-parse", "HEAD")).toBe(other);
    expect(readdirSync(place.workspace).sort()).toEqual([".git", "a.txt", "other.txt"]);
  });

  // TRAP 49
  test("of a base that is called like the folder of its branch has the base as origin/<base> only", async () => {
    const place = await temporaryRepository();
    await place.git("branch", "--move", "monoco");
    const workspace = join(place.outside, "clone");
    await makeClone(
      { root: place.folder, base: "monoco", ref: "HEAD", branch, clones: "borrowed" as const },
      workspace,
    );
    expect(await plainGit(workspace)("for-each-ref", "--format=%(refname)")).toBe(
      `refs/heads/${branch}\nrefs/remotes/origin/monoco`,
    );
  });

  test("is made whatever the person calls remotes, templates, hooks and themselves", async () => {
    const place = await temporaryRepository();
    writeFiles(place.outside, { "template/hooks/post-checkout": "exit 1", "hooks/post-checkout": "exit 1" });
    await place.git("config", "--global", "clone.defaultRemoteName", "upstream");
    await place.git("config", "--global", "init.templateDir", join(place.outside, "template"));
    await place.git("config", "--global", "core.hooksPath", join(place.outside, "hooks"));
    execaSync("chmod", ["-R", "+x", "template", "hooks"], { cwd: place.outside });
    await place.git("config", "user.name", 'A "B" C\\ #D');
    const workspace = join(place.outside, "clone");
    await makeClone(
      { root: place.folder, base: "main", ref: "HEAD", branch, clones: "borrowed" as const },
      workspace,
    );
    expect(await plainGit(workspace)("config", "--local", "user.name")).toBe('A "B" C\\ #D');
    expect(await plainGit(workspace)("remote")).toBe("");
    expect(existsSync(join(workspace, ".git/hooks"))).toBe(false);
  });
});

test("a clone of a repository with SHA-256, whose .git is elsewhere, has its objects", async () => {
  const place = await temporaryRepository();
  const folder = join(place.outside, "sha256");
  const elsewhere = `--separate-git-dir=${join(place.outside, "elsewhere")}`;
  await place.git("init", "--quiet", "--object-format=sha256", "-b", "main", elsewhere, folder);
  await plainGit(folder)("commit", "--quiet", "--allow-empty", "--message", "base");
  const workspace = join(place.outside, "clone");
  await makeClone(
    { root: folder, base: "main", ref: "HEAD", branch, clones: "borrowed" as const },
    workspace,
  );
  const heads = await Promise.all([folder, workspace].map((at) => plainGit(at)("rev-parse", "HEAD", "main")));
  expect(heads[1]).toBe(heads[0]);
});

describe("a trusted .git takes the place of", () => {
  testRows<[string, string]>([
    [
      "one with a planted hook",
      "mkdir -p .git/hooks && echo exit 1 > .git/hooks/pre-commit && chmod +x .git/hooks/pre-commit",
    ],
    ["one with a stale lock", "touch .git/index.lock .git/HEAD.lock"],
    [
      "one in the middle of a rebase",
      "git checkout -qb x && echo x > a.txt && git commit -qam x && git checkout -q - && echo y > a.txt && git commit -qam y && ! git rebase -q x",
    ],
    ["one with a detached HEAD", "git checkout -q --detach"],
    ["one whose branch was deleted", `git checkout -q --detach && git branch -qD ${branch}`],
    ["one that is broken", "echo garbage > .git/HEAD && rm -r .git/refs"],
    ["none at all", "rm -rf .git"],
    ["a file", "rm -rf .git && echo gitdir: /nowhere > .git"],
    ["a link", "mv .git .real && ln -s .real .git"],
    ["a link to nowhere", "rm -rf .git && ln -s /nowhere .git"],
    ["a fifo", "rm -rf .git && mkfifo .git"],
  ])("%s; the files stay as they are", async ([, damage]) => {
    const place = await placeWithClone();
    writeFiles(place.workspace, { "new.txt": "uncommitted\n" });
    shell(place.workspace, damage);
    const text = readFileSync(join(place.workspace, "a.txt"), "utf8");
    await replaceGitDir(place.source, place.workspace);
    rmSync(join(place.workspace, ".real"), { recursive: true, force: true });
    expect(await place.agent("symbolic-ref", "HEAD")).toBe(`refs/heads/${branch}`);
    expect(await place.agent("rev-parse", "HEAD")).toBe(place.start);
    expect(await place.agent("status", "--porcelain")).toBe(
      `${text === "one\n" ? "" : " M a.txt\n"}?? new.txt`,
    );
    expect(readFileSync(join(place.workspace, "a.txt"), "utf8")).toBe(text);
    await place.agent("commit", "--quiet", "--all", "--allow-empty", "--message", "it works");
    expect(readdirSync(place.outside).filter((name) => /fresh|old-git/.test(name))).toEqual([]);
  });

  test("one that was replaced before, which a crash left beside it", async () => {
    const place = await placeWithClone();
    const old = `${place.workspace}.old-git`;
    shell(place.outside, "mkdir -p clone.old-git/a clone.fresh/.git/hooks && chmod 500 clone.old-git/a");
    await replaceGitDir(place.source, place.workspace);
    expect(existsSync(join(place.workspace, ".git/hooks"))).toBe(false);
    expect(existsSync(old)).toBe(false);
  });

  test("one of an earlier base: new commits of the base are in it", async () => {
    const place = await placeWithClone();
    const late = await place.commit({ "late.txt": "" });
    await replaceGitDir(place.source, place.workspace);
    expect(await place.agent("rev-parse", "main")).toBe(late);
    expect(await place.agent("rev-parse", "HEAD")).toBe(place.start);
  });
});

describe("a clone that agent-written code ran in has the files of its commit again", () => {
  testRows<[string, string]>([
    ["which it changed", "echo evil > a.txt"],
    ["which it changed and committed", "echo evil > a.txt && git commit -qam evil"],
    ["which it changed and hid", "git update-index --assume-unchanged a.txt && echo evil > a.txt"],
    ["which it deleted", "rm -r a.txt folder"],
    ["which it made a folder", "rm a.txt && mkdir -p a.txt/b && echo evil > a.txt/b/c"],
    ["which it made a link", "ln -sf ../outside.txt a.txt"],
    [
      "whose folder it made a link",
      "mv folder ../moved && ln -s ../moved folder && echo evil > ../moved/b.txt",
    ],
    [
      "which a filter of its own would change",
      "mkdir -p .git/info && echo '* filter=evil' > .git/info/attributes && git config filter.evil.smudge 'echo evil' && rm a.txt",
    ],
    ["with no .git any more", "rm -rf .git && echo evil > a.txt"],
  ])("%s; what is not tracked stays", async ([, damage]) => {
    const place = await placeWithClone();
    await place.commit({ "folder/b.txt": "two\n" });
    await place.git("update-ref", place.source.ref, "HEAD");
    await makeClone(place.source, place.workspace);
    writeFiles(place.workspace, { "new.txt": "set up\n" });
    shell(place.workspace, damage);
    await renewClone(place.source, place.workspace);
    expect(await place.agent("status", "--porcelain", "--untracked-files=all")).toBe("?? new.txt");
    expect(readFileSync(join(place.workspace, "a.txt"), "utf8")).toBe("one\n");
    expect(readFileSync(join(place.workspace, "folder/b.txt"), "utf8")).toBe("two\n");
    expect(lstatSync(join(place.workspace, "folder")).isDirectory()).toBe(true);
  });
});

describe("fetching a session", () => {
  testRows<[string, string]>([
    ["nothing was committed", "true"],
    ["the work branch went on", "echo 1 > 1 && git add 1 && git commit -qm last"],
    ["a detached HEAD goes on from it", "git checkout -q --detach && git commit -qm last --allow-empty"],
    ["another branch goes on from it", "git checkout -qb other && git commit -qm last --allow-empty"],
    ["HEAD is behind it", "git commit -qm last --allow-empty && git checkout -q --detach HEAD^"],
    [
      "HEAD is beside it",
      "git checkout -q --detach && git commit -qm beside --allow-empty && git checkout -q - && git commit -qm last --allow-empty && git checkout -q -",
    ],
    [
      "the branch was deleted",
      `git checkout -q --detach && git branch -qD ${branch} && git commit -qm last --allow-empty`,
    ],
    [
      "HEAD is a branch without a commit",
      "git commit -qm last --allow-empty && git checkout -q --orphan empty",
    ],
    ["the branch was rewritten", "git commit -qm last --amend --allow-empty"],
    [
      "HEAD is on no branch, and one branch points nowhere",
      "git checkout -q --detach && git commit -qm last --allow-empty && echo 1111111111111111111111111111111111111111 > .git/refs/heads/broken",
    ],
  ])("finds the head where %s", async ([, work]) => {
    const place = await placeWithClone();
    shell(place.workspace, work);
    const last = /qm last/.test(work)
      ? await place.agent("log", "--reflog", "-1", "--grep=^last$", "--format=%H")
      : place.start;
    expect(await fetchFrom(place)).toEqual({ head: last });
    expect(await place.git("rev-parse", refs.head(issue))).toBe(last);
    expect(await place.git("rev-parse", branch)).toBe(last);
  });

  testRows<[string, string, number]>([
    ["where nothing moved", "echo 1 > new.txt", 3],
    ["for a branch that was there before and is another name", "git branch idea", 4],
    ["for branches that were packed", "git pack-refs --all", 3],
    ["for a base that was moved", "git branch -f main $(git commit-tree -p HEAD -m x HEAD^{tree})", 3],
    ["for a HEAD that is detached", "git checkout -q --detach", 3],
    ["for a branch that is a link", "cd .git/refs/heads && mv main ../main && ln -s ../main main", 4],
  ])("brings refs %s", async ([, work, count]) => {
    const place = await placeWithClone();
    shell(place.workspace, work);
    expect(await fetchFrom(place)).toEqual({ head: place.start });
    const kept = await place.git("for-each-ref", "--format=%(refname)", refs.session(issue, 1));
    expect(kept.split("\n").filter(Boolean)).toHaveLength(count);
  });

  test("keeps every branch of the clone under the session's refs, and HEAD", async () => {
    const place = await placeWithClone();
    shell(
      place.workspace,
      "git branch idea/一 && git checkout -q --detach && git commit -qm x --allow-empty",
    );
    await fetchFrom(place);
    const kept = await place.git("for-each-ref", "--format=%(refname:lstrip=4)", refs.session(issue, 1));
    expect(kept.split("\n")).toEqual(["1/head", "1/heads/idea/一", "1/heads/main", `1/heads/${branch}`]);
  });

  test("leaves the person's branches and tags alone, but for the work branch", async () => {
    const place = await placeWithClone();
    const before = await place.git("for-each-ref", "refs/heads/main", "refs/tags");
    shell(place.workspace, "git checkout -q main && git commit -qm mine --allow-empty && git tag -f v1");
    await fetchFrom(place);
    expect(await place.git("for-each-ref", "refs/heads/main", "refs/tags")).toBe(before);
  });

  // TRAP 49
  test("does not move the work branch under somebody who has it checked out", async () => {
    const place = await placeWithClone();
    await place.git("checkout", "--quiet", "-b", branch);
    shell(place.workspace, "git commit -qm last --allow-empty");
    const { head } = await fetchFrom(place);
    expect(await place.git("rev-parse", "HEAD")).toBe(place.start);
    expect(await place.git("rev-parse", refs.head(issue))).toBe(head);
  });

  test("does not need the branch: `monoco` in its way is left alone", async () => {
    const place = await placeWithClone();
    await place.git("branch", "monoco");
    shell(place.workspace, "git commit -qm last --allow-empty");
    const head = await place.agent("rev-parse", "HEAD");
    expect(await fetchFrom(place)).toEqual({ head });
    expect(await place.git("rev-parse", refs.head(issue))).toBe(head);
  });

  testRows<[string, string, string?]>([
    ["no .git", "rm -rf .git"],
    ["no branch", "rm -rf .git/refs/heads/* .git/packed-refs", "no_head"],
    ["a shallow root", "git commit -qm last --allow-empty && git rev-parse HEAD > .git/shallow", "no_head"],
    ["a .git that is broken", "echo garbage > .git/HEAD"],
    [
      "a missing object",
      "echo x > x && git add x && git commit -qm x && rm .git/objects/$(git rev-parse HEAD:x | sed 's|..|&/|')",
    ],
  ])(
    "goes on from the head before, and says why, where there is %s",
    async ([, damage, rule = "git_failed"]) => {
      const place = await placeWithClone();
      shell(place.workspace, damage);
      expect(await fetchFrom(place)).toMatchObject({ head: place.start, trouble: { rule } });
    },
  );

  // TRAP 48
  test("never makes the person's repository a shallow one", async () => {
    const place = await placeWithClone();
    shell(place.workspace, "git commit -qm last --allow-empty && git rev-parse HEAD > .git/shallow");
    await fetchFrom(place);
    expect(existsSync(join(place.folder, ".git/shallow"))).toBe(false);
    expect(await place.git("fsck", "--connectivity-only", "--no-dangling")).toBe("");
  });
});

test("the files of a kept snapshot are uncommitted again in a new clone", async () => {
  const place = await placeWithClone();
  writeFiles(place.workspace, { "new.txt": "new\n" });
  rmSync(join(place.workspace, "a.txt"));
  const { tree } = await takeSnapshot(
    { root: place.folder, commonDir: join(place.folder, ".git") },
    place.workspace,
    place.start,
  );
  const ref = refs.wip(issue, 1);
  await keepTree(gitIn(place.folder), { tree: tree!, parents: [place.start], ref, message: "kept" });
  await makeClone(place.source, place.workspace);
  await restoreFiles(place.folder, place.workspace, ref);
  expect(await place.agent("status", "--porcelain")).toBe(" D a.txt\n?? new.txt");
  expect(await place.agent("for-each-ref", "refs/monoco")).toBe("");
});

test("a relay that starts again keeps the head of the one before", async () => {
  const place = await placeWithClone();
  const before = await place.commit({ "x.txt": "" });
  const git = gitIn(place.folder);
  await startRefs(git, issue, { baseCommit: before, held: true, atMs: 1 });
  await startRefs(git, issue, { baseCommit: place.start, held: true, atMs: 2 });
  expect(await place.git("rev-parse", refs.head(issue))).toBe(place.start);
  expect(await place.git("rev-parse", `refs/monoco/${issue}/earlier/2`)).toBe(before);
});

test("removing a clone removes what a crash left of it, and not what a link in it leads to", async () => {
  const place = await placeWithClone();
  symlinkSync(place.folder, join(place.workspace, "person"));
  for (const ending of [".fresh", ".old-git"]) mkdirSync(place.workspace + ending);
  removeClone(place.workspace);
  expect(readdirSync(place.outside).sort()).toEqual(["home", "repository"]);
  expect(readdirSync(place.folder)).toContain("a.txt");
});

test("the person's worktrees are told with their branches; a deleted one is none", async () => {
  const place = await temporaryRepository();
  const [side, gone] = [join(place.outside, "side 侧"), join(place.outside, "gone")];
  await place.git("worktree", "add", "--quiet", "-b", "side", side);
  await place.git("worktree", "add", "--quiet", "-b", "gone", gone);
  await place.git("checkout", "--quiet", "--detach");
  rmSync(gone, { recursive: true });
  expect(await worktreesOf(gitIn(place.folder))).toEqual([
    { path: place.folder, branch: undefined },
    { path: side, branch: "refs/heads/side" },
  ]);
});

const placeWithClone = (): Promise<SessionClone> => sessionClone(undefined, { tag: "v1" });

function fetchFrom(place: SessionClone) {
  const { source, workspace, start } = place;
  return fetchSession(source, { workspace, issue, session: 1, previousHead: start });
}

function objectsOf(gitDir: string): string[] {
  const objects = join(gitDir, "objects");
  return readdirSync(objects, { recursive: true, encoding: "utf8" })
    .map((name) => join(objects, name))
    .filter((path) => statSync(path).isFile());
}

function shell(cwd: string, script: string): void {
  execaSync("/bin/sh", ["-ec", script], { cwd });
}
