/** The scripted agent's script: turns YAML into steps, or throws an error with the file, the place and the expected value. */
import { parse } from "yaml";
import { z } from "zod";
import { MonocoError } from "../../core/error/error.ts";
import { wordsOfIssue } from "../../core/settings/schema-errors.ts";
import {
  answerSchema,
  criterionSchema,
  findingSchema,
  probeSchema,
  trends,
} from "../../core/review/verdict-schema.ts";
import { isRecord } from "../../core/text/record.ts";
import { t } from "../../core/language/translate.ts";

const verdictStep = z.strictObject({
  verdict: z.enum(["approve", "request_changes"]),
  /** A shell command: this verdict is given only if it fails, and its output becomes the evidence of the findings. */
  unless: z.string().optional(),
  summary: z.string().optional(),
  findings: z.array(findingSchema.partial({ evidence: true })).default([]),
  /**
   * The criteria of an approval. Without them every criterion is met, shown by `evidence`: one command, or one for each criterion. They
   * are run, and the first is the probe as well.
   */
  criteria: z.array(criterionSchema).optional(),
  probes: z.array(probeSchema).optional(),
  evidence: z.union([z.string(), z.array(z.string()).min(1)]).optional(),
  /** The answers of an approval. Without them each place that monoco lists is answered with the summary. */
  answers: z.array(answerSchema).optional(),
  trend: z.enum(trends).optional(),
});

const stepSchema = z.union([
  /** Files, relative to the workspace, and their texts. */
  z.strictObject({ write: z.record(z.string(), z.string()) }),
  /** A shell command; a failure does not end the session. */
  z.strictObject({ run: z.string() }),
  z.strictObject({
    usage: z.strictObject({
      contextTokens: z.number(),
      windowTokens: z.number().optional(),
      costUsd: z.number().optional(),
      tokens: z.number().optional(),
    }),
  }),
  z.strictObject({ say: z.string() }),
  z.strictObject({ submit: z.literal(true) }),
  z.strictObject({
    handoff: z.strictObject({
      next: z.array(z.string()).min(1),
      decisions: z.array(z.string()).default([]),
      warnings: z.array(z.string()).default([]),
      patterns: z.array(z.string()).default([]),
      workingOn: z.string().optional(),
      stage: z.string().default("implementing"),
    }),
  }),
  verdictStep,
  /** Seconds. */
  z.strictObject({ sleep: z.number().nonnegative() }),
  /** Waits until monoco tells the session to wrap up. */
  z.strictObject({ await: z.literal("wrap_up") }),
  /** Ends the session with a busy vendor's server and this message. */
  z.strictObject({ outage: z.string() }),
  z.strictObject({ exit: z.number().int() }),
  /** Sends a signal to its own process. */
  z.strictObject({ kill: z.enum(["SIGKILL", "SIGTERM", "SIGINT", "SIGSEGV"]) }),
]);
export type Step = z.infer<typeof stepSchema>;

/** The sessions of each role, in order; the last one repeats. */
const scriptSchema = z.strictObject({
  executor: z.array(z.array(stepSchema)).min(1),
  reviewer: z.array(z.array(stepSchema)).min(1),
  /** The sessions that propose an issue: `say` prints the JSON object. */
  author: z.array(z.array(stepSchema)).min(1).optional(),
});

export type Script = z.infer<typeof scriptSchema>;
export type VerdictStep = z.infer<typeof verdictStep>;

/** Reads a script. Throws `input` for a text that is not one. */
export function readScript(text: string, file: string): Script {
  const refuse = (message: string): MonocoError =>
    new MonocoError("input", `${file}: ${message}`, {
      hint: t`a script has executor: and reviewer:, each a list of sessions, and each session is a list of steps (docs/scripted-agent.md)`,
    });
  let value: unknown;
  try {
    value = parse(text);
  } catch (error) {
    throw refuse(t`invalid YAML: ${error instanceof Error ? (error.message.split("\n")[0] ?? "") : ""}`);
  }
  const parsed = scriptSchema.safeParse(value);
  if (parsed.success) return parsed.data;
  throw refuse(faultIn(value, parsed.error));
}

/** The first fault: its place and the expected value. */
function faultIn(value: unknown, error: z.ZodError): string {
  const [issue] = error.issues;
  const path = issue?.path ?? [];
  const [role, session, step] = path;
  if (issue === undefined || path.length === 0) return t`expected a map with executor: and reviewer:`;
  const missing = path.length === 1 && issue.code === "invalid_type" && !hasKey(value, role);
  if (missing) return t`${String(role)}: is missing`;
  const place = [
    String(role),
    ...(session === undefined ? [] : [t`session ${Number(session) + 1}`]),
    ...(step === undefined ? [] : [t`step ${Number(step) + 1}`]),
  ].join(", ");
  return `${place}: ${issue.code === "invalid_union" ? t`unknown or incomplete step` : wordsOfIssue(issue)}`;
}

function hasKey(value: unknown, key: PropertyKey | undefined): boolean {
  return isRecord(value) && key !== undefined && Object.hasOwn(value, key);
}
