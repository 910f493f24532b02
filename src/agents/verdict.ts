/** Finds the verdict of a Reviewer without a schema: as a value, or as JSON somewhere in its answer. */
import { verdictSchema } from "../core/review/verdict-schema.ts";
import { isRecord } from "../core/text/record.ts";
import type { AgentUpdate } from "../core/session/update.ts";
import { jsonOf } from "../core/error/attempt.ts";

/** The verdict that `value` is meant to be, if it is meant to be one. */
export function verdictOf(value: unknown): AgentUpdate | undefined {
  if (!isRecord(value) || value["type"] !== "verdict") return undefined;
  const verdict = verdictSchema.safeParse(value);
  if (verdict.success) return { type: "verdict", verdict: verdict.data };
  const issue = verdict.error.issues[0];
  return malformed(`${issue?.path.join(".") ?? ""}: ${issue?.message ?? "malformed"}`);
}

/** The last verdict in a text: on a line of its own, in a code block, or the whole text. */
export function verdictIn(text: string): AgentUpdate | undefined {
  const blocks = [...text.matchAll(/^```\w*\n([\s\S]*?)^```/gm)].map(([, block = ""]) => block);
  const candidates = [text, ...blocks, ...text.split("\n")].filter((candidate) => /^\s*\{/.test(candidate));
  const last = candidates.map((candidate) => verdictOf(jsonOf(candidate))).findLast((verdict) => verdict);
  return last ?? (/^[ \t]*\{\s*"type"\s*:\s*"verdict"/m.test(text) ? malformed("invalid JSON") : undefined);
}

function malformed(text: string): AgentUpdate {
  return { type: "verdict_malformed", text };
}
