/** A clone is not poorer than the repository: it has its tags, its remotes and its submodules. */
import { existsSync, lstatSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { execaSync } from "execa";
import { expect, test } from "vitest";
import { keepSettings, restoreSettings } from "../../src/git/clone/own-settings.ts";
import { fetchSession } from "../../src/git/clone/fetch-session.ts";
import { keepUncommitted } from "../../src/git/clone/inner-work.ts";
import { keepModules, modulesLeft } from "../../src/git/clone/module-work.ts";
import { remotesOf } from "../../src/git/clone/remotes.ts";
import { bringInBase } from "../../src/git/clone/settle.ts";
import { makeClone, renewClone, replaceGitDir } from "../../src/git/clone/workspace.ts";
import { gitIn } from "../../src/git/git.ts";
import { refs } from "../../src/git/refs.ts";
import { isCheckedOut } from "../../src/git/worktrees.ts";
import { testRows } from "../support/full.ts";
import { plainGit, temporaryRepository } from "../support/repository.ts";
import { branch, issue, sessionClone } from "../support/session-clone.ts";

const hold = { base: refs.base(issue), remotes: refs.remotes(issue) };
const allRefs = [
  "for-each-ref",
  "--format=%(refname:lstrip=1) %(symref:lstrip=1)",
  "refs/tags",
  "refs/remotes",
];

/** A clone of a repository that was itself cloned, with a tag that the base reaches and one that it does not. */
async function clonedFrom(more: { clones?: "copied"; sandboxed?: true } = {}) {
  const upstream = await temporaryRepository();
  await upstream.git("tag", "-a", "-m", "1", "v1");
  await upstream.git("branch", "topic", await upstream.commit({ "topic.txt": "" }));
  await upstream.git("tag", "beyond");
  await upstream.git("reset", "--quiet", "--hard", "HEAD^");
  const folder = join(upstream.outside, "person");
  await plainGit(upstream.outside)("clone", "--quiet", upstream.folder, folder);
  const git = plainGit(folder);
  const workspace = join(upstream.outside, "clone");
  const source = {
    root: folder,
    base: "main",
    ref: "refs/heads/main",
    branch,
    clones: "borrowed" as const,
    hold,
  };
  await makeClone({ ...source, ...more }, workspace);
  return { upstream, folder, git, workspace, source: { ...source, ...more }, agent: plainGit(workspace) };
}

testRows(["borrowed", "copied"] as const)(
  "a clone (%s) has the tags that its base reaches, and origin/* as the person has them",
  async (clones) => {
    const { agent, git } = await clonedFrom(clones === "copied" ? { clones } : {});
    expect((await agent(...allRefs)).split("\n").map((line) => line.trim())).toEqual([
      "remotes/origin/HEAD remotes/origin/main",
      "remotes/origin/main",
      "remotes/origin/topic",
      "tags/v1",
    ]);
    expect(await agent("describe")).toBe("v1");
    expect(await agent("rev-parse", "origin/topic")).toBe(await git("rev-parse", "origin/topic"));
  },
);

testRows(["borrowed", "copied"] as const)(
  "with the base's new commits come new tags and branches (%s)",
  async (clones) => {
    const place = await clonedFrom(clones === "copied" ? { clones } : {});
    const { upstream, git, agent, source, workspace } = place;
    await agent("tag", "mine");
    await agent("update-ref", "refs/remotes/own/x", "HEAD");
    await upstream.commit({ "b.txt": "" });
    await upstream.git("tag", "v2");
    await upstream.git("branch", "--quiet", "-D", "topic");
    await upstream.git("branch", "other");
    await git("pull", "--quiet", "--prune", "--tags");
    await bringInBase(source, workspace);
    expect(await agent("tag")).toBe("mine\nv1\nv2");
    const branches = "origin/HEAD\norigin/main\norigin/other";
    const listed = await agent("for-each-ref", "--format=%(refname:lstrip=2)", "refs/remotes");
    // Copied objects stay, and so does a name of theirs.
    expect(listed).toBe(`${branches}${clones === "copied" ? "\norigin/topic" : ""}\nown/x`);
  },
);

test("what a clone borrows through origin/* is there though the person prunes", async () => {
  const { upstream, git, agent } = await clonedFrom();
  await upstream.git("branch", "--quiet", "-D", "topic");
  await upstream.git("tag", "--delete", "beyond");
  await git("tag", "--delete", "beyond");
  await git("fetch", "--quiet", "--prune");
  await git("gc", "--quiet", "--prune=now");
  expect(await agent("log", "--format=%s", "origin/topic")).toBe("work\nbase");
});

test("a session's own tags are fetched, and none that the repository has", async () => {
  const { agent, git, source, workspace } = await clonedFrom();
  await agent("tag", "mine");
  const previousHead = await git("rev-parse", "HEAD");
  await fetchSession(source, { workspace, issue, session: 1, previousHead });
  const kept = await git("for-each-ref", "--format=%(refname:lstrip=6)", `${refs.session(issue, 1)}/tags`);
  expect(kept).toBe("mine");
});

test("in a sandbox a clone has the person's remotes; a push says what to do instead, and no fetch moves the base", async () => {
  const { upstream, agent, folder } = await clonedFrom({ sandboxed: true });
  expect(await agent("remote", "get-url", "origin")).toBe(upstream.folder);
  await expect(agent("push", "origin", "HEAD:x")).rejects.toThrow(/commit, and run `monoco issue submit`/);
  const base = await plainGit(folder)("rev-parse", "main");
  await upstream.commit({ "new.txt": "" });
  await agent("fetch", "--quiet");
  expect(await agent("rev-parse", "origin/main")).toBe(base);
  expect(await agent("checkout", "--quiet", "topic")).toBe("");
});

test("in a sandbox a clone's configuration has nothing of how the person's git logs in, or by which way it goes", async () => {
  const { git, upstream, source } = await clonedFrom();
  await git("remote", "set-url", "origin", "https://ann:s3cret@git.example/app.git");
  await git("config", "http.extraHeader", "Authorization: Bearer s3cret");
  await git("config", "http.https://git.example/.proxy", "http://ann:s3cret@proxy.example");
  await git("config", "--global", "http.cookieFile", "/s3cret");
  const workspace = join(upstream.outside, "shown");
  await makeClone({ ...source, sandboxed: true }, workspace);
  const listed = await plainGit(workspace)("config", "--local", "--includes", "--list");
  expect(listed).toContain("remote.origin.url=https://git.example/app.git");
  expect(listed).not.toMatch(/^http\.|s3cret/m);
});

testRows<[string, string | undefined]>([
  ["https://ann:s3cret@git.example/org/app.git?access_token=1", "https://git.example/org/app.git"],
  ["https://git.example/app", "https://git.example/app"],
  ["ssh://git@git.example:22/org/app", "ssh://git.example:22/org/app"],
  ["git@git.example:org/app.git", "git.example:org/app.git"],
  ["ann:s3cret@git.example:org/app.git", "git.example:org/app.git"],
  ["short:app", "https://git.example/app"],
  ["/srv/git/app@2.git", "/srv/git/app@2.git"],
  ["../app", "BESIDE/app"],
  ["ext::sh -c 'token=1'", undefined],
  ["weird://ann:s3cret@git.example/x", undefined],
])("the address %s is shown as %s", async ([address, shown]) => {
  const { folder, git, outside } = await temporaryRepository();
  await git("remote", "add", "origin", address);
  await git("config", "--global", "url.https://ann:s3cret@git.example/.insteadOf", "short:");
  const url = shown?.replace("BESIDE", outside);
  expect(await remotesOf(gitIn(folder), folder)).toEqual(url === undefined ? [] : [{ name: "origin", url }]);
});

testRows<[string, string]>([
  ["https://git.example/org/app.git", "../lib"],
  ["https://git.example/org/app/", "../../lib"],
  ["git.example:org/app", "../lib"],
  ["git.example:app", "../lib"],
  ["/srv/git/app", "./lib"],
])(
  "an address in .gitmodules is resolved from %s as git does: %s stays in a session's configuration",
  async ([url, relative]) => {
    const { workspace, agent, outside, folder, source } = await sessionClone();
    await plainGit(folder)("remote", "add", "origin", url);
    await makeClone({ ...source, sandboxed: true }, workspace);
    await keepSettings(gitIn(folder), workspace);
    await agent("config", "--file", ".gitmodules", "submodule.lib.path", "lib");
    await agent("config", "--file", ".gitmodules", "submodule.lib.url", relative);
    await agent("update-index", "--add", "--cacheinfo", `160000,${"1".repeat(40)},lib`);
    await agent("submodule", "--quiet", "init");
    expect(await restoreSettings(gitIn(folder), workspace, join(outside, "aside"))).toEqual([]);
    expect(await agent("config", "submodule.lib.url")).not.toContain("..");
  },
);

const allow = ["-c", "protocol.file.allow=always"];
const shell = (cwd: string, script: string) => execaSync("/bin/sh", ["-ec", script], { cwd });

/** A repository that was cloned with its submodule `vendor/lib`, called `the-lib`, which has a submodule `inner`. */
async function withSubmodule(
  how: "relative" | "absolute" | "uninitialised" | "unknown commit" | "deinitialised",
) {
  const { outside } = await temporaryRepository();
  const begin = (name: string) =>
    `git init -q -b main ${name} && echo ${name} > ${name}/${name}.txt && git -C ${name} add . && git -C ${name} commit -qm ${name}`;
  shell(outside, `${begin("inner")}; ${begin("lib")}; ${begin("app")}; git -C lib tag -a -m 1 v1`);
  await plainGit(join(outside, "lib"))(...allow, "submodule", "--quiet", "add", "../inner");
  await plainGit(join(outside, "lib"))("commit", "--quiet", "--message", "inner");
  const url = how === "relative" ? "../lib" : join(outside, "lib");
  const add = ["submodule", "--quiet", "add", "--name", "the-lib", url, "vendor/lib"];
  const app = plainGit(join(outside, "app"));
  await app("remote", "add", "origin", join(outside, "app"));
  await app(...allow, ...add);
  await app("commit", "--quiet", "--message", "lib");
  const folder = join(outside, "person");
  const init = how === "uninitialised" ? [] : ["--recurse-submodules"];
  await plainGit(outside)(...allow, "clone", "--quiet", ...init, "app", folder);
  if (how === "deinitialised") await plainGit(folder)("submodule", "--quiet", "deinit", "--all");
  if (how === "unknown commit")
    shell(folder, `git update-index --cacheinfo 160000,${"1".repeat(40)},vendor/lib && git commit -qm newer`);
  const workspace = join(outside, "clone");
  const source = { root: folder, base: "main", ref: "refs/heads/main", branch, clones: "borrowed" as const };
  return { outside, folder, workspace, source, agent: plainGit(workspace) };
}

testRows<["relative" | "absolute", "borrowed" | "copied", boolean]>([
  ["relative", "borrowed", true],
  ["absolute", "borrowed", false],
  ["absolute", "copied", true],
])(
  "a submodule (%s address, objects %s, in a sandbox: %s) is filled with its own submodule, as the person has it",
  async ([how, clones, sandboxed]) => {
    const { outside, workspace, source, agent } = await withSubmodule(how);
    await makeClone({ ...source, clones, sandboxed }, workspace);
    shell(outside, "mv inner away && mv lib gone");
    expect(await agent("submodule", "status", "--recursive")).toMatch(
      /^ \w+ vendor\/lib .*\n \w+ vendor\/lib\/inner /,
    );
    expect(shell(workspace, "cat vendor/lib/lib.txt vendor/lib/inner/inner.txt").stdout).toBe("lib\ninner");
    expect(await agent("status", "--porcelain")).toBe("");
    expect(await agent("submodule", "update", "--init", "--recursive")).toBe("");
    const lib = plainGit(join(workspace, "vendor/lib"));
    expect(await lib("describe")).toMatch(/^v1-1-/);
    expect(await lib("config", "--get", "user.name")).toBe("A Person");
    const remotes = [
      await lib("remote", "get-url", "origin").catch(() => "none"),
      await lib("rev-parse", "origin/main"),
    ];
    expect(remotes).toEqual([sandboxed ? join(outside, "lib") : "none", await lib("rev-parse", "HEAD")]);
    const alternates = join(workspace, ".git/modules/the-lib/objects/info/alternates");
    expect(existsSync(alternates)).toBe(clones === "borrowed");
    await lib("fsck", "--strict", "--no-dangling");
  },
);

test("what a session leaves uncommitted in a submodule, and in its own, is kept in the person's", async () => {
  const { folder, workspace, source, agent } = await withSubmodule("relative");
  await makeClone(source, workspace);
  shell(
    workspace,
    "cd vendor/lib; echo mine > lib.txt; echo new > new.txt; rm inner/inner.txt; git branch other",
  );
  const before = await agent("status", "--porcelain");
  const from = { workspace, issue, session: 1, previousHead: await agent("rev-parse", "HEAD") };
  await keepUncommitted({ root: folder, commonDir: join(folder, ".git") }, from);
  expect(await agent("status", "--porcelain")).toBe(before);
  const changed = (path: string, place: string): Promise<string> => {
    const ref = `refs/monoco/${issue}/sessions/1/uncommitted/${place}`;
    return plainGit(join(folder, path))("show", "--format=%s", "--name-status", ref);
  };
  expect(await changed("vendor/lib", "modules/the-lib")).toBe(
    `Uncommitted work of ${issue} session 1 in vendor/lib\n\nM\tlib.txt\nA\tnew.txt`,
  );
  expect(await changed("vendor/lib/inner", "modules/the-lib/modules/inner")).toMatch(/\n\nD\tinner\.txt$/);
});

testRows(["uninitialised", "deinitialised", "unknown commit"] as const)(
  "a submodule that is %s stays empty",
  async (how) => {
    const { workspace, source, agent } = await withSubmodule(how);
    await makeClone(source, workspace);
    expect(readdirSync(join(workspace, "vendor/lib"))).toEqual([]);
    expect(await agent("status", "--porcelain")).toBe("");
  },
);

testRows<[string, string]>([
  ["changed a file of it", "echo evil > vendor/lib/lib.txt"],
  [
    "planted a hook in it",
    "mkdir -p .git/modules/the-lib/hooks && echo evil > .git/modules/the-lib/hooks/post-checkout",
  ],
  ["made it a link", "mv vendor/lib ../moved && ln -s ../../moved vendor/lib"],
  ["made its folder a link", "mv vendor ../moved && ln -s ../moved vendor"],
  ["made it a repository of its own", "rm vendor/lib/.git && git init -q vendor/lib"],
  ["committed in it", "git -C vendor/lib commit -q --allow-empty -m x && git commit -qam x"],
])("a clone in which a check %s has the submodule of its commit again", async ([, damage]) => {
  const { workspace, source, agent } = await withSubmodule("absolute");
  await makeClone(source, workspace);
  shell(workspace, `echo built > vendor/lib/built; ${damage}`);
  await renewClone(source, workspace);
  expect(shell(workspace, "cat vendor/lib/lib.txt vendor/lib/inner/inner.txt").stdout).toBe("lib\ninner");
  expect(await agent("submodule", "status", "--recursive")).toMatch(
    /^ \w+ vendor\/lib .*\n \w+ vendor\/lib\/inner /,
  );
  expect(existsSync(join(workspace, ".git/modules/the-lib/hooks"))).toBe(false);
  expect(lstatSync(join(workspace, "vendor/lib")).isDirectory()).toBe(true);
});

test("a new .git has the submodules again, and their files stay", async () => {
  const { workspace, source, agent } = await withSubmodule("absolute");
  await makeClone(source, workspace);
  shell(workspace, "echo mine > vendor/lib/lib.txt; rm -r .git");
  await replaceGitDir(source, workspace);
  expect(await agent("-C", "vendor/lib", "status", "--porcelain")).toBe(" M lib.txt");
});

test("in a submodule's own checkout, the branch that is checked out is known", async () => {
  const { folder } = await withSubmodule("absolute");
  const lib = join(folder, "vendor/lib");
  await plainGit(lib)("checkout", "--quiet", "-B", "main");
  expect([await isCheckedOut(lib, "refs/heads/main"), await isCheckedOut(lib, "refs/heads/x")]).toEqual([
    true,
    false,
  ]);
});

testRows<[string, string, string[], number]>([
  ["nothing", "true", [], 0],
  ["a file that git does not track there", "echo built > vendor/lib/built", [], 0],
  ["a changed file", "echo 2 > vendor/lib/lib.txt", ["vendor/lib"], 0],
  ["a commit", "git -C vendor/lib commit -q --allow-empty -m mine", ["vendor/lib"], 1],
  [
    "a commit in its own submodule",
    "git -C vendor/lib/inner commit -q --allow-empty -m mine",
    ["vendor/lib"],
    1,
  ],
  ["another commit of the person's", "git -C vendor/lib checkout -q HEAD^", ["vendor/lib"], 0],
  [
    "a commit on a branch that is left",
    "cd vendor/lib && git checkout -q -b x && git commit -q --allow-empty -m mine && git checkout -q --detach HEAD^",
    [],
    1,
  ],
])(
  "%s that a session left in a submodule is found where it is not recorded, and its commits are kept",
  async ([, work, left, kept]) => {
    const { folder, workspace, source, agent } = await withSubmodule("absolute");
    await makeClone(source, workspace);
    shell(workspace, work);
    const head = await agent("rev-parse", "HEAD");
    expect(await modulesLeft(gitIn(workspace), head)).toEqual(left);
    await keepModules(join(folder, ".git"), { workspace, issue, session: 1, previousHead: head });
    const places = ["vendor/lib", "vendor/lib/inner"].map((path) => plainGit(join(folder, path)));
    const log = ["log", "--format=%s", "--glob", `${refs.session(issue, 1)}/modules`, "--grep=^mine$"];
    const found = await Promise.all(places.map((lib) => lib(...log)));
    expect(found.join("")).toBe("mine".repeat(kept));
  },
);

testRows<[string, string]>([
  [
    "borrows objects of another repository",
    'echo "$PWD/../victim/.git/objects" >> .git/modules/the-lib/objects/info/alternates',
  ],
  ["has another common directory", "echo ../../../../victim/.git > .git/modules/the-lib/commondir"],
  ["is a link", "rm -r .git/modules/the-lib && ln -s ../../../victim/.git .git/modules/the-lib"],
])("a submodule's git directory that %s brings nothing of it", async ([, plant]) => {
  const { outside, folder, workspace, source } = await withSubmodule("absolute");
  await makeClone(source, workspace);
  shell(outside, "git init -q victim && git -C victim commit -q --allow-empty -m secret");
  const secret = await plainGit(join(outside, "victim"))("rev-parse", "HEAD");
  shell(
    workspace,
    `mkdir -p .git/modules/the-lib/logs; echo "${"0".repeat(40)} ${secret} A <a> 1 +0000" >> .git/modules/the-lib/logs/HEAD; ${plant}`,
  );
  await keepModules(join(folder, ".git"), { workspace, issue, session: 1, previousHead: "" });
  for (const at of [folder, join(folder, "vendor/lib")])
    await expect(plainGit(at)("cat-file", "-e", secret)).rejects.toThrow();
});
