/** The clone of one side of a submission (base or work): set up once, then given the files of any tree. */
import { constants, cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { z } from "zod";
import { bootId } from "../../agents/process-identity.ts";
import { makeClone, removeClone } from "../../git/clone/workspace.ts";
import { modulesAt } from "../../git/clone/modules.ts";
import { isOwnFolder } from "../../git/folders.ts";
import { beginAtTree, ignoredIn, keepGitState, layTree, restoreGitState } from "../../git/trees.ts";
import { t } from "../../core/language/translate.ts";
import type { CheckResult } from "../../core/review/check-result.ts";
import { writeAtomically } from "../../store/durable.ts";
import { settingsOf } from "../relay.ts";
import { cloneSource } from "../sandbox.ts";
import type { Relay } from "../relay.ts";
import { setUp } from "../run-checks.ts";
import type { CommandRun } from "../run-checks.ts";

/** The commit of a side, the tree at which its clone is set up, and whether it contains nothing of an agent's. */
export type Place = { commit: string; tree: string; folder: string; trusted: boolean };

/** Makes a clone that is set up at a commit, unless it exists; returns the failed command, if any. */
export async function openClone(
  relay: Relay,
  of: Place & Pick<CommandRun, "logs" | "stop" | "nice">,
): Promise<CheckResult | undefined> {
  const { commit, tree, folder } = of;
  const mark = join(`${folder}.trees`, "set-up-at");
  // A clone from before the machine's start may be damaged, since nothing in it was synced.
  const marked = `${tree} ${bootId()}`;
  if (isOwnFolder(folder) && existsSync(mark) && readFileSync(mark, "utf8") === marked) return undefined;
  removeClone(folder);
  relay.onProgress({ type: "step", text: t`a clone of ${commit.slice(0, 8)}` });
  await makeClone(cloneSource(relay, commit), folder);
  const failed = await setUp(relay, of);
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

/** The files that the set-up left in a side's clone and git ignores; empty if there is no clone. */
export function builtBySetUp({ folder }: Place): string[] {
  const file = builtFile(folder);
  return existsSync(file) ? z.array(z.string()).parse(JSON.parse(readFileSync(file, "utf8"))) : [];
}

/** Gives a clone the files of the tree and restores its git, whatever ran there. */
export async function restore(relay: Relay, folder: string, tree: string): Promise<void> {
  restoreGitState(folder);
  await layTree(relay.repository, folder, tree);
}

/** Copies the tree, with the clone's ignored files and submodules, to a folder whose path does not mention monoco. */
export async function copyElsewhere(relay: Relay, clone: string, tree: string): Promise<string> {
  const note = join(`${clone}.trees`, "elsewhere");
  removeLeftCopy(note);
  const outer = mkdtempSync(join(tmpdir(), copyPrefix));
  writeAtomically(note, outer);
  const folder = join(outer, "work");
  mkdirSync(folder);
  await layTree(relay.repository, folder, tree);
  rmSync(`${folder}.trees`, { recursive: true, force: true });
  const named = (await modulesAt(relay.repository.git, tree)).map(({ path }) => path);
  const modules = named.filter((path) => isOwnFolder(join(clone, path)));
  for (const path of [...(await ignoredIn(relay.repository, clone, tree)), ...modules])
    cpSync(join(clone, path), join(folder, path), {
      recursive: true,
      verbatimSymlinks: true,
      mode: constants.COPYFILE_FICLONE,
      // A submodule's leads to the clone.
      filter: (from) => basename(from) !== ".git",
    });
  return folder;
}

const copyPrefix = "w-";

/** Removes the copy that a killed runner left; nothing else, since without a sandbox a session can write the note. */
export function removeLeftCopy(note: string): void {
  if (!existsSync(note)) return;
  const left = readFileSync(note, "utf8");
  const isCopy = left === join(tmpdir(), basename(left)) && basename(left).startsWith(copyPrefix);
  if (isCopy && isOwnFolder(left)) rmSync(left, { recursive: true, force: true });
}
