/** Why an issue has no open relay: it is unknown, merged, closed, or was never begun. */
import { existsSync } from "node:fs";
import { MonocoError } from "../core/error/error.ts";
import type { Hint, Way } from "../core/error/hint-schema.ts";
import { parseIssue } from "../core/issue/issue.ts";
import { loopPrefix } from "../core/issue/name.ts";
import type { RelayState } from "../core/journal/relay-state.ts";
import { plainLine } from "../core/text/sanitize.ts";
import { io } from "../io/io.ts";
import { readHandOver } from "../store/handovers.ts";
import { repositoryPlaces } from "../store/places.ts";
import { carrierHere } from "./carry/carrier.ts";
import { relaysThere } from "./letters/there.ts";
import { settledHere } from "./settings.ts";
import { findIssueOnBase } from "./wire.ts";
import { openHere, placesFor, relayOrHere } from "./here.ts";
import type { Here } from "./here.ts";
import { t } from "../core/language/translate.ts";

/** The named relay, or the only open one: its journal exists. */
export async function begunRelay(
  id: string | undefined,
): Promise<{ here: Here; issue: string; journal: string }> {
  const here = await openHere();
  const issue = await relayOrHere(here, id);
  const { journal } = placesFor(here, issue);
  if (!existsSync(journal)) throw await noOpenRelay(here, issue);
  return { here, issue, journal };
}

/** The error to throw, with the commands to go on with. Throws its own if the issue or the settings cannot be read. */
export async function noOpenRelay(here: Here, issue: string, state?: RelayState): Promise<MonocoError> {
  const error = (message: string, hint: Hint): MonocoError => new MonocoError("input", message, { hint });
  const merged = state?.opening?.merged;
  if (merged) {
    return error(t`${issue} is merged as ${merged.commit.slice(0, 8)}: it has no open relay`, [
      [{ do: "log", issue, note: t`shows what happened` }],
      moreWork(issue),
    ]);
  }
  const given = readHandOver(repositoryPlaces(here.repository.root, io().env), issue);
  if (given) {
    const what = t`${plainLine(given.branch, 200)} is handed over and waits for one`;
    return error(t`${issue} has no open relay: ${what}`, [[{ do: "resume", issue, note: t`takes it up` }]]);
  }
  if (!issue.startsWith(loopPrefix)) {
    const { settings } = settledHere(here);
    const { base } = settings;
    const [there] =
      settings.remote && !state?.opening
        ? await relaysThere(carrierHere(here, settings), [issue]).catch(() => [])
        : [];
    if (there)
      return new MonocoError("input", t`${issue} has no relay here, but ${there.remote} has one`, {
        hint: t`monoco status ${issue} --remote shows it; say, answer, stop, issue review and issue submit reach it with --remote`,
      });
    const issueFile = await findIssueOnBase(here, issue, base);
    if (parseIssue(issueFile.text, issueFile.path).status === "closed")
      return error(t`${issue} is closed on ${base}: it has no open relay`, [moreWork(issue)]);
  }
  return error(t`${issue} has no open relay`, [[{ do: "open", issue, note: t`opens one` }]]);
}

/** The way to begin another relay of a closed issue; a loop has none. */
export function moreWork(issue: string): Way {
  const open = { do: "open", issue, note: t`begins more work` } as const;
  if (issue.startsWith(loopPrefix)) return [open];
  return [{ do: "move", by: "reopen", issue }, { do: "by_hand", what: t`commit that` }, open];
}
