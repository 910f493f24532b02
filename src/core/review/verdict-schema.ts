/** A Reviewer's verdict: a decision, evidence for each criterion, probes, findings. */
import { z } from "zod";
import { criterionKinds } from "../issue/criterion-kind.ts";
import { emptieds, worths } from "./evidence.ts";

/** The rules by which evidence can count for its criterion. */
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

/** The first number of `"2"`, `"AC-2"` or `"1, 2"`, which agents without a schema and older journals write. */
function numberIn(value: unknown): unknown {
  if (typeof value !== "string") return value ?? undefined;
  const digits = /^[^\d/]{0,30}?(\d{1,3})(?![\d.])/.exec(value)?.[1];
  return digits === undefined || Number(digits) === 0 ? undefined : Number(digits);
}

const line = z.number().int().positive();
const exitCode = z.number().int();
/** A command without NUL, since it becomes part of a command line. */
const command = z
  .string()
  .min(1)
  .max(8_000)
  .refine((text) => !text.includes("\0"), { message: "no NUL may stand in a command" });

export const findingSchema = z.object({
  /** The id, which stays the same through all rounds. */
  id: z.string().min(1),
  severity: z.enum(severities),
  title: z.string().min(1),
  /** The number of the criterion that the finding breaks. */
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
  /** The position in the contract, from 1. */
  criterion: z.number().int().positive(),
  result: z.enum(["met", "not_met", "not_verifiable"]),
  /** The evidence: a command with its exit status, or a file with a line. */
  command: command.optional(),
  exitCode: exitCode.optional(),
  file: z.string().min(1).optional(),
  line: line.optional(),
  /** The observation, or the reason why the criterion cannot be verified. */
  text: z.string().optional(),
});

/** A probe: something that the Reviewer tried beyond the checks and the author's own tests. */
export const probeSchema = z.object({
  command,
  exitCode,
  text: z.string().optional(),
});

/** The reason why a listed place (a protected path or a weakening) may stay, by its id in the prompt. */
export const answerSchema = z.object({
  id: z.string().min(1).describe("The id of a listed place: P1, W2"),
  text: z.string().describe("Why it may stand"),
});
export type Answer = z.infer<typeof answerSchema>;

/** The output of a Reviewer. Missing parts are found when the verdict is weighed, not here. */
export const verdictSchema = z.object({
  verdict: z.enum(["approve", "request_changes"]),
  criteria: z.array(criterionSchema).default([]),
  probes: z.array(probeSchema).default([]),
  findings: z.array(findingSchema).default([]),
  answers: z.array(answerSchema).optional(),
  /** Present from the second round on. */
  trend: z.enum(trends).optional(),
  summary: z.string().optional(),
});
export type Verdict = z.infer<typeof verdictSchema>;

/** The schema for agents that enforce one (draft 7 is what they support): evidence is required. */
export function verdictJsonSchema(): unknown {
  const whole = verdictSchema.extend({ criteria: z.array(criterionSchema), probes: z.array(probeSchema) });
  return z.toJSONSchema(whole, { io: "input", target: "draft-7" });
}

/** monoco's own look at the evidence. */
const looked = {
  reproduced: z.boolean().optional(),
  /** The difference: another exit status, or a missing file. */
  seen: z.string().optional(),
  worth: z.enum(worths).optional(),
  /** The exit status on the base; null if it did not end in time. */
  base: exitCode.nullable().optional(),
};

export const judgedFindingSchema = findingSchema.extend({
  ...looked,
  /** The thing whose absence made its command fail on the submission. */
  lacks: z.string().optional(),
  /** The finding holds back an approval. */
  holds: z.boolean().optional(),
  /** The origin in a pull request: the address, and the author unless it is a check. */
  from: z.object({ author: z.string().optional(), url: z.string().optional() }).optional(),
});
export const judgedCriterionSchema = criterionSchema.extend({
  ...looked,
  kind: z.enum(criterionKinds).optional(),
  /** The kind is guessed, not stated in the contract. */
  guessed: z.boolean().optional(),
  /** What the command shows of the work, by its results on trees without it. */
  emptied: z.enum(emptieds).optional(),
  /** The submission changes the program that measures it: a person decides. */
  ownRuler: z.literal(true).optional(),
  /** The evidence is enough for the criterion, … */
  supports: z.boolean().optional(),
  /** … by this rule. */
  by: z.enum(ways).optional(),
});
export const judgedProbeSchema = probeSchema.extend(looked);
export type Finding = z.infer<typeof judgedFindingSchema>;
export type Criterion = z.infer<typeof judgedCriterionSchema>;
export type Probe = z.infer<typeof judgedProbeSchema>;
