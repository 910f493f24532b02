/** A file as a commit of its own: on a branch that nobody has checked out, that several worktrees have, and that cannot be moved. */
import { existsSync, readFileSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { gitIn } from "../../src/git/git.ts";
import { commitNewFile } from "../../src/git/own-commit.ts";
import { openSandbox } from "../support/cli.ts";

const path = "issues/FEAT-0001-x.md";

async function openProject() {
  const sandbox = openSandbox();
  onTestFinished(() => sandbox.dispose());
  const project = join(sandbox.folder, "project");
  await sandbox.sh(
    sandbox.folder,
    "git init -q -b main project && cd project && echo a > a && git add a && git commit -qm Begin",
  );
  const sh = (command: string): Promise<string> => sandbox.sh(project, command);
  const file = {
    base: "main",
    path,
    text: "x\n",
    message: "FEAT-0001 x",
    scratch: join(sandbox.folder, "index"),
  };
  return { sandbox, project, sh, commit: () => commitNewFile(gitIn(project), file) };
}

test("on a branch that is not checked out only the branch moves", async () => {
  const { project, sh, commit } = await openProject();
  await sh("git switch -qc other");
  expect(await commit()).toBe(await sh("git rev-parse main"));
  expect(await sh(`git show main:${path}`)).toBe("x");
  expect(await sh("git status --porcelain")).toBe("");
  expect(existsSync(join(project, path))).toBe(false);
});

test("every worktree that has the branch knows the file, and keeps what is staged and changed in it", async () => {
  const { project, sh, commit } = await openProject();
  await sh("git worktree add -qf ../second main; cd ../second; echo b > a; echo s > s; git add s");
  await commit();
  expect(readFileSync(join(project, "../second", path), "utf8")).toBe("x\n");
  expect(await sh("git status --porcelain")).toBe("");
  expect(await sh("git -C ../second status --porcelain")).toBe(" M a\nA  s");
});

test("an index that is locked, or a rebase, refuses it: nothing is changed", async () => {
  const { project, sh, commit } = await openProject();
  const head = await sh("git rev-parse main");
  const lock = join(project, ".git/index.lock");
  writeFileSync(lock, "");
  utimesSync(lock, 0, 0);
  await expect(commit()).rejects.toThrow(/index\.lock/);
  expect(existsSync(join(project, path))).toBe(false);
  await sh(
    "rm .git/index.lock; echo b > a; git commit -qam b; GIT_SEQUENCE_EDITOR='sed -i s/^pick/edit/' git rebase -q -i HEAD~1 2> /dev/null || true",
  );
  await expect(commit()).rejects.toThrow(/in the middle of a rebase/);
  expect(await sh("git rev-parse main~1")).toBe(head);
  expect(existsSync(join(project, path))).toBe(false);
});

test("a file of that name that is there already stays as it is", async () => {
  const { project, sh, commit } = await openProject();
  await sh(`mkdir issues && echo mine > ${path}`);
  await expect(commit()).rejects.toThrow(/is there already/);
  expect(readFileSync(join(project, path), "utf8")).toBe("mine\n");
});
