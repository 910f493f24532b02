/** monoco relay prepare: scaffolds RALPH.md from known facts; a second run lints it and, once it is valid, hands over. */
import { MonocoError } from "../../core/error/error.ts";
import { dropMessage } from "../../store/mailbox.ts";
import { printJson } from "../../views/json.ts";
import { currentSession } from "../../app/session-context.ts";
import type { InSession } from "../../app/session-context.ts";
import { validId } from "../../app/valid-id.ts";
import { io } from "../../io/io.ts";
import { checkOrScaffold, tellFindings } from "./write-handoff.ts";
import type { PrepareFlags } from "./write-handoff.ts";
import { t } from "../../core/language/translate.ts";

/** Prepares for the session around the command, else for a person's own. Exit status 2 while the document is not valid. */
export async function prepare(id: string | undefined, flags: PrepareFlags): Promise<number> {
  const session = currentSession();
  if (session) return prepareInSession(session, id, flags);
  const { prepareByPerson } = await import("./prepare-by-person.ts");
  return prepareByPerson(id, flags);
}

async function prepareInSession(
  { live: place, outbox }: InSession,
  id: string | undefined,
  flags: PrepareFlags,
): Promise<number> {
  if (place.role === "reviewer") {
    throw new MonocoError("input", t`a Reviewer hands nothing over`, { hint: t`give your verdict` });
  }
  if (id !== undefined && validId(id) !== place.issue) {
    throw new MonocoError("input", t`this session works on ${place.issue}, not ${validId(id)}`, {
      hint: "monoco relay prepare",
    });
  }
  const checked = await checkOrScaffold(place, flags);
  if (!checked) return 0;
  const { path, valid, findings } = checked;
  if (valid) dropMessage(outbox, { type: "handoff" });
  if (flags.json) printJson({ path, valid, findings });
  else {
    tellFindings(findings);
    io().stdout.write(
      valid
        ? t`RALPH.md is valid. Stop now: a fresh session goes on from it.\n`
        : t`RALPH.md is not valid yet: fix the errors, then run monoco relay prepare again\n`,
    );
  }
  return valid ? 0 : 2;
}
