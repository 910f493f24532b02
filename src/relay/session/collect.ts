/** Records the end of a session after its processes are gone: its reason, its work, and what follows. */
import { removeClone } from "../../git/clone/workspace.ts";
import { rmSync } from "node:fs";
import type { EventOf, StopReason } from "../../core/journal/event.ts";
import { saidCharsMax } from "../../core/limits.ts";
import { classify, endingSignature } from "../../core/session/outcome.ts";
import type { Outcome } from "../../core/session/outcome.ts";
import { resetInWords } from "../../core/session/reset-time.ts";
import type { Evidence } from "../../core/reason/ending-schema.ts";
import { findStatusBlock } from "../../core/exit/status-block.ts";
import { limitsOf } from "../relay.ts";
import type { Relay } from "../relay.ts";
import { takeVerdict } from "../review/review.ts";
import { recordRefused } from "../review/submission.ts";
import { turnVerdictsAway } from "../turn-away.ts";
import { takeQuestion, takeQuestionsLeft } from "../people/questions.ts";
import { tellLimit } from "../suspensions.ts";
import type { Seen } from "../../core/session/observations.ts";
import { executorsWork, reviewersWork } from "./work.ts";
import type { Left, Work } from "./work.ts";
import { t } from "../../core/language/translate.ts";

/** Records the session's end. */
export async function collect(relay: Relay, left: Left): Promise<void> {
  const work = left.role === "executor" ? await executorsWork(relay, left) : await reviewersWork(relay, left);
  if (left.role === "executor") takeQuestionsLeft(relay, left.session, left.places.outbox);
  const record = relay.state.sessions.at(-1)!;
  const question = record.asked ?? left.seen.question ?? questionIn(left.seen);
  const outcome = outcomeOf(left, work, question);
  if (outcome.reason === "question" && record.asked === undefined && question !== undefined)
    takeQuestion(relay, { session: left.session, text: question });
  if (outcome.reason === "decided" && left.seen.verdict) takeVerdict(relay, left.session, left.seen.verdict);
  const signature = endingSignature(outcome);
  const about = await aboutAgent(relay, left, outcome.reason);
  const nowMs = relay.nowMs();
  const resets = resetsAt(relay, left.seen, nowMs);
  const verdicts = turnVerdictsAway(relay);
  relay.record({
    type: "session.ended",
    session: left.session,
    reason: outcome.reason,
    ...(outcome.cause === undefined ? {} : { cause: outcome.cause }),
    ...(signature === undefined ? {} : { signature }),
    evidence: [
      ...outcome.evidence,
      ...(verdicts > 0 ? [{ rule: "verdicts_not_taken" as const, count: verdicts }] : []),
      ...about.evidence,
      ...(left.hooksMissing ? [{ rule: "hooks_not_seen" as const }] : []),
      ...ofItsGit(work),
    ],
    exitCode: left.exit.exitCode,
    signal: left.exit.signal,
    head: work.head,
    commits: work.commits,
    filesChanged: work.filesChanged,
    progress: work.progress,
    ...(work.wip ? { wip: work.wip } : {}),
    ...(work.unfinished ? { unfinished: work.unfinished } : {}),
    ...(work.submodules ? { submodules: work.submodules } : {}),
    ...(work.repositories ? { repositories: work.repositories } : {}),
    ...figures(left.seen),
    ...(outcome.reason === "usage_limit" ? resets : {}),
    durationMs: nowMs - record.startedAtMs,
    outputChars: left.seen.outputChars,
    ...(left.seen.closing === undefined ? {} : { closing: left.seen.closing }),
    ...(left.seen.denied.length > 0 ? { denied: left.seen.denied } : {}),
    ...(outcome.reason === "needs_login" && about.program !== undefined ? { program: about.program } : {}),
  });
  if (outcome.cause === "outage") tellLimit(relay, record.agent);
  if (outcome.reason === "usage_limit") {
    const text = left.seen.limit?.text ?? saidOf(outcome.evidence[0]);
    tellLimit(relay, record.agent);
    relay.record({ type: "limit.hit", session: left.session, agent: record.agent, ...resets, text });
  }
  if (left.role === "reviewer") {
    // The clone of a given verdict stays until the verdict is weighed.
    if (!relay.state.submissions.at(-1)?.given) removeClone(left.folder);
  } else {
    await recordRefused(relay, left.session);
    rmSync(relay.places.workspaceUsed, { force: true });
  }
}

function ofItsGit({ foreignRef, setAside, pipes = [], trouble, kept }: Work): Evidence[] {
  return [
    ...(foreignRef ? [{ rule: "foreign_commits" as const, ref: foreignRef }] : []),
    ...(setAside
      ? [{ rule: "settings_set_aside" as const, paths: [...setAside.names], to: setAside.to }]
      : []),
    ...(pipes.length > 0 ? [{ rule: "pipes_removed" as const, paths: [...pipes] }] : []),
    ...(trouble ? [{ rule: "git_unreadable" as const, why: trouble, ...(kept ? { kept } : {}) }] : []),
  ];
}

/** The agent's message about its limit. */
function saidOf(evidence: Evidence | undefined): string {
  if (typeof evidence === "string") return evidence;
  return evidence?.rule === "stopped" && evidence.by.rule === "silent_wait" ? evidence.by.said : "";
}

/** When a limit ends: by its event, otherwise by its words, otherwise guessed and marked so. */
function resetsAt(
  relay: Relay,
  { limit, agent }: Seen,
  nowMs: number,
): { resetsAtMs: number; resetGuessed?: true } {
  const reading = {
    nowMs,
    // A getter, since the time zone loads 6 MB of language data and is needed only if words name a time.
    get zone() {
      return Intl.DateTimeFormat().resolvedOptions().timeZone;
    },
  };
  const resetsAtMs =
    limit?.resetsAtMs ??
    resetInWords(limit?.text ?? "", reading) ??
    resetInWords(agent?.evidence ?? "", reading);
  return resetsAtMs === undefined
    ? { resetsAtMs: nowMs + limitsOf(relay).usageLimitMinutes * 60_000, resetGuessed: true }
    : { resetsAtMs };
}

/** Names the program of a session that went wrong; warns at once if it may not be the program that the adapter knows. */
async function aboutAgent(
  relay: Relay,
  { begun, who }: Left,
  reason: StopReason,
): Promise<{ evidence: Evidence[]; program?: string | undefined }> {
  const strange = !begun && noEnd.has(reason);
  const ran = strange || wentWrong.has(reason) ? await who() : undefined;
  if (!ran) return { evidence: [] };
  const { who: whoRan, measuredOn } = ran;
  if (!strange) return { evidence: [{ rule: "program", who: whoRan }], program: ran.program };
  const text = t`${whoRan} began no session that its adapter knows: ${ran.hint}`;
  relay.onProgress({ type: "warning", text });
  return {
    evidence: [{ rule: "strange_program", who: whoRan, ...(measuredOn === undefined ? {} : { measuredOn }) }],
  };
}

const wentWrong = new Set<StopReason>(["failure", "unknown", "not_started", "silent", "needs_login"]);
/** Ends that a program unknown to the adapter may have. */
const noEnd = new Set<StopReason>([
  "failure",
  "unknown",
  "not_started",
  "silent",
  "completed_without_submit",
  "no_verdict",
]);

/** The question of the closing answer, otherwise of the status block; a session that is done waits for no answer. */
function questionIn({ answer, closing }: Seen): string | undefined {
  if (closing) return closing.done ? undefined : closing.question?.slice(0, saidCharsMax);
  const block = findStatusBlock(answer);
  return block?.exitSignal ? undefined : block?.question?.slice(0, saidCharsMax);
}

function outcomeOf(
  { role, seen, exit, stderrTail, cutShort }: Left,
  work: Work,
  question: string | undefined,
): Outcome {
  return classify({
    role,
    stoppedBy: seen.stoppedBy,
    submitted: work.submitted,
    handedOver: work.handedOver,
    wrapUp: seen.wrapUp,
    askedForHandoff: seen.askedForHandoff,
    question: role === "executor" ? question : undefined,
    verdict: verdictOf(seen),
    approves: seen.verdict?.verdict === "approve",
    agent: seen.agent,
    cutShort,
    limitText: seen.limit?.text,
    compacted: seen.compacted,
    exitCode: exit.exitCode,
    signal: exit.signal,
    spawnError: exit.spawnError,
    stderrTail,
  });
}

/** An approval does not count next to a malformed verdict, which may have been a refusal. */
function verdictOf({ verdict, verdictMalformed }: Seen): "valid" | "malformed" | "none" {
  if (verdictMalformed && verdict?.verdict !== "request_changes") return "malformed";
  return verdict ? "valid" : "none";
}

function figures(
  seen: Seen,
): Pick<EventOf<"session.ended">, "contextTokens" | "windowTokens" | "costUsd" | "tokens"> {
  return {
    ...(seen.contextTokens === undefined ? {} : { contextTokens: seen.contextTokens }),
    ...(seen.windowTokens === undefined ? {} : { windowTokens: seen.windowTokens }),
    ...(seen.costUsd === undefined ? {} : { costUsd: seen.costUsd }),
    ...(seen.tokens === undefined ? {} : { tokens: seen.tokens }),
  };
}
