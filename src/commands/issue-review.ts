/** monoco issue review: the dossier of a submission, and a person's verdict on it. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { MonocoError } from "../core/error.ts";
import { plain, plainLine } from "../core/plain.ts";
import { findingsText } from "../core/prompt.ts";
import { whyNoVerdict } from "../core/person-verdict.ts";
import type { RelayState, SubmissionRecord } from "../core/relay-state.ts";
import { currentSubmission, runningSession } from "../core/standing.ts";
import { replay } from "../core/state.ts";
import { gitOr } from "../git/git.ts";
import { readJournal } from "../store/journal.ts";
import { deliver } from "./message.ts";
import { currentSession } from "./session-context.ts";
import { idOrHere, openHere, placesFor } from "./here.ts";
import type { Here } from "./here.ts";
import { paint } from "../views/terminal.ts";

export type ReviewFlags = { approve: boolean; requestChanges: boolean; message?: string; json: boolean };

export async function review(id: string | undefined, flags: ReviewFlags): Promise<number> {
  if (currentSession()) {
    throw new MonocoError("input", "a verdict by command is a person's: a session cannot give one", {
      hint: "an Executor submits; a Reviewer's verdict is read from its own output",
    });
  }
  const here = await openHere();
  const issue = await idOrHere(here, id);
  const { journal } = placesFor(here, issue);
  const state = replay(readJournal(journal));
  const submission = currentSubmission(state);
  if (!submission) {
    throw new MonocoError("input", `${issue} has no submission to review`, {
      hint: `monoco relay status ${issue}`,
    });
  }
  if (flags.approve && flags.requestChanges)
    throw new MonocoError("input", "--approve or --request-changes, not both");
  if (!flags.approve && !flags.requestChanges)
    return dossier(here, { issue, state, submission, json: flags.json });
  return decide(here, { issue, state, submission, flags });
}

async function decide(
  here: Here,
  of: { issue: string; state: RelayState; submission: SubmissionRecord; flags: ReviewFlags },
): Promise<number> {
  const { issue, submission, flags } = of;
  const why = whyNoVerdict(of.state, submission.submission);
  if (why) throw new MonocoError("input", why, { hint: whatToDo(of.state, issue) });
  const message = flags.message?.trim() ?? "";
  if (flags.requestChanges && message === "") {
    throw new MonocoError("input", "what has to change?", {
      hint: 'monoco issue review … --request-changes -m "…"',
    });
  }
  const verdict = flags.approve ? "approve" : "request_changes";
  const finding = {
    id: `person-${submission.submission}`,
    severity: "blocker" as const,
    title: message.split("\n")[0] ?? "",
    evidence: { text: message },
  };
  const findings = flags.approve ? [] : [finding];
  const body = { type: "review", submission: submission.submission, verdict, findings, summary: message };
  const delivery = await deliver(here, issue, body);
  if (delivery.by === "taken" && delivery.refused !== undefined) {
    throw new MonocoError("input", delivery.refused, {
      hint: `monoco issue review ${issue} shows where it stands`,
    });
  }
  const next = delivery.by === "taken" ? `monoco relay resume ${issue}` : `monoco relay status ${issue}`;
  if (flags.json)
    process.stdout.write(
      `${JSON.stringify({ issue, submission: submission.submission, verdict, delivered: delivery.by, next })}\n`,
    );
  else process.stdout.write(`${issue}: submission ${submission.submission}: ${verdict}\nnext: ${next}\n`);
  return 0;
}

function whatToDo(state: RelayState, issue: string): string {
  return runningSession(state)
    ? `monoco relay stop ${issue} ends it (monoco relay resume ${issue} collects one that was cut off); then review`
    : `monoco issue review ${issue} shows where it stands`;
}

async function dossier(
  here: Here,
  of: { issue: string; state: RelayState; submission: SubmissionRecord; json: boolean },
): Promise<number> {
  const { issue, state, submission, json } = of;
  const { baseCommit, title } = state.opened!;
  const range = `${baseCommit}...${submission.head}`;
  const stat = (
    await gitOr(
      here.repository.git(["diff", "--stat", "--no-ext-diff", "--no-textconv", "--no-color", range]),
      "",
    )
  ).trimEnd();
  if (json) {
    process.stdout.write(`${JSON.stringify({ issue, title, ...submission, stat })}\n`);
    return 0;
  }
  const { relay } = placesFor(here, issue);
  const write = (text: string): void => void process.stdout.write(`${text}\n`);
  write(`${paint("bold", `${issue}: submission ${submission.submission}`)}  ${plainLine(title)}`);
  write(
    `commit ${submission.head} by ${submission.by}${submission.session ? ` (session ${submission.session})` : ""}; sandbox: none`,
  );
  if (submission.tampered.length > 0)
    write(paint("bad", `TAMPERING: it changes ${submission.tampered.join(", ")}`));
  write(`\n${plain(stat)}\n`);
  if (!submission.checks) write("checks: not run yet");
  else if (submission.checks.results.length === 0) write("checks: none are configured");
  for (const result of submission.checks?.results ?? []) {
    const green = result.exitCode === 0;
    write(
      paint(
        green ? "good" : "bad",
        `${green ? "green" : "RED  "}  ${plainLine(result.command)}  (${join(relay, result.log)})`,
      ),
    );
    const log = join(relay, result.log);
    if (!green && existsSync(log)) write(plain(readFileSync(log, "utf8").slice(-1_000)));
  }
  const { review } = submission;
  if (!review) write(`\nno verdict yet: monoco issue review ${issue} --approve, or --request-changes -m "…"`);
  else
    write(
      `\n${review.verdict} by the ${review.by}\n${plain(findingsText({ ...review, summary: review.overruled ?? review.summary }))}`,
    );
  return 0;
}
