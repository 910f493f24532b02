/** Locks of monoco's own refs: those of a killed git go, those of one at work stay. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { expect, onTestFinished, test } from "vitest";
import { gitIn } from "../../src/git/git.ts";
import { commitOf, moveRef, moveRefs } from "../../src/git/repository.ts";
import { initRepository, temporaryFolder } from "../support/repository.ts";

const own = "refs/monoco/FEAT-0001/head";

/** A git that holds the locks of these refs, and moves them once it is told to. */
async function holding(refs: readonly string[]) {
  const project = join(temporaryFolder(), "project");
  initRepository(project, { name: "P", email: "p@example.com" });
  const git = gitIn(project);
  await git(["commit", "--quiet", "--allow-empty", "-m", "Begin"]);
  const head = (await commitOf(git, "HEAD"))!;
  const holder = spawn("git", ["update-ref", "--stdin"], { cwd: project });
  onTestFinished(() => void holder.kill("SIGKILL"));
  const lines = createInterface({ input: holder.stdout });
  holder.stdin.write(`start\n${refs.map((ref) => `create ${ref} ${head}\n`).join("")}prepare\n`);
  const said = (words: string): Promise<void> =>
    new Promise((resolve) => lines.on("line", (line) => line === words && resolve()));
  await said("prepare: ok");
  const isLocked = (ref: string): boolean => existsSync(join(project, ".git", `${ref}.lock`));
  expect(refs.map(isLocked)).toEqual(refs.map(() => true));
  const killed = async (): Promise<void> => {
    holder.kill("SIGKILL");
    await once(holder, "exit");
  };
  return { git, head, holder, said, isLocked, killed };
}

test("of a killed git are removed, and the ref moves", async () => {
  const { git, head, isLocked, killed } = await holding([own]);
  await killed();
  expect(await moveRef(git, own, head)).toBe(true);
  expect([isLocked(own), await commitOf(git, own)]).toEqual([false, head]);
});

test("of several refs, too, the relay's branch among them", async () => {
  const refs = [own, "refs/heads/monoco/FEAT-0001"];
  const { git, head, isLocked, killed } = await holding(refs);
  await killed();
  expect(
    await moveRefs(
      git,
      refs.map((ref) => ({ ref, to: head })),
    ),
  ).toBe(true);
  expect(refs.map(isLocked)).toEqual([false, false]);
});

test("of a git that is at work stay", async () => {
  const { git, head, holder, said } = await holding([own]);
  await expect(moveRef(git, own, head)).rejects.toThrow("File exists");
  const committed = said("commit: ok");
  holder.stdin.write("commit\n");
  await committed;
});

test("of a person's ref stay, whoever left them", async () => {
  const theirs = "refs/heads/theirs";
  const { git, head, isLocked, killed } = await holding([theirs]);
  await killed();
  await expect(moveRef(git, theirs, head)).rejects.toThrow("File exists");
  expect(isLocked(theirs)).toBe(true);
});
