/** The subject of an event: the opening, or a session or submission by number. */
import type { Opening, RelayState, SessionRecord, SubmissionRecord } from "../relay-state.ts";
import { t } from "../../language/translate.ts";

export function openingOf({ opening }: RelayState): Opening {
  if (!opening) throw new Error(t`the journal speaks of a relay that was never opened`);
  return opening;
}

export function sessionOf(state: RelayState, session: number): SessionRecord {
  const sessionRecord = state.sessions.find((record) => record.session === session);
  if (!sessionRecord) throw new Error(t`the journal speaks of session ${session}, which never started`);
  return sessionRecord;
}

export function submissionOf(state: RelayState, submission: number): SubmissionRecord {
  const submissionRecord = state.submissions.find((record) => record.submission === submission);
  if (!submissionRecord)
    throw new Error(t`the journal speaks of submission ${submission}, which was never requested`);
  return submissionRecord;
}
