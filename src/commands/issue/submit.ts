/** monoco issue submit: submits a commit for review; in a session through its outbox, outside by a person's message. */
import { commitOf, mergeBase } from "../../git/repository.ts";
import { baseRef } from "../../git/clone/workspace.ts";
import { gitIn } from "../../git/git.ts";
import { namesBetween } from "../../git/snapshot.ts";
import { counted } from "../../core/language/counted.ts";
import { MonocoError } from "../../core/error/error.ts";
import type { Live } from "../../core/session/live.ts";
import { dropMessage } from "../../store/mailbox.ts";
import { printJson } from "../../views/json.ts";
import { currentSession } from "../../app/session-context.ts";
import type { InSession } from "../../app/session-context.ts";
import {
  nothingToSubmit,
  refuseSubmodules,
  refuseUncommitted,
  refuseUnfinished,
} from "../../app/submittable.ts";
import { validId } from "../../app/valid-id.ts";
import { io } from "../../io/io.ts";
import { t } from "../../core/language/translate.ts";

export async function submit(
  id: string | undefined,
  flags: { json: boolean; byHand: boolean; remote?: boolean },
): Promise<number> {
  if (flags.remote) return (await import("../there/tell.ts")).submitThere(id, flags);
  const session = currentSession();
  if (flags.byHand) return submitByHand(id, flags);
  if (session) return submitInSession(session, id, flags);
  // Loaded for a person only: a session's submit drops one message and does not need the whole relay.
  return (await import("./submit-by-person.ts")).submitByPerson(id, flags);
}

/** Submits without a commit, for work on the base itself that somebody else should review. */
async function submitByHand(id: string | undefined, flags: { json: boolean }): Promise<number> {
  const { idOrHere, openHere } = await import("../../app/here.ts");
  const issue = await idOrHere(await openHere(), id);
  return (await import("./step.ts")).step("submit", [issue], flags);
}

/** Submits in a session, or tells the runner that there is nothing it could accept. */
async function submitInSession(
  session: InSession,
  id: string | undefined,
  flags: { json: boolean },
): Promise<number> {
  const { live, outbox } = session;
  if (live.role !== "executor") {
    throw new MonocoError("input", t`a Reviewer submits nothing`, { hint: t`give your verdict` });
  }
  if (id !== undefined && validId(id) !== live.issue) {
    throw new MonocoError("input", t`this session works on ${live.issue}, not on ${id}`, {
      hint: "monoco issue submit",
    });
  }
  const { commit, names } = await workToSubmit(live).catch((error: unknown) => {
    if (error instanceof MonocoError && error.kind === "input") dropMessage(outbox, { type: "refused" });
    throw error;
  });
  dropMessage(outbox, { type: "submit", commit });
  if (flags.json) printJson({ issue: live.issue, commit, files: names.length });
  else {
    io().stdout.write(
      t`${live.issue}: commit ${commit.slice(0, 8)} (${counted(names.length, "file")}) is put up for review\n`,
    );
    io().stdout.write(t`next: stop now; an independent Reviewer decides\n`);
  }
  return 0;
}

/** The commit and its files. These checks only give early errors: the runner checks again when the session's processes have ended. */
async function workToSubmit(live: Live): Promise<{ commit: string; names: string[] }> {
  const git = gitIn(live.workspace);
  await refuseUnfinished(git, live.workspace);
  await refuseUncommitted(git, live.workspace);
  const commit = await commitOf(git, "HEAD");
  if (!commit) throw new MonocoError("input", t`no commit to submit`, { hint: t`commit your work first` });
  const start = (await mergeBase(git, baseRef(live.base), commit)) ?? commit;
  const all = await namesBetween(live.workspace, start, commit);
  const names = all.filter((name) => name !== live.contractPath);
  if (names.length === 0) throw nothingToSubmit(live.base);
  await refuseSubmodules(git, { start, commit, contract: live.contractPath });
  return { commit, names };
}
