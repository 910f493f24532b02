/** monoco issue show: one issue as a file. */
import { MonocoError } from "../../core/error/error.ts";
import { unlessRefused } from "../../core/error/attempt.ts";
import { faultError } from "../../core/error/fault.ts";
import { counting } from "../../core/issue/contract.ts";
import { parseIssue } from "../../core/issue/issue.ts";
import type { Issue } from "../../core/issue/issue.ts";
import { kindOf, kindWords } from "../../core/issue/criterion-kind.ts";
import { oneLine } from "../../core/text/one-line.ts";
import { plain, plainLine } from "../../core/text/sanitize.ts";
import { idOf, idOfName, listIssueFiles } from "../../store/issue-folder.ts";
import type { IssueFile } from "../../store/issue-folder.ts";
import { printJson } from "../../views/json.ts";
import { paint } from "../../views/paint.ts";
import { idOrHere, openHere } from "../../app/here.ts";
import { listedIssues } from "../../app/listed-issues.ts";
import type { Here } from "../../app/here.ts";
import { io } from "../../io/io.ts";
import { lineOf } from "./line.ts";
import { t } from "../../core/language/translate.ts";

/** One issue as it is in this worktree, followed by the kinds of its criteria, its parts, and its dependencies. */
export async function show(id: string | undefined, flags: { json: boolean }): Promise<number> {
  const here = await openHere();
  const file = findFile(here, await idOrHere(here, id));
  const { issues } = await listedIssues(here);
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
  if (kinds.length > 0) io().stdout.write(`\n${paint("bold", t`criteria`)}\n${kinds.join("")}`);
  const others = issues.filter((one) => waitsFor.includes(one.id) && one.parent !== own);
  for (const [name, some] of [
    [t`children`, children],
    [t`waits for`, others],
  ] as const) {
    if (some.length > 0) io().stdout.write(`\n${paint("bold", name)}\n`);
    for (const one of some) io().stdout.write(`  ${lineOf(one)}\n`);
  }
  return 0;
}

/** Undefined for a file that cannot be read as an issue. */
export function issueIn({ text, path }: IssueFile): Issue | undefined {
  return unlessRefused(() => parseIssue(text, path));
}

/** A line for each criterion that counts, numbered as in a verdict. */
function kindLines(issue: Issue | undefined): string[] {
  return (issue ? counting(issue) : []).map(
    ({ text }, index) => `${index + 1}  ${kindWords(kindOf(text))}  ${plainLine(oneLine(text, 60))}`,
  );
}

export function findFile(here: Here, issue: string): IssueFile {
  const { files, unread } = listIssueFiles(here.repository.worktree);
  const file = files.find((candidate) => idOf(candidate) === issue);
  if (file) return file;
  const broken = unread.find(({ path }) => idOfName(path) === issue);
  if (broken) throw faultError(broken.fault, broken.path);
  throw new MonocoError(
    "input",
    t`${issue} is not here: no file issues/**/${issue}*.md in ${here.repository.worktree}`,
    {
      hint: t`monoco issue list shows those that are there`,
    },
  );
}
