/** OpenCode's own server, started for one session: on loopback, with a password, ended with its driver. */
import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { createInterface } from "node:readline";

export type Server = {
  get(path: string): Promise<unknown>;
  post(path: string, body?: object, timeoutMs?: number): Promise<unknown>;
  /** The server's events from now on; they end when the server does. */
  events(): Promise<AsyncGenerator>;
  /** How the server ended. */
  ended: Promise<string>;
  stop(): Promise<void>;
};

const requestMs = 60_000;
const stopMs = 2_000;

/** Starts the server. Throws if it ends before it listens. */
export async function startServer(args: readonly string[]): Promise<Server> {
  const password = randomBytes(16).toString("hex");
  const child = spawn("opencode", ["serve", "--hostname", "127.0.0.1", "--port", "0", ...args], {
    stdio: ["ignore", "pipe", "inherit"],
    env: { ...process.env, OPENCODE_SERVER_USERNAME: "monoco", OPENCODE_SERVER_PASSWORD: password },
  });
  const ended = new Promise<string>((resolve) => {
    child.once("error", (error) => resolve(`opencode could not be started: ${error.message}`));
    child.once("exit", (exitCode, signal) =>
      resolve(`opencode ended by itself (${signal ?? `exit status ${exitCode}`})`),
    );
  });
  const listening = new Promise<string>((resolve) => {
    createInterface({ input: child.stdout }).on("line", (line) => {
      const [, url] = /listening on (http:\S+)/.exec(line) ?? [];
      if (url) resolve(url);
    });
  });
  const url = await Promise.race([listening, ended.then((message) => Promise.reject(new Error(message)))]);
  const authorization = `Basic ${Buffer.from(`monoco:${password}`).toString("base64")}`;

  const request = async (path: string, init: RequestInit): Promise<unknown> => {
    const headers = { authorization, "content-type": "application/json" };
    const response = await fetch(url + path, { ...init, headers });
    const text = await response.text();
    if (!response.ok) throw new Error(`${path}: status ${response.status}: ${text.slice(0, 500)}`);
    return text === "" ? undefined : JSON.parse(text);
  };
  return {
    get: (path) => request(path, { signal: AbortSignal.timeout(requestMs) }),
    post: (path, body, timeoutMs = requestMs) =>
      request(path, {
        method: "POST",
        signal: AbortSignal.timeout(timeoutMs),
        ...(body ? { body: JSON.stringify(body) } : {}),
      }),
    events: async () => {
      const response = await fetch(`${url}/event`, { headers: { authorization } });
      if (!response.ok) throw new Error(`/event: status ${response.status}`);
      return eventsIn(response);
    },
    ended,
    stop: async () => {
      child.kill("SIGTERM");
      const timer = setTimeout(() => child.kill("SIGKILL"), stopMs);
      await ended;
      clearTimeout(timer);
    },
  };
}

/**
 * Reads server-sent events, each one JSON value; the server sends no other fields. Keeps the whole response: if only an unread
 * body were kept, garbage collection would end it.
 */
async function* eventsIn({ body }: Response): AsyncGenerator {
  if (!body) throw new Error("/event: no stream");
  const decoder = new TextDecoder();
  let rest = "";
  for await (const chunk of body) {
    const events = (rest + decoder.decode(chunk, { stream: true })).split("\n\n");
    rest = events.pop() ?? "";
    for (const event of events) if (event.startsWith("data: ")) yield JSON.parse(event.slice(6));
  }
}
