/** monoco issue submit outside a session: submits a person's commit for review, and opens a relay if none is open. */
import { existsSync } from "node:fs";
import { MonocoError } from "../../core/error/error.ts";
import { resumeCommand } from "../../views/hint.ts";
import { phaseOf } from "../../core/relay/phase.ts";
import { replay } from "../../core/journal/state.ts";
import { gitIn } from "../../git/git.ts";
import { commitOf, isAncestor } from "../../git/repository.ts";
import { canOpen, openOrResume } from "../../relay/open.ts";
import { readJournal } from "../../store/journal.ts";
import { printJson } from "../../views/json.ts";
import { nothingToSubmit, refuseUncommitted } from "../../app/submittable.ts";
import { deliver, unheard } from "../../app/message.ts";
import { idOrHere, openHere, placesFor } from "../../app/here.ts";
import { settledHere } from "../../app/settings.ts";
import { findIssueOnBase, loadTerms, setUpRelay } from "../../app/wire.ts";
import { io } from "../../io/io.ts";
import { t } from "../../core/language/translate.ts";

export async function submitByPerson(id: string | undefined, flags: { json: boolean }): Promise<number> {
  const here = await openHere();
  const issue = await idOrHere(here, id);
  const settled = settledHere(here);
  const { settings } = settled;
  const git = gitIn(here.repository.worktree);
  await refuseUncommitted(git, here.repository.worktree);
  const commit = await commitOf(git, "HEAD");
  if (!commit || (await isAncestor(git, commit, `refs/heads/${settings.base}`)))
    throw nothingToSubmit(settings.base);
  const issueFile = await findIssueOnBase(here, issue, settings.base);
  const terms = loadTerms(here, settled);
  const { journal } = placesFor(here, issue);
  if (!existsSync(journal)) await canOpen(setUpRelay(here, issue, unheard), terms, issueFile);
  const delivery = await deliver(here, issue, { type: "submit", commit }, async (relay) => {
    if (["none", "done"].includes(phaseOf(relay.state))) await openOrResume(relay, terms, issueFile);
  });
  if (delivery.by === "taken" && delivery.refused !== undefined) {
    throw new MonocoError("input", t`${issue}: the submission is refused: ${delivery.refused}`, {
      hint: t`fix that, commit, and submit again`,
    });
  }
  const next =
    delivery.by === "taken" ? resumeCommand(replay(readJournal(journal))) : `monoco status ${issue}`;
  if (flags.json) printJson({ issue, commit, delivered: delivery.by, next });
  else io().stdout.write(t`${issue}: commit ${commit.slice(0, 8)} is put up for review\nnext: ${next}\n`);
  return 0;
}
