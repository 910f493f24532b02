/** Events of a session: its start, marks, end and handoff, and the result of exit detection. */
import { z } from "zod";
import { closingSchema } from "../../exit/closing.ts";
import { exitFactsSchema, exitReasonSchema, exitSignalSchema } from "../../reason/exit-schema.ts";
import { budgetMarkSchema, evidenceSchema } from "../../reason/ending-schema.ts";
import { startReasonSchema } from "../../reason/start-schema.ts";
import { roles } from "../../settings/agent-kinds.ts";
import { unfinishedSchema } from "../../exit/unfinished.ts";
import { networkModes } from "../../settings/network.ts";
import { commit, containmentSchema, count, ordinal, resetGuessed, sha256 } from "./fields.ts";

/** The reasons for which a session ends. `unknown` never counts as done. The last two are a Reviewer's. */
export const stopReasons = [
  "submitted",
  "handed_over",
  "context_limit",
  "timeout",
  /** The start failed. */
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

/** Causes from outside, which say nothing about the work. */
const outsideCauses = ["runner_died", "outage"] as const;

export const sessionSchemas = [
  z
    .object({
      type: z.literal("session.started"),
      session: ordinal,
      role: z.enum(roles),
      agent: z.string(),
      host: z.string(),
      /** The `monoco run` that started it, for limits across its relays. */
      run: z.string().optional(),
      head: commit,
      /** The base commit in an Executor's clone. */
      base: commit.optional(),
      /** The conversation id that the agent was given, if it takes one. */
      agentSessionId: z.string().optional(),
      /** The session whose conversation it continues. */
      continues: ordinal.optional(),
      /** The handoff given to the session: its session and its hash. */
      handoff: z.object({ session: count, sha256 }).optional(),
      /** The submission that a Reviewer's verdict is bound to. */
      submission: ordinal.optional(),
      /** The mechanism that contains the process tree: see agents/launcher.ts. */
      containment: containmentSchema,
      /** The network that the sandbox leaves open, if restricted. */
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
      type: z.literal("server.failed"),
      session: ordinal,
      /** The name of the server in the settings of the agent's CLI, if that names it. */
      server: z.string().optional(),
      error: z.string().optional(),
    })
    .describe("an MCP server of the agent failed to start, as its CLI said"),
  z
    .object({
      type: z.literal("network.refused"),
      /** The session; left out for a command of set-up or checks. */
      session: ordinal.optional(),
      command: z.string().optional(),
      refused: z.array(
        z.object({
          host: z.string(),
          port: count,
          /** Why a host was refused: no entry names it, it is a bare address, or its name resolves to a private address. */
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
      /** All tokens that the session has used so far, in and out. */
      tokens: count.optional(),
      mark: z.enum(["plan", "wrap_up", "stop"]),
      /** The budget, if a budget and not the context reached the mark. */
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
      /** The evidence for the stop reason: values, and output of programs. */
      evidence: z.array(evidenceSchema),
      /** The outside cause, if there was one: the runner's or the machine's death, or a vendor's outage. */
      cause: z.enum(outsideCauses).optional(),
      /** For a failure: its error without the parts that vary between runs. */
      signature: z.string().optional(),
      exitCode: z.number().int().nullable(),
      signal: z.string().nullable(),
      /** The workspace's head after the session, as fetched into the person's repository. */
      head: commit,
      /** The number of commits that this session added. */
      commits: count,
      /** The number of files that differ from the session's start, committed or not. */
      filesChanged: count,
      /** Whether the session made any progress: a commit, a tracked change, untracked content, a checkbox. */
      progress: z.boolean(),
      /** The commit that saves uncommitted work, if there was any. */
      wip: commit.optional(),
      /** A git operation that was left unfinished in its clone, where the next session finds it. */
      unfinished: unfinishedSchema.optional(),
      /** Submodules with commits or changes that `head` does not record. */
      submodules: z.array(z.string()).optional(),
      /** Folders of its clone that are repositories of their own, such as linked worktrees: git ignores them from then on. */
      repositories: z.array(z.string()).optional(),
      contextTokens: count.optional(),
      windowTokens: count.optional(),
      costUsd: z.number().optional(),
      tokens: count.optional(),
      resetsAtMs: count.optional(),
      resetGuessed,
      durationMs: count,
      /** The length of the agent's text, in characters. */
      outputChars: count.optional(),
      /** Tools that were denied to the agent, if it reports them. */
      denied: z.array(z.string()).optional(),
      /** The agent's answer to the closing question. */
      closing: closingSchema.optional(),
      /** The version of the agent's program and how to log in, for a person who has to act. */
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
      /** The number of the boxes that are now done or cancelled. */
      resolved: count.optional(),
    })
    .describe("its handoff: text, and whether the agent wrote it, monoco completed it, or generated it"),
  z
    .object({
      type: z.literal("signal.scored"),
      session: ordinal,
      /** The signals of the vote, with their numbers. */
      signals: z.array(exitSignalSchema),
      total: z.number(),
      threshold: z.number(),
      promise: z.boolean(),
      exitSignal: z.boolean().nullable(),
      indicators: count,
      facts: exitFactsSchema.optional(),
      closing: closingSchema.optional(),
      refusalGone: z.string().optional(),
      /** The agent's own words that contradict its claim to be done. */
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
