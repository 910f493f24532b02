/** Observations of a running session: the evidence by which its end is judged. */
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
  /** The agent's own id for the conversation. */
  agentSessionId?: string;
  stoppedBy?: { reason: StopReason; because: StopCause; cause?: OutsideCause };
  contextTokens?: number;
  windowTokens?: number;
  costUsd?: number;
  /** The cost of the conversation before this session, since the agent reports the sum. */
  costBefore: number;
  /** The price of the model's tokens, if the agent reports no cost. */
  price?: Price | undefined;
  /** All tokens so far, input and output; undefined if the agent does not report them. */
  tokens?: number;
  agent?: { ending: AgentEnding; evidence: string };
  /** The agent's question to a person. */
  question?: string;
  limit?: { text: string; resetsAtMs?: number | undefined };
  /** Why the agent has been waiting since its last line. */
  waiting?: string | undefined;
  verdict?: Verdict;
  verdictMalformed: boolean;
  compacted: boolean;
  /** Whether its hooks are known to be loaded: agents silently drop settings of a wrong shape. */
  hooksProved: boolean;
  /** The order to wrap up, with the stop reason that it would lead to. */
  wrapUp?: { reason: StopReason; why: StopCause };
  /** Whether the session left a handoff when it was asked for one after ending at a mark. */
  askedForHandoff?: boolean;
  /** The agent's last messages, newest last. */
  messages: string[];
  /** Tools that were denied to the agent. */
  denied: string[];
  /** The total length of the agent's text. */
  outputChars: number;
  /** The agent's text since its last tool call. */
  answer: string;
  /** The agent's answer to the closing question. */
  closing?: Closing;
};

/** `costBefore` is the cost of the conversation before this session; `price` is for an agent that reports no cost. */
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

/** Enough for the longest answer, which may arrive line by line. */
const answerCharsKept = 100_000;
const messagesKept = 8;

/** Enough names to see what to allow. */
const deniedKept = 20;

/** The observations after one more update. */
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
      // A verdict that was refused once is not approved in the same session: a program that it ran may have printed the approval.
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
    case "result":
    case "refused":
    case "server_failed":
    case "reply":
      return seen;
  }
}

/** The figures after an update: missing ones keep their last value, tokens add up, and a reported cost takes precedence over the price table. */
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

/** The answer, cut at twice its length, since a program may print a million lines. */
function withText(answer: string, text: string): string {
  const longer = answer === "" ? text : `${answer}\n${text}`;
  return longer.length > 2 * answerCharsKept ? longer.slice(-answerCharsKept) : longer;
}
