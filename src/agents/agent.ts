/**
 * The port to a coding-agent CLI: an adapter turns a request into a command line, and lines of output into updates.
 *
 * The contract of every adapter (test/agents/contract.test.ts runs it for all of them):
 * - `launch` is pure: same request, same launch. It never reads the environment, the disk or the clock.
 * - The prompt travels on standard input, never in argv (a prompt over 128 KiB in argv fails, and `ps` shows it).
 * - `read` gets one line of standard output (no newline, at most 1 MiB) and returns its updates.
 *   It never throws: an unknown line gives no update.
 * - The agent reports its end by an `ended` update, made from its own structured result. Without one
 *   `core/session/outcome.ts` decides by exit status and signal: if the agent `tellsEnd`, even exit status 0 is a failure.
 */
import type { AgentUpdate } from "../core/session/update.ts";
import type { AgentEntry } from "../core/settings/agent-schema.ts";

/** The abilities of an agent that the relay knows before the start: declared here, checked by `monoco agent probe`. */
export type Capabilities = {
  /** The agent takes a message on standard input in the middle of a turn. */
  messageOnInput: boolean;
  /** monoco's hook runs after each of the agent's tools, and its answer reaches the model in the same turn. */
  contextByHook: boolean;
  /** The agent has a stop hook that can refuse to stop. */
  stopHook: boolean;
  /** The agent reports its context use while it runs. */
  liveUsage: boolean;
  /** The agent can resume a conversation. */
  resume: boolean;
  /** The agent uses the given id for a new conversation. */
  takesSessionId?: boolean;
  /** The agent returns a verdict through a schema that it enforces. */
  verdictBySchema: boolean;
  /** The agent reports every end: a process that exits without an `ended` update was cut short, even with exit status 0. */
  tellsEnd: boolean;
  /** The agent reports its session as soon as it has started: without that report it has not started. */
  tellsStart: boolean;
  /** The agent reports new tokens once per answer of the model, and the text and tool calls in it; an answer without either is empty. */
  tellsTurns: boolean;
  /** The tokens that the agent keeps free of its window: it compacts or stops before it uses them; 0 if unknown. */
  reserveTokens: number;
};

/** The abilities of most agents. */
export const usual: Capabilities = {
  messageOnInput: true,
  contextByHook: false,
  stopHook: true,
  liveUsage: true,
  resume: true,
  verdictBySchema: false,
  tellsEnd: true,
  tellsStart: true,
  tellsTurns: true,
  reserveTokens: 0,
};

/** The question to a session that does no work: whether the work is done, or an issue for a person's text. */
export type Answer = "closing" | "proposal";

/** All that an adapter may use to start one session. Paths are absolute. */
export type AgentRequest = {
  role: "executor" | "reviewer";
  /** The session's number in its relay, from 1. */
  session: number;
  /** The number of sessions of this role in the relay, this one included. */
  sessionOfRole: number;
  prompt: string;
  workspace: string;
  sessionDir: string;
  /** A fresh UUID for the agent's own session, for agents that accept one; with `resume`, the session to resume. */
  agentSessionId: string;
  /** Resume the conversation `agentSessionId` instead of starting a new one. */
  resume: boolean;
  /** The schema of the answer, for agents that enforce one: `closingJsonSchema` (with `resume`) or `proposalJsonSchema`. */
  answer?: Answer;
  /** The program that runs monoco: `[node, cli.js]`, for hooks. */
  monoco: readonly string[];
  /** The agent's entry in monoco.yaml. */
  settings: AgentSettings;
};

/** `agents.NAME` in monoco.yaml. */
export type AgentSettings = AgentEntry;
export type AgentKind = AgentEntry["kind"];

/** A command line as data. `files` are written before the spawn; `stdin` is written at once. */
export type Launch = {
  argv: readonly string[];
  /** Added to the scrubbed environment. */
  env: Readonly<Record<string, string>>;
  files: ReadonlyArray<{ path: string; text: string }>;
  stdin: string;
  /** Keep standard input open for later messages. It is closed at the first `ended`; the last `ended` counts. */
  keepStdinOpen: boolean;
};

/** Speaks with one agent process. It may remember ids and cumulative cost. */
export type Dialogue = {
  /** The updates in one line of standard output. */
  read(line: string): AgentUpdate[];
  /** The line on standard input that gives the agent a message now; undefined if the agent takes none. */
  message(text: string): string | undefined;
};

export type Program = {
  name: string;
  install: string;
  /** How a person logs in. */
  login?: string;
  /** The variable with the home of the agent's own files, if even `--version` writes there. */
  home?: string;
};

export type Agent = {
  kind: AgentKind;
  /** The CLI version with which the adapter was verified; undefined if the agent has no CLI. */
  measuredOn?: string;
  capabilities: Capabilities;
  /** The program that must be on the PATH, and how to get it; undefined when it ships with monoco or is a path. */
  program(settings: AgentSettings): Program | undefined;
  /** The agent never reports its cost. */
  tellsNoCost?: true;
  /** Environment variables that this agent needs for its login, besides the common allow-list. */
  passEnv: readonly string[];
  /** Throws `input` for settings that name a file which the agent cannot use; no session starts with such settings. */
  check?(settings: AgentSettings): void;
  launch(request: AgentRequest): Launch;
  /** A dialogue with one process; `prompt` follows the handshake of a protocol that has one. */
  dialogue(prompt: string): Dialogue;
};
