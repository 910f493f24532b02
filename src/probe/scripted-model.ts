/** A scripted model on loopback: the script of its answers, the requests it got, and the server that all APIs share. */
import { randomUUID } from "node:crypto";
import { createServer } from "node:http";
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";

/** Each session of the CLI follows the first conversation that matches its first user message. */
export type ModelScript<T = Turn, Request = ModelRequest> = ReadonlyArray<Conversation<T, Request>>;

export type Conversation<T = Turn, Request = ModelRequest> = {
  /** Text or pattern looked for in the first user message (the prompt). */
  match: string | RegExp;
  /**
   * One for each request of a session, in order. A last turn that fails (or hangs, is cut …) is repeated, since the CLI
   * retries; after any other last turn the script is over, and a further request gets a loud 400.
   */
  turns: ReadonlyArray<T | ((request: Request) => T)>;
};

export type Turn = {
  text?: string;
  tools?: ReadonlyArray<{ name: string; input: Record<string, unknown> }>;
  usage?: ModelUsage;
  /** Wait before answering. */
  delayMs?: number;
  /** What the answer waits for. */
  after?: Promise<unknown>;
  /** An error: status, headers and body are sent as they are. */
  status?: number;
  headers?: Record<string, string>;
  body?: unknown;
  /** Begin the answer, then say nothing for ever. */
  hang?: true;
  /** Begin the answer, then drop the connection. */
  cut?: true;
  /** Begin the answer, then break it off with an error event. */
  overloaded?: true;
  /** Take the request and never answer, not even with headers. */
  deaf?: true;
};

export type ModelUsage = {
  input_tokens?: number;
  output_tokens?: number;
  cache_read_input_tokens?: number;
  cache_creation_input_tokens?: number;
};

/** One request as it reached the model. */
export type ModelRequest = {
  /** The CLI's session id. */
  session: string;
  /** Position in the session, from 0. */
  turn: number;
  /** Index of the conversation in the script; -1 = none matched. */
  conversation: number;
  model: string;
  system: string;
  /** The person's first message. */
  prompt: string;
  /** Text of every message, tool results included, as the CLI sent them. */
  messages: ReadonlyArray<{ role: string; text: string }>;
  /** Everything after the model's last answer: tool results, hook feedback, messages in between. */
  tail: string;
  tools: readonly string[];
  headers: IncomingHttpHeaders;
};

export type ModelServer<Request = ModelRequest> = {
  /** The address of the API, for the CLI. */
  url: string;
  /** Every request, in order of arrival. */
  requests: Request[];
  close(): Promise<void>;
};

/** An answer outside the script. */
export type Reply = { status: number; body?: unknown; headers?: Record<string, string> };

/** A request in any API's form; `session` is the CLI's own id, if it names one. */
export type Asked = Pick<ModelRequest, "model" | "system" | "messages" | "tools"> & {
  session: string | undefined;
  /** The prompt, if it is more than the first user message; the first request of a session has it. */
  prompt?: string;
};

/** One API. `Extra` holds the additional fields of its requests. */
export type Api<T extends Turn, Extra extends object = object> = {
  /** The path after the port. */
  path: string;
  /** Keys of a turn that is not a complete answer. */
  failing: ReadonlyArray<keyof T>;
  /** The role of the model's own messages. */
  model: string;
  /** Reads a request, or answers it outside the script. */
  read(asked: { path: string; incoming: IncomingMessage; text: string }): (Asked & Extra) | Reply;
  /** The body of an error. */
  errorOf(status: number, message: string): unknown;
  answer(answer: ServerResponse, turn: T, request: ModelRequest & Extra): void;
};

/** A model on loopback that follows the script. */
export function startModel<T extends Turn, Extra extends object>(
  script: ModelScript<T, ModelRequest & Extra>,
  api: Api<T, Extra>,
): Promise<ModelServer<ModelRequest & Extra>> {
  const requests: Array<ModelRequest & Extra> = [];
  const reply = (answer: ServerResponse, { status, body, headers }: Reply): void => {
    answer.writeHead(status, { "content-type": "application/json", ...headers });
    answer.end(JSON.stringify(body));
  };
  const serve = async (incoming: IncomingMessage, answer: ServerResponse): Promise<void> => {
    const { pathname: path } = new URL(incoming.url ?? "/", "http://localhost");
    const asked = api.read({ path, incoming, text: await text(incoming) });
    if ("status" in asked) return reply(answer, asked);
    const request = { ...asked, ...placeOf(asked, { script, requests, api }), headers: incoming.headers };
    requests.push(request);
    const turn = turnOf(script, request, api.failing);
    if (!turn) {
      throw new Error(`the script has no turn ${request.turn} for conversation ${request.conversation}`);
    }
    if (turn.deaf) return;
    if (turn.delayMs) await sleep(turn.delayMs);
    await turn.after;
    const { status, headers = {} } = turn;
    if (status === undefined || status < 300) return api.answer(answer, turn, request);
    reply(answer, { status, headers, body: turn.body ?? api.errorOf(status, `scripted ${status}`) });
  };
  const refuse = (answer: ServerResponse, why: string): void =>
    reply(answer, { status: 400, body: api.errorOf(400, `scripted model: ${why}`) });
  return listen({ path: api.path, requests, serve, refuse });
}

/** The conversation of a request, and its new messages. A session without a name is known by its conversation. */
function placeOf<T, Extra extends object>(
  { session, messages, prompt: given }: Asked,
  scripted: {
    script: ModelScript<T, ModelRequest & Extra>;
    requests: readonly ModelRequest[];
    api: { model: string };
  },
): Pick<ModelRequest, "session" | "turn" | "conversation" | "prompt" | "tail"> {
  const prompt = given ?? promptOf(messages);
  const begins = conversationOf(scripted.script, prompt);
  const earlier = scripted.requests.filter((request) =>
    session === undefined ? request.conversation === begins : request.session === session,
  );
  const lastAnswer = messages.findLastIndex(({ role }) => role === scripted.api.model);
  return {
    session: session ?? "",
    turn: earlier.length,
    conversation: earlier[0]?.conversation ?? begins,
    prompt: given === undefined ? prompt : (earlier[0]?.prompt ?? prompt),
    tail: joined(messages.slice(lastAnswer + 1)),
  };
}

/** The person's first message. */
export function promptOf(messages: Asked["messages"]): string {
  return messages.find(({ role }) => role === "user")?.text ?? "";
}

export function joined(messages: ReadonlyArray<{ text: string }>): string {
  return messages.map((message) => message.text).join("\n");
}

export function idOf(prefix: string): string {
  return `${prefix}_${randomUUID().replaceAll("-", "").slice(0, 24)}`;
}

/** Begins a stream of server-sent events, each of `type`. */
export function eventsTo(
  answer: ServerResponse,
  headers: Record<string, string> = {},
): (type: string, data: object) => void {
  answer.writeHead(200, { "content-type": "text/event-stream", ...headers });
  return (type, data) => void answer.write(`event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`);
}

/** Drops the connection after the sent bytes. */
export function cutOff(answer: ServerResponse): void {
  setTimeout(() => answer.destroy(), 20);
}

/** Listens on a free port of 127.0.0.1. `path` follows the port in the address; `refuse` reports an error of `serve` to the CLI. */
async function listen<Request>(options: {
  path: string;
  requests: Request[];
  serve(incoming: IncomingMessage, answer: ServerResponse): Promise<void>;
  refuse(answer: ServerResponse, why: string): void;
}): Promise<ModelServer<Request>> {
  const server = createServer((incoming, answer) => {
    answer.on("error", () => {});
    options.serve(incoming, answer).catch((error: unknown) => options.refuse(answer, String(error)));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}${options.path}`,
    requests: options.requests,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** The turn that answers this request; undefined when the script is over. `failing` are the keys of a turn that is not a complete answer. */
function turnOf<T extends object, Request extends { conversation: number; turn: number }>(
  script: ModelScript<T, Request>,
  request: Request,
  failing: ReadonlyArray<keyof T>,
): T | undefined {
  const turns = script[request.conversation]?.turns ?? [];
  const scripted = turns[request.turn] ?? turns.at(-1);
  const turn = typeof scripted === "function" ? scripted(request) : scripted;
  if (request.turn < turns.length) return turn;
  return turn && failing.some((key) => turn[key]) ? turn : undefined;
}

/** The conversation that a prompt begins; -1 for none. */
function conversationOf(script: ReadonlyArray<{ match: string | RegExp }>, prompt: string): number {
  return script.findIndex(({ match }) =>
    typeof match === "string" ? prompt.includes(match) : match.test(prompt),
  );
}
