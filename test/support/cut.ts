/** Kills monoco at one of the gits that it starts: a `git` before the real one on the PATH counts them. See test/fixtures/cut-git.sh. */
import { chmodSync, copyFileSync, mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { execa } from "execa";
import { removeTree } from "../../src/git/folders.ts";
import { fixture } from "./cli.ts";
import type { Ran, Sandbox } from "./cli.ts";

/** The start of git at which monoco is killed. */
export type Cut = { nth: number; when: "before" | "after" };

/** Runs monoco in a folder; ends by SIGKILL if it starts so many gits. */
export async function cutShort(
  sandbox: Sandbox,
  { cwd, args, nth, when }: Cut & { cwd: string; args: readonly string[] },
): Promise<Ran> {
  const shim = mkdtempSync(join(sandbox.folder, "shim-"));
  mkdirSync(join(shim, "starts"));
  copyFileSync(fixture("cut-git.sh"), join(shim, "git"));
  chmodSync(join(shim, "git"), 0o755);
  const { stdout: git } = await execa("/bin/sh", ["-c", "command -v git"]);
  writeFileSync(join(shim, "settings"), `GIT=${git} NTH=${nth} WHEN=${when}\n`);
  try {
    return await sandbox.start(args, { cwd, env: { PATH: `${shim}:${sandbox.env["PATH"]}` } });
  } finally {
    removeTree(shim);
  }
}
