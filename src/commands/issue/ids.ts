/** Mints unused ids: above every id of any branch, past commit, worktree and relay; one command at a time. */
import { fstatSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { MonocoError } from "../../core/error/error.ts";
import { issuePathsEver } from "../../git/issues.ts";
import { worktreesOf } from "../../git/worktrees.ts";
import { idOf, idOfName, listIssueFiles } from "../../store/issue-folder.ts";
import { tryLock } from "../../store/lock.ts";
import type { Here } from "../../app/here.ts";
import { relayIds } from "../../app/here.ts";
import { validId } from "../../app/valid-id.ts";
import { t } from "../../core/language/translate.ts";

/** The next id with this prefix; `taken` are ids about to be used. */
export async function nextId(here: Here, prefix: string, taken: readonly string[] = []): Promise<string> {
  const { git } = here.repository;
  const paths = await issuePathsEver(git);
  const inWorktrees = (await worktreesOf(git)).flatMap((worktree) => {
    const { files, unread } = listIssueFiles(worktree.path);
    return [...files.map(idOf), ...unread.map(({ path }) => idOfName(path))];
  });
  const ids = [...paths.map(idOfName), ...inWorktrees, ...relayIds(here), ...taken];
  const numbers = ids.flatMap((id) =>
    id?.startsWith(`${prefix}-`) ? [Number(id.slice(prefix.length + 1))] : [],
  );
  return validId(`${prefix}-${String(Math.max(0, ...numbers) + 1).padStart(4, "0")}`);
}

/** Locks, since two commands at once would mint the same id before either has written its file. */
export async function whileMinting<T>(here: Here, make: () => Promise<T>): Promise<T> {
  const path = join(here.repository.commonDir, "monoco-ids.lock");
  for (let attempt = 0; attempt < 250; attempt++) {
    const lock = tryLock(path);
    // The last holder removes the file: a process that had it open then holds a lock on a removed file.
    const isOurs = lock && statSync(path, { throwIfNoEntry: false })?.ino === fstatSync(lock.fd).ino;
    if (!isOurs) {
      lock?.release();
      await new Promise((resolve) => setTimeout(resolve, 20));
      continue;
    }
    try {
      return await make();
    } finally {
      rmSync(path, { force: true });
      lock.release();
    }
  }
  throw new MonocoError("conflict", t`another monoco gives out ids, and does not end`, {
    hint: t`end it, then run the same command again (its lock: ${path})`,
  });
}
