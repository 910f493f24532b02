/** Folds the take-over of a relay from another machine: it goes on, and nothing recorded there opens a gate here. */
import type { EventOf } from "../event.ts";
import type { Opening, SessionRecord, SubmissionRecord } from "../relay-state.ts";

/** The take-over, and the sessions of all openings. */
type TakenOver = EventOf<"relay.pulled"> & { sessions: readonly SessionRecord[] };

export function goOn(opening: Opening, { terms, landed, lost = [], sessions }: TakenOver): void {
  for (const session of sessions) {
    if (session.checks) session.checks = withoutLogs(session.checks);
    // They name folders of another machine's clone.
    const { unfinished: _u, repositories: _r, wip, ...ended } = session.ended ?? {};
    const kept = wip !== undefined && !lost.includes(session.session) ? { wip } : {};
    if (session.ended) Object.assign(session, { ended: { ...ended, ...kept } });
  }
  if (lost.includes(0)) delete opening.handedOver?.wip;
  if (!terms) return;
  for (const key of machines) delete opening[key];
  Object.assign(opening, terms);
  opening.freshSince = "agents";
  // Waits are by the clock and the accounts of another machine.
  Object.assign(opening.sinceResume, {
    wait: { untilMs: 0, reason: { rule: "no_relay" } },
    suspended: new Map(),
  });
  for (const one of opening.submissions) {
    if (one.checks) one.checks = withoutLogs(one.checks);
    if (one.mergeChecks) one.mergeChecks = withoutLogs(one.mergeChecks);
  }
  if (!landed) askAgain(opening);
}

/** Parts of an opening by the repository and the person of one machine. */
const machines = ["origins", "preset", "policy", "criticality", "waived", "loop", "baseline"] as const;

/** The logs are on the machine that ran the checks; here, a path could name any file. */
function withoutLogs(checks: EventOf<"checks.ran">): EventOf<"checks.ran"> {
  return { ...checks, results: checks.results.map((result) => ({ ...result, log: "" })) };
}

/** Leaves the open submission as it was requested: what held it back stays, unless it was approved since. */
function askAgain(opening: Opening): void {
  delete opening.merge;
  const current = opening.submissions.at(-1);
  if (!current || current.outcome) return;
  const isHeldBack = current.review?.verdict === "request_changes";
  const reviews = isHeldBack ? current.reviews.filter(({ verdict }) => verdict === "request_changes") : [];
  current.reviews = reviews;
  // The next submission is the one to check.
  if (isHeldBack && hasGoneOn(opening, current)) return;
  for (const key of judged) delete current[key];
  if (!isHeldBack) delete current.review;
  Object.assign(current, { tampered: [], refusals: [], confirmations: [] });
  delete opening.sinceResume.redByHand;
  const { halted } = opening;
  if (halted?.phase === "blocked" && halted.reason.rule === "human_gate") delete opening.halted;
}

const judged = ["inspection", "checks", "trial", "mergeChecks", "given", "questioned"] as const;

function hasGoneOn({ sessions }: Opening, { sessionsThen }: SubmissionRecord): boolean {
  return sessions.some(({ role, session }) => role === "executor" && session > sessionsThen);
}
