/** The meaning of a session's end: a ladder of rules, most specific first. No single field is ever trusted. */
import type { AgentEnding, OutsideCause, StopReason } from "../journal/event.ts";
import type { Role } from "../settings/agent-kinds.ts";
import { errorSignature } from "../error/error-signature.ts";
import type { EndingReason, Evidence, StopCause } from "../reason/ending-schema.ts";
import { killedBy } from "../reason/ending-rows.ts";
import { refusalIn } from "./limit-phrases.ts";
import { failures } from "../journal/counts.ts";

/** All evidence once the process tree is gone and the outbox is empty. */
export type Ending = {
  role: Role;
  /** Why monoco itself stopped the session, recorded before the signal. */
  stoppedBy?: { reason: StopReason; because: StopCause; cause?: OutsideCause } | undefined;
  /** Whether a submit message was in the outbox. */
  submitted: boolean;
  /** Whether this very session left a valid RALPH.md or a handoff message. */
  handedOver: boolean;
  /** The order to wrap up at its second mark. */
  wrapUp?: { reason: StopReason; why: StopCause } | undefined;
  /** Whether it left a handoff when it was asked for one after ending at a mark. */
  askedForHandoff?: boolean | undefined;
  /** The agent's question to a person. */
  question?: string | undefined;
  /** The agent's verdict, read from its own pipe (a Reviewer's). */
  verdict: "valid" | "malformed" | "none";
  /** Whether that verdict is an approval. */
  approves?: boolean;
  /** The agent's own structured report of its end. */
  agent?: { ending: AgentEnding; evidence: string } | undefined;
  /** Whether an agent that always reports its end did not: then it was cut short, even with exit status 0. */
  cutShort: boolean;
  /** The text of a usage limit, from a structured event. */
  limitText?: string | undefined;
  /** Whether the agent compacted its context by itself. */
  compacted: boolean;
  exitCode: number | null;
  signal: string | null;
  /** The error if the program could not start. */
  spawnError?: string | undefined;
  /** The last lines of standard error. */
  stderrTail: string;
};

/** `cause`: the outside cause of the end, if there was one. */
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
  // A program that the agent started could have printed the verdict, and then killed or frozen the agent.
  (e) =>
    e.role === "reviewer" && e.verdict === "valid" && e.approves && wasEnded(e)
      ? say("no_verdict", { rule: "approved_and_ended", by: e.stoppedBy?.because ?? exited(e) })
      : undefined,
  // Otherwise a verdict or a submission counts, whatever happened to the process afterwards.
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
            // The only clue to what the program waits for.
            e.stoppedBy.reason === "not_started" ? tail(e) : "",
          ),
        )
      : undefined,
  (e) => (e.agent?.ending === "needs_login" ? say("needs_login", e.agent.evidence) : undefined),
  (e) =>
    e.agent?.ending === "usage_limit" || (e.limitText !== undefined && e.agent?.ending !== "completed")
      ? say("usage_limit", e.limitText ?? "", e.agent?.evidence ?? "")
      : undefined,
  // No event reported a limit; of all texts only the agent's own failed result counts.
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
  // A verdict schema that the agent failed too often is also an agent error; the point is that there is no verdict.
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

/** The signature of a session's own failure; undefined if nothing failed, or the cause was outside. */
export function endingSignature({ reason, evidence, cause }: Outcome): string | undefined {
  if (!failures.has(reason) || cause !== undefined) return undefined;
  return errorSignature(evidence.map(leavesOf).join("\n")) || undefined;
}

/** The values alone, without sentences. */
function leavesOf(value: unknown): string {
  return typeof value === "object" && value !== null
    ? Object.values(value).map(leavesOf).join(" ")
    : String(value);
}

/** The stop reason with its evidence. A session without any sign of an end ended by itself. */
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

/** Whether the session was killed, exited with an unexplained error, or stopped before it reported its end. */
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
