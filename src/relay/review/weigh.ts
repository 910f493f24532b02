/** Checks a verdict's evidence by running it on several trees, and judges the verdict by the results. */
import { join } from "node:path";
import { namesBetween, snapshotFolder } from "../../git/snapshot.ts";
import { ignoredIn, keepGitState, layTree, treeWith } from "../../git/trees.ts";
import { removeClone } from "../../git/clone/workspace.ts";
import { evidenceBytesMax } from "../../core/limits.ts";
import type { SubmissionRecord } from "../../core/journal/relay-state.ts";
import { refusalsInForce } from "../../core/journal/counts.ts";
import type { Figures } from "../../core/trial/output.ts";
import {
  commandsNamed,
  commandsResolved,
  filesNamed,
  needsGuards,
} from "../../core/review/verdict/to-run.ts";
import { weigh } from "../../core/review/verdict/weigh.ts";
import { linesAdded } from "../../core/review/lines-added.ts";
import { measuresItself } from "../../core/review/own-ruler.ts";
import { placesToAnswer, withRuns } from "../../core/review/inspection.ts";
import { isGuard } from "../../core/review/verdict/known.ts";
import type { Known } from "../../core/review/verdict/known.ts";
import { unconfirmed, underReview } from "../../core/relay/phase.ts";
import { readDiff } from "../../core/text/diff.ts";
import type { Edit } from "../../core/trial/overlays.ts";
import { evidenceRuns, evidenceTrees, measuring, noticed } from "../../core/trial/evidence-runs.ts";
import type { EvidenceCommand, OnTrees } from "../../core/trial/evidence-runs.ts";
import { guardedByEvidence, reached } from "../../core/trial/try-out.ts";
import type { TakenBack, Trial } from "../../core/trial/trial-schema.ts";
import { criteriaNow } from "../contract.ts";
import { additionsOf, reviewClone } from "./check-submission.ts";
import { gatherTrial, runnerFor, unusedFiles } from "./gather.ts";
import type { Gathered } from "./gather.ts";
import { diffOf, filesRunBy } from "./inspect.ts";
import { readInside } from "../read-inside.ts";
import { openingOf, settingsOf, startOf, submissionOf } from "../relay.ts";
import type { Relay } from "../relay.ts";
import { placesOf, settleTrial, trialLogs } from "./try-out.ts";
import { builtBySetUp } from "./side-clone.ts";
import type { Runner } from "./trees.ts";

type Given = NonNullable<SubmissionRecord["given"]>;

/** Records review.decided, or review.refused with the reasons; nothing on Ctrl-C, so that it runs again. */
export async function weighVerdict(relay: Relay, submission: number): Promise<void> {
  const record = submissionOf(relay, submission);
  const { given } = record;
  if (!given) return;
  const looked = underReview(record);
  const seen = await lookAgain(relay, looked, given);
  if (!seen || relay.control.interrupt.aborted) return;
  const guarded = [
    ...record.tampered,
    ...(record.tampered.length > 0 ? [openingOf(relay).contract.path] : []),
    ...(record.inspection?.protected ?? []).map(({ path }) => path),
  ];
  const { takenBack, ...facts } = seen;
  const listed = placesToAnswer(underReview(submissionOf(relay, submission)).inspection);
  const onto = unconfirmed(record)?.baseCommit;
  const asked = refusalsInForce(openingOf(relay), record).length > 0;
  const { why, ...judged } = weigh(given, { ...facts, guarded, listed, asked, confirms: onto !== undefined });
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
  if (why.length > 0) relay.record({ type: "review.refused", ...body, why });
  else relay.record({ type: "review.decided", by: "reviewer", ...body });
  const { review, base, trial } = relay.places;
  // A Reviewer that is asked again continues in the same clones.
  if (why.length === 0 || asked) for (const clone of [review, base, trial]) removeClone(clone);
}

/** Earlier findings: of earlier rounds, and of uncounted verdicts on the same submission. */
function earlierFindings(relay: Relay, submission: number): SubmissionRecord["reviews"][0]["findings"] {
  return openingOf(relay)
    .submissions.filter((one) => one.submission <= submission)
    .flatMap(({ reviews, confirmations, refusals }) => [...refusals, ...reviews, ...confirmations])
    .flatMap(({ findings }) => findings);
}

type Seen = Omit<Known, "guarded"> & { takenBack: TakenBack[] };

/** Gathers the results; undefined if the submission's clone cannot be set up, which blocks the relay for a person. */
async function lookAgain(relay: Relay, record: SubmissionRecord, given: Given): Promise<Seen | undefined> {
  const { submission, head } = record;
  const known = {
    criteria: criteriaNow(relay),
    checks: record.checks?.results ?? [],
    earlier: earlierFindings(relay, submission),
  };
  const clone = await cloneWithAdditions(relay, record, given);
  if (!clone) return undefined;
  const logs = join(relay.places.submission(submission), `evidence-${given.session}`);
  const runner = await runnerFor(relay, record, { logs, builds: clone.builds });
  const input = await gatherTrial(relay, record);
  const approves = given.verdict === "approve";
  const tried = approves && !unconfirmed(submissionOf(relay, submission));
  const trial = tried ? await tryOut(relay, record, { input, guards: needsGuards(given, known) }) : undefined;
  const nothing = {
    ...known,
    runs: new Map(),
    figures: new Map(),
    changed: [],
    lines: new Map(),
    added: new Map(),
  };
  if (relay.control.interrupt.aborted) return { ...nothing, takenBack: [] };
  const commands = commandsNamed(given, known);
  const runs = await runEvidence(relay, { input, runner, clone, known, commands, trial, approves });
  if (relay.control.interrupt.aborted) return { ...nothing, takenBack: [] };
  const figures = new Map<string, Figures>();
  for (const { command, margin } of commands) {
    if (margin) figures.set(command, await runner.drive(measuring(command, clone.added)));
  }
  const takenBack = trial
    ? await guardsOf(given, { known, trial, input, runner, clone, commands, runs })
    : [];
  const files = filesNamed(given);
  const trouble = [...runs.values()].some(({ base }) => base === "no_setup");
  return {
    ...known,
    runs,
    figures,
    ...(trial && { trial: withLater(trial, takenBack) }),
    changed: input.files.filter(({ path }) => path !== openingOf(relay).contract.path),
    takenBack,
    ownRulers: await ownRulers(relay, head, [...figures.keys()]),
    baseTrouble: trouble,
    lines: linesOf(clone.folder, files),
    added: await linesSaid(relay, head, files),
  };
}

/** Runs the trial, and records it and the places that it adds, if they are new. */
async function tryOut(
  relay: Relay,
  record: SubmissionRecord,
  { input, guards }: { input: Gathered; guards: boolean },
): Promise<Trial | undefined> {
  const { submission } = record;
  const logs = trialLogs(relay, submission);
  const runner = await runnerFor(relay, record, { logs });
  const keptRunner = await runnerFor(relay, record, { logs, knownOnly: true });
  const trial = await settleTrial(relay, { runner, keptRunner, input, guards });
  if (relay.control.interrupt.aborted) return undefined;
  const before = submissionOf(relay, submission);
  if (JSON.stringify({ ...before.trial, ms: 0 }) !== JSON.stringify({ ...trial, ms: 0 }))
    relay.record({ type: "submission.tried", submission, trial });
  const places = placesOf(trial, input);
  const inspection = withRuns(before.inspection, places, "trial");
  if (places.length > 0 && JSON.stringify(inspection) !== JSON.stringify(before.inspection))
    relay.record({ type: "submission.inspected", submission, ...inspection });
  return trial;
}

type Looking = {
  input: Gathered;
  runner: Runner;
  clone: Clone;
  known: Pick<Known, "criteria" | "checks" | "earlier">;
  commands: readonly EvidenceCommand[];
};

async function runEvidence(
  relay: Relay,
  of: Looking & { trial: Trial | undefined; approves: boolean },
): Promise<Map<string, OnTrees>> {
  const { input, runner, clone, known, commands, trial, approves } = of;
  const resolved = commandsResolved(known);
  const unused = resolved.length > 0 || approves ? await unusedFiles(relay, input) : [];
  const guards = commands.filter(({ command }) => isGuard(command, { checks: known.checks, trial }));
  return runner.drive(
    evidenceRuns({
      commands,
      files: input.files.filter(({ path }) => path !== openingOf(relay).contract.path),
      trees: evidenceTrees(input.files, input.plan, unused),
      added: clone.added,
      guards: new Set(guards.map(({ command }) => command)),
      stale:
        settingsOf(relay).setup.length > 0 &&
        builtBySetUp(runner.options.sides.submission).some(isBuilt(relay)),
      approves,
      resolved,
    }),
  );
}

/** Changes that no check guards, according to the evidence; if guards are needed, also whether these changes are reached. */
async function guardsOf(
  given: Given,
  of: Looking & { trial: Trial; runs: ReadonlyMap<string, OnTrees> },
): Promise<TakenBack[]> {
  const { known, trial, input, runner, clone, commands } = of;
  const { result } = trial.takeBack;
  if (result !== "tried" && result !== "no_checks") return [];
  // Without the submission's tests, a command that runs tests passes on the base.
  const hasTests = input.files.some(({ role }) => role === "test");
  const shows = commands.filter(({ of: what, exitCode, command }) => {
    const on = of.runs.get(command) ?? {};
    return what === "criterion" && (hasTests || noticed(on.base, exitCode)) && noticed(on.words, exitCode);
  });
  const byEvidence = await runner.drive(
    guardedByEvidence(input, { takeBack: trial.takeBack, commands: shows, added: clone.added }),
  );
  if (!needsGuards(given, known)) return byEvidence;
  const left = withLater(trial, byEvidence).takeBack.changes.filter(({ result: how }) => how === "unguarded");
  return [...byEvidence, ...(await runner.drive(reached(input, left)))];
}

function withLater(trial: Trial, later: readonly TakenBack[]): Trial {
  const place = ({ file, line }: TakenBack): string => `${file}:${line}`;
  const all = new Map([...trial.takeBack.changes, ...later].map((one) => [place(one), one]));
  return { ...trial, takeBack: { ...trial.takeBack, changes: [...all.values()] } };
}

/** Commands that measure by means of files that the submission changes. */
async function ownRulers(relay: Relay, head: string, commands: readonly string[]): Promise<Set<string>> {
  if (commands.length === 0) return new Set();
  const start = await startOf(relay, head);
  const changed = await namesBetween(relay.repository.root, start, head);
  const all = await Promise.all(
    commands.map(async (command) => {
      const filesRun = new Set((await filesRunBy(relay, { start, head, changed }, [command])).keys());
      return measuresItself(command, { changed, filesRun }) ? [command] : [];
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
): Promise<Map<string, Map<number, string>>> {
  if (files.length === 0) return new Map();
  const { diff } = await diffOf(relay, await startOf(relay, head), head);
  return linesAdded(readDiff(diff), openingOf(relay).contract.path);
}

/** The Reviewer's clone as submitted, with the files that the Reviewer added. */
type Clone = { folder: string; added: readonly Edit[]; builds: readonly string[] };

async function cloneWithAdditions(
  relay: Relay,
  record: SubmissionRecord,
  { session }: { session: number },
): Promise<Clone | undefined> {
  const { submission, head } = record;
  const clone = await reviewClone(relay, submission);
  if (!clone) return undefined;
  const { folder } = clone;
  const added = await additionsOf(relay, { head, session });
  const tree = await treeWith(relay.repository, { start: head, edits: added, own: snapshotFolder(folder) });
  await layTree(relay.repository, folder, tree);
  keepGitState(folder);
  const built = await ignoredIn(relay.repository, folder, tree);
  const builds = built.some(isBuilt(relay))
    ? (record.checks?.results ?? []).map(({ command }) => command)
    : [];
  return { folder, added, builds };
}

/** Whether an ignored path is a build product and no dependency. */
function isBuilt(relay: Relay): (path: string) => boolean {
  const dependencies = new Set([...settingsOf(relay).cache, "node_modules", ".venv", "venv"]);
  return (path) => !dependencies.has(path.replace(/\/$/, ""));
}
