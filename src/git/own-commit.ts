/** Commits one new file to a branch; the person's staged and other changes stay as they are. */
import { existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { MonocoError, wordsOf } from "../core/error/error.ts";
import { mergeRoundsMax } from "../core/limits.ts";
import { gitIn } from "./git.ts";
import type { Git } from "./git.ts";
import { commitTree } from "./identity.ts";
import type { Signer } from "./identity.ts";
import { withFile } from "./landing.ts";
import { commitOf, moveRef, unanswered } from "./repository.ts";
import { worktreesOf } from "./worktrees.ts";
import type { Worktree } from "./worktrees.ts";
import { t } from "../core/language/translate.ts";

export type OwnFile = { base: string; path: string; text: string; message: string; scratch: string };

/**
 * Resolves to the commit. Throws `input`, and changes nothing, if a worktree has the branch and cannot take the file, and
 * `NotSigned` if the signer does not sign.
 */
export async function commitNewFile(git: Git, file: OwnFile, signer?: Signer): Promise<string> {
  const ref = `refs/heads/${file.base}`;
  const holders = await holdersOf(git, file);
  const laid: string[] = [];
  try {
    for (const { path } of holders) {
      layFile(path, file);
      laid.push(path);
      await stageFile(path, file);
    }
    for (let round = 1; round <= mergeRoundsMax; round++) {
      const expected = await commitOf(git, ref);
      if (!expected) throw new MonocoError("input", t`branch ${file.base} has no commit`);
      const tree = await withFile(git, { ...file, tree: expected });
      const of = { tree, parents: [expected], message: file.message };
      const commit = await commitTree(git, of, signer);
      if (await moveRef(git, ref, commit, expected)) return commit;
    }
    throw unanswered(t`git did not move ${file.base}`);
  } catch (error) {
    for (const path of laid) await takeFileBack(path, file);
    throw error;
  }
}

/** The worktrees that have the branch checked out: the file must be in their index, or git would report it as deleted. */
async function holdersOf(git: Git, { base, path }: OwnFile): Promise<Worktree[]> {
  const holders = (await worktreesOf(git)).filter(
    (one) => one.branch === `refs/heads/${base}` && existsSync(one.path),
  );
  for (const holder of holders) {
    if (holder.busy)
      throw new MonocoError(
        "input",
        t`${holder.path} has ${base} checked out in the middle of ${holder.busy}`,
        {
          hint: t`finish or abort that, then run the same command again`,
        },
      );
    if (existsSync(join(holder.path, path)))
      throw new MonocoError("input", t`${join(holder.path, path)} is there already`, {
        hint: t`move it away, then run the same command again`,
      });
  }
  return holders;
}

function layFile(worktree: string, { path, text }: OwnFile): void {
  mkdirSync(dirname(join(worktree, path)), { recursive: true });
  writeFileSync(join(worktree, path), text, { flag: "wx" });
}

async function stageFile(worktree: string, { path, text }: OwnFile): Promise<void> {
  const git = gitIn(worktree);
  const blob = (await git(["hash-object", "-w", "--stdin"], { input: text })).trim();
  await git(["update-index", "--add", "--cacheinfo", `100644,${blob},${path}`]).catch((error: unknown) => {
    throw new MonocoError("input", t`git in ${worktree} does not take ${path}: ${wordsOf(error)}`, {
      hint: t`see to that there, then run the same command again`,
      cause: error,
    });
  });
}

async function takeFileBack(worktree: string, { path }: OwnFile): Promise<void> {
  rmSync(join(worktree, path), { force: true });
  await gitIn(worktree)(["update-index", "--force-remove", "--", path]).catch(() => undefined);
}
