/** Makes the record of a merge from the journal's state at its preparation: the same bytes whenever it is made. */
import { foundBeside } from "../exchange/follow-ups.ts";
import { kindOf } from "../issue/criterion-kind.ts";
import type { EventOf } from "../journal/event.ts";
import type { Opening, SubmissionRecord } from "../journal/relay-state.ts";
import { addedBytesMax } from "../limits.ts";
import { landingOf } from "../report/landing-message.ts";
import { bytesOf } from "../text/bytes.ts";
import { predicateType, statementType } from "./statement-schema.ts";
import type { Predicate, Statement } from "./statement-schema.ts";

export type StatementInput = {
  /** As they were when the merge was prepared. */
  opening: Opening;
  submission: SubmissionRecord;
  prepared: EventOf<"merge.prepared"> & { atMs: number };
  /** The hashes of the journal's last line when the commit was made, and of the line about the merge. */
  journal: { trailer: string; prepared: string };
  /** The texts of the contract's criteria, in order. */
  criteria: readonly string[];
  /** The commit of the base where the work begins. */
  start: string;
  patch: string;
  added: Predicate["added"];
  version: string;
  /** The folder of the Reviewer's clone, which commands may name. */
  reviewFolder: string;
  /** The commit on the base, if a pull request landed another one; its tree where that is here. */
  landed?: { commit: string; tree?: string | undefined; pullRequest?: string | undefined };
};

export function statementOf(input: StatementInput): Statement {
  const { prepared, landed } = input;
  const { commit, tree } = landed ?? prepared;
  return {
    _type: statementType,
    subject: [
      { name: "commit", digest: { gitCommit: commit } },
      ...(tree === undefined ? ([] as const) : ([{ name: "tree", digest: { gitTree: tree } }] as const)),
    ],
    predicateType,
    predicate: predicateOf(input),
  };
}

function predicateOf(input: StatementInput): Predicate {
  const { opening, submission, prepared, landed, journal } = input;
  const { contract, settings, loop } = opening;
  const { inspection, reviews, trial } = submission;
  const { strategy, commit, tree, expectedBase } = prepared;
  const added = keptOf(input.added);
  const answers = reviews.flatMap((review) => review.answers ?? []);
  return {
    monoco: input.version,
    title: opening.title,
    contract: { path: contract.path, sha256: contract.sha256, commit: opening.baseCommit },
    ...(loop && { isLoop: true }),
    merge: {
      strategy,
      commit,
      tree,
      base: expectedBase,
      into: opening.base,
      ...(opening.pullRequest && { above: opening.pullRequest.commit }),
      at: new Date(prepared.atMs).toISOString(),
    },
    patch: input.patch,
    ...(landed?.pullRequest !== undefined && { pullRequest: landed.pullRequest }),
    submission: { tree: submission.tree, base: input.start },
    landing: landingOf(opening, submission, journal.trailer),
    journal: journal.prepared,
    setup: settings.setup,
    ...(settings.shell !== undefined && { shell: settings.shell }),
    checks: ((submission.mergeChecks ?? submission.checks)?.results ?? []).map(
      ({ command, exitCode, flaky, asBefore }) => ({
        command,
        exitCode,
        ...(flaky && { flaky }),
        ...(asBefore && { asBefore }),
      }),
    ),
    criteria: criteriaOf(input),
    added,
    ...(added.length < input.added.length && { addedMore: input.added.length - added.length }),
    ...(trial && { tests: trial }),
    ...(inspection && { listed: { ...inspection, answers } }),
    findings: findingsOf(opening),
  };
}

/** The evidence of the last verdict of a Reviewer; a person's approval says nothing about criteria. */
function criteriaOf({ submission, criteria, reviewFolder }: StatementInput): Predicate["criteria"] {
  const { reviews, refusals } = submission;
  const judged = (reviews.findLast(({ by }) => by === "reviewer") ?? refusals.at(-1))?.criteria ?? [];
  return criteria.flatMap((statement, index): Predicate["criteria"] => {
    const own = judged.filter(({ criterion }) => criterion === index + 1);
    const named = { criterion: index + 1, statement, kind: kindOf(statement).kind };
    if (own.length === 0) return [{ ...named, result: "not_verifiable" }];
    return own.map(({ result, command, exitCode, file, line, base, worth, by, reproduced }) => ({
      ...named,
      result,
      ...(command !== undefined && { command: command.replaceAll(reviewFolder, ".") }),
      ...(exitCode !== undefined && reproduced !== false && { exitCode }),
      ...(file !== undefined && { file }),
      ...(line !== undefined && { line }),
      ...(base !== undefined && { base }),
      ...(worth && { worth }),
      ...(by && { by }),
    }));
  });
}

/** Files as long as there is room for them. */
function keptOf(files: Predicate["added"]): Predicate["added"] {
  let left = addedBytesMax;
  return files.filter(({ text }) => {
    const bytes = bytesOf(text);
    // A text that is not UTF-8 cannot be written again as it was.
    if (bytes > left || text.includes("\uFFFD")) return false;
    left -= bytes;
    return true;
  });
}

/** Each finding of the relay once, in its latest wording. */
function findingsOf(opening: Opening): Predicate["findings"] {
  const beside = new Map(foundBeside(opening).map((finding) => [finding.id, finding]));
  const all = opening.submissions.flatMap(({ reviews, confirmations, refusals }) =>
    [...refusals, ...reviews, ...confirmations].flatMap(({ findings }) => findings),
  );
  return [...new Map(all.map((finding) => [finding.id, finding])).values()].map(
    ({ id, severity, title, criterion, file, line }) => ({
      id,
      severity,
      title,
      ...(criterion !== undefined && { criterion }),
      ...(file !== undefined && { file }),
      ...(line !== undefined && { line }),
      state: !beside.has(id) ? "resolved" : beside.get(id)?.holds ? "overruled" : "open",
    }),
  );
}
