/** Accepts or refuses a submit; the runner checks everything again that the command checked. */
import { namesBetween } from "../../git/snapshot.ts";
import { outsideItsControl } from "../../core/journal/counts.ts";
import { commitOf, commitsOf, isAncestor, mergeBase, moveRef, treeOf } from "../../git/repository.ts";
import { removeClone } from "../../git/clone/workspace.ts";
import { conflictMarkers } from "../../git/conflicts.ts";
import { filteredIn, filteredWords, lfsIn } from "../../git/filters.ts";
import { refs } from "../../git/refs.ts";
import { submoduleChanges, submodulesChanged } from "../../git/landing.ts";
import { readMailbox } from "../../store/mailbox.ts";
import { rmSync } from "node:fs";
import type { RefusalKind } from "../../core/journal/event.ts";
import type { Via } from "../../core/journal/events/fields.ts";
import { refusalPathsMax } from "../../core/limits.ts";
import { deciding } from "../../core/text/glob.ts";
import { byHand } from "../../core/journal/steps.ts";
import { outboxMessageSchema } from "../../core/session/message.ts";
import { keepsBranch, runningSession } from "../../core/relay/phase.ts";
import { unfinishedWords } from "../../core/exit/unfinished.ts";
import { basesGiven } from "../bases.ts";
import { contractNow } from "../contract.ts";
import { openingOf, settingsOf } from "../relay.ts";
import type { Relay } from "../relay.ts";
import { t } from "../../core/language/translate.ts";

/** Takes the submit messages of an ended session; the last one counts. */
export async function acceptFromSession(relay: Relay, session: number): Promise<void> {
  const { base } = openingOf(relay);
  if (!(await commitOf(relay.repository.git, `refs/heads/${base}`))) {
    // The session is not at fault: its submit is accepted once the base exists again.
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

/** Records the refusal of a session that ended with a submit that its command refused, unless that reason is gone. */
export async function recordRefused(relay: Relay, session: number): Promise<void> {
  const record = relay.state.sessions.find((one) => one.session === session)!;
  const { outbox } = relay.places.session(session, "executor");
  const letters = readMailbox(outbox, outboxMessageSchema);
  const last = letters.findLast(({ message: { type } }) => type === "submit" || type === "refused");
  if (last?.message.type !== "refused" || !record.ended || outsideItsControl(record)) return;
  const { head } = record.ended;
  const found = await whatIsWrong(relay, { commit: head, by: "executor", session });
  const from = { by: "executor", session, head, messageId: last.message.id } as const;
  if (found) relay.record({ type: "submission.refused", ...from, ...found });
}

/** Submits the work that exit detection found finished; dirty or empty work is refused like any submit. */
export async function submitOnBehalf(relay: Relay, session: number): Promise<void> {
  const ended = relay.state.sessions.find((record) => record.session === session)?.ended;
  if (ended) await acceptSubmission(relay, { commit: ended.head, by: "monoco", session });
}

export type Submit = {
  commit: string;
  by: "executor" | "person" | "monoco";
  session?: number;
  via?: Via;
  messageId?: string;
};

/** Records submission.requested, or submission.refused with the reason, which is also returned. */
export async function acceptSubmission(relay: Relay, submit: Submit): Promise<string | undefined> {
  const { commit, by, session, via, messageId } = submit;
  const from = {
    by,
    ...(via && { via }),
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

/** Continues from a person's commits if they contain the relay's work so far; otherwise the relay's head stays. */
async function goOnFrom(relay: Relay, commit: string): Promise<void> {
  const { git } = relay.repository;
  const ref = refs.head(relay.issue);
  const head = await commitOf(git, ref);
  const last = relay.state.sessions.findLast(({ role }) => role === "executor");
  const { wip, unfinished, repositories } = last?.ended ?? {};
  if (runningSession(relay.state) || wip || unfinished || repositories) return;
  if (head && !(await isAncestor(git, head, commit))) return;
  await moveRef(git, ref, commit);
  // The clone will be made again at that commit.
  removeClone(relay.places.workspace);
  rmSync(relay.places.workspaceReady, { force: true });
}

type Refusal = { kind: RefusalKind; paths?: string[]; why: string };

/** `paths` are facts; `why` is text for people. */
function refusal(kind: RefusalKind, why: string, paths: readonly string[] = []): Refusal {
  return { kind, why, ...(paths.length > 0 ? { paths: paths.slice(0, refusalPathsMax) } : {}) };
}

/** Why a commit cannot be submitted, if it cannot. */
export async function whatIsWrong(
  relay: Relay,
  { commit, by, session }: Submit,
): Promise<Refusal | undefined> {
  const { git, root } = relay.repository;
  const { base, contract } = openingOf(relay);
  if (!(await commitOf(git, commit)))
    return refusal("no_such_commit", t`commit ${commit.slice(0, 8)} is not in the repository`);
  const ended = relay.state.sessions.find((record) => record.session === session)?.ended;
  if (ended) {
    if (ended.unfinished) {
      const { unmerged } = ended.unfinished;
      return refusal("unfinished", unfinishedWords(ended.unfinished, settingsOf(relay).language), unmerged);
    }
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
  // A merge restores a deleted issue, but a moved one, or one replaced by a folder, would exist twice.
  const moved = all.find(
    (name) => name !== contract.path && name.includes(relay.issue) && /^issues\//i.test(name),
  );
  if (moved)
    return refusal("issue_moved", t`${moved}: the issue's file is ${contract.path} and stays there`, [moved]);
  const names = all.filter((name) => name !== contract.path);
  // A loop that finds nothing to do is done.
  if (names.length === 0 && !keepsBranch(openingOf(relay)))
    return refusal("empty", t`nothing differs from ${base}, but for the issue itself`);
  const allowedBy = deciding(contractNow(relay).issue.allows ?? []);
  const marked = await conflictMarkers(git, { start, commit, paths: names });
  const conflicts = marked.filter((path) => allowedBy(path) === undefined);
  if (conflicts.length > 0) {
    const why = t`conflict markers are committed, solve the conflicts: ${conflicts.join(", ")}`;
    return refusal("conflict_markers", why, conflicts);
  }
  const changed = [...(await submoduleChanges(git, start, commit)), ...(ended?.submodules ?? [])];
  const submodules = changed.filter((path) => allowedBy(path) === undefined);
  if (submodules.length > 0) return refusal("submodules", submodulesChanged(submodules), submodules);
  const lfs = await lfsIn(git, commit);
  if (lfs !== undefined)
    return refusal("lfs", t`${lfs} uses Git LFS, which monoco does not handle yet`, [lfs]);
  const filtered = settingsOf(relay).filters === "ignore" ? undefined : await filteredIn(git, commit);
  if (filtered !== undefined) return refusal("filter", filteredWords(filtered), filtered.paths);
  const forged = await forgedIn(relay, commit);
  if (forged !== "") {
    const why = t`the message of ${forged} has trailers that only monoco may write (Monoco-…): reword it`;
    return refusal("forged", why);
  }
  return sameAgain(relay, { commit, by });
}

/** Refuses a commit on which changes were requested, if it is submitted unchanged. */
function sameAgain(relay: Relay, { commit, by }: Pick<Submit, "commit" | "by">): Refusal | undefined {
  const sinceResume = openingOf(relay).sinceResume.submissions.map((record) => record.submission);
  const same = relay.state.submissions.find(
    ({ head, review, submission }) =>
      head === commit &&
      review?.verdict === "request_changes" &&
      // After a person's submit or resume, checks that failed on this commit may pass: a process or disk space may have been
      // missing.
      !(review.by === "monoco" && (by === "person" || !sinceResume.includes(submission))),
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
 * A commit with trailers that only monoco may write, since the base's history shows by them who approved what. Commits of the
 * base, and monoco's own, do not count.
 */
async function forgedIn(relay: Relay, commit: string): Promise<string> {
  const { git } = relay.repository;
  const made = relay.journal
    .events()
    .flatMap((event) => (event.type === "merge.prepared" ? [event.commit] : []));
  const bases = await commitsOf(git, [...basesGiven(relay), ...made]);
  const without = bases.flatMap((one) => (one === undefined ? [] : [`^${one}`]));
  return (await git([...trailersOfOurs, commit, `^refs/heads/${openingOf(relay).base}`, ...without])).trim();
}

const trailersOfOurs = [
  "log",
  "-1",
  "--format=%h",
  "--no-show-signature",
  "-E",
  "-i",
  "--grep=^monoco-(issue|submission|executor|reviewer|confirmed|journal|sandbox)[[:space:]]*:",
];
