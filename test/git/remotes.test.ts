/** What remotes tell about the person's branches. */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { execaSync } from "execa";
import { expect, test } from "vitest";
import { gitIn } from "../../src/git/git.ts";
import { defaultBranch } from "../../src/git/remotes.ts";
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
  const folder = temporaryFolder();
  const here = join(folder, "r");
  mkdirSync(here);
  execaSync("/bin/sh", ["-ec", make], { cwd: here });
  expect(await defaultBranch(gitIn(here))).toEqual(expected);
});
