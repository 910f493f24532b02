/** Why a command that needs a relay has none: the issue is unknown, merged, closed, or was never begun. */
import { MonocoError } from "../core/error/error.ts";
import { parseIssue } from "../core/issue/issue.ts";
import { loopPrefix, openingCommand } from "../core/issue/name.ts";
import type { RelayState } from "../core/journal/relay-state.ts";
import { settledHere } from "./settings.ts";
import { findIssueOnBase } from "./wire.ts";
import type { Here } from "./here.ts";

/** The error to throw, with what leads on. Throws its own where the issue or the settings cannot be read. */
export async function noOpenRelay(here: Here, issue: string, state?: RelayState): Promise<MonocoError> {
  const error = (message: string, hint: string): MonocoError => new MonocoError("input", message, { hint });
  const merged = state?.opening?.merged;
  if (merged) {
    return error(
      `${issue} is merged as ${merged.commit.slice(0, 8)}: it has no open relay`,
      `monoco relay log ${issue} shows what happened; for more work: ${moreWork(issue)}`,
    );
  }
  if (!issue.startsWith(loopPrefix)) {
    const { base } = settledHere(here).settings;
    const found = await findIssueOnBase(here, issue, base);
    if (parseIssue(found.text, found.path).status === "closed")
      return error(
        `${issue} is closed on ${base}: it has no open relay`,
        `for more work: ${moreWork(issue)}`,
      );
  }
  return error(`${issue} has no open relay`, `${openingCommand(issue)} opens one`);
}

/** What begins another relay of an issue that is closed; a loop has none. */
export function moreWork(issue: string): string {
  const reopen = issue.startsWith(loopPrefix) ? "" : `monoco issue reopen ${issue}, commit that, then `;
  return `${reopen}${openingCommand(issue)}`;
}
