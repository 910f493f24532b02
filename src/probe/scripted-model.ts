/** A scripted model on loopback: what it is told to answer, what it was asked, and the server that all APIs share. */
import { createServer } from "node:http";
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** Each session of the CLI follows the first conversation that matches its first user message. */
export type ModelScript<T = Turn, Request = ModelRequest> = ReadonlyArray<Conversation<T, Request>>;

export type Conversation<T = Turn, Request = ModelRequest> = {
  /** Text or pattern looked for in the first user message (the prompt). */
  match: string | RegExp;
  /**
   * One for each request of a session, in order. A last turn that fails (or hangs, is cut …) is repeated (the CLI retries);
   * after any other last turn the script is over, and a further request is answered with a loud 400.
   */
  turns: ReadonlyArray<T | ((request: Request) => T)>;
};

export type Turn = {
  text?: string;
  tools?: ReadonlyArray<{ name: string; input: Record<string, unknown> }>;
  usage?: ModelUsage;
  /** Wait before answering. */
  delayMs?: number;
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
  /** What the person said first. */
  prompt: string;
  /** Text of every message, tool results included, as the CLI sent them. */
  messages: ReadonlyArray<{ role: string; text: string }>;
  /** All that came after the model's last answer: tool results, hook feedback, messages given meanwhile. */
  tail: string;
  tools: readonly string[];
  headers: IncomingHttpHeaders;
};

export type ModelServer<Request = ModelRequest> = {
  /** What the CLI is given for the address of its API. */
  url: string;
  /** Every request, in order of arrival. */
  requests: Request[];
  close(): Promise<void>;
};

/** Listens on a free port of 127.0.0.1. `path` stands behind it in the address; what `serve` throws is told to the CLI by `refuse`. */
export async function listen<Request>(options: {
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

/** The turn that answers this request; undefined when the script is over. `failing` are the keys of a turn that is no whole answer. */
export function turnOf<T extends object, Request extends { conversation: number; turn: number }>(
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

/** Which conversation a prompt begins; -1 for none. */
export function conversationOf(script: ReadonlyArray<{ match: string | RegExp }>, prompt: string): number {
  return script.findIndex(({ match }) =>
    typeof match === "string" ? prompt.includes(match) : match.test(prompt),
  );
}
