/** Joins a verdict that answers questions with the Reviewer's verdict before it. */
import { verdictSchema } from "../verdict-schema.ts";
import type { Verdict } from "../verdict-schema.ts";

/** Repeated parts replace earlier ones. Findings are those of the answer; the earlier ones stay in the record. */
export function mergedVerdict(before: unknown, answer: Verdict): Verdict {
  const first = verdictSchema.parse(before);
  const again = new Set(answer.criteria.map(({ criterion }) => criterion));
  const byKey = <T>(key: (one: T) => string, ...lists: (readonly T[])[]): T[] => [
    ...new Map(lists.flat().map((one) => [key(one), one])).values(),
  ];
  const answers = byKey(({ id }) => id.toUpperCase(), first.answers ?? [], answer.answers ?? []);
  return {
    ...answer,
    criteria: [...first.criteria.filter(({ criterion }) => !again.has(criterion)), ...answer.criteria],
    probes: byKey(({ command }) => command, first.probes, answer.probes),
    ...(answers.length > 0 && { answers }),
    ...(answer.trend === undefined && first.trend !== undefined && { trend: first.trend }),
    ...(answer.summary === undefined && first.summary !== undefined && { summary: first.summary }),
  };
}
