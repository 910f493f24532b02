/** The kernel's locks, between real processes: they live as long as somebody holds them, and not a moment longer. */
import { spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { expect, onTestFinished, test } from "vitest";
import { isLocked, tryLock } from "../../src/store/lock.ts";
import { temporaryFolder } from "../support/repository.ts";

test("a lock that nobody holds is given, and its file and folders are made", () => {
  const path = newPath();
  const lock = tryLock(path);
  expect(lock?.fd).toEqual(expect.any(Number));
  expect(isLocked(path)).toBe(true);
  lock?.release();
  expect(isLocked(path)).toBe(false);
});

test("a second holder is refused, in the same process too", () => {
  const path = newPath();
  const lock = tryLock(path);
  expect(tryLock(path)).toBeUndefined();
  lock?.release();
});

test("to let go twice does not close somebody else's descriptor", () => {
  const [mine, theirs] = [newPath(), newPath()];
  const lock = tryLock(mine);
  lock?.release();
  const other = tryLock(theirs);
  expect(other?.fd).toBe(lock?.fd);
  lock?.release();
  expect(isLocked(theirs)).toBe(true);
  other?.release();
});

test("another process's lock is refused by the kernel, and given as soon as that process is killed", async () => {
  const path = newPath();
  const holder = await start("hold-lock.ts", path);
  expect(holder.said).toBe("held");
  expect([tryLock(path), isLocked(path)]).toEqual([undefined, true]);
  expect((await start("hold-lock.ts", path)).said).toBe("refused");
  await killed(holder.process);
  const lock = tryLock(path);
  expect(lock).toBeDefined();
  lock?.release();
});

test("looking whether a lock is held does not take it away from its holder", async () => {
  const path = newPath();
  await start("hold-lock.ts", path);
  expect([isLocked(path), isLocked(path)]).toEqual([true, true]);
  expect((await start("hold-lock.ts", path)).said).toBe("refused");
});

test("a lock that a child inherited lives on after its parent let go, and after the parent was killed", async () => {
  const path = newPath();
  const parent = await start("lend-lock.ts", path);
  const heir = Number(parent.said);
  onTestFinished(() => kill(heir));
  expect(isLocked(path)).toBe(true);
  // Its only tie to the parent is the pipe that it reads; the group is its own, so the kill does not reach it.
  process.kill(heir, "SIGSTOP");
  await killed(parent.process);
  expect(isLocked(path)).toBe(true);
  process.kill(heir, "SIGKILL");
  await expect.poll(() => isLocked(path), { interval: 5 }).toBe(false);
});

function newPath(): string {
  return join(temporaryFolder(), "locks", "FEAT-0001.runner");
}

/** Starts a fixture and waits for the first line that it says. */
async function start(name: string, path: string): Promise<{ process: ChildProcess; said: string }> {
  const program = join(import.meta.dirname, "../fixtures", name);
  const child = spawn(process.execPath, [program, path], { stdio: ["pipe", "pipe", "inherit"] });
  onTestFinished(() => void child.kill("SIGKILL"));
  const [said] = (await once(createInterface({ input: child.stdout }), "line")) as [string];
  return { process: child, said };
}

async function killed(child: ChildProcess): Promise<void> {
  const gone = once(child, "exit");
  child.kill("SIGKILL");
  await gone;
}

function kill(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // It is gone, as it should be.
  }
}
