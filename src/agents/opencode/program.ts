/** OpenCode's driver process: starts its server, prints the server's events as JSON lines, follows the orders on standard input. */
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { z } from "zod";
import { wordsOf } from "../../core/error/error.ts";
import { runHook, whyNotStop } from "../self-check.ts";
import { drivingSchema, orderSchema } from "./orders.ts";
import type { Order } from "./orders.ts";
import { startServer } from "./server.ts";
import type { Server } from "./server.ts";
import { watchEvents } from "./watch.ts";
import type { Watch } from "./watch.ts";

const [options = "{}", ...serverArgs] = process.argv.slice(2);
const { monoco, title, model, sessionID: resumed } = drivingSchema.parse(JSON.parse(options));

/** Denied permissions: nobody is there to answer a question, and no plan is wanted. */
const rules = ["question", "plan_enter", "plan_exit"].map((permission) => ({
  permission,
  pattern: "*",
  action: "deny",
}));

const abortMs = 1_500;
/** The longest time from the first failure to the server's exit, ms. */
const diesMs = 500;

/** Whether the session is being ended from outside: the driver then reports no failure. */
let ending = false;
const orders: Order[] = [];
let wake: () => void = () => undefined;

async function main(): Promise<void> {
  const input = createInterface({ input: process.stdin });
  const closed = new Promise<void>((resolve) => input.once("close", resolve));
  input.on("line", (line) => {
    orders.push(orderSchema.parse(JSON.parse(line)));
    wake();
  });
  const hooked = runHook(monoco, "on-session-start").then((answer) => {
    if (answer !== undefined) say("monoco.hooks");
  });
  let server: Server | undefined;
  /** Reports a failure. If the server dies, its death is the reason, whatever failed first. */
  const fail = async (cause: unknown): Promise<void> => {
    const later = sleep(diesMs, wordsOf(cause));
    const message = await (server ? Promise.race([server.ended, later]) : later);
    if (ending || process.exitCode) return;
    say("monoco.failed", { why: cause instanceof NeedsLogin ? "needs_login" : "failure", message });
    process.exitCode = 1;
  };
  for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) {
    process.once(signal, () => {
      ending = true;
      void (server?.stop() ?? Promise.resolve()).then(() => process.exit(143));
    });
  }
  try {
    server = await startServer(serverArgs);
    void server.ended.then((message) => fail(new Error(message)));
    const watch = await begin(server, (cause) => void fail(cause));
    drive(server, watch).catch(fail);
    await closed;
    ending = true;
    if (watch.busy()) await server.post(`${watch.path}/abort`, undefined, abortMs).catch(() => undefined);
  } catch (error) {
    await fail(error);
  }
  ending = true;
  await hooked;
  await server?.stop();
  process.exit(process.exitCode);
}

/** Opens the session and passes on its events. Throws a readable error if the session cannot be opened. */
async function begin(server: Server, fail: (error: unknown) => void): Promise<Watch> {
  const events = await server.events();
  const { providers } = providersSchema.parse(await server.get("/config/providers"));
  if (resumed === undefined && !(await hasModel(server, providers))) throw new NeedsLogin(openToAll);
  const session = sessionSchema.parse(
    await (resumed === undefined
      ? server.post("/session", { title, permission: rules })
      : server.get(`/session/${resumed}`)),
  );
  const { id: sessionID, directory, cost } = session;
  // OpenCode would hang silently.
  if (resumed !== undefined && directory !== process.cwd()) throw new Error(`${resumed} is of ${directory}`);
  say("monoco.session", { sessionID, costUsd: cost });
  void tellDeadServers(server);
  const silenceMs = Number(process.env["MONOCO_MODEL_SILENCE_MS"]) || Infinity;
  return watchEvents({ events, sessionID, windows: windowsOf(providers), silenceMs, say, fail });
}

/** Reports the MCP servers that failed to start, once OpenCode has tried them all. */
async function tellDeadServers(server: Server): Promise<void> {
  const all = serversSchema.safeParse(await server.get("/mcp").catch(() => undefined)).data ?? {};
  for (const [name, { status, error }] of Object.entries(all))
    if (status === "failed") say("monoco.server_failed", { name, error });
}

const serversSchema = z.record(
  z.string(),
  z.object({ status: z.string(), error: z.string().optional().catch(undefined) }),
);

const openToAll =
  "no provider is logged in and no model is named: OpenCode would send the code to a free model, open to all";

const modelSchema = z.object({ limit: z.object({ context: z.number(), input: z.number().optional() }) });
const providerSchema = z.object({
  id: z.string(),
  options: z.object({ apiKey: z.unknown() }).catch({ apiKey: undefined }),
  models: z.record(z.string(), modelSchema),
});
type Provider = z.infer<typeof providerSchema>;
const providersSchema = z.object({ providers: z.array(providerSchema) });

const sessionSchema = z.object({ id: z.string(), directory: z.string(), cost: z.number().catch(0) });

async function hasModel(server: Server, providers: readonly Provider[]): Promise<boolean> {
  if (model !== undefined || providers.some(({ options }) => options.apiKey !== "public")) return true;
  return z.object({ model: z.string() }).safeParse(await server.get("/config")).success;
}

function windowsOf(providers: readonly Provider[]): Map<string, number> {
  return new Map(
    providers.flatMap(({ id, models }) =>
      Object.entries(models).map(([name, { limit }]) => [`${id}/${name}`, limit.input ?? limit.context]),
    ),
  );
}

class NeedsLogin extends Error {}

/** Follows one order after the other. */
async function drive(server: Server, watch: Watch): Promise<void> {
  let refused = false;
  const prompt = async (text: string): Promise<void> => {
    const parts = [{ type: "text", text }];
    watch.asked();
    await server.post(`${watch.path}/prompt_async`, { parts, ...(model ? { model: modelOf(model) } : {}) });
    // OpenCode answers before it has taken the prompt; a message that overtook the first prompt would be read as the first.
    await watch.begun;
  };
  const check = async (said: string): Promise<void> => {
    const reason = await whyNotStop(monoco, { again: refused, said });
    if (isAskedMeanwhile()) return;
    refused = reason !== undefined;
    if (reason === undefined) say("monoco.stopped");
    else await prompt(reason);
  };
  /** Whether a message came after the model's stop. It is answered first: the model will stop again. */
  const isAskedMeanwhile = (): boolean => watch.busy() || orders.some(({ order }) => order === "prompt");
  for (;;) {
    const order = orders.shift();
    if (!order) await new Promise<void>((resolve) => (wake = resolve));
    else if (order.order === "allow") await server.post(`/permission/${order.id}/reply`, { reply: "once" });
    else if (order.order === "prompt") {
      refused = false;
      await prompt(order.text);
    } else if (!isAskedMeanwhile()) await check(order.said);
  }
}

function modelOf(name: string): { providerID: string; modelID: string } {
  const [providerID = "", ...rest] = name.split("/");
  return { providerID, modelID: rest.join("/") };
}

const textCharsMax = 100_000;

/** Prints a line. The reader cuts lines at 1 MiB, and half a line is useless. */
function say(type: string, properties: object = {}): void {
  if (ending) return;
  const short = (_: string, value: unknown): unknown =>
    typeof value === "string" ? value.slice(0, textCharsMax) : value;
  process.stdout.write(`${JSON.stringify({ type, atMs: Date.now(), properties }, short)}\n`);
}

await main();
