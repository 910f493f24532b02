/** Between two sessions: a clone that lives as long as its relay is made ready for the next one. */
import { readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { attempt } from "../../core/error/attempt.ts";
import { isOwnFolder, takeBack } from "../folders.ts";
import { gitIn, gitOr } from "../git.ts";
import { holdersOf } from "../killed/locks.ts";
import { commitOf, moveRef } from "../repository.ts";
import { unfinishedIn } from "./operation.ts";
import { keepSettings, keptSettings, restoreSettings } from "./own-settings.ts";
import { baseRef, replaceGitDir } from "./workspace.ts";
import type { CloneSource } from "./workspace.ts";

/** Brings the base's new commits into a clone as `origin/<base>`. Returns the commit that it has there afterwards. */
export async function bringInBase(source: CloneSource, folder: string): Promise<string | undefined> {
  const { root, base, hold, clones, stop, within } = source;
  const git = gitIn(folder, within);
  const there = await commitOf(git, baseRef(base));
  const trusted = gitIn(root);
  const now = await commitOf(trusted, `refs/heads/${base}`);
  if (!now || now === there) return there;
  if (clones === "borrowed") {
    if (hold !== undefined) await moveRef(trusted, hold, now);
    await git(["update-ref", baseRef(base), now]);
  } else {
    const plain = ["-c", "transfer.fsckObjects=false"];
    const fetch = [...plain, "fetch", "--quiet", "--no-tags", "--no-write-fetch-head"];
    await git([...fetch, root, `+refs/heads/${base}:${baseRef(base)}`], { stop });
  }
  // Its branch follows unless a session moved it or stands on it.
  const own = `refs/heads/${base}`;
  const on = (await gitOr(git(["symbolic-ref", "--quiet", "HEAD"]), "")).trim();
  if (there && base !== source.branch && on !== own) await moveRef(git, own, now, there);
  return now;
}

/**
 * Readies a clone in which sessions and checks have run for the next session: hooks and configuration as `setup` left them, no lock of
 * a killed git, HEAD on its branch at `head` unless an operation is in progress. Returns what was set aside to `aside`.
 */
export async function settleClone(
  source: CloneSource,
  folder: string,
  { head, aside }: { head: string; aside: string },
): Promise<string[]> {
  const person = gitIn(source.root);
  const hasSettings = isOwnFolder(keptSettings(folder));
  // One that could not be read was moved away; one of before settings were kept may have anything in it.
  if (!hasSettings || !isOwnFolder(join(folder, ".git"))) await replaceGitDir(source, folder);
  if (!hasSettings) keepSettings(folder);
  await takeBack(folder);
  const names = await restoreSettings(person, folder, aside);
  removeLocks(folder);
  if (!(await unfinishedIn(person, folder))) await standOnBranch(source, folder, head);
  return names;
}

/** Puts the HEAD of a clone on its work branch at `head`, where a session left another one; the files stay as they are. */
async function standOnBranch(source: CloneSource, folder: string, head: string): Promise<void> {
  const git = gitIn(folder, source.within);
  const ref = `refs/heads/${source.branch}`;
  const on = (await gitOr(git(["symbolic-ref", "--quiet", "HEAD"]), "")).trim();
  const at = await commitOf(git, "HEAD");
  if (on === ref && at === head) return;
  await git(["update-ref", ref, head]);
  await git(["symbolic-ref", "HEAD", ref]);
  if (at !== head) await git(["read-tree", "HEAD"]);
}

/** Removes the locks that killed gits left in a clone, unless a git is at work there. */
function removeLocks(workspace: string): void {
  const own = join(workspace, ".git");
  const names = readdirSync(own).filter((name) => !["objects", "hooks"].includes(name));
  const below = names.flatMap((name) => [
    name,
    ...attempt(() => readdirSync(join(own, name), { recursive: true, encoding: "utf8" }), []).map((one) =>
      join(name, one),
    ),
  ]);
  const locks = below.filter((name) => name.endsWith(".lock")).map((name) => join(own, name));
  if (locks.length === 0 || holdersOf(locks, [workspace])?.length !== 0) return;
  for (const lock of locks) rmSync(lock, { force: true });
}
