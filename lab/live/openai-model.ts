/** A model that fails for ever as Codex's built-in provider meets it: asked over a websocket first, then over HTTP. */
import { createHash } from "node:crypto";
import { createServer, STATUS_CODES } from "node:http";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Duplex } from "node:stream";
import type { ModelRequest, ModelServer, Turn } from "../../src/probe/scripted-model.ts";

/** Of a request it keeps only that there was one; a websocket that was asked for counts, too. */
export async function startFailing(turn: Turn): Promise<ModelServer> {
  const requests: ModelRequest[] = [];
  const unread = { session: "", conversation: 0, model: "", system: "", prompt: "", tail: "" };
  const count = ({ headers }: IncomingMessage): void =>
    void requests.push({ ...unread, turn: requests.length, messages: [], tools: [], headers });
  const sockets = new Set<Duplex>();
  const server = createServer((incoming, answer) => {
    count(incoming);
    incoming.resume();
    answer.on("error", () => {});
    overHttp(answer, turn);
  });
  server.on("connection", (socket) => sockets.add(socket));
  server.on("upgrade", (incoming, socket) => {
    count(incoming);
    socket.on("error", () => {});
    overSocket(incoming, socket.resume(), turn);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/v1`,
    requests,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
}

const cutAfterMs = 20;

function overHttp(answer: ServerResponse, { deaf, status, cut }: Turn): void {
  if (deaf) return;
  if (status) {
    answer.writeHead(status, { "content-type": "application/json" });
    return void answer.end(JSON.stringify({ error: { message: `scripted ${status}` } }));
  }
  answer.writeHead(200, { "content-type": "text/event-stream" });
  const created = { type: "response.created", response: { id: "resp_1" } };
  answer.write(`event: ${created.type}\ndata: ${JSON.stringify(created)}\n\n`);
  if (cut) setTimeout(() => answer.destroy(), cutAfterMs);
}

function overSocket(incoming: IncomingMessage, socket: Duplex, { deaf, status, cut }: Turn): void {
  if (deaf) return;
  if (status) {
    const head = [`HTTP/1.1 ${status} ${STATUS_CODES[status]}`, "Content-Length: 0", "Connection: close"];
    return void socket.end(`${head.join("\r\n")}\r\n\r\n`);
  }
  socket.write(switching(incoming.headers["sec-websocket-key"] ?? ""));
  if (cut) setTimeout(() => socket.destroy(), cutAfterMs);
}

/** RFC 6455, 4.2.2. */
function switching(key: string): string {
  const accept = createHash("sha1").update(`${key}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`).digest("base64");
  const head = [
    "HTTP/1.1 101 Switching Protocols",
    "Upgrade: websocket",
    "Connection: Upgrade",
    `Sec-WebSocket-Accept: ${accept}`,
  ];
  return `${head.join("\r\n")}\r\n\r\n`;
}
