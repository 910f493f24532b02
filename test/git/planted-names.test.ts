/** Names and files that a session chose, as monoco's own refs and reads meet them. */
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { refPath } from "../../src/git/refs.ts";
import { worktreesInside } from "../../src/git/worktrees.ts";

test.each([
  "modules/lib",
  "modules/My Module",
  "modules/a~b^c:d?e*f[g\\h",
  "modules/.hidden/x..y/end.lock",
  "worktrees/项目.",
])("a submodule or worktree of any name gets a ref that git takes: %s", (path) => {
  const ref = `refs/monoco/FEAT-0001/sessions/1/uncommitted/${refPath(path)}`;
  expect(execFileSync("git", ["check-ref-format", "--normalize", ref], { encoding: "utf8" }).trim()).toBe(
    ref,
  );
});

test("a worktree's file that is a pipe or leads to a device holds nobody up", () => {
  const clone = mkdtempSync(join(tmpdir(), "monoco-test-"));
  onTestFinished(() => rmSync(clone, { recursive: true, force: true }));
  for (const name of ["pipe", "device"]) mkdirSync(join(clone, ".git/worktrees", name), { recursive: true });
  execFileSync("mkfifo", [join(clone, ".git/worktrees/pipe/gitdir")]);
  symlinkSync("/dev/zero", join(clone, ".git/worktrees/device/gitdir"));
  expect(worktreesInside(clone)).toEqual([]);
});
