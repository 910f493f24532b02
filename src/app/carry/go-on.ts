/** Decides whether a relay of another machine can go on here, and ends its journal so that it does. */
import { t } from "../../core/language/translate.ts";
import { MonocoError } from "../../core/error/error.ts";
import type { Advice } from "../../core/error/hint-schema.ts";
import { parseIssue } from "../../core/issue/issue.ts";
import type { EventOf } from "../../core/journal/event.ts";
import { currentSubmission, isOver, runningSession, submissionDue } from "../../core/relay/phase.ts";
import { workBefore } from "../../core/relay/work-before.ts";
import { withKept } from "../../core/settings/change.ts";
import { isOnBase } from "../../git/landing.ts";
import { commitOf, commitsBetween, commitsOf, isAncestor, treeOf } from "../../git/repository.ts";
import { refs } from "../../git/refs.ts";
import { canGoOn, canOpen, termsNow } from "../../relay/open.ts";
import type { FoundIssue, Terms } from "../../relay/open.ts";
import { openRelay, openingOf } from "../../relay/relay.ts";
import type { Relay } from "../../relay/relay.ts";
import { acceptSubmission, whatIsWrong } from "../../relay/review/submission.ts";
import { placesFor } from "../here.ts";
import { settledHere } from "../settings.ts";
import { findIssueOnBase, loadTerms, setUpRelay } from "../wire.ts";
import type { Carrier, Commits } from "./own.ts";

/** The relay whose journal is in the file `pulled`, with the head that was fetched. */
type From = { issue: string; pulled: string; head: string };

/**
 * Appends to the journal what makes its relay go on here; returns the commits by the names that it gives them. Undefined if the
 * relay works for another text of the issue than the base has. Throws `input` if it cannot go on.
 */
export async function goOnHere(
  carrier: Carrier,
  { issue, pulled, head }: From,
  given: Terms | undefined,
): Promise<Commits | undefined> {
  const { here, remote } = carrier;
  const control = { interrupt: new AbortController().signal };
  const setup = setUpRelay(here, issue, { control, onProgress: () => undefined });
  const relay = openRelay({ ...setup, places: { ...placesFor(here, issue), journal: pulled } });
  try {
    const opening = openingOf(relay);
    const lost = await lostIn(relay);
    const ofLost = lost.length > 0 ? { lost } : {};
    const came = { type: "relay.pulled", remote: remote.name, goesOn: true, ...ofLost } as const;
    const { atMs } = relay.state;
    if (opening.cleared || isOver(opening)) {
      relay.record(came);
      return new Map();
    }
    await refuseUnfit(carrier, relay);
    const terms = await termsHere(carrier, relay, given);
    if (!terms) return undefined;
    relay.record({ ...came, ...terms });
    await endRunning(relay, { head, atMs });
    if (!terms.landed) await refuseSubmission(carrier, relay);
    const names = await namesIn(relay);
    const due = submissionDue(opening);
    // The message is on the other machine; a session submits what it ends with.
    if (due) await acceptSubmission(relay, { commit: due.ended!.head, by: "executor", session: due.session });
    return names;
  } finally {
    relay.journal.close();
  }
}

function notTaken({ remote }: Carrier, why: string, hint: Advice): MonocoError {
  const said = t`what ${remote.name} has of this relay does not go on here: ${why}`;
  return new MonocoError("input", said, { hint });
}

/** The sessions whose uncommitted work is not here. */
async function lostIn({ state, repository: { git } }: Relay): Promise<number[]> {
  const own = { session: 0, ended: state.opening?.handedOver };
  const kept = [own, ...state.sessions].filter(({ ended }) => ended?.wip !== undefined);
  const wips = kept.map(({ ended }) => ended!.wip!);
  const here = await commitsOf(git, wips);
  return kept.flatMap(({ session }, at) => (here[at] === undefined ? [session] : []));
}

/** Throws if commits that the journal goes by are not here, or it began elsewhere than on the base. */
async function refuseUnfit(carrier: Carrier, relay: Relay): Promise<void> {
  const { git } = relay.repository;
  const { issue, base, baseCommit, sessions } = openingOf(relay);
  const hint = t`git log -p ${`${refs.there(relay.issue)}/journal`} shows its journal`;
  const refuse = (why: string): MonocoError => notTaken(carrier, why, hint);
  if (issue !== relay.issue) throw refuse(t`its journal is that of ${issue}`);
  if (!(await isOnBase(git, base, baseCommit)))
    throw refuse(t`it began at ${baseCommit.slice(0, 12)}, which is not on ${base}`);
  const last = sessions.findLast(({ role, ended }) => ended && role === "executor")?.ended?.head;
  if (last !== undefined && !(await commitOf(git, last)))
    throw refuse(t`commit ${last.slice(0, 12)} is not there`);
}

/** Throws if the open submission is not what this machine would take: its commit is checked, reviewed and merged. */
async function refuseSubmission(carrier: Carrier, relay: Relay): Promise<void> {
  const { git } = relay.repository;
  const current = currentSubmission(openingOf(relay));
  if (!current || current.outcome) return;
  const { submission, head: commit, tree, session } = current;
  const refuse = (why: string): MonocoError => notTaken(carrier, why, anew(relay));
  if ((await commitOf(git, commit)) === undefined || (await treeOf(git, commit)) !== tree)
    throw refuse(t`the commit of submission ${submission} is not there, or is another`);
  const wrong = await whatIsWrong(relay, { commit, by: "monoco", ...(session !== undefined && { session }) });
  if (wrong && wrong.kind !== "same_commit") throw refuse(t`submission ${submission}: ${wrong.why}`);
}

const anew = ({ issue }: Relay): Advice => [
  [
    { do: "clear", issue },
    { do: "open", issue, note: t`begins anew` },
  ],
];

/** The submissions, and the uncommitted work that the next session begins with. */
async function namesIn(relay: Relay): Promise<Commits> {
  const opening = openingOf(relay);
  const { session, wip } = workBefore(opening) ?? {};
  const named = new Map(opening.submissions.map((one) => [`submissions/${one.submission}`, one.head]));
  if (wip !== undefined) named.set(`sessions/${session}/wip`, wip);
  const here = await commitsOf(relay.repository.git, [...named.values()]);
  return new Map([...named].filter((_, at) => here[at] !== undefined));
}

/** The terms of this machine, for the issue as it is on the base; of a landed merge, as the relay had it. Undefined for another text of the issue. */
async function termsHere(
  carrier: Carrier,
  relay: Relay,
  given: Terms = loadTerms(carrier.here, settledHere(carrier.here)),
): Promise<Pick<EventOf<"relay.pulled">, "terms" | "landed"> | undefined> {
  const { base, contract, settings, origins = {} } = openingOf(relay);
  // A gate that was set on another machine's command line gets no weaker; nothing else of it stays.
  const gates = Object.fromEntries(
    Object.entries(origins).filter(([key]) => /^(?:gates|reviewers)\./.test(key)),
  );
  const terms = { ...given, settled: withKept(given.settled, { settings, origins: gates }) };
  canGoOn(relay, terms.settled.settings.base);
  if (await isLanded(relay)) {
    const issue = parseIssue(contract.text, contract.path);
    return { terms: termsNow(terms, { ...contract, issue }), landed: true };
  }
  const found: FoundIssue = await findIssueOnBase(carrier.here, relay.issue, base);
  if (found.text !== contract.text || found.path !== contract.path) return undefined;
  return { terms: termsNow(terms, { ...found, issue: await canOpen(relay, terms, found) }) };
}

/** Whether the prepared merge is on the base, by which nothing is left to judge. */
async function isLanded({ state: { opening }, repository: { git } }: Relay): Promise<boolean> {
  const { merge, base = "", baseCommit = "" } = opening ?? {};
  if (!merge || !(await isOnBase(git, base, merge.commit))) return false;
  return !(await isAncestor(git, merge.commit, baseCommit));
}

/** Ends the session that another machine has left running, with what was pushed of it; `atMs` is when it was last heard of. */
async function endRunning(relay: Relay, last: { head: string; atMs: number }): Promise<void> {
  const { git } = relay.repository;
  const running = runningSession(relay.state);
  if (!running) return;
  const { session, role, started, startedAtMs } = running;
  const head = role === "executor" ? last.head : started.head;
  const own = await commitOf(git, `${refs.there(relay.issue)}/sessions/${session}/wip`);
  // What it was given has not changed, as far as anybody knows.
  const before = head === started.head ? workBefore(openingOf(relay), session)?.wip : undefined;
  const wip = role === "executor" ? (own ?? before) : undefined;
  relay.record({
    type: "session.ended",
    session,
    reason: "failure",
    cause: "runner_died",
    evidence: [{ rule: "stopped", by: { rule: "runner_died" } }],
    exitCode: null,
    signal: null,
    head,
    commits: await commitsBetween(git, started.head, head),
    filesChanged: 0,
    progress: head !== started.head,
    ...(wip !== undefined && { wip }),
    // The clocks of two machines may differ.
    durationMs: Math.max(0, last.atMs - startedAtMs),
    outputChars: 0,
  });
}
