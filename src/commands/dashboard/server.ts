/** The dashboard's server: its pages, which show nothing by themselves, and below /api/ the facts and actions for who has the token. */
import { AsyncLocalStorage } from "node:async_hooks";
import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import type { AddressInfo } from "node:net";
import { basename } from "node:path";
import { serve } from "@hono/node-server";
import { Hono } from "hono";
import type { Context } from "hono";
import { bodyLimit } from "hono/body-limit";
import { HTTPException } from "hono/http-exception";
import { streamSSE } from "hono/streaming";
import { MonocoError } from "../../core/error/error.ts";
import { languageSpoken } from "../../core/language/translate.ts";
import { saidCharsMax } from "../../core/limits.ts";
import { plain, plainJson } from "../../core/text/sanitize.ts";
import type { Here } from "../../app/here.ts";
import { openFeed } from "../../app/live/feed.ts";
import { validId } from "../../app/valid-id.ts";
import { pageHtml } from "../../views/page/frame.ts";
import { act } from "./actions.ts";
import { inboxFacts } from "./inbox-facts.ts";
import { Readers } from "./readers.ts";
import type { Place } from "./readers.ts";
import { refusalOf, safeHeaders } from "./guard.ts";
import { tokenPath } from "./keys.ts";
import type { Keys } from "./keys.ts";
import { relayStream } from "./relay-stream.ts";
import { diffOf, reviewFacts } from "./review-facts.ts";

export type Dashboard = {
  heres: readonly Here[];
  keys: Keys;
  port: number;
  /** A tab was let in: the next one has another key. */
  entered(): void;
};

/** `ended` is the end of the feed, which fails if the repository cannot be read. */
type Running = { port: number; ended: Promise<void>; close(): Promise<void> };

export async function openServer(of: Dashboard): Promise<Running> {
  const ended = new AbortController();
  const readers = new Readers();
  let port = of.port;
  const app = appOf(of, { ended: ended.signal, readers, port: () => port });
  // A request comes without the surroundings of the command: they are those of its start.
  const inCommand = AsyncLocalStorage.snapshot();
  const server = serve({
    fetch: (request, env) => inCommand(() => app.fetch(request, env)),
    hostname: "127.0.0.1",
    port,
  });
  await once(server, "listening").catch((error: unknown) => {
    throw new MonocoError("input", String(error), { hint: "monoco dashboard --port 0" });
  });
  port = (server.address() as AddressInfo).port;
  const reading = readers.read(openFeed(of.heres, { signal: ended.signal }));
  const close = async (): Promise<void> => {
    ended.abort();
    readers.looked();
    await reading.catch(() => undefined);
    if ("closeAllConnections" in server) server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };
  const first = Promise.race([readers.first, reading]);
  await first.catch(close);
  await first;
  return { port, ended: reading, close };
}

/** The built files of the page, and its style, by name: a path is looked up, never joined. */
function pageFiles(): Map<string, string> {
  const folder = new URL("../../../dist/page/", import.meta.url);
  const style = new URL("../../../src/page/style.css", import.meta.url);
  return new Map(
    [...readdirSync(folder).map((name) => new URL(name, folder)), style].map((url) => [
      basename(url.pathname),
      readFileSync(url, "utf8"),
    ]),
  );
}

type Live = { ended: AbortSignal; readers: Readers; port(): number };

function appOf({ keys, entered }: Dashboard, live: Live): Hono {
  const app = new Hono();
  app.use(async (context, next) => {
    const { method, path } = context.req;
    const header = (name: string): string | undefined => context.req.header(name);
    const refusal = refusalOf(
      {
        method,
        path,
        host: header("host"),
        origin: header("origin"),
        site: header("sec-fetch-site"),
        contentType: header("content-type"),
        authorization: header("authorization"),
      },
      { port: live.port(), fits: keys.fits },
    );
    if (refusal) context.res = context.text(refusal.why, refusal.status);
    else await next();
    for (const [name, value] of Object.entries(safeHeaders)) context.res.headers.set(name, value);
  });
  app.onError((error, context) => {
    if (error instanceof MonocoError) return context.text(plain(error.message), 404);
    if (error instanceof HTTPException) return error.getResponse();
    throw error;
  });
  addPages(app);
  addStreams(app, live);
  addRequests(app, live);
  app.post(tokenPath, (context) => {
    const token = keys.token();
    entered();
    return context.text(token);
  });
  return app;
}

function addPages(app: Hono): void {
  const files = pageFiles();
  app.get("/", (context) => context.html(pageHtml(languageSpoken())));
  app.get("/i/*", (context) => context.html(pageHtml(languageSpoken())));
  app.get("/page/:name", (context) => {
    const name = context.req.param("name");
    const text = files.get(name);
    const type = name.endsWith(".css") ? "text/css" : "text/javascript";
    return text === undefined ? context.notFound() : context.body(text, 200, { "content-type": type });
  });
}

function addStreams(app: Hono, { ended, readers }: Live): void {
  // The page asks again: what cannot be read now is a state of the relay at the next look.
  const quietly = (): Promise<void> => Promise.resolve();
  app.get("/api/inbox", (context) =>
    streamSSE(
      context,
      async (stream) => {
        for await (const { repositories } of readers.snapshots(goneWith(stream, ended)))
          await stream.writeSSE({ data: plainJson(inboxFacts(repositories)) });
      },
      quietly,
    ),
  );
  app.get("/api/relay/:id", (context) => {
    const { issue } = placeOf(readers, context);
    const root = context.req.query("in");
    return streamSSE(
      context,
      async (stream) => {
        const how = {
          since: Number(context.req.header("last-event-id") ?? 0),
          readers,
          gone: goneWith(stream, ended),
        };
        for await (const { event, data, id } of relayStream({ issue, root }, how))
          await stream.writeSSE({ event, data: plainJson(data), ...(id !== undefined && { id: `${id}` }) });
      },
      quietly,
    );
  });
}

function addRequests(app: Hono, { readers }: Live): void {
  const jsonOf = (value: unknown): Response =>
    new Response(plainJson(value), { headers: { "content-type": "application/json" } });
  app.get("/api/words", async () => {
    if (languageSpoken() === "en") return jsonOf(null);
    return jsonOf((await import("../../views/zh/catalogue.ts")).catalogue);
  });
  app.get("/api/review/:id", async (context) => jsonOf(await reviewFacts(placeOf(readers, context))));
  app.get("/api/diff/:id", async (context) => jsonOf({ text: await diffOf(placeOf(readers, context)) }));
  app.post("/api/do/:what/:id", bodyLimit({ maxSize: 8 * saidCharsMax }), async (context) => {
    const body = await context.req.json<object>().catch(() => ({}));
    return jsonOf(await act(placeOf(readers, context), { ...body, do: context.req.param("what") }));
  });
}

function placeOf(readers: Readers, context: Context): Place {
  return readers.placeOf(validId(context.req.param("id") ?? ""), context.req.query("in"));
}

/** Ends with the reader, or with the server. */
function goneWith(stream: { onAbort(listener: () => void): void }, ended: AbortSignal): AbortSignal {
  const gone = new AbortController();
  stream.onAbort(() => gone.abort());
  return AbortSignal.any([gone.signal, ended]);
}
