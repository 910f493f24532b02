/** The folders beside the repository that a sandbox shows beside its clones. */
import { realpathSync, statSync } from "node:fs";
import { join } from "node:path";
import { attempt } from "../core/error/attempt.ts";
import { MonocoError } from "../core/error/error.ts";
import { t } from "../core/language/translate.ts";
import { linkedWorktrees } from "./worktrees.ts";

type Repository = { root: string; commonDir: string };

/** Throws `input` for a sibling that is no folder, or would show the repository itself. */
export function refuseSiblings(repository: Repository, siblings: readonly string[]): void {
  const hint = t`name a folder beside ${repository.root} in monoco.yaml`;
  for (const name of siblings) {
    const path = folderAt(repository, name);
    if (path === undefined) throw new MonocoError("input", t`siblings: ${name} is no folder`, { hint });
    if (isOwn(repository, path))
      throw new MonocoError("input", t`siblings: ${name} is this repository, or has it inside`, { hint });
  }
}

/** Each sibling with its place beside a clone. */
export function shownBeside(
  repository: Repository,
  siblings: readonly string[],
  clone: string,
): [from: string, at: string][] {
  return siblings.flatMap((name): [string, string][] => {
    const path = folderAt(repository, name);
    return path === undefined || isOwn(repository, path) ? [] : [[path, join(clone, name)]];
  });
}

function folderAt({ root }: Repository, name: string): string | undefined {
  const path = attempt(() => realpathSync(join(root, name)), undefined);
  return path !== undefined && statSync(path).isDirectory() ? path : undefined;
}

/** Whether a folder is one of the repository's, in one or around one. */
function isOwn({ root, commonDir }: Repository, path: string): boolean {
  const own = [root, commonDir, ...linkedWorktrees(commonDir)];
  return own.some((folder) => isIn(path, folder) || isIn(folder, path));
}

const isIn = (path: string, folder: string): boolean => `${path}/`.startsWith(`${folder}/`);
