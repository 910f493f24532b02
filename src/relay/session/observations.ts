/** What was seen of a session while it ran: the evidence that it is judged by when it has ended. */
import type { AgentUpdate } from "../../agents/agent.ts";
import { ownCost } from "../../core/relay/continuity.ts";
import type { AgentEnding, OutsideCause, StopReason } from "../../core/journal/event.ts";
import { saidCharsMax } from "../../core/limits.ts";
import { costOf } from "../../core/settings/price.ts";
import type { Price } from "../../core/settings/price.ts";
import type { Verdict } from "../../core/review/verdict-schema.ts";

export type Seen = {
  /** The agent's own id of its conversation. */
  agentSessionId?: string;
  stoppedBy?: { reason: StopReason; because: string; cause?: OutsideCause };
  contextTokens?: number;
  windowTokens?: number;
  costUsd?: number;
  /** What the agent's conversation had cost before: the agent tells the sum. */
  costBefore: number;
  /** Of the model's tokens, where the agent reports no cost. */
  price?: Price | undefined;
  /** All that was used, in and out; undefined where the agent does not tell. */
  tokens?: number;
  agent?: { ending: AgentEnding; evidence: string };
  /** What it asked a person. */
  question?: string;
  limit?: { text: string; resetsAtMs?: number | undefined };
  /** Why it waits, since its last line. */
  waiting?: string | undefined;
  verdict?: Verdict;
  verdictMalformed: boolean;
  compacted: boolean;
  /** Its hooks were seen to be loaded: settings of a wrong shape are dropped silently. */
  hooksProved: boolean;
  /** It was told to wrap up, for the reason that its end would have had. */
  wrapUp?: { reason: StopReason; why: string };
  /** The agent's last words, newest last. */
  messages: string[];
  /** Tools that were denied to it. */
  denied: string[];
  /** How much it has said in all. */
  outputChars: number;
  /** What it has said since its last tool call, newest last. */
  answer: string[];
};

/** `costBefore` is what the conversation had cost before this session; `price` is for an agent that reports no cost. */
export const nothingSeen = (costBefore = 0, price?: Price): Seen => ({
  costBefore,
  price,
  verdictMalformed: false,
  compacted: false,
  hooksProved: false,
  messages: [],
  denied: [],
  outputChars: 0,
  answer: [],
});

/** Enough for the longest answer; a program may say it line by line. */
const answerCharsKept = 20_000;
const answerMessagesKept = 400;

/** Names are enough to see what to allow. */
const deniedKept = 20;

/** Takes one update into what was seen. */
export function see(seen: Seen, update: AgentUpdate): void {
  if (update.type === "identified") {
    seen.agentSessionId = update.agentSessionId;
  } else if (update.type === "usage") {
    seen.contextTokens = update.contextTokens;
    if (update.windowTokens !== undefined) seen.windowTokens = update.windowTokens;
    if (update.costUsd !== undefined) seen.costUsd = ownCost(update.costUsd, seen.costBefore);
    else if (update.parts && seen.price)
      seen.costUsd = (seen.costUsd ?? 0) + costOf(update.parts, seen.price);
    if (update.newTokens !== undefined) {
      seen.tokens = Math.min((seen.tokens ?? 0) + update.newTokens, Number.MAX_SAFE_INTEGER);
    }
  } else if (update.type === "message") {
    seen.messages.push(update.text.slice(0, 2_000));
    if (seen.messages.length > 8) seen.messages.shift();
    seen.outputChars += update.text.length;
    seen.answer.push(update.text.slice(-answerCharsKept));
    if (seen.answer.length > answerMessagesKept) seen.answer.shift();
  } else if (update.type === "tool" || update.type === "command") {
    seen.answer = [];
  } else if (update.type === "question") {
    seen.question = update.text.slice(0, saidCharsMax);
  } else if (update.type === "denied") {
    if (!seen.denied.includes(update.tool) && seen.denied.length < deniedKept) seen.denied.push(update.tool);
  } else if (update.type === "waiting") {
    seen.waiting = update.why;
  } else if (update.type === "limit") {
    seen.limit = { text: update.text, resetsAtMs: update.resetsAtMs };
  } else if (update.type === "verdict") {
    // What was refused once in a session is not approved in it: a program that it ran may have printed that.
    const refused = seen.verdict?.verdict === "request_changes";
    if (!refused || update.verdict.verdict === "request_changes") seen.verdict = update.verdict;
  } else if (update.type === "verdict_malformed") {
    seen.verdictMalformed = true;
  } else if (update.type === "hooks_proved") {
    seen.hooksProved = true;
  } else if (update.type === "compacted") {
    seen.compacted = true;
  } else if (update.type === "ended") {
    seen.agent = { ending: update.ending, evidence: update.evidence };
  }
}
