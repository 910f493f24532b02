/** What an Executor is to know of a relay that another clone began, besides the handoff. */
import { sentences } from "../language/handoff-words.ts";
import type { Language } from "../language/handoff-words.ts";
import type { Opening } from "../journal/relay-state.ts";
import { findingsText } from "../prompt/findings-text.ts";
import { currentSubmission } from "../relay/phase.ts";

/** The findings of the last verdict, if it asks for changes, and what people said. */
export function heardIn(opening: Opening, language: Language): string[] {
  const review = currentSubmission(opening)?.review;
  const said = opening.said.map(({ text, answerTo }) => `- ${answerTo ? `${answerTo}: ` : ""}${text}`);
  return [
    ...(review?.verdict === "request_changes"
      ? [sentences.pulledFindings[language](), findingsText(review)]
      : []),
    ...(said.length > 0 ? [sentences.pulledSaid[language](), said.join("\n")] : []),
  ];
}
