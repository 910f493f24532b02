/** monoco issue review: the dossier of a submission, and a person's verdict on it. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { MonocoError } from "../../core/error/error.ts";
import { saidCharsMax } from "../../core/limits.ts";
import { plain, plainLine } from "../../core/text/sanitize.ts";
import { criteriaOf } from "../../core/issue/contract.ts";
import { dossierOf } from "../../core/report/dossier.ts";
import { parseIssue } from "../../core/issue/issue.ts";
import { whyNoVerdict } from "../../core/relay/person-verdict.ts";
import type { Opening, SubmissionRecord } from "../../core/journal/relay-state.ts";
import { resumeCommand } from "../../views/hint.ts";
import { currentSubmission, runningSession } from "../../core/relay/phase.ts";
import { replay } from "../../core/journal/state.ts";
import { gitOr } from "../../git/git.ts";
import { readJournal } from "../../store/journal.ts";
import { isLocked } from "../../store/lock.ts";
import { repositoryPlaces } from "../../store/places.ts";
import { printJson } from "../../views/json.ts";
import { personFindings } from "../../core/review/comments.ts";
import type { Comment } from "../../core/review/comments.ts";
import { deliver } from "../../app/message.ts";
import { currentSession } from "../../app/session-context.ts";
import { backgroundRun, isTakenInBackground } from "../../app/runner-lock.ts";
import { openHere, placesFor, relayOrHere } from "../../app/here.ts";
import type { Here } from "../../app/here.ts";
import { earlierOf } from "../../app/overview/escapes-here.ts";
import { validId } from "../../app/valid-id.ts";
import { tellFailure } from "../../views/failure.ts";
import { paint } from "../../views/paint.ts";
import { io } from "../../io/io.ts";
import { page } from "../editor.ts";
import { coloured, plainDiff } from "../relay/diff.ts";
import { commentsFor } from "./comments.ts";
import { t } from "../../core/language/translate.ts";
import { named } from "../../core/language/names.ts";

export type ReviewFlags = {
  show: boolean;
  approve: boolean;
  requestChanges: boolean;
  edit: boolean;
  stat: boolean;
  file: readonly string[];
  message?: readonly string[];
  /** Comments on lines of the diff. */
  comments?: readonly Comment[];
  /** The submission that the verdict is about; the last one by default. */
  submission?: number;
  /** An approval goes on to the merge. */
  run: boolean;
  /** It does so in the background. */
  detach: boolean;
  remote?: boolean;
  json: boolean;
};

/** Reviews each issue by itself: a refusal does not affect the others. */
export async function review(ids: readonly string[], flags: ReviewFlags): Promise<number> {
  refuseFlags(ids, flags);
  const here = await openHere();
  const issues = ids.length === 0 ? [await relayOrHere(here, undefined)] : [...new Set(ids.map(validId))];
  if (issues.length === 1) return goOn([await reviewOne(here, issues[0]!, flags)], flags.detach);
  const came: Reviewed[] = [];
  for (const issue of issues)
    came.push(
      await reviewOne(here, issue, flags).catch((error: unknown) => ({ code: tellFailure(error, issue) })),
    );
  return goOn(came, flags.detach);
}

/** An exit code, and the issue whose relay has an approval that nobody has acted on yet. */
export type Reviewed = { code: number; approved?: string };

/** Whether a run that goes on anyway will act on the approval. */
function isFollowed(here: Here, issue: string): boolean {
  const places = repositoryPlaces(here.repository.root, io().env);
  return isTakenInBackground(places, issue) || isLocked(placesFor(here, issue).runnerLock);
}

/** Resumes what was approved, once all verdicts are given. */
export async function goOn(came: readonly Reviewed[], detach: boolean): Promise<number> {
  const here = await openHere();
  const ids = came.flatMap(({ approved }) => approved ?? []).filter((id) => !isFollowed(here, id));
  const code = Math.max(0, ...came.map((one) => one.code));
  if (ids.length === 0) return code;
  const { run, worstFirst } = await import("../run/run.ts");
  const ends = [
    code,
    await run(ids, { jobs: 1, once: false, wait: false, json: false, resume: true, detach }),
  ];
  return worstFirst.find((end) => ends.includes(end)) ?? 0;
}

/** Throws `input` for flags that make no verdict. */
export function refuseFlags(ids: readonly string[], flags: ReviewFlags): void {
  if (currentSession()) {
    throw new MonocoError("input", t`a verdict by command is a person's: a session cannot give one`, {
      hint: t`an Executor submits; a Reviewer's verdict is read from its own output`,
    });
  }
  if (flags.approve && flags.requestChanges)
    throw new MonocoError("input", t`--approve or --request-changes, not both`);
  const judges = flags.approve || flags.requestChanges || flags.edit;
  if (flags.submission !== undefined && (ids.length > 1 || !judges))
    throw new MonocoError("input", t`--submission is for a verdict on one issue`);
  if (flags.show && (flags.approve || flags.requestChanges))
    throw new MonocoError("input", t`--show, or a verdict: not both`);
  if (ids.length > 1 && flags.requestChanges)
    throw new MonocoError("input", t`what has to change differs: --request-changes takes one issue`);
  if (flags.edit && (flags.approve || flags.show || flags.message || ids.length > 1))
    throw new MonocoError("input", t`--edit writes what has to change in one issue: give it alone`);
  const length = flags.message?.join("\n\n").length ?? 0;
  if (length > saidCharsMax) {
    throw new MonocoError("input", t`-m: ${length} characters, more than ${saidCharsMax}`, {
      hint: t`say it in fewer words, and put the rest into a file of the repository`,
    });
  }
}

export async function reviewOne(here: Here, issue: string, flags: ReviewFlags): Promise<Reviewed> {
  const { opening } = replay(readJournal(placesFor(here, issue).journal));
  const submission = opening && currentSubmission(opening);
  if (!submission && flags.submission !== undefined)
    throw new MonocoError("input", t`submission ${flags.submission} is not the one under review`);
  if (!submission) return { code: await reviewByHand(issue, flags) };
  if (!flags.approve && !flags.requestChanges && !flags.edit)
    return { code: await dossier(here, { opening, submission, flags }) };
  return decide(here, { opening, submission, flags });
}

/** Reviews without a submission: the issue's file says that a person submitted by hand. */
async function reviewByHand(issue: string, flags: ReviewFlags): Promise<number> {
  const { json } = flags;
  const comment = flags.message === undefined ? undefined : plain(flags.message.join("\n\n"));
  if (flags.approve === flags.requestChanges) {
    throw new MonocoError("input", t`${issue} has no submission to review`, {
      hint: t`monoco status ${issue}; work done by hand: --approve, or --request-changes -m "…"`,
    });
  }
  if (flags.requestChanges && !comment?.trim()) {
    throw new MonocoError("input", t`what has to change?`, {
      hint: `monoco issue review ${issue} --request-changes -m "…"`,
    });
  }
  const { step } = await import("./step.ts");
  const text = comment?.trim();
  return step(flags.approve ? "close" : "request_changes", [issue], { json, ...(text && { comment: text }) });
}

async function decide(
  here: Here,
  of: { opening: Opening; submission: SubmissionRecord; flags: ReviewFlags },
): Promise<Reviewed> {
  const { opening, submission, flags } = of;
  const { issue } = opening;
  const why = whyNoVerdict(opening, flags.submission ?? submission.submission);
  if (why) throw new MonocoError("input", why, { hint: whatToDo(opening) });
  const { body, sent } = await verdictOf(here, of);
  const { verdict } = body;
  const delivery = await deliver(here, issue, body);
  if (delivery.by === "taken" && delivery.refused !== undefined) {
    throw new MonocoError("input", delivery.refused, {
      hint:
        submission.checks?.ok === false
          ? waysOn(opening)
          : t`monoco issue review ${issue} shows where it stands`,
    });
  }
  sent();
  const waits = delivery.by === "taken" && !isFollowed(here, issue);
  // There is one run in the background: the person resumes what another one does not take.
  const isFree = !flags.detach || !backgroundRun(repositoryPlaces(here.repository.root, io().env));
  const goesOn = flags.approve && flags.run && !flags.json && waits && isFree;
  const next = waits ? resumeCommand({ opening }) : `monoco status ${issue}`;
  if (flags.json)
    printJson({ issue, submission: submission.submission, verdict, delivered: delivery.by, next });
  else {
    io().stdout.write(t`${issue}: submission ${submission.submission}: ${named(verdict)}\n`);
    if (!goesOn) io().stdout.write(t`next: ${next}\n`);
  }
  return { code: 0, ...(goesOn && { approved: issue }) };
}

/** A person's verdict as a message; `sent` forgets the comments once it is delivered. */
export async function verdictOf(
  here: Here,
  { opening, submission, flags }: { opening: Opening; submission: SubmissionRecord; flags: ReviewFlags },
) {
  const messages = flags.message ?? [];
  const { comments, sent } = flags.approve
    ? { comments: [], sent: () => undefined }
    : flags.comments
      ? { comments: flags.comments, sent: () => undefined }
      : await commentsFor(here, { opening, submission, messages, edit: flags.edit });
  const verdict = flags.approve ? ("approve" as const) : ("request_changes" as const);
  const findings = personFindings(comments, submission.submission);
  const summary = messages.join("\n\n").trim();
  return { body: { type: "review", submission: submission.submission, verdict, findings, summary }, sent };
}

/** The next steps while checks fail, which no approval overrules. */
function waysOn({ issue, branch }: Opening): string {
  return t`fix it on ${branch} and monoco issue submit there, or let an Executor fix it: monoco resume ${issue}`;
}

function whatToDo(opening: Opening): string {
  const { issue } = opening;
  return runningSession(opening)
    ? t`monoco stop ${issue} ends it (monoco resume ${issue} collects one that was cut off); then review`
    : t`monoco issue review ${issue} shows where it stands`;
}

export async function dossier(
  here: Here,
  of: { opening: Opening; submission: SubmissionRecord; flags: ReviewFlags },
): Promise<number> {
  const { opening, submission, flags } = of;
  const { issue, baseCommit, title, contract } = opening;
  const range = `${baseCommit}...${submission.head}`;
  const compare = (how: readonly string[]): Promise<string> =>
    gitOr(here.repository.git(["diff", ...how, ...plainDiff, range, "--", ...flags.file]), "");
  const stat = await compare(["--stat"]);
  if (flags.json) {
    printJson({ issue, title, ...submission, stat: stat.trimEnd() });
    return 0;
  }
  const { relay } = placesFor(here, issue);
  const criteria = criteriaOf(parseIssue(contract.text, contract.path));
  const earlier = await earlierOf(here, opening, submission);
  const input = { opening, submission, criteria, stat, reader: { logs: relay }, ...(earlier && { earlier }) };
  const parts = [plain(dossierOf(input))];
  for (const { session, by } of submission.reviews.slice(-1)) {
    const added = by === "reviewer" ? addedBy(opening, session) : undefined;
    if (added) parts.push(t`What the Reviewer added: git diff ${submission.head} ${added}\n`);
  }
  for (const result of submission.checks?.results ?? []) {
    const log = join(relay, result.log);
    if (result.exitCode !== 0 && result.log !== "" && existsSync(log))
      parts.push(
        `${paint("bad", plainLine(result.command))}\n${plain(readFileSync(log, "utf8").slice(-1_000))}\n`,
      );
  }
  if (!flags.stat) parts.push(coloured(await compare([]), range));
  await page(parts.join("\n"));
  if (whyNoVerdict(opening, submission.submission) === undefined)
    io().stdout.write(
      t`\nnext: monoco issue review ${issue}${flags.remote ? " --remote" : ""} --approve, or --request-changes -m "…"\n`,
    );
  return 0;
}

function addedBy({ sessions }: Opening, session: number | undefined): string | undefined {
  return sessions.find((record) => record.session === session)?.ended?.wip;
}
