/** Reads the lines of OpenCode's driver and gives it orders: prompt, allow, check. */
import { z } from "zod";
import type { Dialogue } from "../agent.ts";
import type { AgentUpdate } from "../../core/session/update.ts";
import { endOfAnswer, endOfError, endOfRetries, ended } from "./ending.ts";
import { lineSchema } from "./lines.ts";
import type { Line, Part, ToolPart } from "./lines.ts";
import { orderLine } from "./orders.ts";
import type { Order } from "./orders.ts";
import { saidIn, summaryOf } from "../lines.ts";
import { verdictIn } from "../verdict.ts";

/** The dialogue's memory between lines. */
type Seen = {
  sessionID?: string;
  /** The ids of the model's messages. */
  answers: Set<string>;
  windowTokens?: number;
  costUsd: number;
  /** Tokens used and not reported yet: a subagent's are reported with the session's next step. */
  newTokens: number;
  /** Why the last answer ended. */
  reason?: string;
  /** The model's text since its last tool. */
  said: string;
  /** The updates for the error of the last turn. */
  failed: AgentUpdate[];
  decided: boolean;
  /** The end was reported: later lines of the driver are ignored. */
  over: boolean;
};

export function dialogue(): Dialogue {
  const seen: Seen = {
    answers: new Set(),
    costUsd: 0,
    newTokens: 0,
    said: "",
    failed: [],
    decided: false,
    over: false,
  };
  return {
    read: (line) => {
      const said = seen.over ? undefined : saidIn(line, lineSchema);
      const updates = said ? updatesOf(said, seen) : [];
      seen.over ||= updates.some(({ type }) => type === "ended");
      return updates;
    },
    message: (text) => orderLine({ order: "prompt", text }),
  };
}

function updatesOf(line: Line, seen: Seen): AgentUpdate[] {
  switch (line.type) {
    case "monoco.hooks":
      return [{ type: "hooks_proved" }];
    case "monoco.session":
      seen.sessionID = line.properties.sessionID;
      seen.costUsd = line.properties.costUsd ?? 0;
      return [];
    case "monoco.window":
      seen.windowTokens = line.properties.windowTokens ?? 0;
      return [];
    case "monoco.server_failed": {
      const { name, error } = line.properties;
      return [{ type: "server_failed", server: name, ...(error ? { error } : {}) }];
    }
    case "monoco.stopped":
      return [endOfAnswer(seen.reason)];
    case "monoco.failed":
      return [ended(line.properties.why, line.properties.message)];
    case "permission.asked":
      // Nobody is there to ask. OpenCode itself enforces the person's denials.
      return [reply({ order: "allow", id: line.properties.id })];
    case "message.updated":
      return ofMessage(line.properties.info, seen);
    case "message.part.updated":
      return ofPart(line.properties.part, seen);
    case "session.status":
      return endOfRetries(line.properties.status, line.atMs);
    case "session.error":
      if (line.properties.sessionID === seen.sessionID)
        seen.failed = endOfError(line.properties.error, line.atMs);
      return [];
    case "session.idle":
      return line.properties.sessionID === seen.sessionID ? ofIdle(seen) : [];
    case "session.compacted":
      return line.properties.sessionID === seen.sessionID ? [{ type: "compacted" }] : [];
  }
}

function reply(order: Order): AgentUpdate {
  return { type: "reply", text: orderLine(order) };
}

type Message = (Line & { type: "message.updated" })["properties"]["info"];

function ofMessage({ id, sessionID, role, modelID }: Message, seen: Seen): AgentUpdate[] {
  if (sessionID !== seen.sessionID || role !== "assistant") return [];
  seen.answers.add(id);
  if (seen.answers.size > 1) return [];
  return [{ type: "identified", agentSessionId: sessionID, ...(modelID ? { model: modelID } : {}) }];
}

/** Counts the tokens and cost of a subagent, but ignores its context and text. */
function ofPart(part: Part, seen: Seen): AgentUpdate[] {
  if (part.type === "step-finish") {
    seen.costUsd += part.cost ?? 0;
    seen.newTokens = Math.min(seen.newTokens + (part.tokens.total ?? 0), Number.MAX_SAFE_INTEGER);
  }
  if (part.sessionID !== seen.sessionID) return [];
  if (part.type === "tool") {
    seen.said = "";
    return ofTool(part);
  }
  if (part.type === "step-finish") return ofStep(part, seen);
  if (!seen.answers.has(part.messageID) || part.synthetic || part.text.trim() === "") return [];
  const verdict = verdictIn(part.text);
  seen.decided ||= verdict?.type === "verdict";
  seen.said = `${seen.said}\n${part.text}`.trim().slice(-saidCharsMax);
  return [{ type: "message", text: part.text }, ...(verdict ? [verdict] : [])];
}

function ofStep({ reason, tokens }: Part & { type: "step-finish" }, seen: Seen): AgentUpdate[] {
  seen.reason = reason;
  // An error of the turn before: that turn went on.
  seen.failed = [];
  if (!tokens.total) return [];
  const windowTokens = seen.windowTokens ? { windowTokens: seen.windowTokens } : {};
  const { newTokens, costUsd } = seen;
  seen.newTokens = 0;
  return [{ type: "usage", contextTokens: tokens.total, ...windowTokens, costUsd, newTokens }];
}

/** Enough text to contain a promise. */
const saidCharsMax = 20_000;
function ofTool({ tool, state }: ToolPart): AgentUpdate[] {
  const { input } = state;
  if (state.status === "running") {
    return [{ type: "tool", name: tool, summary: summaryOf(input) ?? "" }];
  }
  const { command } = input;
  const denied: AgentUpdate[] =
    state.status === "error" && isDenied(state.error ?? "") ? [{ type: "denied", tool }] : [];
  const ended =
    tool === "bash" && typeof command === "string"
      ? ({ type: "command", command } as const)
      : ({ type: "result" } as const);
  if (state.status === "error") return [...denied, { ...ended, error: state.error ?? "it failed" }];
  if (ended.type === "result") return [ended];
  const { exit } = state.metadata;
  if (exit === 0) return [ended];
  return [{ ...ended, error: `exit status ${exit ?? "none"}\n${state.output ?? ""}` }];
}

/** A rule's denial looks like any other error of a tool, except for this sentence and the rules as JSON after it. */
const deniedByRule =
  /^The user has specified a rule which prevents you from using this specific tool call\.[^[]*(\[.*\])$/s;
const rulesSchema = z.array(z.object({ action: z.string() }));

function isDenied(error: string): boolean {
  const [, rules = ""] = deniedByRule.exec(error) ?? [];
  return saidIn(rules, rulesSchema)?.some(({ action }) => action === "deny") === true;
}

/** Asks for the self-check, unless the verdict was given already. */
function ofIdle(seen: Seen): AgentUpdate[] {
  if (seen.failed.length > 0) return seen.failed;
  return seen.decided
    ? [ended("completed", "it gave its verdict")]
    : [reply({ order: "check", said: seen.said })];
}
