/** Looks for itself at what a verdict names as evidence, on the submission and on the base, and judges the verdict by it. */
import { join } from "node:path";
import { zeroed } from "../../git/git.ts";
import { mergeBase } from "../../git/repository.ts";
import { isOwnFolder, refs, removeClone, restoreFiles } from "../../git/workspace.ts";
import { evidenceBytesMax } from "../../core/limits.ts";
import type { SubmissionRecord } from "../../core/journal/relay-state.ts";
import { commandsForBase, commandsToRun, filesNamed, weigh } from "../../core/review/judge-verdict.ts";
import { listedPlaces } from "../../core/review/inspection.ts";
import type { Known } from "../../core/review/judge-verdict.ts";
import { readDiff } from "../../core/text/diff.ts";
import { ranOf, run, runOnBase } from "./base-runs.ts";
import type { Clone } from "./base-runs.ts";
import { criteriaNow } from "./contract.ts";
import { diffOf } from "./inspect.ts";
import { readInside } from "../read-inside.ts";
import { openingOf } from "../relay.ts";
import type { Relay } from "../relay.ts";
import { reviewClone } from "./submission.ts";

/** Records review.decided, or review.refused with what is wrong; nothing on Ctrl-C: it is done again. */
export async function weighVerdict(relay: Relay, submission: number): Promise<void> {
  const record = relay.state.submissions.find((candidate) => candidate.submission === submission)!;
  const { given } = record;
  if (!given) return;
  const seen = await lookAgain(relay, record, given);
  if (relay.control.interrupt.aborted) return;
  for (const clone of [relay.places.review, relay.places.base]) removeClone(clone);
  const guarded = [
    ...record.tampered,
    ...(record.tampered.length > 0 ? [openingOf(relay).contract.path] : []),
    ...(record.inspection?.protected ?? []).map(({ path }) => path),
  ];
  const { why, ...judged } = weigh(given, { ...seen, guarded, listed: listedPlaces(record.inspection) });
  const { session, verdict, trend, summary } = given;
  const body = {
    submission,
    session,
    verdict,
    ...judged,
    ...(trend === undefined ? {} : { trend }),
    ...(summary === undefined ? {} : { summary }),
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
    .flatMap(({ reviews, refusals }) => [...refusals, ...reviews].flatMap(({ findings }) => findings));
}

async function lookAgain(
  relay: Relay,
  record: SubmissionRecord,
  given: NonNullable<SubmissionRecord["given"]>,
): Promise<Omit<Known, "guarded">> {
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
  const logs = join(relay.places.submission(submission), `evidence-${given.session}`);
  const results = await run(relay, { commands, folder: clone.folder, logs, name: "evidence" });
  const branch = new Map(results.map((result) => [result.command, ranOf(relay, result)]));
  if (relay.control.interrupt.aborted) return { ...known, ...nothing };
  const again = commandsForBase(given, { ...known, branch });
  const { base, measured, trouble } = await runOnBase(relay, { head, commands: again, logs, clone });
  return {
    ...known,
    branch: new Map([...branch, ...measured]),
    base,
    baseTrouble: trouble,
    lines: linesOf(clone.folder, files),
    added: await linesAdded(relay, head, files),
  };
}

function linesOf(folder: string, files: readonly string[]): Map<string, number> {
  const lines = new Map<string, number>();
  for (const file of files) {
    const text = readInside(folder, file, evidenceBytesMax);
    if (text !== undefined) lines.set(file, text.replace(/\n$/, "").split("\n").length);
  }
  return lines;
}

async function linesAdded(
  relay: Relay,
  head: string,
  files: readonly string[],
): Promise<Map<string, Set<number>>> {
  if (files.length === 0) return new Map();
  const { base, baseCommit } = openingOf(relay);
  const start = (await mergeBase(relay.repository.git, `refs/heads/${base}`, head)) ?? baseCommit;
  const { diff } = await diffOf(relay, start, head);
  return new Map(
    readDiff(diff).map(({ path, blocks }) => [
      path,
      new Set(blocks.flatMap(({ added }) => added.map(({ line }) => line))),
    ]),
  );
}

/** The Reviewer's clone as it was submitted, with the files that the Reviewer added to it. */
async function cloneWithAdditions(
  relay: Relay,
  { submission, head }: SubmissionRecord,
  { session }: { session: number },
): Promise<Clone> {
  const { root } = relay.repository;
  const there = isOwnFolder(relay.places.review);
  const { folder } = await reviewClone(relay, submission);
  const wip = relay.state.sessions.find((one) => one.session === session)?.ended?.wip;
  if (!wip) return { folder, added: { commit: head, files: [] } };
  if (!there) {
    await restoreFiles(root, folder, refs.wip(relay.issue, session));
    await reviewClone(relay, submission);
  }
  return { folder, added: await addedBetween(relay, head, wip) };
}

/** The files that only `wip` has, with their content's hash. */
async function addedBetween(relay: Relay, head: string, wip: string): Promise<Clone["added"]> {
  const form = ["-r", "-z", "--no-renames", "--diff-filter=A"];
  const [...fields] = zeroed(await relay.repository.git(["diff-tree", ...form, head, wip]));
  const files: { path: string; raw: string }[] = [];
  for (let at = 0; at + 1 < fields.length; at += 2) files.push({ raw: fields[at]!, path: fields[at + 1]! });
  return { commit: wip, files };
}
