/** What a session's ending means: a ladder of rules, most specific first. No single field is ever trusted. */
import type { AgentEnding, OutsideCause, StopReason } from "../journal/event.ts";
import type { Role } from "../settings/agent-kinds.ts";
import { errorSignature } from "../error/error-signature.ts";
import type { LimitReason } from "../reason/reason-schema.ts";
import { refusalIn } from "./limit-phrases.ts";
import { failures } from "../journal/counts.ts";
import { t } from "../language/translate.ts";

/** All the evidence there is when the process tree is gone and the outbox is drained. */
export type Ending = {
  role: Role;
  /** Why monoco itself stopped the session, recorded before the signal. */
  stoppedBy?: { reason: StopReason; because: string; cause?: OutsideCause } | undefined;
  /** A submit message lay in the outbox. */
  submitted: boolean;
  /** A valid RALPH.md of this very session is there, or its handoff message. */
  handedOver: boolean;
  /** It was told to wrap up at its second mark. */
  wrapUp?: { reason: StopReason; why: string; limit?: LimitReason } | undefined;
  /** What it asked a person. */
  question?: string | undefined;
  /** The agent's verdict, read from its own pipe (a Reviewer's). */
  verdict: "valid" | "malformed" | "none";
  /** That verdict is an approval. */
  approves?: boolean;
  /** The agent's own structured end. */
  agent?: { ending: AgentEnding; evidence: string } | undefined;
  /** The agent is one that always tells its end, and it did not: also with exit status 0 it was cut short. */
  cutShort: boolean;
  /** A usage limit was told by a structured event. */
  limitText?: string | undefined;
  /** The agent compacted its context by itself. */
  compacted: boolean;
  exitCode: number | null;
  signal: string | null;
  /** The program could not be started at all. */
  spawnError?: string | undefined;
  /** The last lines of standard error. */
  stderrTail: string;
};

/** `cause`: what ended it from outside, where that did; `limit`: which one it was told to wrap up for. */
export type Outcome = {
  reason: StopReason;
  evidence: string[];
  cause?: OutsideCause;
  limit?: LimitReason | undefined;
};

type Rule = (ending: Ending) => Outcome | undefined;

const say = (reason: StopReason, ...evidence: string[]): Outcome => {
  const lines = evidence.filter((line) => line.trim() !== "");
  return { reason, evidence: lines.length > 0 ? lines : [t`the agent said so, and nothing more`] };
};

const from = (cause: OutsideCause | undefined, outcome: Outcome): Outcome =>
  cause === undefined ? outcome : { ...outcome, cause };

const at = (limit: LimitReason | undefined, outcome: Outcome): Outcome =>
  limit === undefined ? outcome : { ...outcome, limit };

const rules: readonly Rule[] = [
  (e) => (e.spawnError ? say("failure", t`could not be started: ${e.spawnError}`) : undefined),
  // What it ran may have printed that on its output, and then ended or frozen it before it could say otherwise.
  (e) =>
    e.role === "reviewer" && e.verdict === "valid" && e.approves && wasEnded(e)
      ? say("no_verdict", t`it approved, and did not end by itself: ${e.stoppedBy?.because ?? endWords(e)}`)
      : undefined,
  // Else a verdict or a submission that is there counts, whatever happened to the process afterwards.
  (e) =>
    e.role === "reviewer" && e.verdict === "valid"
      ? say("decided", t`a verdict was read from its output`)
      : undefined,
  (e) =>
    e.role === "executor" && e.submitted
      ? say("submitted", t`a submit message lay in its outbox`)
      : undefined,
  (e) =>
    e.stoppedBy
      ? from(
          e.stoppedBy.cause,
          say(
            e.stoppedBy.reason,
            t`stopped by monoco: ${e.stoppedBy.because}`,
            // All that there is to say what it waits for.
            e.stoppedBy.reason === "not_started" ? tail(e) : "",
          ),
        )
      : undefined,
  (e) => (e.agent?.ending === "needs_login" ? say("needs_login", e.agent.evidence) : undefined),
  (e) =>
    e.agent?.ending === "usage_limit" || (e.limitText !== undefined && e.agent?.ending !== "completed")
      ? say("usage_limit", e.limitText ?? "", e.agent?.evidence ?? "")
      : undefined,
  // No event told it; of all words only those of the agent's own failed result count.
  (e) =>
    e.agent?.ending === "failure" || e.agent?.ending === "outage" ? refused(e.agent.evidence) : undefined,
  (e) =>
    e.role === "executor" && e.handedOver && e.wrapUp
      ? at(
          e.wrapUp.limit,
          say(
            e.wrapUp.reason,
            t`wrapped up at its mark: ${e.wrapUp.why}`,
            t`a valid RALPH.md of this session is there`,
          ),
        )
      : undefined,
  (e) =>
    e.role === "executor" && e.handedOver
      ? say("handed_over", t`a valid RALPH.md of this session is there`)
      : undefined,
  (e) => (e.agent?.ending === "context_limit" ? say("context_limit", e.agent.evidence) : undefined),
  (e) => (e.agent?.ending === "budget" ? say("budget", e.agent.evidence) : undefined),
  // An exhausted verdict schema is an error of the agent too; what matters is that there is no verdict.
  (e) =>
    e.role === "reviewer" && e.verdict === "malformed"
      ? say("no_verdict", t`its verdict was malformed`, e.agent?.evidence ?? "")
      : undefined,
  (e) =>
    e.agent?.ending === "interrupted"
      ? say("failure", t`interrupted from outside: ${e.agent.evidence}`)
      : undefined,
  (e) => (e.agent?.ending === "outage" ? from("outage", say("failure", e.agent.evidence)) : undefined),
  (e) => (e.agent?.ending === "failure" ? say("failure", e.agent.evidence, tail(e)) : undefined),
  (e) => (e.signal ? say("failure", endWords(e), tail(e)) : undefined),
  (e) => (e.exitCode !== 0 ? say("failure", endWords(e), e.agent?.evidence ?? "", tail(e)) : undefined),
  (e) =>
    e.cutShort
      ? say("failure", t`its process ended (exit status 0) before it had said how it ended`, tail(e))
      : undefined,
  (e) => (e.compacted ? say("context_limit", t`the agent compacted its context`) : undefined),
  (e) => (e.agent?.ending === "unknown" ? say("unknown", e.agent.evidence) : undefined),
  (e) =>
    e.role === "reviewer"
      ? say("no_verdict", t`it ended without a verdict`, e.agent?.evidence ?? "")
      : undefined,
  (e) => (e.question === undefined ? undefined : say("question", e.question)),
  (e) =>
    e.wrapUp?.reason === "failure"
      ? at(e.wrapUp.limit, say("failure", t`told to wrap up: ${e.wrapUp.why}`, t`it left no valid RALPH.md`))
      : undefined,
  (e) =>
    say(
      "completed_without_submit",
      t`it ended by itself and neither submitted nor handed over`,
      e.agent?.evidence ?? "",
    ),
];

/** What a failure of the session's own ended of, to be told from another; undefined where nothing failed, or from outside. */
export function endingSignature({ reason, evidence, cause }: Outcome): string | undefined {
  if (!failures.has(reason) || cause !== undefined) return undefined;
  return errorSignature(evidence.join("\n")) || undefined;
}

/** The stop reason and its evidence. Total: some rule always applies. */
export function classify(ending: Ending): Outcome {
  for (const rule of rules) {
    const outcome = rule(ending);
    if (outcome) return outcome;
  }
  return say("unknown", t`no rule applies`);
}

const refusals = { limit: "usage_limit", person: "needs_login" } as const;

function refused(evidence: string): Outcome | undefined {
  const refusal = refusalIn(evidence);
  return refusal && say(refusals[refusal], evidence);
}

function tail(ending: Ending): string {
  return ending.stderrTail && `stderr: ${ending.stderrTail}`;
}

/** Killed, gone with an error that it did not explain, or stopped before it had told its end. */
function wasEnded({ stoppedBy, signal, exitCode, agent }: Ending): boolean {
  if (stoppedBy) return !agent;
  return signal !== null || killedBy(exitCode) !== undefined || (exitCode !== 0 && !agent);
}

/** A shell says 128 + n of a program that signal n killed. */
function killedBy(exitCode: number | null): number | undefined {
  return exitCode !== null && exitCode > 128 && exitCode <= 159 ? exitCode - 128 : undefined;
}

function endWords({ signal, exitCode }: Ending): string {
  if (signal) return t`killed by ${signal}`;
  const killed = killedBy(exitCode);
  if (exitCode === null) return t`exit status unknown`;
  return t`exit status ${exitCode}${killed === undefined ? "" : t` (killed by signal ${killed})`}`;
}
