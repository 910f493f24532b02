/** Checks that there is something to submit: committed work that differs from the base. */
import { MonocoError } from "../core/error/error.ts";
import type { Git } from "../git/git.ts";
import { unfinishedWords } from "../core/exit/unfinished.ts";
import { othersIn } from "../git/clone/inner.ts";
import { unfinishedIn } from "../git/clone/operation.ts";
import { modulesLeft } from "../git/clone/module-work.ts";
import { submoduleChanges, submodulesChanged } from "../git/landing.ts";
import { fileAt } from "../git/repository.ts";
import { statusOf } from "../git/status.ts";

import { t } from "../core/language/translate.ts";

/** Refuses unfinished work in an agent's clone. An operation in progress is reported first, since its files are uncommitted, too. */
export async function refuseUnfinished(git: Git, folder: string): Promise<void> {
  const unfinished = await unfinishedIn(git, folder);
  if (unfinished)
    throw new MonocoError("input", unfinishedWords(unfinished, "en"), {
      hint: t`finish or undo it, commit, then submit again`,
    });
}

export async function refuseUncommitted(git: Git, folder: string): Promise<void> {
  const changed = await statusOf(git, folder, "all");
  const listed = changed.map((entry) => entry.slice(3)).filter((name) => name !== "RALPH.md");
  const inner = listed.filter((name) => name.endsWith("/")).map((name) => name.slice(0, -1));
  const others = othersIn(folder, inner).map((name) => `${name}/`);
  const names = listed.filter((name) => !others.includes(name));
  if (names.length === 0) return;
  const message = t`uncommitted changes in ${folder}: ${names.slice(0, 10).join(", ")}${names.length > 10 ? ", …" : ""}`;
  throw new MonocoError("input", message, {
    hint: names.some((name) => name.endsWith("/"))
      ? t`a folder with a .git is a repository of its own: remove that .git if its files are part of the work, or move the folder out of the clone; then commit, and submit again`
      : t`git add and git commit them (or remove what is not part of the work), then submit again`,
  });
}

/** Refuses work in submodules that the contract on the base does not allow; `git` runs in an agent's clone. */
export async function refuseSubmodules(
  git: Git,
  { start, commit, contract }: { start: string; commit: string; contract: string },
): Promise<void> {
  const changed = [...(await submoduleChanges(git, start, commit)), ...(await modulesLeft(git, commit))];
  if (changed.length === 0) return;
  const text = await fileAt(git, start, contract);
  const { parseIssue } = await import("../core/issue/issue.ts");
  const { deciding } = await import("../core/text/glob.ts");
  const allowedBy = deciding(text === undefined ? [] : parseIssue(text, contract).allows);
  const paths = changed.filter((path) => allowedBy(path) === undefined);
  if (paths.length === 0) return;
  throw new MonocoError("input", submodulesChanged(paths), {
    hint: t`git submodule update --force PATH puts one back, git rm --cached PATH takes a repository of its own out; a person allows a path by \`allows:\` in the issue`,
  });
}

export function nothingToSubmit(base: string): MonocoError {
  return new MonocoError("input", t`nothing differs from ${base}, but for the issue itself`, {
    hint: t`commit work on a branch of its own, then submit; what was done on the base by hand is put up with --by-hand`,
  });
}
