/** A snapshot of a clone in which something was done, and what git says of the clone once it has a new .git. */
import { join } from "node:path";
import { execaSync } from "execa";
import { replaceGitDir } from "../../src/git/clone/workspace.ts";
import { takeSnapshot } from "../../src/git/snapshot.ts";
import type { temporaryRepository } from "./repository.ts";

type Place = Awaited<ReturnType<typeof temporaryRepository>>;

/** What a clone of the place is made of, but for its ref. */
export const sourceIn = (place: Place) => ({
  root: place.folder,
  base: "main",
  branch: "work",
  clones: "borrowed" as const,
});

/** `work`: commands of a shell, in the workspace. */
export async function snapshotAfter(
  place: Place,
  workspace: string,
  { work, keepsIndex, env = {} }: { work: string; keepsIndex: boolean; env?: Record<string, string> },
): Promise<object> {
  execaSync("/bin/sh", ["-ec", work], { cwd: workspace, env });
  const head = execaSync("git", ["rev-parse", "HEAD"], { cwd: workspace }).stdout;
  await place.git("fetch", "--quiet", workspace, "+HEAD:refs/kept/head");
  const person = { root: place.folder, commonDir: join(place.folder, ".git") };
  const seen = await takeSnapshot(person, workspace, head, { keepsIndex });
  await replaceGitDir({ ...sourceIn(place), ref: "refs/kept/head" }, workspace);
  const told = execaSync("git", ["status", "--porcelain"], { cwd: workspace }).stdout;
  return { head, ...seen, told };
}
