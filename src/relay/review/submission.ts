/** Takes up a submit: verified again by the runner, then checked in a fresh clone. */
import { namesBetween, takeSnapshot } from "../../git/snapshot.ts";
import { changedFiles } from "../../git/trees.ts";
import { rolesOf } from "../../core/trial/roles.ts";
import type { ChangedFile } from "../../core/trial/overlays.ts";
import type { Weakening } from "../../core/weakening/schema.ts";
import type { SubmissionRecord } from "../../core/journal/relay-state.ts";
import { commitOf, commitsOf, isAncestor, mergeBase, moveRef, treeOf } from "../../git/repository.ts";
import { isOwnFolder, takeBack } from "../../git/folders.ts";
import { lfsIn } from "../../git/lfs.ts";
import { makeClone, removeClone, renewClone } from "../../git/clone/workspace.ts";
import { refs } from "../../git/refs.ts";
import { submoduleChanges } from "../../git/landing.ts";
import { readMailbox } from "../../store/mailbox.ts";
import { rmSync } from "node:fs";
import type { RefusalKind } from "../../core/journal/event.ts";
import type { CheckResult } from "../../core/review/check-result.ts";
import { withRuns } from "../../core/review/inspection.ts";
import { refusalPathsMax } from "../../core/limits.ts";
import { byHand } from "../../core/journal/steps.ts";
import { outboxMessageSchema } from "../../core/session/message.ts";
import { keepsBranch, runningSession, unconfirmed, underReview } from "../../core/relay/phase.ts";
import { basesGiven } from "../landing/bases.ts";
import { contractNow } from "./contract.ts";
import { blockOnSetUp, runCommands, setUp } from "../run-checks.ts";
import { inspectSubmission } from "./inspect.ts";
import { putToTest } from "./put-to-test.ts";
import { cloneSource, limitsOf, openingOf, settingsOf, startOf, submissionOf } from "../relay.ts";
import type { Relay } from "../relay.ts";
import { t } from "../../core/language/translate.ts";
import { named } from "../run-name.ts";
import type { RunName } from "../run-name.ts";

/** The submit messages of an ended session: the last one wins. What the command checked was a courtesy. */
export async function acceptFromSession(relay: Relay, session: number): Promise<void> {
  const { base } = openingOf(relay);
  if (!(await commitOf(relay.repository.git, `refs/heads/${base}`))) {
    // No fault of the session's: its submit is taken up when the base is there again.
    const hint = [byHand(t`git branch ${base} … (or rename it back)`)];
    relay.record({ type: "relay.blocked", reason: { rule: "base_gone", base }, hint });
    return;
  }
  const places = relay.places.session(session, "executor");
  const letters = readMailbox(places.outbox, outboxMessageSchema);
  const message = letters.findLast((letter) => letter.message.type === "submit")?.message;
  if (message?.type === "submit") {
    await acceptSubmission(relay, { commit: message.commit, by: "executor", session, messageId: message.id });
  } else {
    const why = t`its submit message is gone`;
    relay.record({ type: "submission.refused", by: "executor", session, kind: "message_gone", why });
  }
  for (const letter of letters) letter.take();
}

/** What exit detection found finished: refused like any submit where it is dirty or empty. */
export async function submitOnBehalf(relay: Relay, session: number): Promise<void> {
  const ended = relay.state.sessions.find((record) => record.session === session)?.ended;
  if (ended) await acceptSubmission(relay, { commit: ended.head, by: "monoco", session });
}

export type Submit = {
  commit: string;
  by: "executor" | "person" | "monoco";
  session?: number;
  messageId?: string;
};

/** Appends submission.requested, or submission.refused with what is wrong, which is the answer too. */
export async function acceptSubmission(relay: Relay, submit: Submit): Promise<string | undefined> {
  const { commit, by, session, messageId } = submit;
  const from = {
    by,
    ...(messageId === undefined ? {} : { messageId }),
    ...(session === undefined ? {} : { session }),
  };
  const git = relay.repository.git;
  const refusal = await whatIsWrong(relay, submit);
  if (refusal) {
    const head = /^[0-9a-f]{40}/.test(commit) ? { head: commit } : {};
    relay.record({ type: "submission.refused", ...from, ...head, ...refusal });
    return refusal.why;
  }
  const submission = relay.state.submissions.length + 1;
  await moveRef(git, refs.submission(relay.issue, submission), commit);
  const tree = await treeOf(git, commit);
  const base = await mergeBase(git, `refs/heads/${openingOf(relay).base}`, commit);
  const rests = base === undefined ? {} : { base };
  if (by === "person") await goOnFrom(relay, commit);
  relay.record({ type: "submission.requested", submission, head: commit, tree, ...rests, ...from });
  return undefined;
}

/** Whoever follows goes on with a person's commits where they contain the work so far; else that stays where it is. */
async function goOnFrom(relay: Relay, commit: string): Promise<void> {
  const { git } = relay.repository;
  const ref = refs.head(relay.issue);
  const head = await commitOf(git, ref);
  const last = relay.state.sessions.findLast(({ role }) => role === "executor");
  if (runningSession(relay.state) || last?.ended?.wip) return;
  if (head && !(await isAncestor(git, head, commit))) return;
  await moveRef(git, ref, commit);
  // The clone is made anew at that commit.
  rmSync(relay.places.workspaceReady, { force: true });
}

type Refusal = { kind: RefusalKind; paths?: string[]; why: string };

/** What it is about is a fact: the words are for people. */
function refusal(kind: RefusalKind, why: string, paths: readonly string[] = []): Refusal {
  return { kind, why, ...(paths.length > 0 ? { paths: paths.slice(0, refusalPathsMax) } : {}) };
}

async function whatIsWrong(relay: Relay, { commit, by, session }: Submit): Promise<Refusal | undefined> {
  const { git, root } = relay.repository;
  const { base, contract } = openingOf(relay);
  if (!(await commitOf(git, commit)))
    return refusal("no_such_commit", t`commit ${commit.slice(0, 8)} is not in the repository`);
  const ended = relay.state.sessions.find((record) => record.session === session)?.ended;
  if (ended) {
    if (ended.wip) {
      const names = await namesBetween(root, ended.head, ended.wip);
      const some = `${names.slice(0, 10).join(", ")}${names.length > 10 ? ", …" : ""}`;
      return refusal("uncommitted", t`uncommitted changes: ${some}`, names);
    }
    if (!(await isAncestor(git, commit, ended.head)))
      return refusal("other_branch", t`commit ${commit.slice(0, 8)} is not of this session's branch`);
  }
  const start = await mergeBase(git, `refs/heads/${base}`, commit);
  if (!start)
    return refusal("no_common_history", t`commit ${commit.slice(0, 8)} has no common history with ${base}`);
  const all = await namesBetween(root, start, commit);
  const runtime = all.find((name) => name === "RALPH.md" || name.startsWith(".monoco/"));
  if (runtime) {
    const why = t`${runtime} is the relay's own and not to be committed: git rm -r --cached ${runtime}`;
    return refusal("runtime_file", why, [runtime]);
  }
  // A deleted issue is restored by the merge; one that was moved, or made a folder, would stand there twice.
  const moved = all.find(
    (name) => name !== contract.path && name.includes(relay.issue) && /^issues\//i.test(name),
  );
  if (moved)
    return refusal("issue_moved", t`${moved}: the issue's file is ${contract.path} and stays there`, [moved]);
  const names = all.filter((name) => name !== contract.path);
  // A loop that finds nothing to do is done.
  if (names.length === 0 && !keepsBranch(openingOf(relay)))
    return refusal("empty", t`nothing differs from ${base}, but for the issue itself`);
  const submodules = await submoduleChanges(git, start, commit);
  if (submodules.length > 0) {
    const why = t`submodules are changed, which monoco does not merge: ${submodules.join(", ")}`;
    return refusal("submodules", why, submodules);
  }
  const lfs = await lfsIn(git, commit);
  if (lfs !== undefined)
    return refusal("lfs", t`${lfs} uses Git LFS, which monoco does not handle yet`, [lfs]);
  const forged = await forgedIn(relay, commit);
  if (forged !== "") {
    const why = t`the message of ${forged} has trailers that only monoco may write (Monoco-…): reword it`;
    return refusal("forged", why);
  }
  const same = relay.state.submissions.find(
    ({ head, review }) =>
      head === commit &&
      review?.verdict === "request_changes" &&
      // A person may know why its checks pass now.
      !(by === "person" && review.by === "monoco"),
  );
  if (!same) return undefined;
  const { submission } = same;
  const why =
    same.review?.by === "monoco"
      ? t`its checks failed on this very commit (submission ${submission})`
      : t`changes were requested on this very commit (submission ${submission})`;
  return refusal("same_commit", why);
}

/**
 * A commit that says what only monoco may say: who approved, and what, is read off the base's history. Commits that were on the
 * base, and those that monoco made itself, do not count.
 */
async function forgedIn(relay: Relay, commit: string): Promise<string> {
  const { git } = relay.repository;
  const made = relay.journal
    .events()
    .flatMap((event) => (event.type === "merge.prepared" ? [event.commit] : []));
  const known = await commitsOf(git, [...basesGiven(relay), ...made]);
  const without = known.flatMap((one) => (one === undefined ? [] : [`^${one}`]));
  return (await git([...trailersOfOurs, commit, `^refs/heads/${openingOf(relay).base}`, ...without])).trim();
}

const trailersOfOurs = [
  "log",
  "-1",
  "--format=%h",
  "--no-show-signature",
  "-E",
  "-i",
  "--grep=^monoco-(issue|submission|reviewer|confirmed|journal|sandbox)[[:space:]]*:",
];

/** Makes the Reviewer's clone at the submission, sets it up, and runs the contract's checks there. */
export async function checkSubmission(relay: Relay, submission: number): Promise<void> {
  const record = submissionOf(relay, submission);
  const ref = refs.submission(relay.issue, submission);
  const logs = relay.places.submission(submission);
  await inspectSubmission(relay, record);
  const folder = relay.places.review;
  let setUpAs: ReadonlyMap<string, string> = new Map();
  const beforeChecks = async (): Promise<void> => {
    setUpAs = blobsOf(await changedIn(relay, record));
  };
  const results = await checkClone(relay, { ref, folder, logs, name: named`check`, beforeChecks });
  if (relay.control.interrupt.aborted) return;
  const ok = results.every((result) => result.exitCode === 0);
  const beganMs = relay.nowMs();
  const second =
    ok && results.length > 0 ? await secondLook(relay, record, { results, logs, setUpAs }) : undefined;
  if (relay.control.interrupt.aborted) return;
  // Red ones never buy a review, and a loop without one has nobody to tell.
  const trial =
    ok && !keepsBranch(openingOf(relay))
      ? await putToTest(relay, record, { msSpent: relay.nowMs() - beganMs, ran: results })
      : undefined;
  if (relay.control.interrupt.aborted) return;
  const crossed = trial?.crossing.found.filter((one) => one.result === "weakened") ?? [];
  const found = [
    ...crossed.map(({ files, command }): Weakening => ({
      file: files.join(", "),
      kind: "crossed",
      text: command.slice(0, 160),
    })),
    ...(second ?? []),
  ];
  if (found.length > 0)
    relay.record({ type: "submission.inspected", submission, ...withRuns(record.inspection, found) });
  const checks = { target: "submission", n: submission, tree: record.tree, ok, results } as const;
  relay.record({ type: "checks.ran", ...checks, ...(trial && { trial }) });
}

/** What green checks did to the files of the submission; and, where its tests are its own, whether they are green again. */
async function secondLook(
  relay: Relay,
  record: SubmissionRecord,
  of: { results: readonly CheckResult[]; logs: string; setUpAs: ReadonlyMap<string, string> },
): Promise<Weakening[]> {
  const { results, logs, setUpAs } = of;
  const folder = relay.places.review;
  if (!isOwnFolder(folder)) {
    removeClone(folder);
    return [{ file: "(the clone)", kind: "changed by checks", text: "it is gone" }];
  }
  await takeBack(folder);
  const files = await changedIn(relay, record);
  const now = blobsOf(files);
  const changed = files
    .filter(({ path }) => setUpAs.get(path) !== now.get(path) && path !== openingOf(relay).contract.path)
    .slice(0, changedByChecksMax)
    .map(({ path }): Weakening => ({ file: path, kind: "changed by checks", text: "" }));
  if (!settingsOf(relay).review.checkTwice && !(await testsChanged(relay, record))) return changed;
  await renewClone(cloneSource(relay, refs.submission(relay.issue, record.submission)), folder);
  const minutes = limitsOf(relay).checkMinutes;
  const commands = results.map(({ command }) => command);
  const again = await runCommands(
    relay,
    { commands, folder, logs, name: named`check again`, minutes },
    false,
  );
  return [
    ...again
      .filter(({ exitCode }) => exitCode !== 0)
      .map(({ command, log }): Weakening => ({ file: command, kind: "flaky", text: `see ${log}` })),
    ...changed,
  ];
}

const changedByChecksMax = 10;

/**
 * The tracked files of the Reviewer's clone that are not as the submission has them. A file that was committed with other line
 * ends than .gitattributes says is one of them from the start, as git sees it.
 */
async function changedIn(relay: Relay, { head }: SubmissionRecord): Promise<ChangedFile[]> {
  const { tree } = await takeSnapshot(relay.repository, relay.places.review, head);
  const files = tree === undefined ? [] : await changedFiles(relay.repository.git, head, tree);
  return files.filter(({ before }) => before);
}

function blobsOf(files: readonly ChangedFile[]): Map<string, string> {
  return new Map(files.map(({ path, after }) => [path, after ? `${after.mode} ${after.hash}` : "gone"]));
}

async function testsChanged(relay: Relay, { head }: SubmissionRecord): Promise<boolean> {
  const roleOf = rolesOf(settingsOf(relay).review.tests, new Set());
  return (await namesBetween(relay.repository.root, await startOf(relay, head), head)).some(
    (path) => roleOf(path) === "test",
  );
}

export type CloneCheck = {
  ref: string;
  folder: string;
  logs: string;
  name: RunName;
  beforeChecks?: () => Promise<void>;
};

/** A fresh clone of `ref` in `folder`, set up, with the checks' results; a failed set-up is the only result. */
export async function checkClone(relay: Relay, check: CloneCheck): Promise<CheckResult[]> {
  rmSync(check.logs, { recursive: true, force: true });
  relay.onProgress({ type: "step", text: t`${check.name.said}: a fresh clone` });
  await makeClone(cloneSource(relay, check.ref), check.folder);
  const failed = await setUp(relay, { folder: check.folder, logs: check.logs, trusted: false });
  if (failed) return [failed];
  const { checks } = contractNow(relay);
  const minutes = limitsOf(relay).checkMinutes;
  if (checks.length > 0) await check.beforeChecks?.();
  return runCommands(
    relay,
    { commands: checks, folder: check.folder, logs: check.logs, name: check.name, minutes },
    false,
  );
}

/**
 * The Reviewer's clone: the one that was checked, with the files of the submission again, since agent-written code ran in
 * it; made anew where it is gone (after a Reviewer that gave no verdict). Undefined where it cannot be set up any more.
 */
export async function reviewClone(
  relay: Relay,
  submission: number,
): Promise<{ folder: string; head: string } | undefined> {
  const record = submissionOf(relay, submission);
  const { head } = underReview(record);
  const ref = unconfirmed(record) ? refs.merging(relay.issue) : refs.submission(relay.issue, submission);
  const source = cloneSource(relay, ref);
  const folder = relay.places.review;
  if (isOwnFolder(folder)) {
    await renewClone(source, folder);
    return { folder, head };
  }
  await makeClone(source, folder);
  const failed = await setUp(relay, { folder, logs: relay.places.submission(submission), trusted: false });
  if (!failed) return { folder, head };
  // Half set up, it would be taken for whole the next time.
  removeClone(folder);
  if (!relay.control.interrupt.aborted) blockOnSetUp(relay, failed);
  return undefined;
}
