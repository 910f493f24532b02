/** The priority of an issue: the words that order the backlog, and their equivalents in other tools. */

/** The words for each priority, the most urgent first, as trackers write them. */
const priorities: readonly (readonly string[])[] = [
  ["critical", "urgent", "highest", "p0"],
  ["high", "p1"],
  ["medium", "normal", "p2"],
  ["low", "p3"],
  ["lowest", "trivial", "p4"],
];

export const priorityWords = priorities.flat();

/** The rank of a priority, 0 being the most urgent; unknown words rank as medium. A number counts as it does after a P: 1 before 2, as in prd.json. */
export function rankOf(priority = ""): number {
  if (/^\d{1,6}$/.test(priority)) return Number(priority);
  const rank = priorities.findIndex((names) => names.includes(priority.toLowerCase()));
  return rank < 0 ? 2 : rank;
}

/** Whether a text is one of `priorityWords` in any case, or a whole number of up to six digits. */
export function isPriority(text: string): boolean {
  return /^\d{1,6}$/.test(text) || priorityWords.includes(text.toLowerCase());
}

const patterns: readonly (readonly [RegExp, string])[] = [
  [/\b(?:critical|urgent|highest|blocker)\b|紧急/i, "critical"],
  [/\bhigh\b|高优先级/i, "high"],
  [/\b(?:medium|normal|moderate)\b|中优先级/i, "medium"],
  [/\b(?:lowest|trivial)\b/i, "lowest"],
  [/\blow\b|低优先级/i, "low"],
];

/** The priority in a heading or label: "High Priority", "P1", "priority: low", "Priority 2: Core Features", "urgent". */
export function priorityIn(text: string): string | undefined {
  const numbered = /^\W*p(\d)\b/i.exec(text) ?? /\bprio(?:rity)?[\s:/#-]*p?(\d{1,3})\b/i.exec(text);
  if (numbered) return numbered[1];
  // The word must stand alone or beside "priority": "Low-level refactoring" names none.
  const alone = text.replace(/[^\p{L}]+/gu, " ").trim();
  if (!/\bprio(?:rity)?\b|优先级/i.test(text) && /\s/.test(alone)) return undefined;
  return patterns.find(([pattern]) => pattern.test(text))?.[1];
}
