/** The ACP driver's process: starts the agent, speaks the protocol with it, and prints one update a line. */
import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { Readable, Writable } from "node:stream";
import { client, methods, ndJsonStream, RequestError, PROTOCOL_VERSION } from "@agentclientprotocol/sdk";
import type {
  ClientContext,
  RequestPermissionRequest,
  RequestPermissionResponse,
  SessionNotification,
  StopReason,
} from "@agentclientprotocol/sdk";
import { wordsOf } from "../../core/error/error.ts";
import type { AgentEnding } from "../../core/journal/event.ts";
import { isRecord } from "../../core/text/record.ts";
import type { AcpOrder } from "./adapter.ts";
import type { AgentUpdate } from "../../core/session/update.ts";
import { isOutage } from "../outage.ts";
import { runHook, whyNotStop } from "../self-check.ts";

const say = (update: AgentUpdate): void => void process.stdout.write(`${JSON.stringify(update)}\n`);

/** Messages that arrived during a turn. Agents differ in how they handle a second prompt, so messages wait for the turn's end. */
const queue: string[] = [];
const lines = createInterface({ input: process.stdin });

/** The agent's text since the last update. It arrives in pieces and is printed as one message when something else happens. */
let text = "";
function tellText(): void {
  if (text.trim() !== "") tell({ type: "message", text });
  text = "";
}

/** Whether the agent has said or done anything in this turn. */
let answered = false;
/** The agent's text since its last tool. */
let answer = "";
function tell(update: AgentUpdate): void {
  answered ||= update.type === "message" || update.type === "tool";
  if (update.type === "tool") answer = "";
  if (update.type === "message") answer = `${answer}\n${update.text}`.slice(-answerCharsMax);
  say(update);
}

const answerCharsMax = 100_000;

/** Whether an old session is being loaded. Meanwhile the agent plays back old messages, which are ignored. */
let playingBack = false;

/** Running shell commands, by the id of their tool call. */
const commands = new Map<string, string>();

async function main(): Promise<void> {
  const order = await firstLine();
  lines.on("line", (line) => queue.push(String(JSON.parse(line))));
  const [program = "", ...args] = process.argv.slice(2);
  const agent = spawn(program, args, {
    cwd: order.workspace,
    stdio: ["pipe", "pipe", "inherit"],
  });
  const gone = new Promise<Error>((resolve) => {
    agent.once("error", (error) => resolve(new Error(`${program} could not be started: ${error.message}`)));
    agent.once("exit", (code, signal) =>
      resolve(new Error(`the agent ended in the middle of the conversation: ${signal ?? `exit ${code}`}`)),
    );
  });
  const output = Readable.toWeb(agent.stdout) as ReadableStream<Uint8Array>;
  const stream = ndJsonStream(Writable.toWeb(agent.stdin), output);
  const conversation = client({ name: "monoco" })
    .onRequest(methods.client.session.requestPermission, ({ params }) => permit(params))
    .onNotification(methods.client.session.update, ({ params }) => onUpdate(params))
    .connectWith(stream, (context) => converse(context, order));
  try {
    const end = await Promise.race([conversation, gone]);
    if (end instanceof Error) throw end;
    say({ type: "ended", ...end });
  } catch (thrown) {
    tellText();
    // The pipe closes before the exit of the process is known.
    const error =
      thrown instanceof RequestError ? thrown : await Promise.race([gone, after(endMsMax, thrown)]);
    const ending = endingOfError(error);
    if (ending === "usage_limit") say({ type: "limit", text: wordsOf(error) });
    say({ type: "ended", ending, evidence: wordsOf(error) });
  }
  agent.stdin.end();
  agent.kill("SIGTERM");
  process.exit(0);
}

/** The longest time from the closed pipe to the exit of the process, ms. */
const endMsMax = 2_000;

function after<T>(ms: number, value: T): Promise<T> {
  return new Promise((resolve) => setTimeout(resolve, ms, value));
}

async function firstLine(): Promise<AcpOrder> {
  const line = await new Promise<string>((resolve) => lines.once("line", resolve));
  return JSON.parse(line) as AcpOrder;
}

type End = { ending: AgentEnding; evidence: string };

/** Sends prompt after prompt (queued messages, then the self-check's answer) until the agent may stop. */
async function converse(context: ClientContext, order: AcpOrder): Promise<End> {
  const { authMethods = [] } = await context.request(methods.agent.initialize, {
    protocolVersion: PROTOCOL_VERSION,
    // The agent's own tools run in its own process tree, which is contained.
    clientCapabilities: {
      fs: { readTextFile: false, writeTextFile: false },
      terminal: false,
      // Agents report a compaction only to a client that declares this.
      session: { compaction: {} },
    },
  });
  const open = (): Promise<string> => openSession(context, order);
  const sessionId = await open().catch(async (error: unknown) => {
    await logIn(context, authMethods, error);
    return await open();
  });
  say({ type: "identified", agentSessionId: sessionId });
  // Proves the program that the self-check runs after each turn.
  if ((await runHook(order.monoco, "on-session-start")) !== undefined) say({ type: "hooks_proved" });
  let next: string | undefined = order.prompt;
  for (let selfChecks = 0; ; selfChecks++) {
    const stopReason = await takeTurn(context, sessionId, next);
    tellText();
    if (stopReason !== "end_turn") return endings[stopReason];
    if (!answered) return wordless;
    answered = false;
    const said = answer;
    answer = "";
    next = await nextPrompt(order, selfChecks > 0, said);
    if (next === undefined) return { ending: "completed", evidence: `stop reason ${stopReason}` };
  }
}

/** The next prompt: the self-check's answer and the queued messages. A mark reached in this turn may arrive both ways. */
async function nextPrompt(order: AcpOrder, again: boolean, said: string): Promise<string | undefined> {
  const asked = queue.length > 0 ? undefined : await whyNotStop(order.monoco, { again, said });
  const prompts = [...(asked === undefined ? [] : [asked]), ...queue.splice(0)];
  return prompts.length > 0 ? [...new Set(prompts.map((prompt) => prompt.trim()))].join("\n\n") : undefined;
}

/** Takes a turn and returns why it stopped. Waits for the context size, which may follow the turn's end: the self-check needs it. */
async function takeTurn(context: ClientContext, sessionId: string, prompt: string): Promise<StopReason> {
  try {
    const { stopReason } = await context.request(methods.agent.session.prompt, {
      sessionId,
      prompt: [{ type: "text", text: prompt }],
    });
    return stopReason;
  } finally {
    const reported = new Promise<void>((resolve) => (onContext = resolve));
    await Promise.race([reported, after(contextMsMax, undefined)]);
  }
}

/** The longest wait for the context size after a turn, ms. Not every agent reports one. */
const contextMsMax = 1_000;

/** Called when the context size arrives. */
let onContext = (): void => {};

async function openSession(context: ClientContext, { workspace, resume }: AcpOrder): Promise<string> {
  if (resume !== undefined) {
    playingBack = true;
    await context.request(methods.agent.session.load, { sessionId: resume, cwd: workspace, mcpServers: [] });
    playingBack = false;
    return resume;
  }
  const { sessionId } = await context.request(methods.agent.session.new, { cwd: workspace, mcpServers: [] });
  return sessionId;
}

/** Asks the agent to log in by itself, where it refused a session for want of a login. Throws if it needs a person for that. */
async function logIn(context: ClientContext, offered: readonly Offered[], refusal: unknown): Promise<void> {
  const methodId = endingOfError(refusal) === "needs_login" ? unattended(offered) : undefined;
  if (methodId === undefined) throw refusal;
  const silent = new Error(`no answer within ${loginMsMax / 1000} s`);
  const asked = context.request(methods.agent.authenticate, { methodId });
  const answer = await Promise.race([asked.catch((error: unknown) => error), after(loginMsMax, silent)]);
  if (answer instanceof Error)
    throw new RequestError(loginNeeded, `${wordsOf(refusal)}; its login "${methodId}": ${wordsOf(answer)}`);
}

/** The longest wait for a login, ms: an agent that needs a person may wait for one without a word. */
const loginMsMax = 30_000;

/**
 * The login that needs no person: one by variables that are all set, or the only one that the agent does itself. Several of
 * these are a choice, which is a person's, and so is a login in a terminal.
 */
function unattended(offered: readonly Offered[]): string | undefined {
  const isSet = ({ name, optional = false }: Variable): boolean => optional || !!process.env[name];
  const bySet = offered.find(({ type, vars = [] }) => type === "env_var" && vars.every(isSet));
  const own = offered.filter(({ type = "agent" }) => type === "agent");
  return (bySet ?? (own.length === 1 ? own[0] : undefined))?.id;
}

/** A method with the fields of a draft of the protocol, which agents use and its types leave out. */
type Offered = { id: string; type?: string; vars?: readonly Variable[] };
type Variable = { name: string; optional?: boolean };

/** Seen when the API refused the request: unknown model, no credit. */
const wordless: End = {
  ending: "unknown",
  evidence: "stop reason end_turn without a word: an error that the protocol does not tell, perhaps",
};

/** Only `end_turn` is a normal end, and even that may hide an error that the agent printed as text. */
const endings: Record<Exclude<StopReason, "end_turn">, End> = {
  max_tokens: { ending: "failure", evidence: "stop reason max_tokens: its answer was cut" },
  max_turn_requests: { ending: "budget", evidence: "stop reason max_turn_requests" },
  refusal: { ending: "failure", evidence: "stop reason refusal" },
  cancelled: { ending: "interrupted", evidence: "stop reason cancelled" },
};

/** Allows the tool, once if that is offered: nobody is there to ask. */
function permit({ options }: RequestPermissionRequest): RequestPermissionResponse {
  const option =
    options.find(({ kind }) => kind === "allow_once") ?? options.find(({ kind }) => kind === "allow_always");
  return {
    outcome: option ? { outcome: "selected", optionId: option.optionId } : { outcome: "cancelled" },
  };
}

function onUpdate({ update }: SessionNotification): void {
  if (update.sessionUpdate === "agent_message_chunk" && !playingBack) {
    if (update.content.type === "text") text += update.content.text;
    return;
  }
  if (playingBack || update.sessionUpdate === "agent_thought_chunk") return;
  tellText();
  if (update.sessionUpdate === "tool_call") {
    const command = commandOf(update.rawInput) ?? (update.kind === "execute" ? update.title : undefined);
    if (command) commands.set(update.toolCallId, command);
    tell({ type: "tool", name: update.kind ?? "tool", summary: update.title });
  } else if (update.sessionUpdate === "tool_call_update") {
    const command = commandOf(update.rawInput);
    if (command) commands.set(update.toolCallId, command);
    if (update.status === "completed" || update.status === "failed") onToolEnd(update);
  } else if (update.sessionUpdate === "usage_update") {
    const { used, size, cost } = update;
    say({
      type: "usage",
      contextTokens: Math.max(0, Math.round(used)),
      ...(size > 0 ? { windowTokens: Math.round(size) } : {}),
      ...(cost?.currency === "USD" ? { costUsd: cost.amount } : {}),
    });
    onContext();
  } else if (update.sessionUpdate === "compaction_update" && update.status === "completed") {
    say({ type: "compacted" });
  }
}

function onToolEnd(update: { toolCallId: string; status?: string | null; content?: unknown }): void {
  const command = commands.get(update.toolCallId);
  commands.delete(update.toolCallId);
  const error =
    update.status === "failed" ? { error: JSON.stringify(update.content ?? "").slice(0, 4_000) } : {};
  say(command === undefined ? { type: "result", ...error } : { type: "command", command, ...error });
}

function commandOf(input: unknown): string | undefined {
  const command = isRecord(input) ? input["command"] : undefined;
  return Array.isArray(command) ? command.join(" ") : typeof command === "string" ? command : undefined;
}

/** The code of the protocol for an agent that is not logged in. */
const loginNeeded = -32_000;

/** Goes by the code of the protocol or of the HTTP answer behind it; the wording proves nothing. */
function endingOfError(error: unknown): AgentEnding {
  if (!(error instanceof RequestError)) return "failure";
  if (error.code === loginNeeded || error.code === 401 || error.code === 403) return "needs_login";
  if (error.code === 429) return "usage_limit";
  return isOutage(error.code) ? "outage" : "failure";
}

await main();
