/** What a session's ending means: a ladder of rules, most specific first. No single field is ever trusted. */
import type { AgentEnding, OutsideCause, StopReason } from "../journal/event.ts";
import type { Role } from "../settings/agent-kinds.ts";
import { errorSignature } from "../error/error-signature.ts";
import type { EndingReason, Evidence, StopCause } from "../reason/ending-schema.ts";
import { killedBy } from "../reason/ending-rows.ts";
import { refusalIn } from "./limit-phrases.ts";
import { failures } from "../journal/counts.ts";

/** All the evidence there is when the process tree is gone and the outbox is drained. */
export type Ending = {
  role: Role;
  /** Why monoco itself stopped the session, recorded before the signal. */
  stoppedBy?: { reason: StopReason; because: StopCause; cause?: OutsideCause } | undefined;
  /** A submit message lay in the outbox. */
  submitted: boolean;
  /** A valid RALPH.md of this very session is there, or its handoff message. */
  handedOver: boolean;
  /** It was told to wrap up at its second mark. */
  wrapUp?: { reason: StopReason; why: StopCause } | undefined;
  /** It was asked for its handoff when it had ended at a mark: whether it left one. */
  askedForHandoff?: boolean | undefined;
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

/** `cause`: what ended it from outside, where that did. */
export type Outcome = { reason: StopReason; evidence: Evidence[]; cause?: OutsideCause };

type Rule = (ending: Ending) => Outcome | undefined;

const say = (reason: StopReason, ...evidence: Evidence[]): Outcome => {
  const lines = evidence.filter((one) => typeof one !== "string" || one.trim() !== "");
  return { reason, evidence: lines.length > 0 ? lines : [{ rule: "wordless" }] };
};

const from = (cause: OutsideCause | undefined, outcome: Outcome): Outcome =>
  cause === undefined ? outcome : { ...outcome, cause };

const rules: readonly Rule[] = [
  (e) => (e.spawnError ? say("failure", { rule: "not_startable", said: e.spawnError }) : undefined),
  // What it ran may have printed that on its output, and then ended or frozen it before it could say otherwise.
  (e) =>
    e.role === "reviewer" && e.verdict === "valid" && e.approves && wasEnded(e)
      ? say("no_verdict", { rule: "approved_and_ended", by: e.stoppedBy?.because ?? exited(e) })
      : undefined,
  // Else a verdict or a submission that is there counts, whatever happened to the process afterwards.
  (e) =>
    e.role === "reviewer" && e.verdict === "valid" ? say("decided", { rule: "verdict_read" }) : undefined,
  (e) => (e.role === "executor" && e.submitted ? say("submitted", { rule: "submit_found" }) : undefined),
  (e) =>
    e.stoppedBy
      ? from(
          e.stoppedBy.cause,
          say(
            e.stoppedBy.reason,
            { rule: "stopped", by: e.stoppedBy.because, ...handoffOf(e) },
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
      ? say(
          e.wrapUp.reason,
          { rule: "wrapped_up", by: e.wrapUp.why, ...handoffOf(e) },
          { rule: "handoff_found" },
        )
      : undefined,
  (e) => (e.role === "executor" && e.handedOver ? say("handed_over", { rule: "handoff_found" }) : undefined),
  (e) => (e.agent?.ending === "context_limit" ? say("context_limit", e.agent.evidence) : undefined),
  (e) => (e.agent?.ending === "budget" ? say("budget", e.agent.evidence) : undefined),
  // An exhausted verdict schema is an error of the agent too; what matters is that there is no verdict.
  (e) =>
    e.role === "reviewer" && e.verdict === "malformed"
      ? say("no_verdict", { rule: "verdict_malformed" }, e.agent?.evidence ?? "")
      : undefined,
  (e) =>
    e.agent?.ending === "interrupted"
      ? say("failure", { rule: "interrupted_outside", said: e.agent.evidence })
      : undefined,
  (e) => (e.agent?.ending === "outage" ? from("outage", say("failure", e.agent.evidence)) : undefined),
  (e) => (e.agent?.ending === "failure" ? say("failure", e.agent.evidence, tail(e)) : undefined),
  (e) => (e.signal ? say("failure", exited(e), tail(e)) : undefined),
  (e) => (e.exitCode !== 0 ? say("failure", exited(e), e.agent?.evidence ?? "", tail(e)) : undefined),
  (e) => (e.cutShort ? say("failure", { rule: "cut_short" }, tail(e)) : undefined),
  (e) => (e.compacted ? say("context_limit", { rule: "compacted_itself" }) : undefined),
  (e) => (e.agent?.ending === "unknown" ? say("unknown", e.agent.evidence) : undefined),
  (e) =>
    e.role === "reviewer"
      ? say("no_verdict", { rule: "no_verdict_given" }, e.agent?.evidence ?? "")
      : undefined,
  (e) => (e.question === undefined ? undefined : say("question", e.question)),
  (e) =>
    e.wrapUp?.reason === "failure"
      ? say(
          "failure",
          { rule: "told_to_wrap_up", by: e.wrapUp.why, ...handoffOf(e) },
          { rule: "no_handoff_found" },
        )
      : undefined,
];

const endedByItself = (e: Ending): Outcome =>
  say("completed_without_submit", { rule: "nothing_found" }, e.agent?.evidence ?? "");

/** What a failure of the session's own ended of, to be told from another; undefined where nothing failed, or from outside. */
export function endingSignature({ reason, evidence, cause }: Outcome): string | undefined {
  if (!failures.has(reason) || cause !== undefined) return undefined;
  return errorSignature(evidence.map(leavesOf).join("\n")) || undefined;
}

/** The values alone: no sentence decides. */
function leavesOf(value: unknown): string {
  return typeof value === "object" && value !== null
    ? Object.values(value).map(leavesOf).join(" ")
    : String(value);
}

/** The stop reason and its evidence. Total: who does nothing of what ends a session ended by itself. */
export function classify(ending: Ending): Outcome {
  for (const rule of rules) {
    const outcome = rule(ending);
    if (outcome) return outcome;
  }
  return endedByItself(ending);
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

function exited({ signal, exitCode }: Ending): Extract<EndingReason, { rule: "exited" }> {
  return { rule: "exited", exitCode, signal };
}

function handoffOf({ askedForHandoff: handoff }: Ending): { handoff?: boolean } {
  return handoff === undefined ? {} : { handoff };
}
