/** Sentences for continuing a conversation, or beginning a fresh one. */
import type { ConversationReason, TurningPoint } from "./conversation-schema.ts";
import { wordsBy } from "./row.ts";
import type { RowsOf } from "./row.ts";
import { t, translatable, translated } from "../language/translate.ts";

const sinceThen: Readonly<Record<TurningPoint, string>> = translatable({
  breaker: "the relay was paused",
  stop: "a person stopped it",
  submission: "the work was submitted",
  review: "the work was reviewed",
  agents: "the agents' settings have changed",
});

const fresh = (why: string): string => t`in a fresh conversation: ${why}`;

const rows: RowsOf<ConversationReason> = {
  goes_on: { words: ({ session }) => t`going on with the conversation of session ${session}` },
  fresh_agent: { words: ({ session, agent }) => fresh(t`session ${session} was ${agent}'s`) },
  fresh_always: { words: ({ agent }) => fresh(t`${agent} cannot go on with one`) },
  fresh_since: { words: ({ what }) => fresh(translated(sinceThen[what])) },
  fresh_ended: { words: ({ session, how }) => fresh(t`session ${session} ended: ${how}`) },
  fresh_uncertain: {
    words: ({ session }) => fresh(t`whose conversation session ${session} was is not certain`),
  },
  fresh_old: { words: () => fresh(t`the last one is more than 24 hours old`) },
  fresh_full: { words: ({ tokens }) => fresh(t`the last one has ${tokens} tokens of context in use`) },
};

export function conversationWords(reason: ConversationReason): string {
  return wordsBy(rows, reason.rule, reason);
}
