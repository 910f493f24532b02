/** Lands an approved submission on the base as it is now: merged tree, checks, one prepared commit, compare-and-swap. */
import { contractChanges } from "../core/contract.ts";
import { MonocoError } from "../core/error.ts";
import { appendReviewComment, closeIssue, mergeTicks } from "../core/issue-edit.ts";
import { parseIssue } from "../core/issue.ts";
import type { EventOf } from "../core/event.ts";
import { shellWord } from "../core/shell.ts";
import { mergeRoundsMax } from "../core/limits.ts";
import { oneLine } from "../core/one-line.ts";
import type { SubmissionRecord } from "../core/relay-state.ts";
import { words } from "../core/words.ts";
import type { Language } from "../core/words.ts";
import { contractNow, issueTextAt } from "./contract.ts";
import { openingOf } from "./relay.ts";
import type { Relay } from "./relay.ts";
import { checkClone } from "./submission.ts";
import { waitForLock } from "./wait-for-lock.ts";

/** Merges, or records why not (conflict, red checks, a checkout in the way). Others may move the base meanwhile. */
export async function mergeSubmission(relay: Relay, submission: number): Promise<void> {
  const record = relay.state.submissions.find((candidate) => candidate.submission === submission)!;
  // One merge at a time into a base: other relays finish at the same instant.
  const lock = await waitForLock(relay, `base.${encodeURIComponent(openingOf(relay).base)}`, "merge");
  try {
    for (let round = 1; round <= mergeRoundsMax; round++) {
      const prepared = await prepare(relay, record);
      if (prepared === "settled") return;
      if (await land(relay, prepared)) return;
    }
  } finally {
    lock.release();
  }
  const { base } = openingOf(relay);
  block(relay, `${base} moved ${mergeRoundsMax} times while submission ${submission} was being merged`);
}

/** After a crash: the prepared commit is on the base, or the merge is done again. */
export async function settleMerge(relay: Relay): Promise<void> {
  const prepared = relay.state.merge;
  if (!prepared) return;
  const { base } = openingOf(relay);
  if (await relay.edges.landing.isOnBase(relay.repository.git, base, prepared.commit)) {
    await finish(relay, prepared);
    return;
  }
  await mergeSubmission(relay, prepared.submission);
}

async function prepare(
  relay: Relay,
  record: SubmissionRecord,
): Promise<EventOf<"merge.prepared"> | "settled"> {
  const { git } = relay.repository;
  const { landing, repository } = relay.edges;
  const { base, contract } = openingOf(relay);
  const { submission, head } = record;
  const expectedBase = await repository.commitOf(git, `refs/heads/${base}`);
  if (!expectedBase)
    throw new MonocoError("input", `branch ${base} is gone`, {
      hint: `git branch ${base} …, then run again`,
    });
  const closed = await closing(relay, record, expectedBase);
  if ("because" in closed) {
    block(relay, closed.because, closed);
    return "settled";
  }
  const merged = await landing.mergeTrees(git, expectedBase, head);
  const conflicts = merged.conflicts.filter((path) => path !== contract.path);
  if (conflicts.length > 0) {
    relay.record({ type: "merge.conflicted", submission, baseCommit: expectedBase, paths: conflicts });
    return "settled";
  }
  const tree =
    closed.text === undefined
      ? merged.tree
      : await landing.withFile(git, merged.tree, contract.path, closed.text);
  const commit = await landing.commitTree(git, {
    tree,
    parents: [expectedBase, head],
    message: message(relay, record),
  });
  const red = await checkMerged(relay, record, { tree, commit });
  if (red) {
    relay.record({ type: "merge.rejected", submission, baseCommit: expectedBase, why: red });
    return "settled";
  }
  if (relay.control.interrupt.aborted) return "settled";
  const prepared = { type: "merge.prepared", submission, commit, tree, expectedBase } as const;
  relay.record(prepared);
  return prepared;
}

/** True when nothing is left to do: merged, or blocked for a person. */
async function land(relay: Relay, prepared: EventOf<"merge.prepared">): Promise<boolean> {
  const { git } = relay.repository;
  const { base } = openingOf(relay);
  const { commit, expectedBase } = prepared;
  const moved = await relay.edges.landing.moveBase(git, { base, commit, expected: expectedBase });
  if (moved.moved) {
    await finish(relay, prepared);
    return true;
  }
  if (moved.why === "lost") return false;
  const parked = relay.edges.workspace.refs.parked(relay.issue);
  await relay.edges.repository.moveRef(git, parked, commit);
  const goOn = `${moved.remedy}, then monoco relay resume ${relay.issue}`;
  if (moved.why === "stuck") {
    block(relay, `the merge is ready, but ${base} cannot be moved: ${moved.because}`, { hint: goOn });
    return true;
  }
  const byHand = `git -C ${shellWord(moved.worktree)} merge --ff-only --no-overwrite-ignore ${parked}`;
  block(relay, `the merge is ready, but ${moved.worktree} has ${base} checked out and ${moved.because}`, {
    hint: `${goOn}${moved.byHand ? ` (or: ${byHand})` : ""}`,
  });
  return true;
}

async function finish(relay: Relay, { submission, commit }: EventOf<"merge.prepared">): Promise<void> {
  relay.record({ type: "merge.done", submission, commit });
  await tidyUp(relay);
}

/** Clones and the work branch go once all that was committed in them is merged; other work is kept under refs. */
async function tidyUp(relay: Relay): Promise<void> {
  const { workspace, repository } = relay.edges;
  const { git } = relay.repository;
  const { branch, base } = openingOf(relay);
  const tip = await repository.commitOf(git, `refs/heads/${branch}`);
  workspace.removeClone(relay.places.workspace);
  workspace.removeClone(relay.places.review);
  const held = (await workspace.worktreesOf(git)).some(
    (worktree) => worktree.branch === `refs/heads/${branch}`,
  );
  if (!tip || held || !(await repository.isAncestor(git, tip, `refs/heads/${base}`))) return;
  await git(["update-ref", "-d", `refs/heads/${branch}`, tip]);
}

/** No text: a loop has no issue file. */
type Closing = { text: string | undefined } | { because: string; hint: string };

/** The issue as it will stand on the base; or why it is no longer the contract that was worked and reviewed by. */
async function closing(relay: Relay, record: SubmissionRecord, baseCommit: string): Promise<Closing> {
  const { contract, base, loop } = openingOf(relay);
  if (loop) return { text: undefined };
  const { issue } = relay;
  const { git } = relay.repository;
  const resume = `put it back there and monoco relay resume ${issue}`;
  const anew = `monoco relay clear ${issue} and monoco run ${issue}, which works by the issue of now`;
  try {
    const text = await relay.edges.repository.documentAt(git, baseCommit, contract.path);
    if (text === undefined)
      return { because: `${contract.path} is no longer on ${base}`, hint: `${resume}; or ${anew}` };
    const now = parseIssue(text, contract.path);
    if (now.status !== "open") {
      // Somebody closed it, or put it off: that is not for a merge to reverse.
      const because = `${contract.path} is ${[now.status, now.solution].filter(Boolean).join(", ")} on ${base} since the relay opened`;
      return { because, hint: `${resume}; or monoco relay clear ${issue}, which keeps the work` };
    }
    const changes = contractChanges(contractNow(relay).issue, now);
    if (changes.length > 0) {
      const because = `${contract.path} has changed on ${base} since the relay opened: ${changes.join(", ")}`;
      return { because, hint: `${resume}; or ${anew}` };
    }
    return { text: await closedText(relay, record, text) };
  } catch (error) {
    if (!(error instanceof MonocoError)) throw error;
    const because = `${contract.path} on ${base} cannot be closed: ${error.message}`;
    return {
      because,
      hint: `mend it there (${error.hint ?? "see above"}), then monoco relay resume ${issue}`,
    };
  }
}

/** The checks on the merged tree; skipped if that tree, but for the issue file, is the one that was checked. */
async function checkMerged(
  relay: Relay,
  record: SubmissionRecord,
  merged: { tree: string; commit: string },
): Promise<string | undefined> {
  const { contract } = openingOf(relay);
  const differs = await relay.edges.snapshot.namesBetween(relay.repository.root, record.tree, merged.tree);
  if (differs.every((name) => name === contract.path)) return undefined;
  const ref = `refs/monoco/${relay.issue}/merging`;
  await relay.edges.repository.moveRef(relay.repository.git, ref, merged.commit);
  const logs = `${relay.places.submission(record.submission)}/merge`;
  const results = await checkClone(relay, { ref, folder: relay.places.review, logs, name: "merge check" });
  relay.edges.workspace.removeClone(relay.places.review);
  if (relay.control.interrupt.aborted) return undefined;
  const ok = results.every((result) => result.exitCode === 0);
  relay.record({ type: "checks.ran", target: "merge", n: record.submission, tree: merged.tree, ok, results });
  if (ok) return undefined;
  return `on the merged tree: ${results
    .filter((result) => result.exitCode !== 0)
    .map((result) => result.command)
    .join(", ")} failed`;
}

/** The base's text, the branch's ticks, closed, with the review's remarks. */
async function closedText(relay: Relay, record: SubmissionRecord, onBase: string): Promise<string> {
  const { contract } = openingOf(relay);
  const ticked = mergeTicks(onBase, await issueTextAt(relay, record.head));
  const closedAt = new Date(relay.nowMs()).toISOString();
  const closed = closeIssue(ticked, { closedAt, solution: "implemented", file: contract.path });
  const { language } = parseIssue(contract.text, contract.path);
  return appendReviewComment(closed, language, comment(record, language));
}

function comment({ review, submission, head }: SubmissionRecord, language: Language): string {
  const who =
    review?.by === "person" ? words.aPerson[language]() : words.theReviewer[language](review?.session ?? "?");
  const findings = (review?.findings ?? []).map(
    (finding) => `  - ${finding.severity}: ${oneLine(finding.title, 200)}`,
  );
  const approved = words.approved[language](submission, head.slice(0, 12), who);
  const summary = review?.summary ? words.remark[language](approved, oneLine(review.summary, 200)) : approved;
  return [`- ${summary}`, ...findings].join("\n");
}

function message(relay: Relay, record: SubmissionRecord): string {
  const { title } = openingOf(relay);
  const by = record.review?.by === "person" ? "person" : `session ${record.review?.session ?? "?"}`;
  const containment = relay.state.sessions.at(-1)?.started.containment ?? "process-group";
  return [
    `${relay.issue}: ${oneLine(title, 200)}`,
    "",
    `Monoco-Issue: ${relay.issue}`,
    `Monoco-Submission: ${record.submission} ${record.head}`,
    `Monoco-Reviewer: ${by}`,
    `Monoco-Journal: ${relay.journal.head()}`,
    `Monoco-Sandbox: none (${containment})`,
    "",
  ].join("\n");
}

function block(relay: Relay, because: string, { hint }: { hint?: string } = {}): void {
  relay.record({ type: "relay.blocked", because, hint: hint ?? `monoco relay resume ${relay.issue}` });
}
