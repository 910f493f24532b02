/** monoco status: the state of every relay, with the reason and the evidence. Reads only; locks nothing for long. */
import type { RelayState } from "../../core/journal/relay-state.ts";
import { replay } from "../../core/journal/state.ts";
import { viewJournal } from "../../store/journal-view.ts";
import { spendingsIn } from "../../store/spendings.ts";
import { renderStatus, renderStatuses, tellingOf } from "../../views/status.ts";
import type { Statuses, StatusReport } from "../../views/status.ts";
import { tellFailure } from "../../views/failure.ts";
import { printJson } from "../../views/json.ts";
import { lookAt } from "../../app/overview/relay-look.ts";
import type { Read } from "../../app/overview/relay-look.ts";
import { validId } from "../../app/valid-id.ts";
import { hasBegun, openHere, othersHere, placesFor, relayIds } from "../../app/here.ts";
import type { Here } from "../../app/here.ts";
import { io } from "../../io/io.ts";
import { t } from "../../core/language/translate.ts";

type StatusFlags = { all: boolean; remote?: boolean; json: boolean };

export async function status(id: string | undefined, flags: StatusFlags): Promise<number> {
  if (flags.remote) {
    const { statusThere, statusesThere } = await import("../there/look.ts");
    return id === undefined
      ? printStatuses(await statusesThere(), flags)
      : printStatus(await statusThere(id), flags);
  }
  const here = await openHere();
  if (id === undefined) return printStatuses(await statusOfAll(here), flags);
  const issue = validId(id);
  if (!hasBegun(placesFor(here, issue).journal)) {
    const { noOpenRelay } = await import("../../app/no-relay.ts");
    throw await noOpenRelay(here, issue);
  }
  return printStatus(await statusOrWhy(here, issue), flags);
}

function printStatus(report: StatusReport, { json }: { json: boolean }): number {
  if (json) printJson(report);
  else io().stdout.write(renderStatus(report, Date.now()));
  return 0;
}

/** Returns the worst of the codes of those that cannot be read. */
function printStatuses({ reports, codes, none }: Statuses, flags: StatusFlags): number {
  if (flags.json) printJson(reports);
  else if (reports.length > 0) io().stdout.write(renderStatuses(reports, flags.all));
  else if (codes.length === 0) io().stdout.write(none);
  return Math.max(0, ...codes);
}

/** Reports a relay whose journal is damaged, and shows all others. */
async function statusOfAll(here: Here): Promise<Statuses> {
  const reports: StatusReport[] = [];
  const codes: number[] = [];
  const states = new Map<string, RelayState>();
  const tried = async (issue: string, does: () => Promise<unknown> | void): Promise<void> => {
    try {
      await does();
    } catch (error) {
      codes.push(tellFailure(error, issue));
    }
  };
  for (const issue of relayIds(here))
    await tried(issue, () =>
      orWhy(here, issue, () => states.set(issue, replay(viewJournal(placesFor(here, issue).journal)))),
    );
  const elsewhere = spendingsIn(states, othersHere(here));
  for (const [issue, state] of states)
    await tried(issue, async () => reports.push(await statusOrWhy(here, issue, { state, elsewhere })));
  return { reports, codes, none: t`no relays yet; monoco run ID opens one\n` };
}

async function statusOrWhy(here: Here, issue: string, read?: Read): Promise<StatusReport> {
  return orWhy(here, issue, async () => {
    const report = await statusOf(here, issue, read);
    renderStatus(report, Date.now());
    return report;
  });
}

/** On an error, reads the journal again with the reader that checks every field, which names the field and the line. */
async function orWhy<T>(here: Here, issue: string, does: () => Promise<T> | T): Promise<T> {
  try {
    return await does();
  } catch (error) {
    const { readJournal } = await import("../../store/journal.ts");
    readJournal(placesFor(here, issue).journal);
    throw error;
  }
}

export async function statusOf(here: Here, issue: string, read?: Read): Promise<StatusReport> {
  const { state, now, current, journal, stoppedRunner = null } = await lookAt(here, issue, read);
  return { ...tellingOf(state, now), issue, current, stoppedRunner, journal };
}
