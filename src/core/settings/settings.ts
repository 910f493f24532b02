/** The settings of a relay: what may be set, of what kind it is, and what counts where nobody sets it. */
import { z } from "zod";
import { vendors } from "./agent-kinds.ts";
import { agentSchema, command } from "./agent-schema.ts";
import { isBranchName } from "./branch-name.ts";
import { budgetsSchema } from "./budget-schema.ts";
import { finishSchema, mergeStrategies } from "./finish-schema.ts";
import { criticalities } from "../issue/vocabulary.ts";
import { isPattern } from "../text/glob.ts";
import { patternGlobstarsMax } from "../limits.ts";
import { limitsSchema } from "./limits-schema.ts";
import { presetNames } from "./presets.ts";
import { priceSchema } from "./price.ts";

const patternExpected = `expected a pattern as in .gitignore that can match a path, with at most ${patternGlobstarsMax} "**"`;

const roleSchema = z.strictObject({ agents: z.array(z.string().min(1)).min(1) });

const exitSchema = z.strictObject({
  /** Whether a session that looks finished and has not submitted is put up for review on its behalf. */
  submit: z.boolean().default(true),
  /** Sessions in a row that said "done" (protocol article: 1 / 2 / 3 for simple, medium and complex work). */
  doneSessions: z.number().int().positive().default(2),
  /** Sessions in a row that changed tests only (2 / 3 / 4). */
  testSessions: z.number().int().positive().default(3),
  /** Share of test sessions above which the score says so, percent (25 / 30 / 35). */
  testSharePercent: z.number().min(0).max(100).default(30),
  /** The vote from which the work counts as finished. */
  threshold: z.number().min(0).max(1).default(0.6),
});

const breakerSchema = z.strictObject({
  /** `cooldown`: after the cool-down one session probes. `manual`: only when a person resumes. */
  reopen: z.enum(["cooldown", "manual"]).default("cooldown"),
  /** The first cool-down, minutes; doubles with each probe that makes no progress. */
  coolDownMinutes: z.number().positive().default(30),
  /** Probing sessions in a row that may fail before a person is asked: 30, 60 and 120 minutes apart, then it is hopeless. */
  probesMax: z.number().int().positive().default(3),
  /** Sessions in a row that met the same error, of their ending or their last failing check (protocol article: 5). */
  sameErrorMax: z.number().int().positive().default(5),
  /** Sessions in a row without progress to which tools were denied. */
  deniedMax: z.number().int().positive().default(2),
  /** A session without progress that says so much less than those before it on average, percent (70). */
  outputDeclinePercent: z.number().min(0).max(100).default(70),
});

export const settingsSchema = z.strictObject({
  /** The branch that work starts from and is merged into. */
  base: z.string().refine(isBranchName, { message: "it is no branch's name" }).default("main"),
  language: z.enum(["en", "zh"]).default("en"),
  /** Commands run once in each new clone. */
  setup: z.array(command).default([]),
  /** Folders copied into a new clone from the last trusted set-up with the same lockfile. */
  cache: z.array(command).default([]),
  /** Commands whose exit status is evidence; an issue may name its own in addition. */
  checks: z.array(command).default([]),
  /** Paths that an Executor had better not change, as in .gitignore; `!` takes back one that is protected anyway. */
  protected: z.array(z.string().refine(isPattern, { message: patternExpected })).default([]),
  /** Run the checks when a session ends with a changed tree, so that its handoff tells facts; once on a tree. */
  checkAfterSession: z.boolean().default(true),
  /** The quality wanted, told to the agents: prototype, production, library, or free text. */
  quality: z.string().default("production"),
  /** Numbers for simple, medium or complex work, where they are not set one by one; `auto` goes by the issue. */
  preset: z.enum([...presetNames, "auto"]).default("medium"),
  agents: z.record(z.string(), agentSchema).default({}),
  roles: z
    .strictObject({
      executor: roleSchema.default({ agents: ["claude"] }),
      /** Who is installed, and another vendor than the work's first: see core/players.ts. */
      reviewer: roleSchema.default({ agents: [...vendors] }),
    })
    .prefault({}),
  /** By the criticality (medium, where it names none): who has to approve before the merge. */
  gates: z.partialRecord(z.enum(criticalities), z.enum(["reviewer", "human"])).default({}),
  /** The same: how many Reviewers have to approve. */
  reviewers: z.partialRecord(z.enum(criticalities), z.number().int().min(1).max(2)).default({}),
  /** Whether an Executor's session begins a conversation with its agent, or goes on with the last one while a phase lasts. */
  sessions: z.enum(["fresh", "continue"]).default("fresh"),
  /** How approved work becomes commits. */
  merge: z.enum(mergeStrategies).default("merge"),
  /** What is done with them: the base is moved, or they are left for people to take. */
  finish: finishSchema.prefault({}),
  exit: exitSchema.prefault({}),
  breaker: breakerSchema.prefault({}),
  limits: limitsSchema.prefault({}),
  budgets: budgetsSchema.prefault({}),
  /** By model, for agents that report no cost: what a budget in money counts. */
  prices: z.record(z.string().min(1), priceSchema).default({}),
});
export type Settings = z.infer<typeof settingsSchema>;

/** The thresholds alone: what a policy file may hold, and one project takes from another. */
export const policySchema = settingsSchema.pick({
  preset: true,
  exit: true,
  breaker: true,
  limits: true,
  budgets: true,
});

/** What may stand in monoco.yaml: the settings, and the policy file that they rest on. */
export const projectSchema = settingsSchema.extend({ extends: z.string().min(1).optional() });
