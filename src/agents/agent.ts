/**
 * The port to a coding-agent CLI: an adapter turns a request into a command line, and lines of output into updates.
 *
 * The contract, kept by every adapter (test/agents/contract.test.ts runs it for all of them):
 * - `launch` is pure: same request, same launch. It never reads the environment, the disk or the clock.
 * - The prompt travels on standard input, never in argv (a prompt over 128 KiB in argv fails, and `ps` shows it).
 * - `read` gets one line of standard output (no newline, at most 1 MiB) and answers with the updates that it holds.
 *   It never throws: it gives no update for a line that it does not know.
 * - An agent's end is told by an `ended` update made from the agent's own structured result. No `ended` update
 *   means that the agent did not say how it ended; `core/outcome.ts` then decides by exit status and signal, and takes a
 *   good exit of an agent that `tellsEnd` for a failure.
 */
import type { AgentUpdate } from "../core/session/update.ts";
import type { AgentEntry } from "../core/settings/agent-schema.ts";

/** What the relay needs to know about an agent before it starts it; probed by a later command, declared here. */
export type Capabilities = {
  /** A message can be sent on standard input in the middle of a turn. */
  messageOnInput: boolean;
  /** Our hook is called after each of its tools, and what that answers reaches the model in the same turn. */
  contextByHook: boolean;
  /** Has a stop hook that can refuse to stop. */
  stopHook: boolean;
  /** Reports context use while it runs. */
  liveUsage: boolean;
  /** The same conversation can be opened again. */
  resume: boolean;
  /** It takes the id that it is given for a new conversation. */
  takesSessionId?: boolean;
  /** A verdict comes back through a schema that the agent enforces. */
  verdictBySchema: boolean;
  /** Whatever it ends of, it says so: a process that ends without an `ended` update was cut short, also with exit status 0. */
  tellsEnd: boolean;
  /** It says which session it is as soon as it has started: silence before that means that it has not started. */
  tellsStart: boolean;
  /** Tokens below the window at which the agent stops by itself (compaction or its own limit); 0 = none known. */
  reserveTokens: number;
};

/** What most agents can do. */
export const usual: Capabilities = {
  messageOnInput: true,
  contextByHook: false,
  stopHook: true,
  liveUsage: true,
  resume: true,
  verdictBySchema: false,
  tellsEnd: true,
  tellsStart: true,
  reserveTokens: 0,
};

/** What a session is asked for that does no work: whether the work is done, or an issue for a text of a person's. */
export type Answer = "closing" | "proposal";

/** All that an adapter may use to start one session. Paths are absolute. */
export type AgentRequest = {
  role: "executor" | "reviewer";
  /** The session's number in its relay, from 1. */
  session: number;
  /** How many sessions of this role the relay has had, this one included, from 1. */
  sessionOfRole: number;
  prompt: string;
  workspace: string;
  sessionDir: string;
  /** A fresh UUID for the agent's own session, for agents that accept one; with `resume`, the one to go on with. */
  agentSessionId: string;
  /** Open the conversation `agentSessionId` again instead of starting a new one. */
  resume: boolean;
  /** Where the agent enforces schemas, the answer has that of `closingJsonSchema` (with `resume`), or of `proposalJsonSchema`. */
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
  /** Keep standard input open for later messages; it is closed at the first `ended`. More may follow: the last one wins. */
  keepStdinOpen: boolean;
};

/** Speaks with one agent process. It may keep what it has seen: ids, cumulative cost. */
export type Dialogue = {
  /** What one line of standard output says. */
  read(line: string): AgentUpdate[];
  /** What to write on standard input to give the agent a message now; undefined where it takes none. */
  message(text: string): string | undefined;
};

export type Program = {
  name: string;
  install: string;
  /** How a person logs in. */
  login?: string;
  /** The variable with the home of its own files, if it writes there even when it is only asked for its version. */
  home?: string;
};

export type Agent = {
  kind: AgentKind;
  /** The version of its CLI on which all that the adapter knows was seen; undefined where it has no CLI of its own. */
  measuredOn?: string;
  capabilities: Capabilities;
  /** The program that must be on the PATH, and how to get it; undefined when it ships with monoco or is a path. */
  program(settings: AgentSettings): Program | undefined;
  /** It never reports what it costs. */
  tellsNoCost?: true;
  /** Names of variables of the person's environment that this agent needs for its login, beside the common allow-list. */
  passEnv: readonly string[];
  /** Throws `input` for settings that name a file which the agent cannot use: no session is started with them. */
  check?(settings: AgentSettings): void;
  launch(request: AgentRequest): Launch;
  /** For one process; `prompt` is what a protocol with a handshake says after that. */
  dialogue(prompt: string): Dialogue;
};
