/** A person's agreement on the issue that was proposed for their text: show, edit, agree or leave. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { MonocoError, wordsOf } from "../../core/error/error.ts";
import { parseIssue } from "../../core/issue/issue.ts";
import { plain, plainLine } from "../../core/text/sanitize.ts";
import { shellWord } from "../../core/text/shell.ts";
import { printJson } from "../../views/json.ts";
import { paint } from "../../views/paint.ts";
import type { Temporary } from "../../app/temporary.ts";
import { io } from "../../io/io.ts";
import type { Output } from "../../io/io.ts";
import { answerTo, atTerminal } from "../answer.ts";
import { editorHere, openEditor } from "../editor.ts";
import { t } from "../../core/language/translate.ts";

export type Draft = {
  /** The whole file. */
  issue: string;
  /** The agent that proposed the issue (`reused`: earlier, for the same text), or why the issue has no criteria. */
  by: { agent: string; reused: boolean } | { because: string };
  faultsOf(issue: string): string[];
};

type Around = {
  text: string;
  temporary: Temporary;
  flags: { yes: boolean; json: boolean; withoutCriteria?: boolean };
};

/** The issue that the person agreed on; undefined after a no. Throws `input` if nobody can be asked, and prints the issue on standard output. */
export async function agreeOn(draft: Draft, around: Around): Promise<string | undefined> {
  const { flags } = around;
  if (flags.yes && canRun(draft.issue, around)) {
    if (!flags.json) show(draft, io().stdout);
    return draft.issue;
  }
  if (!atTerminal() || flags.json || flags.yes) throw notAsked(draft, around);
  return ask(draft, around);
}

function canRun(issue: string, { flags }: Around): boolean {
  return flags.withoutCriteria === true || parseIssue(issue, t`the issue`).criteria.length > 0;
}

function notAsked(draft: Draft, { text, flags }: Around): MonocoError {
  const { issue, by } = draft;
  const repeat = `monoco run ${shellWord(text)}`;
  const [message, next] =
    "because" in by
      ? [
          t`no criteria were proposed (${by.because}): nothing was written`,
          `monoco issue create -m ${shellWord(text)} --edit`,
        ]
      : [t`without a terminal to ask at, expected --yes: nothing was written`, `${repeat} --yes`];
  if (flags.json) printJson({ issue, next });
  else io().stdout.write(plain(issue));
  const goesOn =
    "because" in by ? t`write them yourself: ${next}` : t`${next} commits this very issue and runs it`;
  return new MonocoError("input", message, { hint: goesOn });
}

function show({ issue, by, faultsOf }: Draft, to: Output): void {
  const dim = (text: string): void => void to.write(`${paint("dim", text, to)}\n`);
  to.write(`\n${plain(issue)}\n`);
  if ("because" in by) {
    to.write(`${paint("bad", t`no criteria were proposed: ${plainLine(by.because, 600)}`, to)}\n`);
    dim(t`the issue holds your text alone; edit it to say what has to be true when it is done`);
  } else if (by.reused) dim(t`proposed by ${by.agent} when you asked before`);
  else dim(t`proposed by ${by.agent}`);
  for (const fault of faultsOf(issue)) dim(plainLine(fault, 600));
}

async function ask(draft: Draft, around: Around): Promise<string | undefined> {
  let { issue } = draft;
  const { stdout } = io();
  show(draft, stdout);
  for (;;) {
    const runs = canRun(issue, around);
    const answer = await answerTo(runs ? t`Create it and run? [y]es, [e]dit, [N]o: ` : t`[e]dit, [N]o: `);
    if (/^y(es)?$/i.test(answer) && runs) return issue;
    if (!/^e(dit)?$/i.test(answer)) return undefined;
    const edited = await edit(issue, around);
    if ("fault" in edited) stdout.write(`${paint("bad", edited.fault, stdout)}\n`);
    else {
      issue = edited.issue;
      for (const fault of draft.faultsOf(issue))
        stdout.write(`${paint("dim", plainLine(fault, 600), stdout)}\n`);
    }
  }
}

/** Edits the issue. An edit that leaves no valid issue is discarded. */
async function edit(issue: string, { temporary }: Around): Promise<{ issue: string } | { fault: string }> {
  const file = join(temporary.folder, "issue.md");
  try {
    const editor = editorHere({
      command: "monoco run …",
      instead: t`say no, and write it with monoco issue create`,
    });
    writeFileSync(file, issue);
    const failed = await openEditor(editor, file);
    if (failed !== undefined) return { fault: failed };
    const edited = readFileSync(file, "utf8");
    parseIssue(edited, t`the issue`);
    return { issue: edited };
  } catch (error) {
    return { fault: wordsOf(error) };
  }
}
