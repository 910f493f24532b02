/** The clone of a side of a submission: set up once, and made any tree after that. */
import { constants, cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { z } from "zod";
import { bootId } from "../../agents/process-identity.ts";
import { makeClone, removeClone } from "../../git/clone/workspace.ts";
import { isOwnFolder } from "../../git/folders.ts";
import { beginAtTree, ignoredIn, keepGitState, layTree, restoreGitState } from "../../git/trees.ts";
import { t } from "../../core/language/translate.ts";
import type { CheckResult } from "../../core/review/check-result.ts";
import { writeAtomically } from "../../store/durable.ts";
import { cloneSource, settingsOf } from "../relay.ts";
import type { Relay } from "../relay.ts";
import { setUp } from "../run-checks.ts";

/** The commit of a side, the tree that its clone is set up at, and whether nothing of an agent's is in it. */
export type Place = { commit: string; tree: string; folder: string; trusted: boolean };

/** A clone that is set up at a commit, if it is not there already; the command that failed, if any. */
export async function openClone(
  relay: Relay,
  of: Place & { logs: string },
): Promise<CheckResult | undefined> {
  const { commit, tree, folder, trusted, logs } = of;
  const mark = join(`${folder}.trees`, "set-up-at");
  // From before the machine was started, it may be torn: nothing in it was synced.
  const marked = `${tree} ${bootId()}`;
  if (isOwnFolder(folder) && existsSync(mark) && readFileSync(mark, "utf8") === marked) return undefined;
  removeClone(folder);
  relay.onProgress({ type: "step", text: t`a clone of ${commit.slice(0, 8)}` });
  await makeClone(cloneSource(relay, commit), folder);
  const failed = await setUp(relay, { folder, logs, trusted });
  if (failed) return failed;
  const isSetUp = settingsOf(relay).setup.length > 0;
  if (isSetUp) await layTree(relay.repository, folder, tree);
  else beginAtTree(relay.repository, folder, tree);
  keepGitState(folder);
  const built = isSetUp ? await ignoredIn(relay.repository, folder, tree) : [];
  writeAtomically(builtFile(folder), JSON.stringify(built));
  writeAtomically(mark, marked);
  return undefined;
}

const builtFile = (folder: string): string => join(`${folder}.trees`, "built");

/** What the set-up has left in a side's clone that git ignores; nothing without such a clone. */
export function builtBySetUp({ folder }: Place): string[] {
  const file = builtFile(folder);
  return existsSync(file) ? z.array(z.string()).parse(JSON.parse(readFileSync(file, "utf8"))) : [];
}

/** Makes a clone's files those of the tree, and its git what it was, whatever ran there. */
export async function restore(relay: Relay, folder: string, tree: string): Promise<void> {
  restoreGitState(folder);
  await layTree(relay.repository, folder, tree);
}

/** The tree in a folder whose path says nothing of monoco, with what the clone has besides that git ignores. */
export async function copyElsewhere(relay: Relay, clone: string, tree: string): Promise<string> {
  const note = join(`${clone}.trees`, "elsewhere");
  removeLeftCopy(note);
  const outer = mkdtempSync(join(tmpdir(), copyPrefix));
  writeAtomically(note, outer);
  const folder = join(outer, "work");
  mkdirSync(folder);
  await layTree(relay.repository, folder, tree);
  rmSync(`${folder}.trees`, { recursive: true, force: true });
  for (const path of await ignoredIn(relay.repository, clone, tree))
    cpSync(join(clone, path), join(folder, path), {
      recursive: true,
      verbatimSymlinks: true,
      mode: constants.COPYFILE_FICLONE,
    });
  return folder;
}

const copyPrefix = "w-";

/** Removes the copy that a killed runner left. Whatever else the note names is no copy: without a sandbox a session can write it. */
export function removeLeftCopy(note: string): void {
  if (!existsSync(note)) return;
  const left = readFileSync(note, "utf8");
  const isCopy = left === join(tmpdir(), basename(left)) && basename(left).startsWith(copyPrefix);
  if (isCopy && isOwnFolder(left)) rmSync(left, { recursive: true, force: true });
}
