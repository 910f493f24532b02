/** Looks for itself at what a verdict names as evidence, on the submission and on the base, and judges the verdict by it. */
import { join } from "node:path";
import { namesBetween, snapshotFolder } from "../../git/snapshot.ts";
import { changedFiles, ignoredIn, keepGitState, layTree, treeWith } from "../../git/trees.ts";
import { removeClone } from "../../git/clone/workspace.ts";
import { evidenceBytesMax } from "../../core/limits.ts";
import type { SubmissionRecord } from "../../core/journal/relay-state.ts";
import {
  commandsForBase,
  commandsForEmptied,
  commandsResolved,
  commandsToRun,
  filesNamed,
} from "../../core/review/verdict/to-run.ts";
import { weigh } from "../../core/review/verdict/weigh.ts";
import { linesAdded } from "../../core/review/lines-added.ts";
import { measuresItself } from "../../core/review/own-ruler.ts";
import { listedPlaces } from "../../core/review/inspection.ts";
import type { Known } from "../../core/review/verdict/known.ts";
import { unconfirmed, underReview } from "../../core/relay/phase.ts";
import { readDiff } from "../../core/text/diff.ts";
import { ranOf, run, runOnBase } from "./base-runs.ts";
import type { Clone } from "./base-runs.ts";
import { criteriaNow } from "./contract.ts";
import { diffOf, filesRunBy } from "./inspect.ts";
import { readInside } from "../read-inside.ts";
import { openingOf, startOf, submissionOf } from "../relay.ts";
import type { Relay } from "../relay.ts";
import { begin } from "./put-to-test.ts";
import { takeBackFromEvidence } from "./take-back.ts";
import { restoreClone } from "./tree-runs.ts";
import type { TakenBack } from "../../core/trial/trial-schema.ts";
import { reviewClone } from "./check-submission.ts";
import { named } from "../run-name.ts";

/** Records review.decided, or review.refused with what is wrong; nothing on Ctrl-C: it is done again. */
export async function weighVerdict(relay: Relay, submission: number): Promise<void> {
  const record = submissionOf(relay, submission);
  const { given } = record;
  if (!given) return;
  const looked = underReview(record);
  const seen = await lookAgain(relay, looked, given);
  if (!seen || relay.control.interrupt.aborted) return;
  const { review, base, trial } = relay.places;
  for (const clone of [review, base, trial]) removeClone(clone);
  const guarded = [
    ...record.tampered,
    ...(record.tampered.length > 0 ? [openingOf(relay).contract.path] : []),
    ...(record.inspection?.protected ?? []).map(({ path }) => path),
  ];
  const { takenBack = [], ...found } = seen;
  const listed = listedPlaces(looked.inspection);
  const onto = unconfirmed(record)?.baseCommit;
  const { why, ...judged } = weigh(given, { ...found, guarded, listed, confirms: onto !== undefined });
  const { session, verdict, trend, summary } = given;
  const body = {
    submission,
    session,
    ...(onto === undefined ? {} : { onto }),
    verdict,
    ...judged,
    ...(trend === undefined ? {} : { trend }),
    ...(summary === undefined ? {} : { summary }),
    ...(takenBack.length > 0 && { takenBack }),
  };
  relay.record(
    why.length > 0
      ? { type: "review.refused", ...body, why }
      : { type: "review.decided", by: "reviewer", ...body },
  );
}

/** What was found before: in earlier rounds, and by others on the same submission, in verdicts that did not count, too. */
function earlierFindings(relay: Relay, submission: number): SubmissionRecord["reviews"][0]["findings"] {
  return openingOf(relay)
    .submissions.filter((one) => one.submission <= submission)
    .flatMap(({ reviews, confirmations, refusals }) => [...refusals, ...reviews, ...confirmations])
    .flatMap(({ findings }) => findings);
}

type Seen = Omit<Known, "guarded"> & { takenBack?: TakenBack[] };

/** Undefined where the clone of the submission cannot be set up any more: a person is asked. */
async function lookAgain(
  relay: Relay,
  record: SubmissionRecord,
  given: NonNullable<SubmissionRecord["given"]>,
): Promise<Seen | undefined> {
  const { submission, head } = record;
  const known = {
    criteria: criteriaNow(relay),
    checks: record.checks?.results ?? [],
    earlier: earlierFindings(relay, submission),
  };
  const commands = commandsToRun(given, known);
  const files = filesNamed(given);
  const nothing = { branch: new Map(), base: new Map(), lines: new Map(), added: new Map() };
  if (commands.length + files.length + known.checks.length === 0) return { ...known, ...nothing };
  const clone = await cloneWithAdditions(relay, record, given);
  if (!clone) return undefined;
  const logs = join(relay.places.submission(submission), `evidence-${given.session}`);
  const at = { folder: clone.folder, logs, name: named`evidence`, before: clone.restore };
  const results = await run(relay, { ...at, commands });
  const branch = new Map(results.map((result) => [result.command, ranOf(relay, result)]));
  if (relay.control.interrupt.aborted) return { ...known, ...nothing };
  const forBase = commandsForBase(given, { ...known, branch });
  const { base, measured, ms, trouble } = await runOnBase(relay, { head, commands: forBase, logs, clone });
  const both = { ...known, branch: new Map([...branch, ...measured]), base };
  const telling = commandsForEmptied(given, both);
  const trial = record.checks?.trial;
  const { changes, ...taken } = await takeBackFromEvidence(
    () => begin(relay, record, { msSpent: (trial?.ms ?? 0) + ms, logs: join(logs, "taken-back") }),
    { trial, commands: telling, resolved: commandsResolved(both), added: clone.added, built: clone.built },
  );
  const own = telling.map(({ command }) => command).filter((command) => branch.has(command));
  const again = await run(relay, {
    ...at,
    logs: join(logs, "again"),
    name: named`evidence again`,
    commands: own,
  });
  return {
    ...both,
    ...taken,
    again: new Map(again.map((result) => [result.command, ranOf(relay, result)])),
    takenBack: changes,
    ownRulers: await ownRulers(relay, head, [...measured.keys()]),
    baseTrouble: trouble,
    lines: linesOf(clone.folder, files),
    added: await linesSaid(relay, head, files),
  };
}

/** The commands that measure by what the submission changes. */
async function ownRulers(relay: Relay, head: string, commands: readonly string[]): Promise<Set<string>> {
  if (commands.length === 0) return new Set();
  const start = await startOf(relay, head);
  const changed = await namesBetween(relay.repository.root, start, head);
  const all = await Promise.all(
    commands.map(async (command) => {
      const named = new Set((await filesRunBy(relay, { start, head, changed }, [command])).keys());
      return measuresItself(command, { changed, named }) ? [command] : [];
    }),
  );
  return new Set(all.flat());
}

function linesOf(folder: string, files: readonly string[]): Map<string, number> {
  const lines = new Map<string, number>();
  for (const file of files) {
    const text = readInside(folder, file, evidenceBytesMax);
    if (text !== undefined) lines.set(file, text.replace(/\n$/, "").split("\n").length);
  }
  return lines;
}

async function linesSaid(
  relay: Relay,
  head: string,
  files: readonly string[],
): Promise<Map<string, Set<number>>> {
  if (files.length === 0) return new Map();
  const { diff } = await diffOf(relay, await startOf(relay, head), head);
  return linesAdded(readDiff(diff), openingOf(relay).contract.path);
}

/** The Reviewer's clone as it was submitted, with the files that the Reviewer added to it. */
async function cloneWithAdditions(
  relay: Relay,
  { submission, head }: SubmissionRecord,
  { session }: { session: number },
): Promise<(Clone & { built: string[] }) | undefined> {
  const clone = await reviewClone(relay, submission);
  if (!clone) return undefined;
  const { folder } = clone;
  const wip = relay.state.sessions.find((one) => one.session === session)?.ended?.wip;
  const changed = wip === undefined ? [] : await changedFiles(relay.repository.git, head, wip);
  const added = changed.flatMap(({ path, before, after }) => (before ? [] : [{ path, to: after }]));
  const own = snapshotFolder(folder);
  const tree = await treeWith(relay.repository, { start: head, edits: added, own });
  await layTree(relay.repository, folder, tree);
  keepGitState(folder);
  const built = await ignoredIn(relay.repository, folder, tree);
  return { folder, added, built, restore: () => restoreClone(relay, folder, tree) };
}
