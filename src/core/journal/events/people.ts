/** Folds questions, answers and notes. */
import { counted } from "../../language/counted.ts";
import { short } from "../../text/figures.ts";
import type { Opening, RelayState } from "../relay-state.ts";
import { openingOf, sessionOf } from "./subject.ts";
import type { peopleSchemas } from "./people-schema.ts";
import type { RecordsOf } from "./record.ts";
import { byWords, refusedWords } from "../via.ts";
import { t } from "../../language/translate.ts";

export const peopleRecords: RecordsOf<typeof peopleSchemas> = {
  "question.asked": {
    isChoice: true,
    fold: (state, event) => {
      sessionOf(state, event.session).asked = event.text;
      const opening = openingOf(state);
      opening.question = { session: event.session, text: withEarlier(opening.question, event) };
    },
    sentence: (event) => ["bad", t`session ${event.session} asks: ${event.text}`],
  },
  "question.answered": {
    isChoice: true,
    fold: (state, event) => answer(openingOf(state), event.text),
    sentence: (event) => ["plain", t`answered by a ${byWords(event)}: ${event.text}`],
  },
  "note.said": {
    isChoice: true,
    fold: (state, event) => {
      const opening = openingOf(state);
      opening.said.push({ text: event.text });
      opening.changed = true;
    },
    sentence: (event) => ["plain", t`a ${byWords(event)} says: ${event.text}`],
  },
  "letter.refused": {
    fold: ({ opening }, event) => void (opening && (opening.refusedLetter = event)),
    sentence: (event) => ["bad", t`not taken: ${refusedWords(event)}`],
  },
  "person.handed_over": {
    fold: (state, event) => {
      const { text, sha256, lint } = event;
      const opening = openingOf(state);
      opening.handedOver = { ...event, sessionsThen: state.sessions.length };
      if (event.remote !== undefined) withoutUncommitted(state);
      // A pulled journal has the handoff already.
      if (opening.handoff?.text !== text)
        opening.handoff = { type: "handoff.recorded", session: 0, source: "agent", text, sha256, lint };
    },
    sentence: ({ branch, head, commits, wip, remote }) => [
      "plain",
      remote !== undefined
        ? t`pulled from ${remote}: ${branch} at ${short(head)} (${counted(commits, "commit")})`
        : t`a person's session handed over: ${branch} at ${short(head)} (${counted(commits, "commit")}${wip ? t` and uncommitted work` : ""}), with its RALPH.md as the handoff of session 0`,
    ],
  },
};

/** What sessions left uncommitted is in the clone where they ran, and in no other. */
function withoutUncommitted({ sessions }: RelayState): void {
  for (const session of sessions) {
    if (session.ended?.wip === undefined) continue;
    const { wip: _, ...ended } = session.ended;
    session.ended = ended;
  }
}

/** Joins all questions of a session into one: an answer is for the whole. */
function withEarlier(
  earlier: Opening["question"],
  { session, text }: { session: number; text: string },
): string {
  if (earlier?.session !== session) return text;
  return earlier.text.includes(text) ? earlier.text : `${earlier.text}\n${text}`;
}

/** An answer settles all earlier questions. A relay that was blocked by the question only has to be resumed. */
function answer(opening: Opening, text: string): void {
  const { halted, question } = opening;
  if (halted?.phase === "blocked" && halted.reason.rule === "question") {
    const reason = { ...halted.reason, answered: true } as const;
    opening.halted = { phase: "blocked", reason, hint: [[{ do: "resume" }]] };
  }
  opening.said.push({ text, ...(question ? { answerTo: question.text } : {}) });
  delete opening.question;
  for (const session of opening.sessions) delete session.asked;
}
