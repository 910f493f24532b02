/** A card: the fields of an issue that lists show. */
import { isRecord } from "../text/record.ts";
import { issueIdPattern } from "./name.ts";
import { criticalities, issueTypes, solutions, stages, statuses } from "./vocabulary.ts";
import type { Criticality, IssueType, Solution, Stage, Status } from "./vocabulary.ts";

export type Card = {
  id: string;
  type: IssueType;
  title: string;
  status: Status;
  stage: Stage;
  solution?: Solution;
  priority?: string;
  criticality?: Criticality;
  parent?: string;
  dependencies: string[];
  tags: string[];
};

/** The version of the card's form and of its parser: raise it with either, since cards are cached. */
export const cardVersion = 1;

/** Whether a cached value is a card. */
export function isCard(value: unknown): value is Card {
  if (!isRecord(value)) return false;
  const { id, type, title, status, stage, solution, priority, criticality, parent } = value;
  return (
    typeof id === "string" &&
    issueIdPattern.test(id) &&
    typeof title === "string" &&
    title !== "" &&
    isOneOf(issueTypes, type) &&
    isOneOf(statuses, status) &&
    isOneOf(stages, stage) &&
    (solution === undefined || isOneOf(solutions, solution)) &&
    (criticality === undefined || isOneOf(criticalities, criticality)) &&
    [priority, parent].every((word) => word === undefined || typeof word === "string") &&
    [value["dependencies"], value["tags"]].every(
      (list) => Array.isArray(list) && list.every((word) => typeof word === "string"),
    )
  );
}

function isOneOf<T extends string>(allowed: readonly T[], value: unknown): value is T {
  return (allowed as readonly unknown[]).includes(value);
}
