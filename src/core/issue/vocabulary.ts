/** The allowed values of an issue's front matter. */

export const issueTypes = ["feature", "fix", "chore", "epic"] as const;
export type IssueType = (typeof issueTypes)[number];
export const statuses = ["open", "closed", "backlog"] as const;
export type Status = (typeof statuses)[number];
export const stages = ["draft", "doing", "review", "done", "freezed"] as const;
export type Stage = (typeof stages)[number];
export const solutions = ["implemented", "cancelled", "wontfix", "duplicate"] as const;
export type Solution = (typeof solutions)[number];
export const criticalities = ["low", "medium", "high", "critical"] as const;
export type Criticality = (typeof criticalities)[number];

/** The id prefix of each type. */
export const idPrefixes: Readonly<Record<IssueType, string>> = {
  feature: "FEAT",
  fix: "FIX",
  chore: "CHORE",
  epic: "EPIC",
};

/** The type of an id's prefix; undefined for an unknown prefix. */
export function typeOfId(id: string): IssueType | undefined {
  return issueTypes.find((type) => idPrefixes[type] === id.split("-")[0]);
}
