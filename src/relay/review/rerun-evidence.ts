/** Looks for itself at what a verdict names as evidence, in the Reviewer's clone with the submission's own files, and weighs it. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import type { CheckResult } from "../../core/review/check-result.ts";
import { evidenceBytesMax, rerunMsMax, rerunsMsMax } from "../../core/limits.ts";
import type { SubmissionRecord } from "../../core/journal/relay-state.ts";
import { commandsToRun, filesNamed, weigh } from "../../core/review/judge-verdict.ts";
import { runCommands } from "../run-checks.ts";
import { criteriaNow } from "./contract.ts";
import { readInside } from "../read-inside.ts";
import { openingOf } from "../relay.ts";
import type { Relay } from "../relay.ts";
import { reviewClone } from "./submission.ts";

/** Records review.decided, or review.refused with what is wrong; nothing on Ctrl-C: it is done again. */
export async function weighVerdict(relay: Relay, submission: number): Promise<void> {
  const record = relay.state.submissions.find((candidate) => candidate.submission === submission)!;
  const { given } = record;
  if (!given) return;
  const checks = record.checks?.results ?? [];
  const commands = commandsToRun(given, checks);
  const files = filesNamed(given);
  const { exits, lines } =
    commands.length + files.length > 0
      ? await lookAgain(relay, record, { commands, files })
      : { exits: new Map<string, number | null>(), lines: new Map<string, number>() };
  if (relay.control.interrupt.aborted) return;
  relay.edges.workspace.removeClone(relay.places.review);
  const guarded = [
    ...record.tampered,
    ...(record.tampered.length > 0 ? [openingOf(relay).contract.path] : []),
    ...(record.inspection?.protected ?? []).map(({ path }) => path),
  ];
  const { why, ...judged } = weigh(given, {
    criteria: criteriaNow(relay),
    checks,
    exits,
    lines,
    guarded,
    earlier: earlierFindings(relay, submission),
  });
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
function earlierFindings({ state }: Relay, submission: number): SubmissionRecord["reviews"][0]["findings"] {
  return state.submissions
    .filter((one) => one.submission <= submission && one.submission > state.submissionsBefore)
    .flatMap(({ reviews, refusals }) => [...refusals, ...reviews].flatMap(({ findings }) => findings));
}

async function lookAgain(
  relay: Relay,
  record: SubmissionRecord,
  named: { commands: string[]; files: string[] },
): Promise<{ exits: Map<string, number | null>; lines: Map<string, number> }> {
  const { submission, given } = record;
  const { workspace } = relay.edges;
  const there = workspace.isOwnFolder(relay.places.review);
  const { folder } = await reviewClone(relay, submission);
  const added = relay.state.sessions.find(({ session }) => session === given?.session)?.ended?.wip;
  if (!there && added) {
    const ref = workspace.refs.wip(relay.issue, given!.session);
    await workspace.restoreFiles(relay.repository.root, folder, ref);
    await reviewClone(relay, submission);
  }
  const lines = new Map<string, number>();
  for (const file of named.files) {
    const text = readInside(folder, file, evidenceBytesMax);
    if (text !== undefined) lines.set(file, text.replace(/\n$/, "").split("\n").length);
  }
  const run = {
    commands: named.commands,
    folder,
    logs: join(relay.places.submission(submission), `evidence-${given!.session}`),
    name: "evidence",
    minutes: rerunMsMax / 60_000,
    // Most agents run theirs by it; sh refuses some of what it takes.
    shell: existsSync("/bin/bash") ? "/bin/bash" : "/bin/sh",
    totalMs: rerunsMsMax,
  };
  const results: CheckResult[] = await runCommands(relay, run, false);
  return { lines, exits: new Map(results.map(({ command, exitCode }) => [command, exitCode])) };
}
