/** monoco issue create: a new issue from its type's template and the person's text. */
import { existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { MonocoError } from "../../core/error/error.ts";
import { draftOf, withBody } from "../../core/issue/draft.ts";
import type { Draft } from "../../core/issue/draft.ts";
import { newIssue } from "../../core/issue/edit.ts";
import { parseIssue } from "../../core/issue/issue.ts";
import { slugOf } from "../../core/issue/name.ts";
import { idPrefixes, issueTypes } from "../../core/issue/vocabulary.ts";
import { documentBytesMax } from "../../core/limits.ts";
import { bytesOf } from "../../core/text/bytes.ts";
import { plainLine } from "../../core/text/sanitize.ts";
import { refuseUnknownNames } from "../../core/text/template.ts";
import { issueFolderIn } from "../../store/issue-folder.ts";
import { writeNew } from "../../store/durable.ts";
import { printJson } from "../../views/json.ts";
import { loadTemplate } from "../../app/documents.ts";
import type { Document } from "../../app/documents.ts";
import { openHere } from "../../app/here.ts";
import { loadSettings } from "../../app/settings.ts";
import { editorHere, openEditor } from "../editor.ts";
import { nextId, whileMinting } from "./ids.ts";
import { io } from "../../io/io.ts";
import { textOfStandardInput } from "../standard-input.ts";
import { t } from "../../core/language/translate.ts";

type CreateFlags = { type: string; message?: string[]; edit: boolean; json: boolean };

/** Creates the issue. Its id is above every id of any branch, past commit or worktree. */
export async function create(title: string | undefined, flags: CreateFlags): Promise<number> {
  const here = await openHere();
  const type = issueTypes.find((one) => one === flags.type);
  if (!type)
    throw new MonocoError("input", t`unknown issue type "${flags.type}"`, {
      hint: t`types: ${issueTypes.join(", ")}`,
    });
  const instead = t`give the text with -m, or - and standard input`;
  const editor = flags.edit ? editorHere({ command: "monoco issue create --edit …", instead }) : undefined;
  const draft = await draftIn(title, flags.message);
  const top = here.repository.worktree;
  const { language } = loadSettings(here);
  const folder = issueFolderIn(top);
  const template = loadTemplate(top, language, `issue-${type}.md`);
  const { id, path, text } = await whileMinting(here, async () => {
    const id = await nextId(here, idPrefixes[type]);
    const path = join(folder, `${[id, slugOf(draft.title)].filter(Boolean).join("-")}.md`);
    const values = { id, title: draft.title, createdAt: new Date().toISOString() };
    const empty = fillIn(template, values);
    const text = draft.body === "" ? empty : withBody(empty, draft.body);
    if (bytesOf(text) > documentBytesMax) throw tooLong();
    writeNew(join(top, path), text);
    return { id, path, text };
  });
  if (editor !== undefined) await edit(join(top, path), { editor, text, path });
  if (flags.json) printJson({ id, path });
  else {
    const write = draft.body === "" && !flags.edit ? t`write its objective and acceptance criteria, ` : "";
    io().stdout.write(t`${path}\nnext: ${write}commit it, then monoco run ${id}\n`);
  }
  return 0;
}

/** The draft, from the title alone, -m, or standard input. */
async function draftIn(title: string | undefined, message: readonly string[] | undefined): Promise<Draft> {
  if (title !== undefined && message !== undefined) {
    throw new MonocoError("input", t`the title, or -m, or - for standard input: not two of them`, {
      hint: t`with -m the first line is the title`,
    });
  }
  const draft =
    title === "-"
      ? draftOf(await textOfStandardInput(documentBytesMax, tooLong))
      : message
        ? draftOf(message.join("\n\n"))
        : { title: title ?? "", body: "" };
  const plainTitle = plainLine(draft.title);
  if (plainTitle !== "") return { ...draft, title: plainTitle };
  throw new MonocoError("input", t`an issue needs a title`, {
    hint: 'monoco issue create "Add a login page"',
  });
}

function tooLong(): MonocoError {
  return new MonocoError("input", t`an issue has at most ${documentBytesMax} bytes`, {
    hint: t`put what is long into a file of the repository, and name that`,
  });
}

/** Throws `input` for a person's own template that makes no valid issue: otherwise every new issue would report the fault. */
export function fillIn(template: Document, values: { id: string; title: string; createdAt: string }): string {
  refuseUnknownNames(template.text, Object.keys(values), template.path);
  const text = newIssue(template.text, values);
  try {
    parseIssue(text, template.path);
    return text;
  } catch (error) {
    if (!(error instanceof MonocoError)) throw error;
    throw new MonocoError("input", t`${error.message} (in an issue made from this template)`, {
      hint: t`fix the template, or remove it: the one that comes with monoco then counts`,
      cause: error,
    });
  }
}

/** Opens the editor. If the editor fails without a change, the new file is removed. */
async function edit(file: string, of: { editor: string; text: string; path: string }): Promise<void> {
  const failed = await openEditor(of.editor, file);
  if (failed === undefined) return;
  const changed = existsSync(file) && readFileSync(file, "utf8") !== of.text;
  if (!changed) rmSync(file, { force: true });
  const left = changed ? t`what it saved is in ${of.path}` : t`no issue was written`;
  throw new MonocoError("input", t`${failed}; ${left}`, { hint: t`the editor: ${of.editor}` });
}
