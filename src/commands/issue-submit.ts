/** monoco issue submit: puts a commit up for review; in a session by its outbox, outside by a person's message. */
import { commitOf, isAncestor, mergeBase } from "../git/repository.ts";
import { gitIn, zeroed } from "../git/git.ts";
import type { Git } from "../git/git.ts";
import { namesBetween } from "../git/snapshot.ts";
import { MonocoError } from "../core/error.ts";
import { phaseOf } from "../core/state.ts";
import { openOrResume } from "../relay/open.ts";
import { dropMessage } from "../store/mailbox.ts";
import { deliver } from "./message.ts";
import { currentSession } from "./session-context.ts";
import type { InSession } from "./session-context.ts";
import { findIssueOnBase, idOrHere, loadSettings, loadTerms, openHere, validId } from "./wire.ts";

export async function submit(id: string | undefined, flags: { json: boolean }): Promise<number> {
  const session = currentSession();
  return session ? submitInSession(session, id, flags) : submitByPerson(id, flags);
}

/** What is checked here is a courtesy: the runner checks again when the session's processes are gone. */
async function submitInSession(
  session: InSession,
  id: string | undefined,
  flags: { json: boolean },
): Promise<number> {
  const { live, outbox } = session;
  if (live.role !== "executor") {
    throw new MonocoError("input", "a Reviewer submits nothing", { hint: "give your verdict" });
  }
  if (id !== undefined && validId(id) !== live.issue) {
    throw new MonocoError("input", `this session works on ${live.issue}, not on ${id}`, {
      hint: "monoco issue submit",
    });
  }
  const git = gitIn(live.workspace);
  await refuseUncommitted(git, live.workspace);
  const commit = await commitOf(git, "HEAD");
  if (!commit)
    throw new MonocoError("input", "there is no commit to submit", { hint: "commit your work first" });
  const start = (await mergeBase(git, `refs/heads/${live.base}`, commit)) ?? commit;
  const names = (await namesBetween(live.workspace, start, commit)).filter(
    (name) => name !== live.contractPath,
  );
  if (names.length === 0) throw nothingToSubmit(live.base);
  dropMessage(outbox, { type: "submit", commit });
  if (flags.json)
    process.stdout.write(`${JSON.stringify({ issue: live.issue, commit, files: names.length })}\n`);
  else {
    process.stdout.write(
      `${live.issue}: commit ${commit.slice(0, 8)} (${names.length} files) is put up for review\n`,
    );
    process.stdout.write("next: stop now; an independent Reviewer decides\n");
  }
  return 0;
}

async function submitByPerson(id: string | undefined, flags: { json: boolean }): Promise<number> {
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

async function refuseUncommitted(git: Git, folder: string): Promise<void> {
  const changed = zeroed(
    await git(["status", "--porcelain", "-z", "--untracked-files=all", "--ignore-submodules=all"]),
  );
  const names = changed.map((entry) => entry.slice(3)).filter((name) => name !== "RALPH.md");
  if (names.length === 0) return;
  throw new MonocoError(
    "input",
    `uncommitted changes in ${folder}: ${names.slice(0, 10).join(", ")}${names.length > 10 ? ", …" : ""}`,
    {
      hint: "git add and git commit them (or remove what is no work), then submit again",
    },
  );
}

function nothingToSubmit(base: string): MonocoError {
  return new MonocoError("input", `nothing differs from ${base}, but for the issue itself`, {
    hint: "commit work on a branch of its own, then submit",
  });
}
