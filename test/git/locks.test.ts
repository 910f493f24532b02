/** Git's locks in a repository: who may hold them, and what the person does about them. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { setImmediate } from "node:timers/promises";
import { expect, onTestFinished, test } from "vitest";
import { gitIn } from "../../src/git/git.ts";
import { locksAround, openIn, remedyFor } from "../../src/git/killed/locks.ts";
import { statOf } from "../../src/io/process-stat.ts";
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

test("a git that has ended, and for which its parent has not waited, holds nothing, also where only root may look", async () => {
  const parent = spawn("sh", ["-c", "git --version >&2 & echo $!; exec sleep 600"]);
  onTestFinished(() => void parent.kill());
  const [[pid]] = await Promise.all([once(parent.stdout, "data"), once(parent.stderr, "data")]);
  const ended = String(pid).trim();
  while (!statOf(`/proc/${ended}/stat`).isDead) await setImmediate();
  const user = process.geteuid!();
  if (user === 0) process.seteuid!(65_534);
  try {
    expect(openIn(ended)).toEqual([]);
  } finally {
    process.seteuid!(user);
  }
});
