/** A person's requested changes to a submission: read from -m, or from an editor with the diff. */
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { MonocoError } from "../../core/error/error.ts";
import { saidCharsMax } from "../../core/limits.ts";
import { commentOf, commentSheet, commentsOn } from "../../core/review/comments.ts";
import type { Comment } from "../../core/review/comments.ts";
import { plain, visible } from "../../core/text/sanitize.ts";
import type { Opening, SubmissionRecord } from "../../core/journal/relay-state.ts";
import { gitOr } from "../../git/git.ts";
import { placesFor } from "../../app/here.ts";
import type { Here } from "../../app/here.ts";
import { editorHere, openEditor } from "../editor.ts";
import { cutLines, plainDiff } from "../relay/diff.ts";
import { t } from "../../core/language/translate.ts";

type Of = { opening: Opening; submission: SubmissionRecord; messages: readonly string[]; edit: boolean };

/** At least one comment. `sent` is called after delivery: until then the sheet keeps the person's text. */
export async function commentsFor(here: Here, of: Of): Promise<{ comments: Comment[]; sent(): void }> {
  if (of.edit) return fromEditor(here, of);
  const messages = of.messages.map((message) => message.trim()).filter((message) => message !== "");
  if (messages.length === 0) {
    throw new MonocoError("input", t`what has to change?`, {
      hint: t`monoco issue review ${of.opening.issue} --request-changes -m "…", or --edit`,
    });
  }
  const comments = await Promise.all(messages.map((message) => placed(here, of.submission, message)));
  return { comments, sent: () => undefined };
}

async function fromEditor(
  here: Here,
  { opening, submission }: Of,
): Promise<{ comments: Comment[]; sent(): void }> {
  const { issue, baseCommit } = opening;
  const command = `monoco issue review ${issue} --edit`;
  const editor = editorHere({ command, instead: t`say it with --request-changes -m` });
  const sheet = join(placesFor(here, issue).relay, `comments-${submission.submission}.txt`);
  if (!existsSync(sheet)) {
    const range = `${baseCommit}...${submission.head}`;
    const diff = cutLines(await here.repository.git(["diff", ...plainDiff, range]), range);
    const head = [
      t`${issue}, submission ${submission.submission}: what has to change?`,
      t`Write beneath the line that you mean; at the top, about the whole.`,
      t`Lines with # are not sent. Without a comment nothing is sent.`,
    ];
    writeFileSync(sheet, plain(visible(commentSheet(diff, head))));
  }
  const failed = await openEditor(editor, sheet);
  const comments = commentsOn(readFileSync(sheet, "utf8"));
  const length = comments.reduce((sum, { text }) => sum + text.length, 0);
  const why =
    failed ??
    (length > saidCharsMax
      ? t`the comments have ${length} characters, more than ${saidCharsMax}`
      : undefined);
  if (why !== undefined)
    throw new MonocoError("input", t`${why}; nothing was sent`, {
      hint:
        comments.length > 0 ? t`what you wrote is kept: ${command} opens it again` : t`the editor: ${editor}`,
    });
  if (comments.length === 0) {
    rmSync(sheet);
    throw new MonocoError("input", t`no comment was written: nothing was sent`, {
      hint: t`${command}, or monoco issue review ${issue} --approve`,
    });
  }
  return { comments, sent: () => rmSync(sheet, { force: true }) };
}

/** Throws `input` for a line that the submission does not have: the Executor would look for it in vain. */
async function placed(here: Here, { head, submission }: SubmissionRecord, message: string): Promise<Comment> {
  const comment = commentOf(message);
  const { file, line } = comment;
  if (file === undefined || line === undefined) return comment;
  const text = await gitOr(here.repository.git(["cat-file", "blob", `${head}:${file}`]), undefined);
  if (text === undefined && !/^[^\s/.]*[/.]\S*$/.test(file)) return { text: message };
  const count = text?.replace(/\n$/, "").split("\n").length ?? 0;
  if (line <= count) return comment;
  const what = text === undefined ? t`no such file: ${file}` : t`${file} has ${count} lines, not ${line}`;
  throw new MonocoError("input", t`-m: submission ${submission}: ${what}`, {
    hint: t`name file and line as they are in the submission, or write no place`,
  });
}
