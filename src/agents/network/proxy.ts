/**
 * The filtering proxy of a sandbox, on a socket in a folder: tunnels and plain requests to hosts that are allowed by name.
 *
 * The proxy looks at no content. It resolves a name once and connects to the address that it checked: a name cannot change in
 * between. A proxy of the person's own network, if there is one, resolves names and connects.
 */
import { closeSync, openSync } from "node:fs";
import { lookup } from "node:dns/promises";
import { createServer, request as httpRequest } from "node:http";
import type { IncomingHttpHeaders, IncomingMessage, RequestOptions, ServerResponse } from "node:http";
import { request as httpsRequest } from "node:https";
import { connect, isIP } from "node:net";
import type { LookupFunction } from "node:net";
import type { Duplex } from "node:stream";
import { wordsOf } from "../../core/error/error.ts";
import { proxyConnectionsMax } from "../../core/limits.ts";
import { allowedBy } from "../../core/settings/network.ts";
import { isOwn, isPrivate } from "../../io/addresses.ts";
import { socketIn } from "./place.ts";
import { upstreamFor } from "./upstream.ts";

export type Refusal = { host: string; port: number; why: "unlisted" | "address" | "private" };

/** The refusal as one line, for agents and logs. */
export function refusalLine({ host, port, why }: Refusal): string {
  const because = why === "private" ? "it leads to a private address" : "networkHosts does not name it";
  return `monoco: network: vendors refused ${host}:${port}: ${because}`;
}

export type ProxyOptions = {
  /** The folder of the proxy's socket. */
  folder: string;
  /** The vendor's hosts, and those that the person named: a host that a person named may be in a private network. */
  hosts: { vendor: readonly string[]; chosen: readonly string[] };
  /** The runner's own environment, which may name a proxy. */
  env: Readonly<Record<string, string | undefined>>;
  onRefused(refusal: Refusal): void;
};

export type Proxy = { close(): void };

export async function openProxy(options: ProxyOptions): Promise<Proxy> {
  const server = createServer();
  server.maxConnections = proxyConnectionsMax;
  const open = new Set<Duplex>();
  const hold = (socket: Duplex): void => {
    open.add(socket);
    socket.on("error", () => undefined).on("close", () => open.delete(socket));
  };
  server.on("connection", hold);
  server.on("connect", (request: IncomingMessage, client: Duplex, head: Buffer) => {
    void tunnel(options, request, client).then(
      (target) => {
        hold(target);
        join(client, target, head);
      },
      (error: unknown) => client.end(answerOf(error)),
    );
  });
  server.on("request", (request, response) => {
    void forward(options, { request, response, hold }).catch((error: unknown) => {
      // Half an answer must not look like a whole one.
      if (response.headersSent) {
        response.destroy();
        return;
      }
      const { status, text } = toldOf(error);
      response.writeHead(status, { connection: "close" }).end(text);
    });
  });
  const fd = openSync(options.folder, "r");
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  server.once("error", reject).listen(socketIn(fd), resolve);
  await promise;
  return {
    close: () => {
      server.close();
      for (const socket of open) socket.destroy();
      closeSync(fd);
    },
  };
}

/** An error that the proxy answers with: its status, and a sentence for the reader of the client's error. */
class Refused extends Error {
  readonly status: number;

  constructor(status: number, text: string) {
    super(text);
    this.status = status;
  }
}

function toldOf(error: unknown): { status: number; text: string } {
  return {
    status: error instanceof Refused ? error.status : 502,
    text: `monoco: ${wordsOf(error)}\n`,
  };
}

function answerOf(error: unknown): string {
  const { status, text } = toldOf(error);
  const length = Buffer.byteLength(text);
  const head = [`HTTP/1.1 ${status} monoco`, "Content-Type: text/plain", `Content-Length: ${length}`];
  return [...head, "Connection: close", "", text].join("\r\n");
}

type Exchange = { request: IncomingMessage; response: ServerResponse };
type Target = { host: string; port: number };

/** Splits `HOST:PORT`. Rejects a host with an unknown character instead of guessing its meaning. */
function targetOf(authority: string, portElse?: number): Target {
  const [, bracketed, name, port] =
    /^(?:\[([0-9a-f:.]{2,45})\]|([a-z0-9._-]{1,253}))(?::(\d{1,5}))?$/i.exec(authority) ?? [];
  const host = bracketed ?? name;
  const number = port === undefined ? portElse : Number(port);
  if (host === undefined || number === undefined || number > 65_535)
    throw new Refused(400, `expected HOST:PORT, got ${JSON.stringify(authority.slice(0, 100))}`);
  return { host, port: number };
}

/** The address of an allowed host; undefined leaves the lookup to a proxy. Throws for any other host. */
async function addressOf(
  { hosts, onRefused }: ProxyOptions,
  { host, port }: Target,
  upstream: URL | undefined,
): Promise<LookupFunction | undefined> {
  const match = allowedBy(hosts.chosen, host, port);
  const refuse = (why: Refusal["why"], text: string): Refused => {
    onRefused({ host, port, why });
    return new Refused(403, text);
  };
  if (match === undefined && allowedBy(hosts.vendor, host, port) === undefined) {
    const hint = "a person may add it to networkHosts in monoco.yaml";
    const text = `network: vendors does not let this session reach ${host}:${port}; ${hint}`;
    throw refuse(isIP(host) === 0 ? "unlisted" : "address", text);
  }
  if (upstream) return undefined;
  const addresses = await lookup(host, { all: true }).catch((error: unknown) => {
    throw new Refused(502, `${host}: ${wordsOf(error)}`);
  });
  const inside = addresses.find(({ address }) => isPrivate(address) || isOwn(address));
  if (inside && match !== "exactly")
    throw refuse("private", `${host} is at ${inside.address}, a private address`);
  return (_host, wanted, done) =>
    wanted.all ? done(null, addresses) : done(null, addresses[0]!.address, addresses[0]!.family);
}

async function tunnel(options: ProxyOptions, request: IncomingMessage, client: Duplex): Promise<Duplex> {
  const authority = request.url ?? "";
  const { host, port } = targetOf(authority);
  const upstream = upstreamFor(options.env, "https", host);
  const by = await addressOf(options, { host, port }, upstream);
  if (client.destroyed) throw new Refused(502, "the client is gone");
  const { promise, resolve, reject } = Promise.withResolvers<Duplex>();
  if (upstream) {
    const asking = throughOf(upstream)({
      ...placeOf(upstream),
      method: "CONNECT",
      path: authority,
      headers: { host: authority, ...loginOf(upstream) },
    });
    asking.on("error", reject).on("connect", ({ statusCode }, socket, early) => {
      // Bytes that the host has sent already, such as a mail server's greeting.
      if (early.length > 0) socket.unshift(early);
      if (statusCode === 200) return resolve(socket);
      socket.destroy();
      reject(new Refused(502, `${host}: the proxy of this network answered with status ${statusCode}`));
    });
    asking.on("response", ({ statusCode }) => {
      reject(new Refused(502, `${host}: the proxy of this network answered with status ${statusCode}`));
      asking.destroy();
    });
    client.once("close", () => asking.destroy());
    asking.end();
  } else {
    const socket = connect({ host, port, allowHalfOpen: true, ...(by && { lookup: by }) });
    socket.once("error", reject).once("connect", () => resolve(socket));
    client.once("close", () => socket.destroy());
  }
  return promise;
}

/** Passes on the end of each side; when one side is gone, so is the other. */
function join(client: Duplex, target: Duplex, head: Buffer): void {
  client.write("HTTP/1.1 200 Connection established\r\n\r\n");
  if (head.length > 0) target.write(head);
  client.pipe(target).pipe(client);
  client.once("close", () => target.destroy());
  target.once("close", () => client.end());
}

async function forward(
  options: ProxyOptions,
  { request, response, hold }: Exchange & { hold(socket: Duplex): void },
): Promise<void> {
  const url = URL.parse(request.url ?? "");
  if (url?.protocol !== "http:") throw new Refused(400, "expected the address of a page, http://HOST/PATH");
  const { host, port } = targetOf(url.host, 80);
  const upstream = upstreamFor(options.env, "http", host);
  const by = await addressOf(options, { host, port }, upstream);
  if (response.destroyed) return;
  // Without this header Node writes the body of a GET unframed, and the server reads it as another request.
  const framed = request.headers["transfer-encoding"] === undefined ? {} : { "transfer-encoding": "chunked" };
  const login = upstream && loginOf(upstream);
  const headers = { ...endToEnd(request.headers), ...framed, host: url.host, ...login };
  const path = upstream ? url.href : `${url.pathname}${url.search}`;
  const place = upstream ? placeOf(upstream) : { host, port, ...(by && { lookup: by }) };
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const asking = (upstream ? throughOf(upstream) : httpRequest)({
    ...place,
    ...(request.method === undefined ? {} : { method: request.method }),
    path,
    headers,
    agent: false,
  });
  asking
    .on("socket", hold)
    .on("error", reject)
    .on("response", (answer) => {
      response.writeHead(answer.statusCode ?? 502, endToEnd(answer.headers));
      answer.pipe(response).on("finish", resolve);
      answer.on("error", reject);
    });
  response.on("close", () => {
    asking.destroy();
    resolve();
  });
  request.pipe(asking);
  return promise;
}

const throughOf = ({ protocol }: URL): typeof httpRequest =>
  protocol === "https:" ? httpsRequest : httpRequest;

function placeOf({ hostname, port, protocol }: URL): RequestOptions {
  const host = hostname.replaceAll(/^\[|\]$/g, "");
  return { host, port: port === "" ? (protocol === "https:" ? 443 : 80) : Number(port), agent: false };
}

function loginOf({ username, password }: URL): Record<string, string> {
  if (username === "") return {};
  const login = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return { "proxy-authorization": `Basic ${Buffer.from(login).toString("base64")}` };
}

/** Headers of one connection only: RFC 9110, 7.6.1. */
const hops = "connection keep-alive proxy-authenticate proxy-authorization proxy-connection te trailer".split(
  " ",
);

function endToEnd(headers: IncomingHttpHeaders): IncomingHttpHeaders {
  const names = (headers.connection ?? "").toLowerCase().split(/(?<!\s)\s*,\s*/);
  // A client must not remove the header that says where its body ends.
  const own = [...hops, "transfer-encoding", "upgrade", ...names.filter((name) => name !== "content-length")];
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !own.includes(name)));
}
