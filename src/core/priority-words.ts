/** The priority that a heading, a label or a number of another tool stands for, in words that the backlog is ordered by. */

const words: readonly (readonly [RegExp, string])[] = [
  [/\b(?:critical|urgent|highest|blocker)\b|紧急/i, "critical"],
  [/\bhigh\b|高优先级/i, "high"],
  [/\b(?:medium|normal|moderate)\b|中优先级/i, "medium"],
  [/\b(?:lowest|trivial)\b/i, "lowest"],
  [/\blow\b|低优先级/i, "low"],
];

/** Of a heading or a label: "High Priority", "P1", "priority: low", "Priority 2: Core Features", "urgent". */
export function priorityIn(text: string): string | undefined {
  const numbered = /^\W*p(\d)\b/i.exec(text) ?? /\bprio(?:rity)?[\s:/#-]*p?(\d{1,3})\b/i.exec(text);
  if (numbered) return numbered[1];
  // A word alone, or beside the word priority: "Low-level refactoring" is no priority.
  const alone = text.replace(/[^\p{L}]+/gu, " ").trim();
  if (!/\bprio(?:rity)?\b|优先级/i.test(text) && /\s/.test(alone)) return undefined;
  return words.find(([pattern]) => pattern.test(text))?.[1];
}
