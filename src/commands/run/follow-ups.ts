/** `--follow-ups`: after a merge, turns the Reviewers' other findings into issues, each once. */
import { existsSync } from "node:fs";
import { wordsOf } from "../../core/error/error.ts";
import { followUpsOf } from "../../core/exchange/follow-ups.ts";
import { plainLine } from "../../core/text/sanitize.ts";
import type { Settings } from "../../core/settings/settings.ts";
import { replay } from "../../core/journal/state.ts";
import { issueFolderIn } from "../../store/issue-folder.ts";
import { readJournal } from "../../store/journal.ts";
import type { Screen } from "../../views/terminal.ts";
import { placesFor } from "../../app/here.ts";
import type { Here } from "../../app/here.ts";
import { planHere, writeAll } from "../exchange/import.ts";
import { t } from "../../core/language/translate.ts";

/** Serializes the writers: two relays that end at once would take the same number. */
let before: Promise<unknown> = Promise.resolve();

/** Never throws: the merge is done, and the issue's review section keeps the findings. */
export async function writeFollowUps(
  here: Here,
  issue: string,
  terms: { settings: Settings; screen: Pick<Screen, "line"> },
): Promise<void> {
  const mine = before.then(() => write(here, issue, terms));
  before = mine;
  return mine;
}

async function write(
  here: Here,
  issue: string,
  { settings, screen }: { settings: Settings; screen: Pick<Screen, "line"> },
): Promise<void> {
  const { journal } = placesFor(here, issue);
  if (!existsSync(journal)) return;
  try {
    const { opening } = replay(readJournal(journal));
    if (!opening?.merged) return;
    const reading = followUpsOf(opening);
    if (reading.items.length === 0) return;
    const top = here.repository.worktree;
    const folder = issueFolderIn(top);
    const name = `monoco:${issue}`;
    const { language } = settings;
    const steps = await planHere(here, reading, { name, folder, language, all: false, update: false });
    writeAll(top, folder, steps);
    const fresh = steps.filter((step) => step.do === "create");
    for (const { id, title, path } of fresh)
      screen.line({ tone: "plain", text: t`${issue}  follow-up ${id}: ${plainLine(title, 100)}  ${path}` });
    if (fresh.length > 0)
      screen.line({
        tone: "dim",
        text: t`${issue}  hint: ${`git add ${folder} && git commit -m "Follow-ups of ${issue}"`}`,
      });
  } catch (error) {
    screen.line({
      tone: "bad",
      text: t`${issue}  merged, but its follow-ups could not be written: ${plainLine(wordsOf(error), 400)}`,
    });
  }
}
