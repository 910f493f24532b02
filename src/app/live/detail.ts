/** Reads one relay in full, for a page about it. */
import { readFileSync } from "node:fs";
import { attempt } from "../../core/error/attempt.ts";
import type { RelayState } from "../../core/journal/relay-state.ts";
import { replay } from "../../core/journal/state.ts";
import { detailIn } from "../../core/report/detail.ts";
import type { Detail } from "../../core/report/detail.ts";
import { viewJournal } from "../../store/journal-view.ts";
import { placesFor } from "../here.ts";
import type { Here } from "../here.ts";
import { lookAt } from "../overview/relay-look.ts";

/** Undefined for an issue whose relay has no opening. Throws `input` if there is no relay, or its journal is damaged. */
export async function detailOf(here: Here, issue: string): Promise<Detail | undefined> {
  const events = viewJournal(placesFor(here, issue).journal);
  const state = replay(events);
  const { now } = await lookAt(here, issue);
  return detailIn(events, { state, now, handoff: lastHandoff(here, issue, state) });
}

function lastHandoff(here: Here, issue: string, { sessions }: RelayState): Detail["handoff"] {
  const last = sessions.findLast(({ handoff }) => handoff !== undefined);
  if (!last) return null;
  const path = placesFor(here, issue).session(last.session, last.role).handoff;
  const text = attempt(() => readFileSync(path, "utf8"), undefined);
  return text === undefined ? null : { session: last.session, text };
}
