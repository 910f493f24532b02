/** The record of a merge: an in-toto Statement (v1) about its commit, with a predicate of monoco's own. schema/merge.v1.schema.json is made from it. */
import { z } from "zod";
import { checkResultSchema } from "../review/check-result.ts";
import { commit, ordinal, sha256, via } from "../journal/events/fields.ts";
import { inspectionFields } from "../review/inspection-schema.ts";
import { answerSchema, findingSchema, judgedCriterionSchema } from "../review/verdict-schema.ts";
import { trialSchema } from "../trial/trial-schema.ts";
import { command } from "../settings/agent-schema.ts";
import { isBranchName, mergeStrategies } from "../settings/finish-schema.ts";
import { networkModes } from "../settings/network.ts";

export const statementType = "https://in-toto.io/Statement/v1";
export const predicateType = "https://github.com/monoco/monoco/merge/v1";

const worker = { agent: z.string(), model: z.string().optional() };
const approver = z.object({
  by: z.string().describe("person or reviewer"),
  session: ordinal.optional(),
  via,
  ...z.object(worker).partial().shape,
});

const landingSchema = z.object({
  issue: z.string(),
  submission: ordinal,
  head: commit.describe("the submitted commit"),
  executors: z.array(z.object(worker)),
  reviewer: approver,
  confirmed: approver.optional().describe("who approved the merged tree, where the base had moved"),
  journal: sha256.describe("the hash of the journal's last line when the commit was made"),
  sandbox: z
    .object({ containment: z.string(), network: z.enum(networkModes) })
    .describe("the weakest sandbox of all sessions and checks"),
  coAuthors: z.array(z.string()),
});

const criterionSchema = judgedCriterionSchema
  .pick({ criterion: true, result: true, command: true, exitCode: true, file: true, line: true })
  .extend(judgedCriterionSchema.pick({ base: true, worth: true, kind: true, by: true }).shape)
  .extend({ statement: z.string().describe("the criterion's text in the contract") });

const predicateSchema = z.object({
  monoco: z.string().describe("the version of monoco"),
  title: z.string(),
  contract: z
    .object({
      path: z.string(),
      sha256,
      commit: commit.describe("the commit of the base that has this file"),
    })
    .describe("the issue's file as the relay was opened with it"),
  isLoop: z.literal(true).optional().describe("the contract is a prompt, and no file in git"),
  merge: z
    .object({
      strategy: z.enum(mergeStrategies),
      commit,
      tree: commit,
      base: commit,
      into: z.string().refine(isBranchName).describe("the branch"),
      above: commit
        .optional()
        .describe("what the pull request showed already, on which this commit was made"),
      at: z.iso.datetime(),
    })
    .describe("the commit that monoco made, on this commit of the base"),
  patch: sha256.describe("the hash of the merge's diff to its base, without line numbers"),
  pullRequest: z.string().optional().describe("the pull request that landed it as the subject's commit"),
  submission: z.object({
    tree: commit,
    base: commit.describe("the commit of the base where the work begins"),
  }),
  landing: landingSchema.describe("what the commit's trailers state"),
  journal: sha256.describe("the hash of the journal's line about this merge"),
  setup: z.array(command),
  shell: z.union([command, z.array(command).min(1)]).optional(),
  checks: z.array(
    checkResultSchema.pick({ exitCode: true, flaky: true, asBefore: true }).extend({ command }),
  ),
  criteria: z
    .array(criterionSchema)
    .describe(
      "the evidence of each criterion: `exitCode` of its command on the branch, `base` on the commit where the work begins",
    ),
  added: z
    .array(z.object({ path: command, mode: z.enum(["100644", "100755"]), text: z.string() }))
    .describe("the files that the Reviewer wrote for its commands"),
  addedMore: z
    .number()
    .int()
    .positive()
    .optional()
    .describe("how many more files it wrote, too large to be kept"),
  tests: trialSchema.optional().describe("what came of putting the tests to the test"),
  listed: z.object({ ...inspectionFields, answers: z.array(answerSchema) }).optional(),
  findings: z.array(
    findingSchema.omit({ evidence: true }).extend({ state: z.enum(["resolved", "overruled", "open"]) }),
  ),
});
export type Predicate = z.infer<typeof predicateSchema>;

/** `gitCommit` names the commit that landed, `gitTree` its tree; of a commit that is only on GitHub, the tree is not known. */
export const statementSchema = z.object({
  _type: z.literal(statementType),
  subject: z.tuple([
    z.object({ name: z.literal("commit"), digest: z.object({ gitCommit: commit }) }),
    z.object({ name: z.literal("tree"), digest: z.object({ gitTree: commit }) }).optional(),
  ]),
  predicateType: z.literal(predicateType),
  predicate: predicateSchema,
});
export type Statement = z.infer<typeof statementSchema>;
