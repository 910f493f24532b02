/** monoco issue create, list, show, lint: the backlog as files. */
import { existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { counted } from "../core/counted.ts";
import { MonocoError } from "../core/error.ts";
import { faultError } from "../core/fault.ts";
import { slugOf } from "../core/issue-name.ts";
import { issueTypes } from "../core/issue-vocabulary.ts";
import { parseIssue } from "../core/issue.ts";
import type { IssueType } from "../core/issue-vocabulary.ts";
import type { Issue } from "../core/issue.ts";
import { newIssue } from "../core/issue-edit.ts";
import { lintIssue } from "../core/issue-lint.ts";
import { plain, plainLine } from "../core/plain.ts";
import { refuseUnknownNames } from "../core/template.ts";
import { phaseOf } from "../core/standing.ts";
import { replay } from "../core/state.ts";
import { issuePathsEver } from "../git/issues.ts";
import { idOf, idOfName, issueFolders, listIssueFiles } from "../store/issue-folder.ts";
import type { IssueFile } from "../store/issue-folder.ts";
import { readJournal } from "../store/journal.ts";
import { tellFailure } from "../views/failure.ts";
import { paint } from "../views/terminal.ts";
import { writeNew } from "../store/durable.ts";
import { worktreesOf } from "../git/workspace.ts";
import { loadTemplate } from "./documents.ts";
import type { Document } from "./documents.ts";
import { idOrHere, openHere, placesFor } from "./here.ts";
import { loadSettings } from "./settings-here.ts";
import type { Here } from "./here.ts";
import { relayIds } from "./relay-status.ts";
import { validId } from "./valid-id.ts";

export const prefixes: Record<IssueType, string> = {
  feature: "FEAT",
  fix: "FIX",
  chore: "CHORE",
  epic: "EPIC",
};

/** Writes a new issue from its type's template; its id is above every id that any branch, past commit or worktree knows. */
export async function create(title: string, flags: { type: string; json: boolean }): Promise<number> {
  const here = await openHere();
  const type = issueTypes.find((known) => known === flags.type);
  if (!type)
    throw new MonocoError("input", `there is no issue type "${flags.type}"`, {
      hint: `types: ${issueTypes.join(", ")}`,
    });
  if (plainLine(title) === "")
    throw new MonocoError("input", "an issue needs a title", {
      hint: 'monoco issue create "Add a login page"',
    });
  const top = here.repository.worktree;
  const { language } = loadSettings(here);
  const id = validId(await nextId(here, prefixes[type]));
  const folder = issueFolders.find((name) => existsSync(join(top, name))) ?? issueFolders[0];
  const path = join(folder, `${[id, slugOf(title)].filter(Boolean).join("-")}.md`);
  const template = loadTemplate(top, language, `issue-${type}.md`);
  const text = fillIn(template, { id, title: plainLine(title), createdAt: new Date().toISOString() });
  mkdirSync(join(top, folder), { recursive: true });
  writeNew(join(top, path), text);
  if (flags.json) process.stdout.write(`${JSON.stringify({ id, path })}\n`);
  else {
    process.stdout.write(
      `${path}\nnext: write its objective and acceptance criteria, commit it, then monoco run ${id}\n`,
    );
  }
  return 0;
}

/** Throws `input` for a template of the person's that makes no issue: it would be told of every issue made from it. */
function fillIn(template: Document, values: { id: string; title: string; createdAt: string }): string {
  refuseUnknownNames(template.text, Object.keys(values), template.path);
  const text = newIssue(template.text, values);
  try {
    parseIssue(text, template.path);
    return text;
  } catch (error) {
    if (!(error instanceof MonocoError)) throw error;
    throw new MonocoError("input", `${error.message} (in an issue made from this template)`, {
      hint: "mend the template, or remove it: the one that comes with monoco then counts",
      cause: error,
    });
  }
}

/** Above every id that any branch, past commit or worktree knows. */
export async function nextId(here: Here, prefix: string): Promise<string> {
  const { git } = here.repository;
  const paths = await issuePathsEver(git);
  const inWorktrees = (await worktreesOf(git)).flatMap((worktree) => {
    const { files, unread } = listIssueFiles(worktree.path);
    return [...files.map(idOf), ...unread.map(({ path }) => idOfName(path))];
  });
  const known = [...paths.map(idOfName), ...inWorktrees, ...relayIds(here)];
  const numbers = known.flatMap((id) =>
    id?.startsWith(`${prefix}-`) ? [Number(id.slice(prefix.length + 1))] : [],
  );
  return `${prefix}-${String(Math.max(0, ...numbers) + 1).padStart(4, "0")}`;
}

export type ListedIssue = {
  id: string;
  path: string;
  title: string;
  status: string;
  stage: string;
  type: string;
  relay: string | null;
};

/** The issues of this worktree; where a relay is open, its phase is what counts. Files that cannot be read are named. */
export async function list(flags: { all: boolean; json: boolean }): Promise<number> {
  const here = await openHere();
  const listed: ListedIssue[] = [];
  const { files, unread } = listIssueFiles(here.repository.worktree);
  const broken = unread
    .filter(({ path }) => idOfName(path) !== undefined)
    .map(({ path, fault }) => faultError(fault, path));
  for (const file of files) {
    if (idOf(file) === undefined) continue;
    try {
      listed.push(listing(here, file, parseIssue(file.text, file.path)));
    } catch (error) {
      if (!(error instanceof MonocoError)) throw error;
      broken.push(error);
    }
  }
  const shown = flags.all ? listed : listed.filter((issue) => issue.status === "open");
  if (flags.json)
    process.stdout.write(
      `${JSON.stringify({ issues: shown, broken: broken.map(({ message }) => message) })}\n`,
    );
  else {
    for (const issue of shown) {
      const relay = issue.relay ? `  relay: ${issue.relay}` : "";
      process.stdout.write(
        `${paint("bold", issue.id)}  ${issue.status}/${issue.stage}  ${plainLine(issue.title)}${relay}\n`,
      );
    }
    if (shown.length === 0) process.stdout.write('no open issues; monoco issue create "Title" writes one\n');
  }
  return Math.max(0, ...broken.map((error) => tellFailure(error)));
}

function listing(here: Here, file: IssueFile, issue: Issue): ListedIssue {
  const { journal } = placesFor(here, issue.id);
  const phase = existsSync(journal) ? phaseOf(replay(readJournal(journal))) : "none";
  const { id, title, status, stage, type } = issue;
  return { id, path: file.path, title, status, stage, type, relay: phase === "none" ? null : phase };
}

/** One issue as it stands in this worktree. */
export async function show(id: string | undefined, flags: { json: boolean }): Promise<number> {
  const here = await openHere();
  const file = findFile(here, await idOrHere(here, id));
  if (flags.json)
    process.stdout.write(`${JSON.stringify({ path: file.path, ...parseIssue(file.text, file.path) })}\n`);
  else process.stdout.write(plain(file.text.endsWith("\n") ? file.text : `${file.text}\n`));
  return 0;
}

export function findFile(here: Here, issue: string): IssueFile {
  const { files, unread } = listIssueFiles(here.repository.worktree);
  const file = files.find((candidate) => idOf(candidate) === issue);
  if (file) return file;
  const broken = unread.find(({ path }) => idOfName(path) === issue);
  if (broken) throw faultError(broken.fault, broken.path);
  throw new MonocoError("input", `there is no file issues/**/${issue}*.md in ${here.repository.worktree}`, {
    hint: "monoco issue list shows those that are there",
  });
}

/** Everything that is wrong with the issues, with file, line and remedy; exit status 2 when there is anything. */
export async function lint(ids: string[], flags: { json: boolean }): Promise<number> {
  const here = await openHere();
  const asked = ids.map(validId);
  const all = listIssueFiles(here.repository.worktree);
  const files = asked.length === 0 ? all.files : asked.map((id) => findFile(here, id));
  const unread = asked.length === 0 ? all.unread : [];
  const faults = files.flatMap((file) =>
    lintIssue(file.text, file.path).map((fault) => ({ file: file.path, ...fault })),
  );
  const notRead = unread.map(({ path, fault }) => ({ file: path, ...fault }));
  const found = [...notRead, ...faults, ...duplicates(all.files)];
  const count = files.length + unread.length;
  if (flags.json) process.stdout.write(`${JSON.stringify({ files: count, faults: found })}\n`);
  else {
    for (const fault of found)
      process.stdout.write(
        `${fault.file}:${fault.line}: ${plainLine(fault.message)}\n  hint: ${plainLine(fault.hint)}\n`,
      );
    process.stdout.write(
      found.length === 0
        ? `${counted(count, "issue")}, nothing wrong\n`
        : `${counted(found.length, "fault")} in ${counted(count, "issue")}\n`,
    );
  }
  return found.length > 0 ? 2 : 0;
}

function duplicates(files: IssueFile[]): { file: string; line: number; message: string; hint: string }[] {
  const first = new Map<string, string>();
  return files.flatMap((file) => {
    const id = idOf(file);
    if (id === undefined) return [];
    const other = first.get(id);
    if (other === undefined) {
      first.set(id, file.path);
      return [];
    }
    return [
      { file: file.path, line: 1, message: `${id} is also in ${other}`, hint: "give one of them a new id" },
    ];
  });
}
