/** monoco issue create and show: one issue as a file. */
import { existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { MonocoError } from "../../core/error/error.ts";
import { faultError } from "../../core/error/fault.ts";
import { slugOf } from "../../core/issue/name.ts";
import { issueTypes } from "../../core/issue/vocabulary.ts";
import { parseIssue } from "../../core/issue/issue.ts";
import type { Issue } from "../../core/issue/issue.ts";
import { kindOf, kindWords } from "../../core/issue/criterion-kind.ts";
import type { IssueType } from "../../core/issue/vocabulary.ts";
import type { ListedIssue } from "../../core/backlog/list.ts";
import { newIssue } from "../../core/issue/edit.ts";
import { oneLine } from "../../core/text/one-line.ts";
import { plain, plainLine } from "../../core/text/sanitize.ts";
import { refuseUnknownNames } from "../../core/text/template.ts";
import { idOf, idOfName, issueFolders, listIssueFiles } from "../../store/issue-folder.ts";
import type { IssueFile } from "../../store/issue-folder.ts";
import { printJson } from "../../views/json.ts";
import { paint } from "../../views/terminal.ts";
import { writeNew } from "../../store/durable.ts";
import { loadTemplate } from "../../app/documents.ts";
import type { Document } from "../../app/documents.ts";
import { idOrHere, openHere } from "../../app/here.ts";
import { listedIssues } from "../../app/listed-issues.ts";
import { loadSettings } from "../../app/settings.ts";
import type { Here } from "../../app/here.ts";
import { nextId, whileMinting } from "./ids.ts";
import { io } from "../../io/io.ts";

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
    throw new MonocoError("input", `unknown issue type "${flags.type}"`, {
      hint: `types: ${issueTypes.join(", ")}`,
    });
  if (plainLine(title) === "")
    throw new MonocoError("input", "an issue needs a title", {
      hint: 'monoco issue create "Add a login page"',
    });
  const top = here.repository.worktree;
  const { language } = loadSettings(here);
  const folder = issueFolders.find((name) => existsSync(join(top, name))) ?? issueFolders[0];
  const template = loadTemplate(top, language, `issue-${type}.md`);
  const { id, path } = await whileMinting(here, async () => {
    const id = await nextId(here, prefixes[type]);
    const path = join(folder, `${[id, slugOf(title)].filter(Boolean).join("-")}.md`);
    const text = fillIn(template, { id, title: plainLine(title), createdAt: new Date().toISOString() });
    mkdirSync(join(top, folder), { recursive: true });
    writeNew(join(top, path), text);
    return { id, path };
  });
  if (flags.json) printJson({ id, path });
  else {
    io().stdout.write(
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
      hint: "fix the template, or remove it: the one that comes with monoco then counts",
      cause: error,
    });
  }
}

/** One issue as it stands in this worktree; below it, the kinds of its criteria, its parts, and what it waits for. */
export async function show(id: string | undefined, flags: { json: boolean }): Promise<number> {
  const here = await openHere();
  const file = findFile(here, await idOrHere(here, id));
  const { issues } = listedIssues(here);
  const own = idOf(file);
  const children = issues.filter(({ parent }) => parent === own);
  const waitsFor = issues.find(({ path }) => path === file.path)?.waitsFor ?? [];
  if (flags.json) {
    const parsed = parseIssue(file.text, file.path);
    const criteria = parsed.criteria.map((one) => ({ ...one, ...kindOf(one.text) }));
    printJson({ path: file.path, ...parsed, criteria, waitsFor, children });
    return 0;
  }
  io().stdout.write(plain(file.text.endsWith("\n") ? file.text : `${file.text}\n`));
  const kinds = kindLines(issueIn(file)).map((line) => `  ${line}\n`);
  if (kinds.length > 0) io().stdout.write(`\n${paint("bold", "criteria")}\n${kinds.join("")}`);
  const others = issues.filter((one) => waitsFor.includes(one.id) && one.parent !== own);
  for (const [name, some] of [
    ["children", children],
    ["waits for", others],
  ] as const) {
    if (some.length > 0) io().stdout.write(`\n${paint("bold", name)}\n`);
    for (const one of some) io().stdout.write(`  ${lineOf(one)}\n`);
  }
  return 0;
}

/** Undefined for a file that cannot be read as an issue. */
export function issueIn({ text, path }: IssueFile): Issue | undefined {
  try {
    return parseIssue(text, path);
  } catch (error) {
    if (error instanceof MonocoError) return undefined;
    throw error;
  }
}

/** A line for each criterion that counts, under the number that a verdict gives it. */
function kindLines(issue: Issue | undefined): string[] {
  const counting = issue?.criteria.filter(({ state }) => state !== "cancelled") ?? [];
  return counting.map(
    ({ text }, index) => `${index + 1}  ${kindWords(kindOf(text))}  ${plainLine(oneLine(text, 60))}`,
  );
}

/** One issue on one line. */
export function lineOf({ id, status, stage, title, relay, waitsFor }: ListedIssue): string {
  const phase = relay ? `  relay: ${relay}` : "";
  const waits = waitsFor.length > 0 ? paint("dim", `  waits for ${waitsFor.join(", ")}`) : "";
  return `${paint("bold", id)}  ${status}/${stage}  ${plainLine(title)}${phase}${waits}`;
}

export function findFile(here: Here, issue: string): IssueFile {
  const { files, unread } = listIssueFiles(here.repository.worktree);
  const file = files.find((candidate) => idOf(candidate) === issue);
  if (file) return file;
  const broken = unread.find(({ path }) => idOfName(path) === issue);
  if (broken) throw faultError(broken.fault, broken.path);
  throw new MonocoError("input", `no such file: issues/**/${issue}*.md in ${here.repository.worktree}`, {
    hint: "monoco issue list shows those that are there",
  });
}
