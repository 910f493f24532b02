/** All that can happen in a relay: one versioned union, validated with zod where a journal is read. */
import { z } from "zod";
import { checkResultSchema } from "../review/check-result.ts";
import { roles } from "../settings/roles.ts";
import { exitSignalNames } from "../exit/detection.ts";
import { blockRules, hintSchema } from "./hint-schema.ts";
import { criticalities } from "../issue/vocabulary.ts";
import { inspectionFields } from "../review/inspection-schema.ts";
import { mergeStrategies } from "../settings/finish-schema.ts";
import { loopSchema } from "./loop-schema.ts";
import { presetNames } from "../settings/presets.ts";
import { settingsSchema } from "../settings/settings.ts";
import {
  judgedCriterionSchema,
  judgedFindingSchema,
  judgedProbeSchema,
  trends,
  verdictSchema,
} from "../review/verdict-schema.ts";

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
export type StopReason = (typeof stopReasons)[number];

/** How an agent itself says that it ended, in words that are the same for all agents. */
export const agentEndings = [
  "completed",
  "context_limit",
  "usage_limit",
  "budget",
  "needs_login",
  "interrupted",
  /** The vendor's server is busy, down or out of reach. */
  "outage",
  "failure",
  "unknown",
] as const;
export type AgentEnding = (typeof agentEndings)[number];

/** What ended a session from outside: it says nothing of the work. */
export const outsideCauses = ["runner_died", "outage"] as const;
export type OutsideCause = (typeof outsideCauses)[number];

/** What is wrong with a submit: the kind of it, whatever the words. */
export const refusalKinds = [
  "message_gone",
  "no_such_commit",
  "uncommitted",
  "other_branch",
  "no_common_history",
  "runtime_file",
  "issue_moved",
  "empty",
  "submodules",
  "lfs",
  "forged",
  "same_commit",
] as const;
export type RefusalKind = (typeof refusalKinds)[number];

/** What a relay may be opened without, where a person says so: criteria to judge by, and what it depends on. */
export const waivers = ["criteria", "dependencies"] as const;
export type Waiver = (typeof waivers)[number];

const sha256 = z.string().regex(/^[0-9a-f]{64}$/);
const commit = z.string().regex(/^[0-9a-f]{40,64}$/);
const count = z.number().int().nonnegative();
/** The message named no time that could be read: `resetsAtMs` is `limits.usageLimitMinutes` from then. */
const resetGuessed = z.literal(true).optional();
/** Where each setting that is no default was written, by its key: `monoco.yaml:12`, `--set`, `MONOCO_…`. */
const origins = z.record(z.string(), z.string());
/** What `preset: auto` chose, and why. */
const preset = z.object({ name: z.enum(presetNames), because: z.string() });
const ordinal = z.number().int().positive();
/** Where the circuit breaker stands: closed lets sessions through, half-open one that probes, open none. */
export const breakerPositions = ["closed", "open", "half_open"] as const;
export type BreakerPosition = (typeof breakerPositions)[number];

const by = z.enum(["executor", "reviewer", "person", "monoco"]);

/** A verdict with what monoco found when it looked for itself. */
const judged = {
  criteria: z.array(judgedCriterionSchema).optional(),
  probes: z.array(judgedProbeSchema).optional(),
  findings: z.array(judgedFindingSchema),
  trend: z.enum(trends).optional(),
  summary: z.string().optional(),
};

/** What every event carries: version, place in the chain, hash of the line before ("" for the first), time, message. */
const envelope = {
  v: z.literal(1),
  seq: ordinal,
  prev: z.union([sha256, z.literal("")]),
  atMs: count,
  messageId: z.string().optional(),
};

const bodies = [
  z.object({
    type: z.literal("relay.opened"),
    issue: z.string(),
    title: z.string(),
    contract: z.object({ path: z.string(), text: z.string(), sha256 }),
    base: z.string(),
    baseCommit: commit,
    branch: z.string(),
    settings: settingsSchema,
    settingsSha256: sha256,
    origins: origins.optional(),
    preset: preset.optional(),
    /** The policy file that it was opened under by the command line, to compare policies by. */
    policy: z.string().optional(),
    /** Role texts in force, pinned with the contract. */
    roleTexts: z.object({ executor: z.string(), reviewer: z.string() }),
    /** The issue's, for gates. */
    criticality: z.enum(criticalities).optional(),
    /** A loop's: the contract is made from its prompt, and stands in no file on the base. */
    loop: loopSchema.optional(),
    /** What it was opened without, since a person said so. */
    waived: z.array(z.enum(waivers)).optional(),
  }),
  z.object({
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
    containment: z.enum(["pid-namespace", "process-group"]),
    because: z.string(),
  }),
  z.object({
    type: z.literal("session.identified"),
    session: ordinal,
    agentSessionId: z.string(),
    model: z.string().optional(),
  }),
  z.object({
    type: z.literal("usage.measured"),
    session: ordinal,
    contextTokens: count,
    windowTokens: count.optional(),
    costUsd: z.number().optional(),
    /** All that the session has used so far, in and out. */
    tokens: count.optional(),
    mark: z.enum(["plan", "wrap_up", "stop"]),
    /** In words, where it is not the context's mark but a budget's. */
    why: z.string().optional(),
  }),
  z.object({
    type: z.literal("extension.granted"),
    session: ordinal,
    minutes: z.number().positive(),
    because: z.string(),
  }),
  z.object({
    type: z.literal("session.ended"),
    session: ordinal,
    reason: z.enum(stopReasons),
    evidence: z.array(z.string()),
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
    /** For a person, where one is needed: the version of the agent's program, and how to log in. */
    program: z.string().optional(),
  }),
  z.object({
    type: z.literal("handoff.recorded"),
    session: ordinal,
    source: z.enum(["agent", "completed", "generated"]),
    text: z.string(),
    sha256,
    lint: z.array(z.string()),
    /** Boxes of the issue that are done or cancelled now. */
    resolved: count.optional(),
  }),
  z.object({ type: z.literal("question.asked"), session: ordinal, text: z.string() }),
  z.object({
    type: z.literal("question.answered"),
    /** The session that asked. */
    session: ordinal,
    by,
    text: z.string(),
    /** The running session that was told at once. */
    told: ordinal.optional(),
  }),
  z.object({ type: z.literal("note.said"), by, text: z.string(), told: ordinal.optional() }),
  z.object({
    type: z.literal("signal.scored"),
    session: ordinal,
    /** Each signal of the vote, with the numbers that led to it. */
    signals: z.array(
      z.object({
        name: z.enum(exitSignalNames),
        present: z.boolean(),
        weight: z.number(),
        because: z.string(),
      }),
    ),
    total: z.number(),
    threshold: z.number(),
    promise: z.boolean(),
    exitSignal: z.boolean().nullable(),
    indicators: count,
    /** What of the agent's own words speaks against its claim to be done. */
    contradiction: z.string().optional(),
    done: z.boolean(),
    testOnly: z.boolean(),
    finished: z.boolean(),
    because: z.string(),
  }),
  z.object({
    type: z.literal("submission.requested"),
    submission: ordinal,
    head: commit,
    tree: commit,
    /** The last commit of the base that it rests on. */
    base: commit.optional(),
    by,
    session: ordinal.optional(),
  }),
  z.object({
    type: z.literal("submission.refused"),
    head: commit.optional(),
    by,
    session: ordinal.optional(),
    kind: z.enum(refusalKinds),
    /** The files that it is about, if it is about files: the first hundred. */
    paths: z.array(z.string()).optional(),
    why: z.string(),
  }),
  z.object({
    type: z.literal("contract.tampered"),
    submission: ordinal,
    /** What differs from the contract: objective, criteria, checks. */
    fields: z.array(z.string()),
  }),
  /** What of its diff a Reviewer is shown first; none where nothing was found. */
  z.object({ type: z.literal("submission.inspected"), submission: ordinal, ...inspectionFields }),
  z.object({
    type: z.literal("checks.ran"),
    /** What they ran on: a session's workspace, a submission's clone, a merged tree. */
    target: z.enum(["session", "submission", "merge"]),
    /** The session's or the submission's number. */
    n: ordinal,
    tree: commit,
    ok: z.boolean(),
    results: z.array(checkResultSchema),
  }),
  z.object({
    /** What a Reviewer returned, word for word; it decides nothing before it is weighed. */
    type: z.literal("review.given"),
    submission: ordinal,
    session: ordinal,
    ...verdictSchema.shape,
  }),
  z.object({
    /** It was found wanting: evidence that is missing or does not reproduce, a failed check, a contradiction. */
    type: z.literal("review.refused"),
    submission: ordinal,
    session: ordinal,
    verdict: z.enum(["approve", "request_changes"]),
    why: z.array(z.string()).min(1),
    ...judged,
  }),
  z.object({
    type: z.literal("review.decided"),
    submission: ordinal,
    by,
    session: ordinal.optional(),
    verdict: z.enum(["approve", "request_changes"]),
    ...judged,
    /** A person's: the Reviewer's verdict that it stands against. */
    overrides: z.enum(["approve", "request_changes"]).optional(),
  }),
  z.object({
    type: z.literal("breaker.changed"),
    to: z.enum(breakerPositions),
    because: z.string(),
    untilMs: count.optional(),
    coolDownMs: count.optional(),
    /** Probing sessions in a row that failed. */
    failedProbes: count.optional(),
  }),
  z.object({
    type: z.literal("limit.hit"),
    session: ordinal,
    agent: z.string(),
    resetsAtMs: count,
    resetGuessed,
    text: z.string(),
  }),
  z.object({
    /** A limit that another relay ran into with the same account. */
    type: z.literal("agent.suspended"),
    account: z.string(),
    untilMs: count,
    because: z.string(),
    /** The issue whose relay ran into it. */
    by: z.string(),
  }),
  z.object({
    /** The next session waits until older ones have left the hour. */
    type: z.literal("rate.limited"),
    limit: z.enum(["sessionsPerHour", "tokensPerHour"]),
    used: count,
    max: count,
    untilMs: count,
    because: z.string(),
  }),
  z.object({
    type: z.literal("merge.prepared"),
    submission: ordinal,
    commit,
    tree: commit,
    expectedBase: commit,
    /** How the commits were made. */
    strategy: z.enum(mergeStrategies),
    /** Why they are not made as the settings want. */
    instead: z.string().optional(),
  }),
  z.object({
    type: z.literal("merge.done"),
    submission: ordinal,
    commit,
    /** Clones and branches that hold what is not merged, and why, in words. */
    kept: z.array(z.string()).optional(),
  }),
  z.object({
    type: z.literal("merge.conflicted"),
    submission: ordinal,
    baseCommit: commit,
    paths: z.array(z.string()),
  }),
  z.object({
    type: z.literal("merge.rejected"),
    submission: ordinal,
    baseCommit: commit,
    why: z.string(),
  }),
  z.object({
    /** It is over, its work left on its branch: a loop's without a review, or what `finish` keeps off the base. */
    type: z.literal("relay.finished"),
    submission: ordinal,
    commit,
    /** Its address. */
    pullRequest: z.string().optional(),
    /** What is left for a person to do, and the command for it. */
    todo: z.string().optional(),
    kept: z.array(z.string()).optional(),
  }),
  z.object({ type: z.literal("relay.paused"), by, because: z.string() }),
  z.object({
    type: z.literal("relay.resumed"),
    by,
    /** Present when the person's settings differ from those in force; they are in force from here on. */
    settings: settingsSchema.optional(),
    settingsSha256: sha256.optional(),
    origins: origins.optional(),
    preset: preset.optional(),
    policy: z.string().optional(),
    /** What is different in them, in words. */
    changes: z.array(z.string()).optional(),
  }),
  z.object({
    type: z.literal("relay.blocked"),
    rule: z.enum(blockRules),
    because: z.string(),
    hint: hintSchema,
  }),
  z.object({ type: z.literal("relay.cancelled"), by, because: z.string() }),
  z.object({ type: z.literal("relay.cleared"), by }),
] as const;

const bodySchema = z.discriminatedUnion("type", bodies);
export const eventSchema = z.intersection(z.object(envelope), bodySchema);

/** What happened, without its place in the journal. */
export type EventBody = z.infer<typeof bodySchema>;
export type EventType = EventBody["type"];
export type Envelope = { v: 1; seq: number; prev: string; atMs: number; messageId?: string | undefined };
/** One line of a journal. */
export type RelayEvent = Envelope & EventBody;
export type EventOf<T extends EventType> = Extract<EventBody, { type: T }>;
