/** What a Reviewer returns: a decision, evidence for each criterion, probes, findings. */
import { z } from "zod";
import { criterionKinds } from "../issue/criterion-kind.ts";
import { emptieds, worths } from "./evidence.ts";

/** By which rule evidence counts for its criterion. */
export const ways = [
  "written",
  "guard",
  "passes",
  "differs",
  "tests",
  "line",
  "absent",
  "stays",
  "measured",
] as const;
export type Way = (typeof ways)[number];

export const severities = ["blocker", "major", "minor", "note"] as const;
export const trends = ["converging", "stagnant", "diverging"] as const;

/** Agents without a schema, and older journals, write `"2"`, `"AC-2"` or `"1, 2"`: the first number counts. */
function numberIn(value: unknown): unknown {
  if (typeof value !== "string") return value ?? undefined;
  const found = /^[^\d/]{0,30}?(\d{1,3})(?![\d.])/.exec(value)?.[1];
  return found === undefined || Number(found) === 0 ? undefined : Number(found);
}

const line = z.number().int().positive();
const exitCode = z.number().int();
/** No NUL: it becomes part of a command line. */
const command = z
  .string()
  .min(1)
  .max(8_000)
  .refine((text) => !text.includes("\0"), { message: "no NUL may stand in a command" });

export const findingSchema = z.object({
  /** The same through all rounds. */
  id: z.string().min(1),
  severity: z.enum(severities),
  title: z.string().min(1),
  /** The number of the criterion that it breaks. */
  criterion: z.preprocess(numberIn, z.number().int().positive().optional()).optional(),
  file: z.string().optional(),
  line: line.optional(),
  evidence: z.object({
    command: command.optional(),
    exitCode: exitCode.optional(),
    text: z.string(),
  }),
});

export const criterionSchema = z.object({
  /** Its place in the contract, from 1. */
  criterion: z.number().int().positive(),
  result: z.enum(["met", "not_met", "not_verifiable"]),
  /** The evidence: a command and its exit status, or a file and a line. */
  command: command.optional(),
  exitCode: exitCode.optional(),
  file: z.string().min(1).optional(),
  line: line.optional(),
  /** What was seen; why it cannot be verified. */
  text: z.string().optional(),
});

/** Something that the Reviewer tried beyond the checks and the author's own tests. */
export const probeSchema = z.object({
  command,
  exitCode,
  text: z.string().optional(),
});

/** Why a listed place may stand: a protected path or a weakening, by the id that the prompt lists it under. */
export const answerSchema = z.object({
  id: z.string().min(1).describe("The id of a listed place: P1, W2"),
  text: z.string().describe("Why it may stand"),
});
export type Answer = z.infer<typeof answerSchema>;

/** What a Reviewer's process returns. Whatever is missing is found when the verdict is weighed, not here. */
export const verdictSchema = z.object({
  verdict: z.enum(["approve", "request_changes"]),
  criteria: z.array(criterionSchema).default([]),
  probes: z.array(probeSchema).default([]),
  findings: z.array(findingSchema).default([]),
  answers: z.array(answerSchema).optional(),
  /** From the second round on. */
  trend: z.enum(trends).optional(),
  summary: z.string().optional(),
});
export type Verdict = z.infer<typeof verdictSchema>;

/** As agents that enforce a schema are given it: evidence is not to be left out (draft 7 is what they know). */
export function verdictJsonSchema(): unknown {
  const whole = verdictSchema.extend({ criteria: z.array(criterionSchema), probes: z.array(probeSchema) });
  return z.toJSONSchema(whole, { io: "input", target: "draft-7" });
}

/** What came of the evidence when monoco looked for itself. */
const looked = {
  reproduced: z.boolean().optional(),
  /** Another exit status, or that something is not there. */
  seen: z.string().optional(),
  worth: z.enum(worths).optional(),
  /** The exit status on the base; null where it did not end in its time. */
  base: exitCode.nullable().optional(),
};

export const judgedFindingSchema = findingSchema.extend({
  ...looked,
  /** What its command failed for want of on the submission. */
  lacks: z.string().optional(),
  /** It holds back an approval. */
  holds: z.boolean().optional(),
  /** It comes from a pull request: who said it there, unless a check did, and where. */
  from: z.object({ author: z.string().optional(), url: z.string().optional() }).optional(),
});
export const judgedCriterionSchema = criterionSchema.extend({
  ...looked,
  kind: z.enum(criterionKinds).optional(),
  /** The kind is not written in the contract. */
  guessed: z.boolean().optional(),
  /** What it tells of the work, by the trees without it. */
  emptied: z.enum(emptieds).optional(),
  /** The submission changes what measures it: a person decides. */
  ownRuler: z.literal(true).optional(),
  /** This evidence is enough for the criterion, … */
  supports: z.boolean().optional(),
  /** … and by which rule. */
  by: z.enum(ways).optional(),
});
export const judgedProbeSchema = probeSchema.extend(looked);
export type Finding = z.infer<typeof judgedFindingSchema>;
export type Criterion = z.infer<typeof judgedCriterionSchema>;
export type Probe = z.infer<typeof judgedProbeSchema>;
