/** What was seen of a session while it ran: the evidence that it is judged by when it has ended. */
import type { Closing } from "../exit/closing.ts";
import type { StopCause } from "../reason/ending-schema.ts";
import { ownCost } from "../relay/continuity.ts";
import type { AgentEnding, OutsideCause, StopReason } from "../journal/event.ts";
import { saidCharsMax } from "../limits.ts";
import { costOf } from "../settings/price.ts";
import type { Price } from "../settings/price.ts";
import type { Verdict } from "../review/verdict-schema.ts";
import type { AgentUpdate } from "./update.ts";

export type Seen = {
  /** The agent's own id of its conversation. */
  agentSessionId?: string;
  stoppedBy?: { reason: StopReason; because: StopCause; cause?: OutsideCause };
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
  wrapUp?: { reason: StopReason; why: StopCause };
  /** When it had ended at a mark it was asked for its handoff once more: whether it left one. */
  askedForHandoff?: boolean;
  /** The agent's last words, newest last. */
  messages: string[];
  /** Tools that were denied to it. */
  denied: string[];
  /** How much it has said in all. */
  outputChars: number;
  /** What it has said since its last tool call. */
  answer: string;
  /** What it answered when it was asked once more whether the work is done. */
  closing?: Closing;
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
  answer: "",
});

/** Enough for the longest answer, which a program may say line by line. */
const answerCharsKept = 100_000;
const messagesKept = 8;

/** Names are enough to see what to allow. */
const deniedKept = 20;

/** What was seen, with one update more. */
export function see(seen: Seen, update: AgentUpdate): Seen {
  switch (update.type) {
    case "identified":
      return { ...seen, agentSessionId: update.agentSessionId };
    case "usage":
      return { ...seen, ...figuresOf(seen, update) };
    case "message":
      return {
        ...seen,
        messages: [...seen.messages, update.text.slice(0, 2_000)].slice(-messagesKept),
        outputChars: seen.outputChars + update.text.length,
        answer: withText(seen.answer, update.text),
      };
    case "tool":
    case "command":
      return { ...seen, answer: "" };
    case "question":
      return { ...seen, question: update.text.slice(0, saidCharsMax) };
    case "denied":
      return { ...seen, denied: [...new Set([...seen.denied, update.tool])].slice(0, deniedKept) };
    case "waiting":
      return { ...seen, waiting: update.why };
    case "limit":
      return { ...seen, limit: { text: update.text, resetsAtMs: update.resetsAtMs } };
    case "verdict": {
      // What was refused once in a session is not approved in it: a program that it ran may have printed that.
      const refused = seen.verdict?.verdict === "request_changes";
      return refused && update.verdict.verdict === "approve" ? seen : { ...seen, verdict: update.verdict };
    }
    case "verdict_malformed":
      return { ...seen, verdictMalformed: true };
    case "hooks_proved":
      return { ...seen, hooksProved: true };
    case "compacted":
      return { ...seen, compacted: true };
    case "ended":
      return { ...seen, agent: { ending: update.ending, evidence: update.evidence } };
    case "reply":
      return seen;
  }
}

/** What an agent leaves out of its figures keeps its last value; tokens add up, and its own cost wins over the price table's. */
function figuresOf(seen: Seen, update: Extract<AgentUpdate, { type: "usage" }>): Partial<Seen> {
  const { contextTokens, windowTokens, costUsd, newTokens, parts } = update;
  const priced = parts && seen.price && (seen.costUsd ?? 0) + costOf(parts, seen.price);
  const cost = costUsd === undefined ? priced : ownCost(costUsd, seen.costBefore);
  return {
    contextTokens,
    ...(windowTokens === undefined ? {} : { windowTokens }),
    ...(cost === undefined ? {} : { costUsd: cost }),
    ...(newTokens === undefined
      ? {}
      : { tokens: Math.min((seen.tokens ?? 0) + newTokens, Number.MAX_SAFE_INTEGER) }),
  };
}

/** Cut at twice its length: a program may say a million lines. */
function withText(answer: string, text: string): string {
  const longer = answer === "" ? text : `${answer}\n${text}`;
  return longer.length > 2 * answerCharsKept ? longer.slice(-answerCharsKept) : longer;
}
