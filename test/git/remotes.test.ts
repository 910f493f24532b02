/** What remotes tell about the person's branches. */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { execaSync } from "execa";
import { expect, test } from "vitest";
import { gitIn } from "../../src/git/git.ts";
import { newPull } from "../../src/git/github/publish.ts";
import { behindUpstream, defaultBranch, forkOf, pushRemoteOf } from "../../src/git/remotes.ts";
import { temporaryFolder } from "../support/repository.ts";

const commit = "git -c user.name=a -c user.email=a@b commit -q --allow-empty -m 1";
const up = (branch: string): string =>
  `git init -q -b ${branch} ../up; cd ../up; ${commit}; cd ../r; git clone -q ../up .`;

test.each([
  ["the only branch", `git init -q -b develop .; ${commit}`, { branch: "develop", sure: true }],
  [
    "the only branch, beside those of relays",
    `git init -q -b next .; ${commit}; git branch monoco/FEAT-0001`,
    { branch: "next", sure: true },
  ],
  [
    "the only branch, though HEAD is detached",
    `git init -q -b master .; ${commit}; git switch -q --detach`,
    { branch: "master", sure: true },
  ],
  [
    "the branch to come, in a repository without a commit",
    "git init -q -b dev .",
    { branch: "dev", sure: true },
  ],
  [
    "one with a usual name, on another branch",
    `git init -q -b trunk .; ${commit}; git switch -q -c mine`,
    { branch: "trunk", sure: false },
  ],
  ["the current one of several", `git init -q -b b .; ${commit}; git branch a`, { branch: "b", sure: false }],
  [
    "the remote's, on another branch",
    `${up("develop")}; git switch -q -c main`,
    { branch: "develop", sure: true },
  ],
  [
    "that of origin, of two remotes",
    `${up("a/b")}; git symbolic-ref refs/remotes/fork/HEAD refs/remotes/fork/x`,
    { branch: "a/b", sure: true },
  ],
])("the default branch is %s", async (_, make, expected) => {
  expect(await defaultBranch(gitIn(made(make)))).toEqual(expected);
});

const clone = `${up("main")}; git config user.name a; git config user.email a@b`;
const fetched = `cd ../up; ${commit}; ${commit}; cd ../r; git fetch -q`;

test.each([
  ["none: all is here", clone, undefined],
  [
    "commits that were fetched and not merged",
    `${clone}; ${fetched}`,
    { upstream: "origin/main", behind: 2, ahead: 0 },
  ],
  ["nothing before they are fetched", `${clone}; cd ../up; ${commit}`, undefined],
  ["none where the branch is only ahead", `${clone}; ${commit}`, undefined],
  [
    "both sides of branches that diverged",
    `${clone}; ${commit.replace("-m 1", "-m own")}; ${fetched}`,
    { upstream: "origin/main", behind: 2, ahead: 1 },
  ],
  [
    "those of the remote's branch of that name, without an upstream",
    `${clone}; git branch --unset-upstream; ${fetched}`,
    { upstream: "origin/main", behind: 2, ahead: 0 },
  ],
  [
    "those of an upstream of another name",
    `${clone}; ${fetched}; git update-ref refs/remotes/origin/next origin/main; git update-ref refs/remotes/origin/main HEAD; git branch -q -u origin/next`,
    { upstream: "origin/next", behind: 2, ahead: 0 },
  ],
  ["none where the upstream is gone", `${clone}; git update-ref -d refs/remotes/origin/main`, undefined],
  ["none without a remote", `git init -q -b main .; ${commit}`, undefined],
])("a branch lacks of its upstream %s", async (_, make, expected) => {
  const behind = await behindUpstream(gitIn(made(make)), "main");
  if (expected === undefined) expect(behind).toBeUndefined();
  else expect(behind).toMatchObject({ branch: "main", ...expected });
});

const remotes = (...names: string[]): string =>
  names.map((name) => `git remote add ${name} git@h.example:${name}/r.git`).join("; ");

test.each([
  ["origin", remotes("fork", "origin"), "origin"],
  ["the only remote", remotes("there"), "there"],
  ["nowhere, of two others", remotes("one", "two"), undefined],
  ["where the base comes from", `${remotes("origin", "up")}; git config branch.main.remote up`, "up"],
  [
    "remote.pushDefault, before that",
    `${remotes("origin", "up")}; git config branch.main.remote up; git config remote.pushDefault origin`,
    "origin",
  ],
  [
    "the base's pushRemote, before that",
    `${remotes("origin", "up", "mine")}; git config remote.pushDefault origin; git config branch.main.pushRemote mine`,
    "mine",
  ],
  [
    "the branch's own, before that",
    `${remotes("origin", "up")}; git config branch.main.pushRemote up; git config branch.work/1.pushRemote origin`,
    "origin",
  ],
  [
    "an address in place of a name",
    `${remotes("origin")}; git config remote.pushDefault ../fork.git`,
    "../fork.git",
  ],
])("a branch is pushed to %s", async (_, make, expected) => {
  const git = gitIn(made(`git init -q -b main .; ${make}`));
  expect(await pushRemoteOf(git, { branch: "work/1", base: "main" })).toBe(expected);
});

test.each([
  ["git@github.com:me/name.git", "https://github.com/them/name", { fork: "me", of: "them" }],
  ["ssh://git@h.example:2222/me/name", "git@h.example:them/name.git", { fork: "me", of: "them" }],
  ["git@github.com:me/name.git", "https://token@github.com/me/name.git", undefined],
  ["/srv/fork.git", "../upstream.git", undefined],
])(
  "a push to %s of what comes from %s crosses forks if the owners differ",
  async (fork, upstream, expected) => {
    const git = gitIn(
      made(
        `git init -q -b main .; git remote add mine ${fork}; git remote add up ${upstream}; git config branch.main.remote up`,
      ),
    );
    const across = await forkOf(git, { remote: "mine", base: "main" });
    expect(across && { fork: across.fork.owner, of: across.of.owner }).toEqual(expected);
  },
);

function made(make: string): string {
  const folder = join(temporaryFolder(), "r");
  mkdirSync(folder);
  execaSync("/bin/sh", ["-ec", make], { cwd: folder });
  return folder;
}

test("a pull request from a fork names its owner, and the repository that it is for", () => {
  const [fork, of] = [
    { host: "h.example", owner: "me", name: "r" },
    { host: "h.example", owner: "them", name: "r" },
  ];
  expect(newPull({ base: "main", branch: "b", across: { fork, of } }).join(" ")).toBe(
    "--repo h.example/them/r --head me:b --base main",
  );
});
