/** Decides whether a command in a comment counts: who wrote it, whether the comment was changed, and where the relay stands. */
import type { Via } from "../journal/events/fields.ts";
import type { RelayState } from "../journal/relay-state.ts";
import { whyNotApproved, whyNoVerdict } from "../relay/person-verdict.ts";
import { currentSubmission, isOpen } from "../relay/phase.ts";
import { personFindings } from "../review/comments.ts";
import { t } from "../language/translate.ts";
import { commandIn } from "./command.ts";
import type { CommentCommand } from "./command.ts";

/** A comment as its host's API has it now. */
export type Comment = {
  login: string;
  /** The account is a person's: no bot, no app, not deleted. */
  isPerson: boolean;
  body: string;
  isEdited: boolean;
  isHidden: boolean;
  createdAtMs: number;
};

/** Logins are compared without case, and a bot's with and without its ending. */
export function isSameLogin(one: string, other: string): boolean {
  const bare = (login: string): string => login.toLowerCase().replace(/\[bot\]$/, "");
  return bare(one) === bare(other);
}

/** The reason why nobody with this login can command; undefined if the host's word on their rights decides. */
export function whyNobody(
  { login, isPerson }: Pick<Comment, "login" | "isPerson">,
  agents: readonly string[],
): string | undefined {
  if (!isPerson || /\[bot\]$/i.test(login)) return t`a bot's comments are no commands`;
  return agents.some((agent) => isSameLogin(agent, login))
    ? t`agents can write as this account, so its comments are no commands`
    : undefined;
}

/** `listed`: how the comment's text began when monoco first saw it. `may`: the host confirms the right that the command needs. */
export type CommentFacts = {
  comment: Comment;
  listed: string;
  agents: readonly string[];
  may: boolean;
  state: RelayState | undefined;
  messageId: string;
  via: Via;
};

/** `taken`: the relay has the message already. */
export type Weighed = { is: "sent"; body: LetterBody } | { is: "taken" } | { is: "refused"; why: string };

/** Undefined for a comment that is no command. */
export function weigh(facts: CommentFacts): Weighed | undefined {
  const { comment, listed, agents, may, state, messageId, via } = facts;
  const command = commandIn(comment.body);
  const refused = (why: string): Weighed => ({ is: "refused", why });
  if (!command && !commandIn(listed)) return undefined;
  const nobody = whyNobody(comment, agents);
  if (nobody !== undefined) return refused(nobody);
  if (!may) return refused(t`the host does not confirm that this account may do that here`);
  if (!command || comment.isEdited || !comment.body.startsWith(listed))
    return refused(t`the comment was edited: write a new one`);
  if (comment.isHidden) return refused(t`the comment is hidden`);
  if ("wrong" in command) return refused(command.wrong);
  if (state?.messageIds.has(messageId)) return { is: "taken" };
  const letter = letterOf(command, { state, createdAtMs: comment.createdAtMs, via });
  return "why" in letter ? refused(letter.why) : { is: "sent", body: letter.body };
}

/** The body of a person's message to a relay. */
export type LetterBody = { type: string; via: Via } & Record<string, unknown>;

/** The message that the command makes, or why the relay has no use for it now. */
function letterOf(
  command: CommentCommand,
  { state, createdAtMs, via }: { state: RelayState | undefined; createdAtMs: number; via: Via },
): { body: LetterBody } | { why: string } {
  const opening = state?.opening;
  if (!opening || !isOpen(state))
    return { why: opening?.merged ? t`the relay is over: it is merged` : t`there is no open relay` };
  if (createdAtMs < opening.atMs) return { why: t`the comment is older than the relay: write it again` };
  switch (command.do) {
    case "stop":
      return { body: { type: "stop", via } };
    case "say":
      return { body: { type: "say", text: command.text, via } };
    case "answer": {
      const { question, sessions } = opening;
      if (!question)
        return { why: t`nothing is asked that is still open; /monoco say TEXT says something unasked` };
      const asking = sessions.find(({ session }) => session === question.session);
      if (asking && createdAtMs < asking.startedAtMs)
        return { why: t`the comment is older than the question: write it again` };
      return { body: { type: "answer", text: command.text, via } };
    }
    case "approve":
    case "request-changes": {
      const current = currentSubmission(opening);
      if (!current) return { why: t`no submission waits for a verdict` };
      const { submission, head } = current;
      const why = whyNoVerdict(opening, submission);
      if (why !== undefined) return { why };
      const review = { type: "review", submission, via };
      if (command.do !== "approve") {
        const findings = personFindings([{ text: command.text }], submission);
        return { body: { ...review, verdict: "request_changes", findings, summary: command.text } };
      }
      if (!head.startsWith(command.commit))
        return { why: t`what waits is ${head}, and no other commit: look at it before you approve it` };
      const whyNot = whyNotApproved(current, { commit: head, settings: opening.settings, via });
      if (whyNot !== undefined) return { why: whyNot };
      return { body: { ...review, verdict: "approve", findings: [], summary: "", commit: head } };
    }
  }
}
