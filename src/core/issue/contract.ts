/** The contract: the parts of an issue that an Executor must not change in its copy. Ticks and technical tasks are its own. */
import type { Item } from "./document.ts";
import type { Issue } from "./issue.ts";
import { oneLine } from "../text/one-line.ts";

/** The criteria that were not cancelled. */
export function counting({ criteria }: Pick<Issue, "criteria">): Item[] {
  return criteria.filter(({ state }) => state !== "cancelled");
}

/**
 * The text of each criterion that counts; verdicts refer to them by position, from 1. An issue without criteria
 * has its objective as its only one.
 */
export function criteriaOf({ criteria, objective, title }: Issue): string[] {
  const texts = counting({ criteria }).map(({ text }) => oneLine(text, 500));
  return texts.length > 0 ? texts : [oneLine(objective || title, 500)];
}

export type ContractPart = "objective" | "criteria" | "checks" | "allows" | "title";

export function contractChanges(contract: Issue, copy: Issue): ContractPart[] {
  const same: Record<ContractPart, (issue: Issue) => unknown> = {
    objective: (issue) => oneLine(issue.objective),
    criteria: (issue) => issue.criteria.map(({ text, state }) => [text, state === "cancelled"]),
    checks: (issue) => issue.checks,
    allows: (issue) => issue.allows,
    title: (issue) => oneLine(issue.title),
  };
  const parts: ContractPart[] = ["objective", "criteria", "checks", "allows", "title"];
  return parts.filter((part) => JSON.stringify(same[part](contract)) !== JSON.stringify(same[part](copy)));
}
