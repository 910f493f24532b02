/** A clone lives as long as its relay: what a session left in its `.git` is there for the next one, but for what could run a program. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { execaSync } from "execa";
import { describe, expect, test } from "vitest";
import type { Unfinished } from "../../src/core/exit/unfinished.ts";
import { ignoreFolders } from "../../src/git/clone/inner.ts";
import { keepUncommitted } from "../../src/git/clone/inner-work.ts";
import { fetchSession } from "../../src/git/clone/fetch-session.ts";
import { unfinishedIn } from "../../src/git/clone/operation.ts";
import { keepSettings, restoreSettings } from "../../src/git/clone/own-settings.ts";
import { bringInBase, settleClone } from "../../src/git/clone/settle.ts";
import { keepTree, takeSnapshot } from "../../src/git/snapshot.ts";
import { gitIn } from "../../src/git/git.ts";
import { refs } from "../../src/git/refs.ts";
import { full, testRows } from "../support/full.ts";
import { branch, issue, sessionClone } from "../support/session-clone.ts";

async function session(work: string) {
  const place = await sessionClone({ "a.txt": "one\n", "b.txt": "one\n" });
  const { source, workspace, outside, start } = place;
  const shell = (script: string) => execaSync("/bin/sh", ["-c", script], { cwd: workspace, reject: false });
  const aside = join(outside, "aside");
  shell(work);
  const fetched = await fetchSession(source, { workspace, issue, session: 1, previousHead: start });
  const settle = async () => (await settleClone(source, workspace, { head: fetched.head, aside })).names;
  return { ...place, shell, aside, fetched, settle, person: gitIn(place.folder) };
}

/** Two commits that change the same line: `theirs` on a branch, `ours` on the work branch. */
const conflict =
  "git checkout -qb theirs && echo theirs > a.txt && git commit -qam theirs && git checkout -q - && echo ours > a.txt && git commit -qam ours; ";
const applied = "git format-patch -q -1 theirs -o ../patches; ";

describe("an operation in progress goes on where it stands", () => {
  test.for<[Unfinished["operation"], string, string[]]>([
    ["merge", `${conflict}git merge theirs`, ["a.txt"]],
    ["rebase", `${conflict}git rebase theirs`, ["a.txt"]],
    ["cherry-pick", `${conflict}git cherry-pick theirs`, ["a.txt"]],
    ["revert", `${conflict}echo 3 > a.txt && git commit -qam three; git revert HEAD^`, ["a.txt"]],
    ["am", `${conflict}${applied}git am --3way ../patches/*`, ["a.txt"]],
    ["bisect", `${conflict}git bisect start -q HEAD HEAD^`, []],
    [
      undefined,
      `echo mine > a.txt && git stash -q && echo theirs > a.txt && git commit -qam x; git stash pop`,
      ["a.txt"],
    ],
  ])("%s", async ([operation, work, unmerged]) => {
    const place = await session(work);
    const status = () => place.agent("status");
    const before = await status();
    expect(await place.settle()).toEqual([]);
    expect(await status()).toBe(before);
    const found = await unfinishedIn(place.person, place.workspace);
    expect(found).toMatchObject({ ...(operation && { operation }), unmerged });
    if (operation && !["am", "bisect"].includes(operation)) expect(found?.commit).toMatch(/^[0-9a-f]{40}$/);
  });
});

describe("what lives in .git is there in the next session, and under the refs of this one", () => {
  testRows<[string, string, string, string]>([
    ["a stash", "echo 2 > a.txt && git stash -q -m kept", "git stash list", "stash"],
    ["a tag", "git tag -a -m mine mine", "git tag", "tags/mine"],
    ["a note", "git notes add -m noted", "git notes show", "notes/commits"],
    ["a branch", "git branch idea", "git branch --list idea", "heads/idea"],
  ])("%s", async ([, work, look, ref]) => {
    const place = await session(work);
    const before = place.shell(look).stdout;
    expect(before).not.toBe("");
    await place.settle();
    expect(place.shell(look).stdout).toBe(before);
    expect(await place.git("rev-parse", `${refs.session(issue, 1)}/${ref}`)).toMatch(/^[0-9a-f]{40}$/);
  });

  testRows<[string, string, string]>([
    ["a linked worktree", "git worktree add -q ../linked -b linked", "git worktree list --porcelain"],
    ["a sparse checkout", "git sparse-checkout set --cone nothing", "git sparse-checkout list"],
    ["an upstream", `git branch -q -u main ${branch}`, "git rev-parse --abbrev-ref @{u}"],
    ["the reflog", "git commit -q --allow-empty -m x && git reset -q --hard HEAD^", "git reflog"],
    [
      "recorded resolutions",
      "mkdir -p .git/rr-cache/1 && echo 1 > .git/rr-cache/1/preimage",
      "ls .git/rr-cache",
    ],
    ["what is staged", "echo 2 > a.txt && git add a.txt && echo 3 > a.txt", "git status --porcelain"],
  ])("%s", async ([, work, look]) => {
    const place = await session(work);
    const before = place.shell(look).stdout;
    expect(await place.settle()).toEqual([]);
    expect(place.shell(look).stdout).toBe(before);
  });

  test("commits that only a reflog names (amended, an older stash) become the parents of one commit", async () => {
    const place = await session(
      "echo 1 > new && git add new && git commit -qm first && git commit -q --amend -m second && echo 9 > a.txt && git stash -q && echo 8 > a.txt && git stash -q",
    );
    const kept = await place.git("log", "-1", "--format=%P", `${refs.session(issue, 1)}/reflog`);
    const subjects = await place.git("show", "-s", "--format=%s", ...kept.split(" "));
    expect(subjects).toMatch(/^first$/m);
    expect(subjects).toMatch(/^WIP on /m);
    await place.git("fsck", "--strict");
  });

  full("of more than 64 of them the newest are kept", async () => {
    const place = await session(
      "for n in $(seq 70); do git commit -q --allow-empty --amend -m $n; done && git reset -q --hard main",
    );
    const kept = await place.git("log", "-1", "--format=%P", `${refs.session(issue, 1)}/reflog`);
    const subjects = await place.git("show", "-s", "--format=%s", ...kept.split(" "));
    expect(
      subjects
        .split("\n")
        .map(Number)
        .toSorted((one, other) => one - other),
    ).toEqual(Array.from({ length: 64 }, (_, at) => at + 7));
  });

  test("so do commits of a linked worktree that is on no branch", async () => {
    const place = await session(
      "git worktree add -q --detach inner && git -C inner commit -q --allow-empty -m there",
    );
    expect(await place.git("log", "--format=%s", `${refs.session(issue, 1)}/reflog`)).toMatch(/^there$/m);
  });
});

testRows<[string, string, string | undefined]>([
  ["on a branch", "git worktree add -q -b side wt", "M\ta.txt\nA\tnew.txt"],
  [
    "with commits of its own",
    "git worktree add -q --detach wt; git -C wt rm -q b.txt; git -C wt commit -qm x",
    "M\ta.txt\nA\tnew.txt",
  ],
  [
    "whose .git leads elsewhere",
    "git worktree add -q --detach wt; git init -q ../other; echo 'gitdir: ../../other/.git' > wt/.git",
    "M\ta.txt\nA\tnew.txt",
  ],
  ["that a link replaced", "git worktree add -q -b side wt; mv wt ../wt; ln -s ../wt wt", undefined],
])("what a session leaves uncommitted in a linked worktree %s", async ([, make, kept]) => {
  const place = await session(`${make}; echo new > wt/new.txt; echo more >> wt/a.txt`);
  const from = { workspace: place.workspace, issue, session: 1, previousHead: place.start };
  const person = { root: place.folder, commonDir: join(place.folder, ".git") };
  await keepUncommitted(person, from);
  const ref = `${refs.session(issue, 1)}/uncommitted/worktrees/wt`;
  const shown = await place.git("show", "--format=", "--name-status", ref).catch(() => undefined);
  expect(shown).toBe(kept);
});

describe("a repository of its own inside the clone is ignored there", () => {
  const names = ["wt", ".worktrees/a b", "a*[b]?c", "back\\slash", "#1", "两"];
  testRows(names)("in the folder %s", async (name) => {
    const place = await session("echo mine > .git/info/exclude");
    place.shell(`git worktree add -q -b inner -- '${name}'; echo 1 > new.txt; echo 2 > mine`);
    for (const _ of [1, 2]) ignoreFolders(place.workspace, [name]);
    await place.agent("add", "--all");
    expect(await place.agent("diff", "--cached", "--name-only")).toBe("new.txt");
    const exclude = readFileSync(join(place.workspace, ".git/info/exclude"), "utf8");
    expect(exclude.split("\n").filter((line) => line.endsWith("/"))).toHaveLength(1);
  });

  testRows<[string, string]>([
    ["the file", 'ln -sf "$VICTIM" .git/info/exclude'],
    ["its folder", 'rm -r .git/info && ln -s "$(dirname "$VICTIM")" .git/info'],
    ["nothing", "rm -r .git/info"],
    ["what may not be read", "chmod 000 .git/info/exclude .git/info"],
  ])("and nothing outside of it is written where a session left a link for %s", async ([, make]) => {
    const place = await session("true");
    const victim = join(place.outside, "victim", "exclude");
    mkdirSync(dirname(victim));
    writeFileSync(victim, "theirs\n");
    place.shell(`VICTIM='${victim}'; ${make}; git init -q wt`);
    ignoreFolders(place.workspace, ["wt"]);
    expect(readFileSync(victim, "utf8")).toBe("theirs\n");
    expect(await place.agent("status", "--porcelain")).toBe("");
  });
});

describe("HEAD is on the work branch at the head of the relay", () => {
  test.for<[string, string, string]>([
    ["a detached HEAD that went on", "git checkout -q --detach && git commit -qm x --allow-empty", ""],
    ["another branch that went on", "git checkout -qb other && git commit -qm x --allow-empty", ""],
    [
      "an older commit that is looked at",
      "echo 2 > a.txt && git commit -qam x && git checkout -q HEAD^",
      " M a.txt",
    ],
  ])("%s", async ([, work, status]) => {
    const place = await session(work);
    await place.settle();
    expect(await place.agent("symbolic-ref", "HEAD")).toBe(`refs/heads/${branch}`);
    expect(await place.agent("rev-parse", "HEAD")).toBe(place.fetched.head);
    expect(await place.agent("status", "--porcelain")).toBe(status);
  });
});

describe("hooks and configuration are as setup left them", () => {
  test("those that setup installed stay; what a session changed is set aside, and named", async () => {
    const place = await sessionClone();
    const { workspace, outside } = place;
    const own = (name: string): string => join(workspace, ".git", name);
    mkdirSync(own("hooks"));
    writeFileSync(own("hooks/pre-commit"), "#!/bin/sh\nexit 0\n", { mode: 0o755 });
    await place.agent("config", "core.hooksPath", ".husky");
    await keepSettings(gitIn(place.folder), workspace);
    writeFileSync(own("hooks/pre-commit"), "#!/bin/sh\nevil\n", { mode: 0o755 });
    writeFileSync(own("hooks/post-merge"), "#!/bin/sh\nevil\n", { mode: 0o755 });
    await place.agent("config", "core.hooksPath", "evil");
    await place.agent("config", "alias.st", "!evil");
    await place.agent("config", "branch.x.description", "mine");
    const aside = join(outside, "aside");
    const names = await restoreSettings(gitIn(place.folder), workspace, aside);
    expect(names.toSorted()).toEqual(["alias.st", "core.hookspath", "hooks"]);
    expect(readFileSync(own("hooks/pre-commit"), "utf8")).toContain("exit 0");
    expect(existsSync(own("hooks/post-merge"))).toBe(false);
    expect(await place.agent("config", "core.hooksPath")).toBe(".husky");
    expect(await place.agent("config", "branch.x.description")).toBe("mine");
    expect(readFileSync(join(aside, "hooks/post-merge"), "utf8")).toContain("evil");
    expect(readFileSync(join(aside, "config"), "utf8")).toContain("!evil");
    expect(await restoreSettings(gitIn(place.folder), workspace, aside)).toEqual([]);
  });

  testRows<[string, string, string[]]>([
    ["a configuration that git cannot read", "echo '[' > .git/config", ["config"]],
    ["one that is gone", "rm .git/config", expect.arrayContaining(["config"]) as string[]],
    ["a link in its place", "mv .git/config x && ln -s ../x .git/config", ["config"]],
    ["a link in the place of all submodules", "mkdir m && ln -s ../m .git/modules", ["modules"]],
    [
      "the common directory of a submodule",
      "git init -q --bare .git/modules/m && echo ../../../evil > .git/modules/m/commondir",
      ["modules/m/commondir"],
    ],
  ])("%s is put back", async ([, work, names]) => {
    const place = await session(work);
    expect(await place.settle()).toEqual(names);
    expect(await place.agent("status", "--porcelain")).toMatch(/^(?:\?\? [mx]\/?)?$/);
    expect(await place.agent("config", "user.name")).toBe("A Person");
  });

  test("submodules that a session initialised stay, with what git writes about them", async () => {
    const place = await sessionClone();
    const { workspace, outside } = place;
    const shell = (script: string) => execaSync("/bin/sh", ["-ec", script], { cwd: workspace });
    execaSync("/bin/sh", ["-ec", "git init -q lib && git -C lib commit -q --allow-empty -m lib"], {
      cwd: outside,
    });
    shell(`git -c protocol.file.allow=always submodule add -q '${outside}/lib' lib && git commit -qm lib`);
    const aside = join(outside, "aside");
    expect(await restoreSettings(gitIn(place.folder), workspace, aside)).toEqual([]);
    expect(shell("git submodule status").stdout).toMatch(/^ [0-9a-f]{40} lib /);
    shell("git -C lib config core.fsmonitor evil");
    expect(await restoreSettings(gitIn(place.folder), workspace, aside)).toEqual([
      "modules/lib/config: core.fsmonitor",
    ]);
    expect(shell("git submodule status").stdout).toMatch(/^ [0-9a-f]{40} lib /);
  });
});

describe("nothing outside the clone is touched", () => {
  const gitlink = "git update-index --add --cacheinfo 160000,1111111111111111111111111111111111111111,lib";

  testRows<[string, string]>([
    ["a submodule that is a link to a repository", `ln -s "$VICTIM" lib && ${gitlink}`],
    ["a link below .git to a folder with locks", 'ln -s "$VICTIM" .git/x && ln -s "$VICTIM" .git/refs/x'],
    [
      "a link in the place of a submodule's .git",
      'mkdir .git/modules && ln -s "$VICTIM/.git" .git/modules/x',
    ],
    ["a link in the place of a worktree's", 'mkdir .git/worktrees && ln -s "$VICTIM/.git" .git/worktrees/x'],
    ["a link in the place of .git/info", 'rm -r .git/info && ln -s "$VICTIM/.git/info" .git/info'],
    [
      "links that lead in a circle",
      "for at in .git .git/logs; do ln -s . $at/a && ln -s . $at/b; done && ln -s . .git/refs/a",
    ],
  ])("%s", async ([, plant]) => {
    const place = await sessionClone();
    const { workspace, outside, source, start } = place;
    const victim = join(outside, "victim");
    const shell = (script: string) =>
      execaSync("/bin/sh", ["-ec", script], { cwd: workspace, env: { VICTIM: victim } });
    shell(
      'git init -q "$VICTIM" && cd "$VICTIM" && echo 1 > Cargo.lock && mkdir -p .git/hooks .git/info && echo evil > .git/hooks/pre-commit && echo "* text" > .git/info/attributes && git config a.b c',
    );
    const all = () => shell('cd "$VICTIM" && find . -type f | sort | xargs md5sum').stdout;
    const before = all();
    shell(plant);
    const aside = join(outside, "aside");
    await fetchSession(source, { workspace, issue, session: 1, previousHead: start });
    await settleClone(source, workspace, { head: start, aside });
    expect(all()).toBe(before);
    expect(await place.agent("rev-parse", "HEAD")).toBe(start);
  });
});

describe("whatever a session leaves, the next one begins", () => {
  testRows<[string, string]>([
    ["a branch in the way of its own", "git branch -m monoco"],
    [
      "a branch below its own",
      `git checkout -q --detach && git branch -D ${branch} && git branch ${branch}/x`,
    ],
    ["half a submodule", "mkdir -p .git/modules/lib && touch .git/modules/lib/description"],
    ["files in the place of folders", "rm -r .git/info && touch .git/info .git/rebase-apply .git/modules"],
    [
      "refs of the names that monoco uses",
      "for n in wip reflog head; do git update-ref refs/$n/x HEAD; done",
    ],
    [
      "a ref in the way of the base's",
      "git update-ref -d refs/remotes/origin/main; git update-ref refs/remotes/origin/main/x HEAD",
    ],
    ["a lock, and another configuration", "touch .git/config.lock .git/index.lock; git branch -u main"],
    ["a damaged index", "echo no > .git/index"],
    ["no index", "rm .git/index"],
    ["an orphan", "git checkout -q --orphan x && git rm -qrf ."],
  ])("%s", async ([, work]) => {
    const place = await session(work);
    await place.commit({ "new.txt": "theirs" });
    await place.settle();
    await bringInBase(place.source, place.workspace);
    const person = { root: place.folder, commonDir: join(place.folder, ".git") };
    const { tree } = await takeSnapshot(person, place.workspace, place.fetched.head);
    const parents = [place.fetched.head];
    if (tree) await keepTree(place.person, { tree, parents, ref: refs.wip(issue, 1), message: "wip" });
    expect(await place.agent("symbolic-ref", "HEAD")).toBe(`refs/heads/${branch}`);
    expect(await place.agent("rev-parse", "HEAD")).toBe(place.fetched.head);
    await place.agent("commit", "--quiet", "--all", "--allow-empty", "--message", "it works");
  });
});

test("where another branch blocks the work branch, the old .git is kept with all that lives in it", async () => {
  const place = await session(
    "touch x && git add x && git commit -qm x && git sparse-checkout set --no-cone '/*' '!/x' && echo 2 > a.txt && git stash -q && git notes add -m noted && git config alias.x '!evil' && git branch -m monoco",
  );
  const { names, kept = "" } = await settleClone(place.source, place.workspace, {
    head: place.fetched.head,
    aside: place.aside,
  });
  expect([names, dirname(kept)]).toEqual([["alias.x"], place.outside]);
  const old = execaSync("/bin/sh", ["-c", "git log -g --format=%gs stash && git notes show"], { cwd: kept });
  expect(old.stdout).toMatch(/^WIP on .*\nnoted$/);
  expect(place.shell("git stash list; git status --porcelain").stdout).toBe("");
});

test("what goes on between two picked commits, and what a rebase would run, is named", async () => {
  const picked = await session(
    `${conflict}git checkout -qb more theirs && echo 1 > c && git add c && git commit -qm c && git checkout -q ${branch}; git cherry-pick theirs more; echo 2 > a.txt && git commit -qam solved`,
  );
  expect(await unfinishedIn(picked.person, picked.workspace)).toMatchObject({ operation: "cherry-pick" });
  const rebased = await session(`${conflict}git rebase -x 'touch planted' theirs`);
  expect(await unfinishedIn(rebased.person, rebased.workspace)).toMatchObject({
    operation: "rebase",
    runs: ["touch planted"],
  });
});

test("files that a sparse checkout leaves out are not deleted, whatever HEAD does", async () => {
  const place = await session(
    "mkdir x y && touch x/f y/f && git add . && git commit -qm xy && git sparse-checkout set --cone x && git checkout -q HEAD^ && git checkout -q --detach HEAD@{1}",
  );
  const person = { root: place.folder, commonDir: join(place.folder, ".git") };
  await place.settle();
  expect(await takeSnapshot(person, place.workspace, place.fetched.head)).toMatchObject({ uncommitted: [] });
  expect(await place.agent("status", "--porcelain")).toBe("");
});

test("hooks that setup put into a folder that git ignores are restored", async () => {
  const place = await sessionClone();
  const { workspace, outside, source, start } = place;
  const shell = (script: string) => execaSync("/bin/sh", ["-ec", script], { cwd: workspace });
  shell(
    "mkdir -p .husky/_ && echo '*' > .husky/_/.gitignore && echo good > .husky/_/pre-commit && git config core.hooksPath .husky/_",
  );
  await keepSettings(gitIn(place.folder), workspace);
  shell("echo evil > .husky/_/post-commit && chmod +x .husky/_/post-commit");
  const aside = join(outside, "aside");
  expect(await settleClone(source, workspace, { head: start, aside })).toEqual({ names: [".husky/_"] });
  expect(shell("ls -A .husky/_").stdout.split("\n")).toEqual([".gitignore", "pre-commit"]);
});

testRows<[string, string]>([
  [
    "inside another one's",
    "mkdir -p .git/modules/a && touch .git/modules/a/HEAD && git init -q --bare .git/modules/a/evil && echo 'gitdir: ../.git/modules/a/evil' > lib/.git",
  ],
  ["with more than its place", "printf 'gitdir: ../.git/modules/a\n/../../../evil\n' > lib/.git"],
])("a submodule's git directory %s is set aside", async ([, plant]) => {
  const link = "git update-index --add --cacheinfo 160000,1111111111111111111111111111111111111111,lib";
  const place = await session(`mkdir lib && ${link} && ${plant}`);
  expect(await place.settle()).toContain("lib/.git");
});

test("locks that killed gits left in the clone are gone", async () => {
  const place = await session("touch .git/index.lock .git/refs/heads/x.lock .git/config.lock");
  await place.settle();
  place.shell("git add . && git config a.b c");
  expect(existsSync(join(place.workspace, ".git/refs/heads/x.lock"))).toBe(false);
});

test("a worktree that a session keeps inside .git keeps its lock files", async () => {
  const place = await session("git worktree add -q .git/mine/wt -b wt && touch .git/mine/wt/Cargo.lock");
  await place.settle();
  expect(existsSync(join(place.workspace, ".git/mine/wt/Cargo.lock"))).toBe(true);
});

test("a clone of before settings were kept gets a new .git", async () => {
  const place = await session("git config core.fsmonitor evil");
  execaSync("rm", ["-r", `${place.workspace}.settings`]);
  await place.settle();
  expect(place.shell("git config core.fsmonitor || echo none").stdout).toBe("none");
  expect(await place.agent("rev-parse", "HEAD")).toBe(place.fetched.head);
});
