/** Updates from an agent's output, one fact each; every adapter translates its lines into these. */
import type { AgentEnding } from "../journal/event.ts";
import type { Verdict } from "../review/verdict-schema.ts";
import type { TokenParts } from "../settings/price.ts";

/**
 * One fact from a line of output. `contextTokens` are in use now; `newTokens` were used since the last update, in (cached too) and
 * out, and `parts` are the same by price; `costUsd` is cumulative over all processes of the agent's session.
 */
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
  /** A shell command of the agent ended; `error` is its output if it failed. */
  | { type: "command"; command: string; error?: string }
  /** Another tool ended; `error` says what failed or refused it. */
  | { type: "result"; error?: string }
  /** A hook refused the end of a turn, or a tool whose begin was not told; `error` is what it says. */
  | { type: "refused"; error: string }
  /** The agent asks a person and needs the answer to go on: it counts if the session then ends by itself. */
  | { type: "question"; text: string }
  /** A tool was denied to the agent, since nobody is there to allow it. */
  | { type: "denied"; tool: string }
  /** An MCP server of the agent did not start; `error` is what the agent says of it, and not each names the server. It goes on without it. */
  | { type: "server_failed"; server?: string; error?: string }
  | { type: "limit"; resetsAtMs?: number; text: string }
  /** A server asked the agent to wait for an unknown time: if nothing follows, that is a limit, not silence. */
  | { type: "waiting"; why: string }
  | { type: "verdict"; verdict: Verdict }
  /** A verdict of the wrong shape; it counts as none. */
  | { type: "verdict_malformed"; text: string }
  /** The agent's hooks are loaded (its SessionStart hook fired). */
  | { type: "hooks_proved" }
  /** The agent compacted its own context: the relay treats that as its context limit. */
  | { type: "compacted" }
  /** Text for standard input, written at once and verbatim: the next step of a protocol. */
  | { type: "reply"; text: string }
  | { type: "ended"; ending: AgentEnding; evidence: string };
