/** monoco diff: the changes of a relay's work, for a person to read. */
import { MonocoError } from "../../core/error/error.ts";
import { diffLineCharsMax } from "../../core/limits.ts";
import { visible } from "../../core/text/sanitize.ts";
import { currentSubmission } from "../../core/relay/phase.ts";
import { replay } from "../../core/journal/state.ts";
import { commitOf } from "../../git/repository.ts";
import { refs } from "../../git/refs.ts";
import { viewJournal } from "../../store/journal-view.ts";
import { begunRelay } from "../../app/no-relay.ts";
import { paint } from "../../views/paint.ts";
import { page } from "../editor.ts";
import { t } from "../../core/language/translate.ts";

/** From the commit at which the relay began to the last one of its sessions. */
export async function diff(
  id: string | undefined,
  flags: { stat: boolean; file: readonly string[] },
): Promise<number> {
  const { here, issue, journal } = await begunRelay(id);
  const { opening } = replay(viewJournal(journal));
  const { git } = here.repository;
  const head = (await commitOf(git, refs.head(issue))) ?? (opening && currentSubmission(opening)?.head);
  if (!opening || head === undefined)
    throw new MonocoError("input", t`${issue} has no work yet`, {
      hint: t`monoco status ${issue} shows where it stands`,
    });
  const range = `${opening.baseCommit}...${head}`;
  const stat = flags.stat ? ["--stat"] : [];
  await page(coloured(await git(["diff", ...plainDiff, ...stat, range, "--", ...flags.file]), range));
  return 0;
}

/** Options that keep the person's git configuration out of the diff. */
export const plainDiff = ["--no-ext-diff", "--no-textconv", "--no-color", "-M"];

/** A diff with colours and cut lines on a terminal, plain elsewhere. `range` names its commits for `git diff`. */
export function coloured(text: string, range: string): string {
  return cutLines(text, range)
    .split("\n")
    .map((line) => paint(toneOf(line), visible(line)))
    .join("\n");
}

/** Cuts long lines: the end of each says how much is missing, and the last line says how to see it. */
export function cutLines(text: string, range: string): string {
  const lines = text.replaceAll("\r\n", "\n").split("\n");
  if (lines.every((line) => line.length <= diffLineCharsMax)) return lines.join("\n");
  return `${lines.map(cutLine).join("\n")}${t`whole lines: git diff ${range}`}\n`;
}

function cutLine(line: string): string {
  const left = line.length - diffLineCharsMax;
  return left <= 0 ? line : t`${line.slice(0, diffLineCharsMax)}… (${left} more characters)`;
}

function toneOf(line: string): Parameters<typeof paint>[0] {
  if (/^(?:diff |index |--- |\+\+\+ )/.test(line)) return "bold";
  if (line.startsWith("@@")) return "dim";
  return line.startsWith("+") ? "good" : line.startsWith("-") ? "bad" : "plain";
}
