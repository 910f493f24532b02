/** Git's locks in a repository: who may hold them, and what the person does about them. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { expect, onTestFinished, test } from "vitest";
import { gitIn } from "../../src/git/git.ts";
import { locksAround, remedyFor } from "../../src/git/killed/locks.ts";
import { temporaryRepository, writeFiles } from "../support/repository.ts";

test("a git that is at work may hold the lock: it is named, and nothing is to be removed", async () => {
  const { folder } = await temporaryRepository({ "a.txt": "" });
  writeFiles(folder, { ".git/index.lock": "" });
  const working = spawn("git", ["cat-file", "--batch"], { cwd: folder, stdio: "pipe" });
  onTestFinished(() => void working.kill());
  await once(working, "spawn");
  const locks = await locksAround(gitIn(folder));
  expect(locks).toMatchObject({ atWork: [working.pid] });
  expect(remedyFor(locks)).toBe(`wait for the git that is at work there: process ${working.pid}`);
});
