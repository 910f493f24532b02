/** The templates of a relay and the names that each may use. An unknown name is reported before the relay begins. */

const ofPrompt = [
  "role",
  "issue",
  "title",
  "session",
  "because",
  "base",
  "branch",
  "quality",
  "minutes",
  "checks",
  "contract",
  "submission",
  "head",
  "mergeBase",
  "verdict",
  "sections",
  "prompt",
  "promise",
] as const;

const ofHandoff = [
  "issue",
  "session",
  "stopReason",
  "commit",
  "writtenAt",
  "stage",
  "workingOn",
  "done",
  "todo",
  "decisions",
  "nextSteps",
  "warnings",
  "patterns",
  "facts",
] as const;

export const templateNames = {
  ralph: ofHandoff,
  plan: ["why"],
  wrapUp: ["why"],
  stopAsked: [],
  personSays: ["text"],
  lastWords: [],
  closing: [],
  postMortem: ["session", "reason", "evidence", "lastWords", "failures", "own"],
  executorPrompt: ofPrompt,
  reviewerPrompt: ofPrompt,
  loopPrompt: ofPrompt,
} as const satisfies Record<string, readonly string[]>;

export type TemplateName = keyof typeof templateNames;

/** What fills the template: all its names, and no others. */
export type ValuesOf<T extends TemplateName> = Readonly<Record<(typeof templateNames)[T][number], string>>;
