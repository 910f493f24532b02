/** Finds ids that two issues of this worktree share, and gives the younger issue a new one. */
import { existsSync } from "node:fs";
import { unlessRefused } from "../../core/error/attempt.ts";
import { parseIssue } from "../../core/issue/issue.ts";
import type { IssueFault } from "../../core/issue/lint.ts";
import { lineNaming, redirected, renumbered, renumberedPath } from "../../core/backlog/renumber.ts";
import { replay } from "../../core/journal/state.ts";
import { keeperFirst } from "../../core/backlog/duplicate-ids.ts";
import { gitIn } from "../../git/git.ts";
import { thereWhenNamed } from "../../git/issues.ts";
import { idOf } from "../../store/issue-folder.ts";
import type { IssueFile } from "../../store/issue-folder.ts";
import { readJournal } from "../../store/journal.ts";
import { placesFor } from "../../app/here.ts";
import type { Here } from "../../app/here.ts";
import { nextId } from "./ids.ts";
import { t } from "../../core/language/translate.ts";

/** An issue with a new id; `unclear` are lines in other issues that may mean either twin. */
export type Renumbering = {
  from: string;
  to: string;
  path: string;
  newPath: string;
  other: string;
  unclear: string[];
};

type Twin = { path: string; text: string; createdAtMs: number };

/** Each duplicate id, with the issue that keeps it. */
function twinsOf(
  here: Here,
  files: readonly IssueFile[],
): { id: string; keeper: Twin; others: readonly Twin[] }[] {
  return [...Map.groupBy(files, (file) => idOf(file))].flatMap(([id, own]) => {
    if (id === undefined) return [];
    const [keeper, ...others] = keeperFirst(own.map(twinOf), pathHeld(here, id));
    return keeper ? [{ id, keeper, others }] : [];
  });
}

/** A file that cannot be read as an issue counts as the oldest: it keeps its id, since it must not be changed. */
function twinOf({ path, text }: IssueFile): Twin {
  const issue = unlessRefused(() => parseIssue(text, path));
  if (!issue) return { path, text: "", createdAtMs: -Infinity };
  const createdAtMs = Date.parse(issue.createdAt ?? "");
  return { path, text, createdAtMs: Number.isNaN(createdAtMs) ? Infinity : createdAtMs };
}

/** The file of this id's relay, if it has one: commits and journal bear the id. */
function pathHeld(here: Here, id: string): string | undefined {
  const { journal } = placesFor(here, id);
  if (!existsSync(journal)) return undefined;
  return unlessRefused(() => replay(readJournal(journal)).opening?.contract.path);
}

/** Lint's findings for duplicate ids. */
export function twinFaults(here: Here, files: readonly IssueFile[]): (IssueFault & { file: string })[] {
  return twinsOf(here, files).flatMap(({ id, keeper, others }) =>
    others.map(({ path }) => ({
      file: path,
      line: 1,
      level: "error" as const,
      message: t`${id} is also in ${keeper.path}`,
      hint: t`monoco issue lint --fix gives this one, the younger, a new id`,
    })),
  );
}

/** Renumbers each younger twin, and changes other files that certainly mean it. */
export async function renumberTwins(
  here: Here,
  files: readonly IssueFile[],
  isAsked: (file: IssueFile) => boolean,
): Promise<{ files: IssueFile[]; renumbered: Renumbering[] }> {
  let now = [...files];
  const done: Renumbering[] = [];
  for (const { id: from, keeper, others } of twinsOf(here, files)) {
    for (const twin of others) {
      if (twin.text === "" || !isAsked(twin)) continue;
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

/** A file that was written when only one of the twins existed means that twin. */
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
