/** What turned out to be right: labels for sessions, each with its source, from what happened anyway. */
import type { RelayEvent } from "../journal/event.ts";
import type { RelayState } from "../journal/relay-state.ts";
import { isApproved } from "../relay/phase.ts";
import { evolve, replay } from "../journal/state.ts";
import { stalledInARow } from "../journal/counts.ts";

/** After the session the work was done or not; or it was time to stop; or going on was right in spite of stalls. */
export type Truth = "done" | "not_done" | "stop" | "go_on";

export const labelSources = [
  "approved",
  "changes_requested",
  "submitted_next",
  "reopened",
  "stopped",
  "merged",
  "person",
] as const;

export type Label = {
  issue: string;
  session: number;
  truth: Truth;
  source: (typeof labelSources)[number];
};

/** The labels of one journal, by session. `said` is a person's word on the work as it stands at its end. */
export function labelsOf(issue: string, events: readonly RelayEvent[], said?: "done" | "not_done"): Label[] {
  const state = replay([]);
  const labels = new Map<string, Label>();
  const add = (session: number | undefined, truth: Truth, source: Label["source"]): void => {
    if (session === undefined || session === 0) return;
    // One word a session on whether it was done: a reopening overrules the approval before it.
    const about = truth === "done" || truth === "not_done" ? "done" : "stop";
    labels.set(`${about} ${session}`, { issue, session, truth, source });
  };
  let longest = { stalls: 0, session: 0 };
  for (const event of events) {
    if (event.type === "relay.opened") {
      const merged = state.opening?.merged;
      if (merged) add(automaticSession(state, merged.submission), "not_done", "reopened");
      longest = { stalls: 0, session: 0 };
    }
    const stalls = state.opening ? stalledInARow(state.opening) : 0;
    const session = state.sessions.at(-1)?.session ?? 0;
    if (stalls > longest.stalls) longest = { stalls, session };
    if (event.type === "relay.paused" && event.by === "person" && stalls > 0) add(session, "stop", "stopped");
    evolve(state, event);
    // On the merged tree it tells of the base, too; in a pull request, of what people want besides.
    if (event.type === "review.decided" && event.onto === undefined && event.by !== "pull_request") {
      const approved = state.submissions.some(
        (one) => one.submission === event.submission && isApproved(one),
      );
      const by = automaticSession(state, event.submission);
      add(by, approved ? "done" : "not_done", approved ? "approved" : "changes_requested");
      const submitter = state.submissions.find((one) => one.submission === event.submission)?.session;
      if (!approved) add(missedBefore(state, submitter), "not_done", "changes_requested");
    }
    if (event.type === "submission.requested" && event.by === "executor")
      add(missedBefore(state, event.session), "done", "submitted_next");
    if (event.type === "merge.done" && longest.stalls > 0) add(longest.session, "go_on", "merged");
  }
  if (said) add(state.sessions.findLast(({ scored }) => scored)?.session, said, "person");
  return [...labels.values()].toSorted((a, b) => a.session - b.session);
}

/** The session before one that submitted and changed no file: all was done when it ended, and nobody saw. */
function missedBefore({ sessions }: RelayState, session: number | undefined): number | undefined {
  const executors = sessions.filter(({ role }) => role === "executor");
  const at = executors.findIndex((one) => one.session === session);
  const before = executors[at - 1];
  const unchanged = executors[at]?.ended?.filesChanged === 0;
  return unchanged && before?.scored && !before.scored.finished ? before.session : undefined;
}

/** The session whose work monoco put up on its behalf. */
function automaticSession(state: RelayState, submission: number): number | undefined {
  return state.submissions.find((one) => one.submission === submission && one.by === "monoco")?.session;
}
