/** Detects Git LFS in a commit, and refuses it: monoco does not support LFS yet. */
import { MonocoError } from "../core/error/error.ts";
import { GitError, zeroed } from "./git.ts";
import type { Git } from "./git.ts";
import { t } from "../core/language/translate.ts";

/** The first .gitattributes of the commit that asks for Git LFS; comments do not count. */
export async function lfsIn(git: Git, commit: string): Promise<string | undefined> {
  const pattern = "^[^#].*[[:blank:]]filter=lfs([[:blank:]]|$)";
  const where = ["--", ".gitattributes", "**/.gitattributes"];
  const output = await git(["grep", "-l", "-z", "-E", pattern, commit, ...where]).catch((error: unknown) => {
    // Exit status 1 means no match; any other failure is an error.
    if (error instanceof GitError && error.exitCode === 1) return "";
    throw error;
  });
  return zeroed(output)[0]?.replace(/^[^:]*:/, "");
}

/** Throws `input` for a repository with LFS filters. */
export async function refuseLfs(git: Git, commit: string): Promise<void> {
  const path = await lfsIn(git, commit);
  if (path === undefined) return;
  throw new MonocoError("input", t`${path} uses Git LFS, which monoco does not handle yet`, {
    hint: t`run monoco on a repository, or a base branch, without LFS filters`,
  });
}
