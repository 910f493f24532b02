/** How urgent an issue is: the words that the backlog is ordered by, and what another tool has for them. */

/** Words for priorities, the most urgent first, as trackers have them. */
const priorities: readonly (readonly string[])[] = [
  ["critical", "urgent", "highest", "p0"],
  ["high", "p1"],
  ["medium", "normal", "p2"],
  ["low", "p3"],
  ["lowest", "trivial", "p4"],
];

export const priorityWords = priorities.flat();

/** 0 is the most urgent; what is not a priority ranks with medium. A number counts as it does after a P: 1 before 2, as the stories of a prd.json have it. */
export function rankOf(priority = ""): number {
  if (/^\d{1,6}$/.test(priority)) return Number(priority);
  const rank = priorities.findIndex((words) => words.includes(priority.toLowerCase()));
  return rank < 0 ? 2 : rank;
}

/** One of `priorityWords` in any case, or a whole number up to six digits. */
export function isPriority(text: string): boolean {
  return /^\d{1,6}$/.test(text) || priorityWords.includes(text.toLowerCase());
}

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
