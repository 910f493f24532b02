/** monoco issue submit: puts a commit up for review; in a session by its outbox, outside by a person's message. */
import { commitOf, mergeBase } from "../git/repository.ts";
import { gitIn, zeroed } from "../git/git.ts";
import type { Git } from "../git/git.ts";
import { namesBetween } from "../git/snapshot.ts";
import { MonocoError } from "../core/error.ts";
import { dropMessage } from "../store/mailbox.ts";
import { currentSession } from "./session-context.ts";
import type { InSession } from "./session-context.ts";
import { validId } from "./valid-id.ts";

export async function submit(id: string | undefined, flags: { json: boolean }): Promise<number> {
  const session = currentSession();
  if (session) return submitInSession(session, id, flags);
  // A session's submit drops one message; the whole relay is loaded for a person's only.
  return (await import("./submit-by-person.ts")).submitByPerson(id, flags);
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

export async function refuseUncommitted(git: Git, folder: string): Promise<void> {
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

export function nothingToSubmit(base: string): MonocoError {
  return new MonocoError("input", `nothing differs from ${base}, but for the issue itself`, {
    hint: "commit work on a branch of its own, then submit",
  });
}
