/** What the journal holds of a session: its start, its marks, its end, its handoff, and what exit detection made of it. */
import { z } from "zod";
import { closingSchema } from "../../exit/closing.ts";
import { exitFactsSchema, exitReasonSchema, exitSignalSchema } from "../../reason/exit-schema.ts";
import { budgetMarkSchema, evidenceSchema } from "../../reason/ending-schema.ts";
import { startReasonSchema } from "../../reason/start-schema.ts";
import { roles } from "../../settings/agent-kinds.ts";
import { unfinishedSchema } from "../../exit/unfinished.ts";
import { networkModes } from "../../settings/network.ts";
import { commit, containmentSchema, count, ordinal, resetGuessed, sha256 } from "./fields.ts";

/** Why a session ended. `unknown` is never taken for done. The last two are a Reviewer's. */
export const stopReasons = [
  "submitted",
  "handed_over",
  "context_limit",
  "timeout",
  /** Nothing came of its start. */
  "not_started",
  "silent",
  "user_interrupt",
  "usage_limit",
  "budget",
  "question",
  "needs_login",
  "failure",
  "completed_without_submit",
  "unknown",
  "decided",
  "no_verdict",
] as const;

/** What ended a session from outside: it says nothing of the work. */
const outsideCauses = ["runner_died", "outage"] as const;

export const sessionSchemas = [
  z
    .object({
      type: z.literal("session.started"),
      session: ordinal,
      role: z.enum(roles),
      agent: z.string(),
      host: z.string(),
      /** The `monoco run` that started it, for limits that span its relays. */
      run: z.string().optional(),
      head: commit,
      /** An Executor's: where the base stands in its clone. */
      base: commit.optional(),
      /** The id that its agent was given for the conversation, where it takes one. */
      agentSessionId: z.string().optional(),
      /** The session whose conversation it goes on with. */
      continues: ordinal.optional(),
      /** The handoff that the session was given: the session that left it and its hash. */
      handoff: z.object({ session: count, sha256 }).optional(),
      /** A Reviewer's: the submission that its verdict is bound to. */
      submission: ordinal.optional(),
      /** How the process tree is held together: see agents/launcher.ts. */
      containment: containmentSchema,
      /** What its sandbox leaves of the network, where that is not all. */
      network: z.enum(networkModes).optional(),
      reason: startReasonSchema,
    })
    .describe(
      "a session is about to be started: role, agent, commit, where the base stands in its clone, the handoff it is given, containment, network",
    ),
  z
    .object({
      type: z.literal("session.identified"),
      session: ordinal,
      agentSessionId: z.string(),
      model: z.string().optional(),
    })
    .describe("the agent told its own session id and model"),
  z
    .object({
      type: z.literal("network.refused"),
      /** Of a session, or of a command of set-up and checks. */
      session: ordinal.optional(),
      command: z.string().optional(),
      refused: z.array(
        z.object({
          host: z.string(),
          port: count,
          /** Nobody has named it, or it is an address in the place of a name, or its name leads to a private address. */
          why: z.enum(["unlisted", "address", "private"]),
          times: ordinal,
        }),
      ),
    })
    .describe("hosts that `network: vendors` refused to a session, a set-up or a check"),
  z
    .object({
      type: z.literal("usage.measured"),
      session: ordinal,
      contextTokens: count,
      windowTokens: count.optional(),
      costUsd: z.number().optional(),
      /** All that the session has used so far, in and out. */
      tokens: count.optional(),
      mark: z.enum(["plan", "wrap_up", "stop"]),
      /** Where it is not the context's mark but a budget's. */
      reason: budgetMarkSchema.optional(),
    })
    .describe("a context mark was reached: tokens, window, cost"),
  z
    .object({
      type: z.literal("extension.granted"),
      session: ordinal,
      minutes: z.number().positive(),
      because: z.string(),
    })
    .describe("a session asked for more time and got it"),
  z
    .object({
      type: z.literal("session.ended"),
      session: ordinal,
      reason: z.enum(stopReasons),
      /** What the stop reason was read off: values, and what programs said. */
      evidence: z.array(evidenceSchema),
      /** What ended it from outside, if that did: its runner's or the machine's death, an outage of the vendor's. */
      cause: z.enum(outsideCauses).optional(),
      /** Of a failure: what it ended of, without what differs from one time to the next. */
      signature: z.string().optional(),
      exitCode: z.number().int().nullable(),
      signal: z.string().nullable(),
      /** The workspace's head after the session, as fetched into the person's repository. */
      head: commit,
      /** Commits that this session added. */
      commits: count,
      /** Files that differ from the session's start, committed or not. */
      filesChanged: count,
      /** Anything done at all: a commit, a tracked change, untracked content, a checkbox. */
      progress: z.boolean(),
      /** The commit that keeps uncommitted work, if there was any. */
      wip: commit.optional(),
      /** What of git's it left in the middle in its clone, where the next session finds it. */
      unfinished: unfinishedSchema.optional(),
      contextTokens: count.optional(),
      windowTokens: count.optional(),
      costUsd: z.number().optional(),
      tokens: count.optional(),
      resetsAtMs: count.optional(),
      resetGuessed,
      durationMs: count,
      /** What the agent said, characters. */
      outputChars: count.optional(),
      /** Tools that were denied to the agent, where it tells. */
      denied: z.array(z.string()).optional(),
      /** What it answered when it was asked once more whether the work is done. */
      closing: closingSchema.optional(),
      /** For a person, where one is needed: the version of the agent's program, and how to log in. */
      program: z.string().optional(),
    })
    .describe("a session is over: stop reason, evidence, exit, commits, uncommitted work, figures"),
  z
    .object({
      type: z.literal("handoff.recorded"),
      session: ordinal,
      source: z.enum(["agent", "completed", "generated"]),
      text: z.string(),
      sha256,
      lint: z.array(z.string()),
      /** Boxes of the issue that are done or cancelled now. */
      resolved: count.optional(),
    })
    .describe("its handoff: text, and whether the agent wrote it, monoco completed it, or generated it"),
  z
    .object({
      type: z.literal("signal.scored"),
      session: ordinal,
      /** Each signal of the vote, with the numbers that led to it. */
      signals: z.array(exitSignalSchema),
      total: z.number(),
      threshold: z.number(),
      promise: z.boolean(),
      exitSignal: z.boolean().nullable(),
      indicators: count,
      facts: exitFactsSchema.optional(),
      closing: closingSchema.optional(),
      refusalGone: z.string().optional(),
      /** What of the agent's own words speaks against its claim to be done. */
      contradiction: z.string().optional(),
      done: z.boolean(),
      testOnly: z.boolean(),
      finished: z.boolean(),
      reason: exitReasonSchema,
    })
    .describe(
      "a session ended without a submit: each signal of exit detection with its numbers, and whether the work looks finished",
    ),
] as const;
