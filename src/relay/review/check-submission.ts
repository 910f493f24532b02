/** Checks a submission in a fresh clone, which then becomes the Reviewer's. */
import { snapshotFolder, takeSnapshot } from "../../git/snapshot.ts";
import { changedFiles, layTree, treeWith } from "../../git/trees.ts";
import { refusalsInForce } from "../../core/journal/counts.ts";
import type { ChangedFile, Edit } from "../../core/trial/overlays.ts";
import { rolesOf } from "../../core/trial/roles.ts";
import type { FileRole } from "../../core/trial/roles.ts";
import type { Weakening } from "../../core/weakening/schema.ts";
import type { SubmissionRecord } from "../../core/journal/relay-state.ts";
import { isOwnFolder, takeBack } from "../../git/folders.ts";
import { makeClone, removeClone, renewClone } from "../../git/clone/workspace.ts";
import { filesInTheWay } from "../../git/landing.ts";
import { refs } from "../../git/refs.ts";
import { existsSync, rmSync, writeFileSync } from "node:fs";
import { isRed } from "../../core/review/red.ts";
import type { CheckResult } from "../../core/review/check-result.ts";
import { withRuns } from "../../core/review/inspection.ts";
import { unconfirmed, underReview } from "../../core/relay/phase.ts";
import { contractNow } from "../contract.ts";
import { besideBaseline } from "../baseline.ts";
import { blockOnSetUp, runCommands, setUp } from "../run-checks.ts";
import { filesRun, inspectSubmission } from "./inspect.ts";
import { limitsOf, openingOf, settingsOf, startOf, submissionOf } from "../relay.ts";
import { cloneSource, containmentBy } from "../sandbox.ts";
import type { Relay } from "../relay.ts";
import { t } from "../../core/language/translate.ts";
import { runName } from "../run-name.ts";
import type { RunName } from "../run-name.ts";

/** Makes the Reviewer's clone at the submission, sets it up, and runs the contract's checks there. */
export async function checkSubmission(relay: Relay, submission: number): Promise<void> {
  const record = submissionOf(relay, submission);
  const ref = refs.submission(relay.issue, submission);
  const logs = relay.places.submission(submission);
  await tellInTheWay(relay, record);
  await inspectSubmission(relay, record);
  const folder = relay.places.review;
  let setUpAs: ReadonlyMap<string, string> = new Map();
  const beforeChecks = async (): Promise<void> => {
    setUpAs = blobsOf((await changedIn(relay, record)).files);
  };
  const ran = await checkClone(relay, { ref, folder, logs, name: runName`check`, beforeChecks });
  const results = await besideBaseline(relay, ran, await startOf(relay, record.head));
  if (relay.control.interrupt.aborted) return;
  const ok = !results.some(isRed);
  const changed = ok && results.length > 0 ? await changedByChecks(relay, record, setUpAs) : [];
  if (relay.control.interrupt.aborted) return;
  if (changed.length > 0)
    relay.record({
      type: "submission.inspected",
      submission,
      ...withRuns(submissionOf(relay, submission).inspection, changed, "checks"),
    });
  const containment = containmentBy(settingsOf(relay), "reviewer");
  const { tree } = record;
  relay.record({ type: "checks.ran", target: "submission", n: submission, tree, ok, results, containment });
}

/** Says early what would hold the merge up. */
async function tellInTheWay(relay: Relay, { head }: SubmissionRecord): Promise<void> {
  const { base } = openingOf(relay);
  const paths = await filesInTheWay(relay.repository.git, { base, commit: head });
  if (paths.length === 0) return;
  const names = firstOf(paths);
  const text = t`the work adds files that lie in your checkout of ${base} already and are not committed there: ${names}; move them away before the merge`;
  relay.onProgress({ type: "warning", text });
}

/**
 * The submission's sources, tests and check configuration that green checks changed. Other files (a lockfile, a report, a document) are
 * only named, since the Reviewer's clone is restored anyway.
 */
async function changedByChecks(
  relay: Relay,
  record: SubmissionRecord,
  setUpAs: ReadonlyMap<string, string>,
): Promise<Weakening[]> {
  const folder = relay.places.review;
  if (!isOwnFolder(folder)) {
    removeClone(folder);
    return [{ file: "(the clone)", kind: "changed by checks", text: "it is gone" }];
  }
  await takeBack(folder);
  const { tree, files } = await changedIn(relay, record);
  const now = blobsOf(files);
  const changed = files
    .map(({ path }) => path)
    .filter((path) => setUpAs.get(path) !== now.get(path) && path !== openingOf(relay).contract.path);
  const runs = await filesRun(relay, { start: record.head, head: tree, changed });
  const roleOf = rolesOf(settingsOf(relay).review.tests, new Set(runs.keys()));
  const decides = (path: string): boolean => decisive.has(roleOf(path)) || runs.has(path);
  const others = changed.filter((path) => !decides(path));
  if (others.length > 0) {
    const names = firstOf(others);
    relay.onProgress({
      type: "warning",
      text: t`the checks change tracked files, which are restored: ${names}`,
    });
  }
  return changed
    .filter(decides)
    .slice(0, namedMax)
    .map((path): Weakening => ({ file: path, kind: "changed by checks", text: "" }));
}

const namedMax = 10;

function firstOf(paths: readonly string[]): string {
  return `${paths.slice(0, namedMax).join(", ")}${paths.length > namedMax ? ", …" : ""}`;
}

/** The roles of files by which a check that changes them could decide how it, or the next one, ends. */
const decisive: ReadonlySet<FileRole> = new Set(["source", "test", "config"]);

/**
 * Tracked files of the Reviewer's clone that differ from the submission. Git also lists a file that was committed with other
 * line ends than .gitattributes says.
 */
async function changedIn(
  relay: Relay,
  { head }: SubmissionRecord,
): Promise<{ tree: string; files: ChangedFile[] }> {
  const { tree } = await takeSnapshot(relay.repository, relay.places.review, head, {});
  const files = tree === undefined ? [] : await changedFiles(relay.repository.git, head, tree);
  return { tree: tree ?? head, files: files.filter(({ before }) => before) };
}

function blobsOf(files: readonly ChangedFile[]): Map<string, string> {
  return new Map(files.map(({ path, after }) => [path, after ? `${after.mode} ${after.hash}` : "gone"]));
}

export type CloneCheck = {
  ref: string;
  folder: string;
  logs: string;
  name: RunName;
  beforeChecks?: () => Promise<void>;
};

/** Makes a clone of `ref` in `folder`, sets it up and returns the checks' results; a failed set-up is the only result. */
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
    { commands: checks, folder: check.folder, logs: check.logs, name: check.name, minutes, sure: true },
    false,
  );
}

/**
 * The Reviewer's clone: the one that was checked, with the submission's files restored, since agent-written code ran there.
 * Made again if it is missing (after a Reviewer without a verdict). Undefined if it cannot be set up.
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
  const halfMade = `${folder}.half-made`;
  if (isOwnFolder(folder) && !existsSync(halfMade)) {
    await renewClone(source, folder);
    await layAdditions(relay, record, head);
    return { folder, head };
  }
  // Marks the clone as incomplete, so that a failed or killed set-up is not taken for a whole one.
  writeFileSync(halfMade, "");
  await makeClone(source, folder);
  const failed = await setUp(relay, { folder, logs: relay.places.submission(submission), trusted: false });
  if (failed) removeClone(folder);
  rmSync(halfMade, { force: true });
  if (!failed) await layAdditions(relay, record, head);
  if (!failed) return { folder, head };
  if (!relay.control.interrupt.aborted) blockOnSetUp(relay, failed);
  return undefined;
}

/** Restores the files that the Reviewer's first session wrote, if it is asked again. */
async function layAdditions(relay: Relay, record: SubmissionRecord, head: string): Promise<void> {
  const asked = refusalsInForce(openingOf(relay), record).at(-1);
  if (!asked) return;
  const edits = await additionsOf(relay, { head, session: asked.session });
  if (edits.length === 0) return;
  const folder = relay.places.review;
  const tree = await treeWith(relay.repository, { start: head, edits, own: snapshotFolder(folder) });
  await layTree(relay.repository, folder, tree);
}

/** The files that a Reviewer's session added to its clone. */
export async function additionsOf(
  relay: Relay,
  { head, session }: { head: string; session: number },
): Promise<Edit[]> {
  const wip = relay.state.sessions.find((one) => one.session === session)?.ended?.wip;
  const changed = wip === undefined ? [] : await changedFiles(relay.repository.git, head, wip);
  return changed.flatMap(({ path, before, after }) => (before ? [] : [{ path, to: after }]));
}
