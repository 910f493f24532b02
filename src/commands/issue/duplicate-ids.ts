/** Ids that two issues have: in this worktree, or one of them at the tip of another branch; and a new id for the younger one. */
import { existsSync } from "node:fs";
import { unlessRefused } from "../../core/error/attempt.ts";
import { MonocoError } from "../../core/error/error.ts";
import { parseIssue } from "../../core/issue/issue.ts";
import type { IssueFault } from "../../core/issue/lint.ts";
import { lineNaming, redirected, renumbered, renumberedPath } from "../../core/backlog/renumber.ts";
import { replay } from "../../core/journal/state.ts";
import { keeperFirst } from "../../core/backlog/duplicate-ids.ts";
import { gitIn } from "../../git/git.ts";
import { isRenamed, issuesOnBranches, thereWhenNamed } from "../../git/issues.ts";
import type { OnBranch } from "../../git/issues.ts";
import { fileAt } from "../../git/repository.ts";
import { idOf, idOfName } from "../../store/issue-folder.ts";
import type { IssueFile } from "../../store/issue-folder.ts";
import { readJournal } from "../../store/journal.ts";
import { placesFor } from "../../app/here.ts";
import type { Here } from "../../app/here.ts";
import { nextId } from "./ids.ts";
import { t } from "../../core/language/translate.ts";

/** One issue that got a new id; `unclear` are the lines of others that may mean it or its twin. */
export type Renumbering = {
  from: string;
  to: string;
  path: string;
  newPath: string;
  other: string;
  unclear: string[];
};

type Twin = { path: string; text: string; createdAtMs: number; ref?: string };

/** The keeper of an id first, for each id that is given twice. */
async function twinsOf(here: Here, files: readonly IssueFile[]): Promise<Map<string, Twin[]>> {
  const byId = Map.groupBy(files, (file) => idOf(file));
  const found = new Map<string, Twin[]>();
  const elsewhere = await onOtherBranches(here, files);
  for (const [id, own] of byId) {
    if (id === undefined) continue;
    const others = elsewhere.get(id) ?? [];
    const all = [...own.map((file): Twin => twinOf(file)), ...others];
    if (all.length > 1) found.set(id, keeperFirst(all, pathHeld(here, id)));
  }
  return found;
}

/** One that cannot be read is as old as can be: it keeps its id, since nothing is changed in it. */
function twinOf({ path, text, ref }: IssueFile & { ref?: string }): Twin {
  const more = ref === undefined ? {} : { ref };
  try {
    const createdAtMs = Date.parse(parseIssue(text, path).createdAt ?? "");
    return { path, text, createdAtMs: Number.isNaN(createdAtMs) ? Infinity : createdAtMs, ...more };
  } catch (error) {
    if (!(error instanceof MonocoError)) throw error;
    return { path, text: "", createdAtMs: -Infinity, ...more };
  }
}

/** Other issues with an id of ours: under another path, and not the same one renamed. */
async function onOtherBranches(here: Here, files: readonly IssueFile[]): Promise<Map<string, Twin[]>> {
  const git = gitIn(here.repository.worktree);
  const ours = new Map(files.map((file) => [idOf(file) ?? "", file.path]));
  const paths = new Set(files.map(({ path }) => path));
  const found = new Map<string, Twin[]>();
  for (const one of await issuesOnBranches(git)) {
    const id = idOfName(one.path);
    const path = id === undefined ? undefined : ours.get(id);
    if (id === undefined || path === undefined || paths.has(one.path)) continue;
    const known = found.get(id) ?? [];
    if (known.some((twin) => twin.path === one.path) || (await isRenamed(git, one, path))) continue;
    found.set(id, [...known, await twinAt(here, one)]);
  }
  return found;
}

async function twinAt(here: Here, { ref, commit, path }: OnBranch): Promise<Twin> {
  const text = (await fileAt(here.repository.git, commit, path)) ?? "";
  return twinOf({ path, text, ref: ref.replace(/^refs\/(?:heads|remotes)\//, "") });
}

/** The file that a relay of this id works or worked from: its commits and its journal bear the id. */
function pathHeld(here: Here, id: string): string | undefined {
  const { journal } = placesFor(here, id);
  if (!existsSync(journal)) return undefined;
  return unlessRefused(() => replay(readJournal(journal)).opening?.contract.path);
}

/** What lint says of them. */
export async function twinFaults(
  here: Here,
  files: readonly IssueFile[],
): Promise<(IssueFault & { file: string })[]> {
  const said: (IssueFault & { file: string })[] = [];
  for (const [id, [keeper, ...others]] of await twinsOf(here, files)) {
    const place = (twin: Twin): string => (twin.ref ? t`${twin.path} on ${twin.ref}` : twin.path);
    for (const twin of others) {
      if (!keeper) continue;
      const here = twin.ref === undefined;
      said.push({
        file: here ? twin.path : keeper.path,
        line: 1,
        level: "error",
        message: t`${id} is also in ${place(here ? keeper : twin)}`,
        hint: here
          ? t`monoco issue lint --fix gives this one, the younger, a new id`
          : t`that one is the younger: on ${twin.ref}, or after merging it here, monoco issue lint --fix gives it a new id`,
      });
    }
  }
  // Two branches that have one id between them are no matter of this worktree.
  return said.filter(({ file }) => files.some(({ path }) => path === file));
}

/** The files with a new id for each younger twin that stands in this worktree, and for what is sure to name it. */
export async function renumberTwins(
  here: Here,
  files: readonly IssueFile[],
  isAsked: (path: string, text?: string) => boolean,
): Promise<{ files: IssueFile[]; renumbered: Renumbering[] }> {
  let now = [...files];
  const done: Renumbering[] = [];
  for (const [from, [keeper, ...others]] of await twinsOf(here, files)) {
    for (const twin of others) {
      if (!keeper || twin.ref !== undefined || twin.text === "" || !isAsked(twin.path, twin.text)) continue;
      const taken = done.map(({ to }) => to);
      const to = await nextId(here, from.slice(0, from.lastIndexOf("-")), taken);
      const newPath = renumberedPath(twin.path, { from, to });
      const unclear: string[] = [];
      const next: IssueFile[] = [];
      for (const file of now) {
        if (file.path === twin.path) next.push({ path: newPath, text: renumbered(file.text, { from, to }) });
        else next.push(await redirectedIn(here, file, { from, to, keeper, twin, unclear }));
      }
      now = next;
      done.push({ from, to, path: twin.path, newPath, other: keeper.path, unclear });
    }
  }
  return { files: now, renumbered: done };
}

type Meant = { from: string; to: string; keeper: Twin; twin: Twin; unclear: string[] };

/** Whoever named the id when only one of the two was there meant that one. */
async function redirectedIn(here: Here, file: IssueFile, meant: Meant): Promise<IssueFile> {
  const { from, to, keeper, twin, unclear } = meant;
  const line = lineNaming(file.text, from);
  if (line === undefined || idOf(file) === from) return file;
  const git = gitIn(here.repository.worktree);
  const paths = [keeper.path, twin.path];
  const there = await thereWhenNamed(git, { path: file.path, word: from, paths });
  if (there.length !== 1) unclear.push(`${file.path}:${line}`);
  return there.length === 1 && there[0] === twin.path
    ? { path: file.path, text: redirected(file.text, { from, to }) }
    : file;
}
