/** A git that takes too long is ended with all that it started, and the error says so. */
import { execaSync } from "execa";
import { join } from "node:path";
import { expect, test } from "vitest";
import { gitIn, GitError } from "../../src/git/git.ts";
import { processesOf } from "../support/cli.ts";
import { temporaryRepository } from "../support/repository.ts";

test("a git that waits at a pipe is ended at its time limit", async () => {
  const { folder } = await temporaryRepository({ "a.txt": "a\n" });
  const pipe = join(folder, "pipe");
  execaSync("mkfifo", [pipe]);
  const error = await gitIn(folder)(["hash-object", pipe], { msMax: 500 }).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(GitError);
  expect(error).toMatchObject({ exitCode: 124, message: expect.stringContaining("no answer in 0.5 s") });
  await expect.poll(() => processesOf(folder)).toEqual([]);
});
