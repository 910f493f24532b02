/** `finish.comment`: posts a comment once on the GitHub issue from which the merged issue came; a failure affects only the comment. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { criteriaOf } from "../../core/issue/contract.ts";
import { dossierOf } from "../../core/report/dossier.ts";
import { MonocoError, wordsOf } from "../../core/error/error.ts";
import { issueSource } from "../../core/exchange/upstream.ts";
import { parseIssue } from "../../core/issue/issue.ts";
import { plainHint, plainLine } from "../../core/text/sanitize.ts";
import type { EventOf } from "../../core/journal/event.ts";
import type { Opening } from "../../core/journal/relay-state.ts";
import type { Settings } from "../../core/settings/settings.ts";
import { shellWord } from "../../core/text/shell.ts";
import { githubIssueOf, markerOf, sourceComment } from "../../core/exchange/upstream-comment.ts";
import { phaseOf } from "../../core/relay/phase.ts";
import { replay } from "../../core/journal/state.ts";
import { gitOr } from "../../git/git.ts";
import { writeDurably } from "../../store/durable.ts";
import { readJournal } from "../../store/journal.ts";
import type { Screen } from "../../views/terminal.ts";
import { gh } from "../../git/github/gh.ts";
import { placesFor } from "../../app/here.ts";
import type { Here } from "../../app/here.ts";
import { adviceWords } from "../../views/hint.ts";
import { t } from "../../core/language/translate.ts";

/** Posts the dossier if the settings say so and the relay is merged. Never throws: the merge is done. */
export async function commentOnSource(
  here: Here,
  issue: string,
  { settings, screen }: { settings: Settings; screen: Pick<Screen, "line"> },
): Promise<void> {
  const { journal } = placesFor(here, issue);
  if (!settings.finish.comment || !existsSync(journal)) return;
  let byHand = "";
  try {
    const state = replay(readJournal(journal));
    const { opening } = state;
    const source = githubIssueOf(issueSource(opening?.contract.text ?? "")?.source ?? "");
    if (phaseOf(state) !== "done" || !opening?.merged || !source) return;
    const { repository, number } = source;
    const { file, marker } = await writeComment(here, opening, opening.merged);
    const to = ["issue", "comment", number, "--repo", repository, "--body-file"];
    byHand = `gh ${[...to, file].map(shellWord).join(" ")}`;
    const where = `${repository}#${number}`;
    if (await isThere(here, source, marker)) return;
    await gh([...to, file], { cwd: here.repository.root });
    screen.line({ tone: "plain", text: t`${issue}  told on ${plainLine(where)}` });
  } catch (error) {
    const because = plainLine(wordsOf(error), 400);
    screen.line({
      tone: "bad",
      text: t`${issue}  merged, but that could not be told where it came from: ${because}`,
    });
    const hint = error instanceof MonocoError && error.hint ? t`${adviceWords(error.hint)}; ` : "";
    const todo = byHand === "" ? "" : t`; or by hand: ${byHand}`;
    const again = t`${hint}monoco run ${issue} tries it again${todo}`;
    screen.line({ tone: "dim", text: t`${issue}  hint: ${plainHint(again)}` });
  }
}

/** Writes the comment next to the submission, so that a person can post it by hand. */
async function writeComment(
  here: Here,
  opening: Opening,
  { commit, submission }: EventOf<"merge.done">,
): Promise<{ file: string; marker: string }> {
  const { issue, base, baseCommit, contract } = opening;
  const record = opening.submissions.find((one) => one.submission === submission)!;
  const range = `${baseCommit}...${record.head}`;
  const args = ["diff", "--stat", "--no-ext-diff", "--no-textconv", "--no-color", range];
  const stat = await gitOr(here.repository.git(args), "");
  const criteria = criteriaOf(parseIssue(contract.text, contract.path));
  const dossier = dossierOf({ opening, submission: record, criteria, stat, reader: "page" });
  const file = join(placesFor(here, issue).submission(submission), "comment.md");
  writeDurably(file, sourceComment({ issue, commit, base, dossier }));
  return { file, marker: markerOf(issue, commit) };
}

const answer = z.object({ comments: z.array(z.object({ body: z.string() })) });

/** Whether the comment was posted before: a crash may have followed. */
async function isThere(
  here: Here,
  { repository, number }: { repository: string; number: string },
  marker: string,
): Promise<boolean> {
  const args = ["issue", "view", number, "--repo", repository, "--json=comments"];
  const asked = await gh(args, { cwd: here.repository.root });
  const { comments } = answer.parse(JSON.parse(asked));
  return comments.some(({ body }) => body.includes(marker));
}
