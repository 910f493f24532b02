/** monoco issue submit outside a session: a person's commit, opened as a relay if none is, put up for review. */
import { MonocoError } from "../core/error.ts";
import { phaseOf } from "../core/standing.ts";
import { gitIn } from "../git/git.ts";
import { commitOf, isAncestor } from "../git/repository.ts";
import { openOrResume } from "../relay/open.ts";
import { nothingToSubmit, refuseUncommitted } from "./submittable.ts";
import { deliver } from "./message.ts";
import { idOrHere, openHere } from "./here.ts";
import { findIssueOnBase, loadSettings, loadTerms } from "./wire.ts";

export async function submitByPerson(id: string | undefined, flags: { json: boolean }): Promise<number> {
  const here = await openHere();
  const issue = await idOrHere(here, id);
  const settings = loadSettings(here);
  const git = gitIn(here.repository.worktree);
  await refuseUncommitted(git, here.repository.worktree);
  const commit = await commitOf(git, "HEAD");
  if (!commit || (await isAncestor(git, commit, `refs/heads/${settings.base}`)))
    throw nothingToSubmit(settings.base);
  const found = await findIssueOnBase(here, issue, settings.base);
  const delivery = await deliver(here, issue, { type: "submit", commit }, async (relay) => {
    if (["none", "done"].includes(phaseOf(relay.state)))
      await openOrResume(relay, loadTerms(here, settings), found);
  });
  if (delivery.by === "taken" && delivery.refused.length > 0)
    throw new MonocoError("input", delivery.refused.join("; "));
  const next = delivery.by === "taken" ? `monoco relay resume ${issue}` : `monoco relay status ${issue}`;
  if (flags.json)
    process.stdout.write(`${JSON.stringify({ issue, commit, delivered: delivery.by, next })}\n`);
  else process.stdout.write(`${issue}: commit ${commit.slice(0, 8)} is put up for review\nnext: ${next}\n`);
  return 0;
}
