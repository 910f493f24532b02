/** What an agent's output says of its session, one thing at a time; every adapter's lines come down to these. */
import type { AgentEnding } from "../journal/event.ts";
import type { Verdict } from "../review/verdict-schema.ts";
import type { TokenParts } from "../settings/price.ts";

/** One thing that a line of output says. `contextTokens` are in use now; `newTokens` are what was used since the update before, in (cached too) and out, and `parts` the same by price; `costUsd` is cumulative in the agent's session, over processes that resume it. */
export type AgentUpdate =
  | { type: "identified"; agentSessionId: string; model?: string }
  | {
      type: "usage";
      contextTokens: number;
      windowTokens?: number;
      costUsd?: number;
      newTokens?: number;
      parts?: TokenParts;
    }
  | { type: "message"; text: string }
  | { type: "tool"; name: string; summary: string }
  /** A shell command of the agent's ended; `error` is what it printed, where it failed. */
  | { type: "command"; command: string; error?: string }
  /** It asks a person, and can go no further without the answer: it counts when the session then ends by itself. */
  | { type: "question"; text: string }
  /** A tool that it wanted to use was denied to it: nobody is there who could allow it. */
  | { type: "denied"; tool: string }
  | { type: "limit"; resetsAtMs?: number; text: string }
  /** A server has asked it to wait, and it does not tell how long: where nothing follows, that is a limit, and no silence. */
  | { type: "waiting"; why: string }
  | { type: "verdict"; verdict: Verdict }
  /** A verdict was there but did not have the right shape; it counts as none. */
  | { type: "verdict_malformed"; text: string }
  /** The agent's hooks were loaded (its SessionStart hook was seen to fire). */
  | { type: "hooks_proved" }
  /** The agent summarised its own context: the relay takes that as its context limit. */
  | { type: "compacted" }
  /** To be written on standard input at once, as it is: the next step of a protocol. */
  | { type: "reply"; text: string }
  | { type: "ended"; ending: AgentEnding; evidence: string };
