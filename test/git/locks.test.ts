/** Git's locks in a repository: who may hold them, and what the person does about them. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, chownSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { expect, onTestFinished, test } from "vitest";
import { gitIn } from "../../src/git/git.ts";
import { holdersOf, locksAround, openIn, remedyFor } from "../../src/git/killed/locks.ts";
import { statOf } from "../../src/io/process-stat.ts";
import { temporaryFolder, temporaryRepository, writeFiles } from "../support/repository.ts";

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
  const script = "exec 3<&0; git hash-object --stdin <&3 >&2 & echo $!; exec sleep 600";
  const parent = spawn("sh", ["-c", script]);
  onTestFinished(() => void parent.kill());
  const [pid] = await once(parent.stdout, "data");
  const ended = String(pid).trim();
  // A shell might wait for git; sleep does not.
  while (readFileSync(`/proc/${parent.pid}/comm`, "utf8") !== "sleep\n") await setImmediate();
  parent.stdin.end();
  while (!statOf(`/proc/${ended}/stat`).isDead) await setImmediate();
  asOrdinaryUser(() => expect(openIn(ended)).toEqual([]));
});

/** Root may look at every process. */
function asOrdinaryUser(look: () => void): void {
  const user = process.geteuid!();
  if (user === 0) process.seteuid!(65_534);
  try {
    look();
  } finally {
    process.seteuid!(user);
  }
}

test.runIf(process.geteuid!() === 0)(
  "a git whose files are hidden counts as a holder of its own user's locks only",
  async () => {
    const folder = temporaryFolder();
    const lock = join(folder, "index.lock");
    writeFileSync(lock, "");
    const git = spawn("git", ["hash-object", "--stdin"], { stdio: "pipe" });
    onTestFinished(() => void git.kill());
    await once(git, "spawn");
    asOrdinaryUser(() => expect(holdersOf([lock], [folder])).toBeUndefined());
    chmodSync(folder, 0o755);
    asOrdinaryUser(() => expect(holdersOf([lock], [folder])).toBeUndefined());
    chownSync(lock, 65_534, 65_534);
    asOrdinaryUser(() => expect(holdersOf([lock], [folder])).toEqual([]));
  },
);
