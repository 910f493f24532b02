/** The templates of a relay, and the names that each may use. An unknown name is reported before the relay begins. */
import { fieldNames, partNames } from "./labels.ts";

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

export const templateNames = {
  ralph: [...fieldNames, ...partNames],
  plan: ["why"],
  wrapUp: ["why"],
  stopAsked: [],
  personSays: ["text"],
  lastWords: [],
  closing: [],
  postMortem: ["session", "reason", "evidence", "lastWords", "failures", "own"],
  executorPrompt: ofPrompt,
  reviewerPrompt: ofPrompt,
  reviewerAgain: ofPrompt,
  loopPrompt: ofPrompt,
} as const satisfies Record<string, readonly string[]>;

export type TemplateName = keyof typeof templateNames;

/** The values of a template: one for each of its names. */
export type ValuesOf<T extends TemplateName> = Readonly<Record<(typeof templateNames)[T][number], string>>;
