/** The push to a remote: only from the commit that is named, whatever was fetched meanwhile. */
import { join } from "node:path";
import { execa } from "execa";
import { expect, test } from "vitest";
import { pushMoves } from "../../src/git/carry/remote.ts";
import type { Pushed } from "../../src/git/carry/remote.ts";
import { plainGit, temporaryRepository } from "../support/repository.ts";

// TRAP 87
test("a stale clone does not win, also after a fetch in the background: the lease names its commit", async () => {
  const { folder, outside, git, commit } = await temporaryRepository();
  const bare = join(outside, "bare.git");
  await git("init", "--quiet", "--bare", bare);
  await git("remote", "add", "origin", bare);
  const ref = "refs/heads/monoco-relays/FEAT-0001/head";
  const remote = { name: "origin", run: { cwd: folder, env: process.env } };
  const push = (from: string, to: string): Promise<Pushed> => pushMoves(remote, [{ ref, from, to }]);
  const seen = await git("rev-parse", "HEAD");
  expect(await push("", seen)).toEqual({ is: "taken" });
  const others = await commit({ "b.txt": "others\n" });
  expect(await push(seen, others)).toEqual({ is: "taken" });
  await git("reset", "--quiet", "--hard", seen);
  const ours = await commit({ "c.txt": "ours\n" });
  await git("fetch", "--quiet", "origin");
  expect(await push(seen, ours)).toMatchObject({ is: "moved" });
  expect(await push("", ours)).toMatchObject({ is: "moved" });
  expect(await plainGit(bare)("rev-parse", ref)).toBe(others);
});

test.for([
  ["hides the ref", "git config receive.hideRefs refs/monoco"],
  ["has a lock of it that was left behind", "touch refs/monoco/A-0001/head.lock"],
] as const)("a remote that %s refuses it: nobody else has moved it", async ([, sets]) => {
  const { folder, outside, git, commit } = await temporaryRepository();
  const bare = join(outside, "bare.git");
  await git("init", "--quiet", "--bare", bare);
  await git("remote", "add", "origin", bare);
  const remote = { name: "origin", run: { cwd: folder, env: process.env } };
  const [from, to] = [await git("rev-parse", "HEAD"), await commit({ "b.txt": "two\n" })];
  const ref = "refs/monoco/A-0001/head";
  await pushMoves(remote, [{ ref, from: "", to: from }]);
  await execa("/bin/sh", ["-c", sets], { cwd: bare });
  expect(await pushMoves(remote, [{ ref, from, to }])).toMatchObject({
    is: "refused",
    said: expect.stringContaining("rejected"),
  });
});

test("all refs move or none", async () => {
  const { folder, outside, git, commit } = await temporaryRepository();
  const bare = join(outside, "bare.git");
  await git("init", "--quiet", "--bare", bare);
  await git("remote", "add", "origin", bare);
  const remote = { name: "origin", run: { cwd: folder, env: process.env } };
  const [one, two] = [await git("rev-parse", "HEAD"), await commit({ "b.txt": "two\n" })];
  await pushMoves(remote, [{ ref: "refs/monoco/A-0001/head", from: "", to: one }]);
  const moves = [
    { ref: "refs/monoco/A-0001/head", from: two, to: two },
    { ref: "refs/monoco/A-0001/submissions/1", from: "", to: two },
  ];
  expect(await pushMoves(remote, moves)).toMatchObject({ is: "moved" });
  const left = await plainGit(bare)("for-each-ref", "--format=%(objectname) %(refname)");
  expect(left).toBe(`${one} refs/monoco/A-0001/head`);
});
