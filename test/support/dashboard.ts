/** `monoco dashboard` as a process, and real Chromium on it. */
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { once } from "node:events";
import { request } from "node:http";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { execa } from "execa";
import { chromium } from "playwright-core";
import type { Browser, BrowserContext, BrowserContextOptions, LaunchOptions, Page } from "playwright-core";
import { afterAll, expect, onTestFinished } from "vitest";
import { cliPath } from "./cli.ts";
import type { InboxFacts } from "../../src/views/page/facts.ts";
import type { Place } from "./place.ts";

export type Dashboard = {
  /** Each address opens one tab; then the next one is printed. */
  address(): Promise<string>;
  origin: string;
  token: string;
  port: number;
  pid: number;
  printed(): string;
};

export const openDashboard = (place: Place, ...args: string[]): Promise<Dashboard> =>
  openDashboardUnder([], place, ...args);

/** The same below a program that takes a command, and becomes it. */
export async function openDashboardUnder(
  under: readonly string[],
  place: Place,
  ...args: string[]
): Promise<Dashboard> {
  const [program = "", ...rest] = [...under, process.execPath, cliPath, "dashboard", ...args];
  const child = execa(program, rest, {
    cwd: place.project,
    env: place.sandbox.env,
    extendEnv: false,
    reject: false,
    buffer: false,
  });
  onTestFinished(async () => {
    child.kill("SIGTERM");
    expect((await child).exitCode).toBe(0);
  });
  let printed = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (piece) => (printed += String(piece)));
  const addresses = (): string[] => [...printed.matchAll(/http:\/\/\S+(?=\n)/g)].map(([url]) => url);
  let handed = 0;
  const address = async (): Promise<string> => {
    handed += 1;
    while (addresses().length < handed)
      await Promise.race([
        once(child.stdout, "data"),
        child.then(() => {
          throw new Error(printed);
        }),
      ]);
    return addresses()[handed - 1]!;
  };
  const { origin, hash, port } = new URL(await address());
  const to = { address, origin, port: Number(port), pid: child.pid ?? 0, printed: () => printed };
  const headers = {
    host: `127.0.0.1:${port}`,
    authorization: `Bearer ${hash.slice(1)}`,
    "content-type": "application/json",
  };
  const { text: token } = await ask(to, { method: "POST", path: "/api/do/enter", headers });
  return { ...to, token };
}

export type Asked = { status: number; headers: Record<string, unknown>; text: string };

/** A request with any header, as a browser or a program may send it. */
export function ask(
  { port }: Pick<Dashboard, "port">,
  {
    method = "GET",
    path = "/api/inbox",
    headers = {},
    body = "",
    until = "\n\n",
  }: {
    method?: string;
    path?: string;
    headers?: Record<string, string>;
    body?: string;
    /** Of a stream, all up to this. */
    until?: string;
  },
): Promise<Asked> {
  return new Promise((resolve, reject) => {
    const asking = request(
      { host: "127.0.0.1", port, method, path, headers, setHost: false, agent: false },
      (answer) => {
        const isStream = String(answer.headers["content-type"]).startsWith("text/event-stream");
        const done = (text: string): void =>
          resolve({ status: answer.statusCode ?? 0, headers: answer.headers, text });
        let text = "";
        answer.on("data", (piece) => {
          text += String(piece);
          if (isStream && text.includes(until)) {
            asking.destroy();
            done(text);
          }
        });
        answer.on("end", () => done(text));
      },
    );
    asking.on("error", reject).end(body);
  });
}

/** Reads the stream of the inbox; the returned function has what it said last. */
export function followInbox({ port, token }: Dashboard): () => InboxFacts | undefined {
  let last: InboxFacts | undefined;
  let rest = "";
  const headers = { host: `127.0.0.1:${port}`, authorization: `Bearer ${token}` };
  const asking = request({ host: "127.0.0.1", port, path: "/api/inbox", headers }, (answer) => {
    answer.setEncoding("utf8").on("data", (piece) => {
      const events = (rest + String(piece)).split("\n\n");
      rest = events.pop() ?? "";
      const data = /^data: (.*)$/m.exec(events.at(-1) ?? "")?.[1];
      if (data !== undefined) last = JSON.parse(data) as InboxFacts;
    });
  });
  // The dashboard ends with its test.
  asking.on("error", () => undefined).end();
  return () => last;
}

const program = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"].find((path) =>
  existsSync(path),
);
export const hasBrowser = program !== undefined;
if (!hasBrowser) console.warn("SKIPPED: the rows about pages need Chromium, and none is installed here");

export type Tab = { page: Page; faults: string[] };

/** Chromium writes into its home, whatever its profile is. */
const launch = (home: string): LaunchOptions => ({
  executablePath: program ?? "",
  env: { PATH: process.env["PATH"] ?? "", HOME: home },
  // A name that was bound to this machine.
  args: ["--no-sandbox", "--host-resolver-rules=MAP rebound.example 127.0.0.1"],
});

/** A browser that keeps its profile in a folder, as a person's does. */
export const openProfile = (folder: string): Promise<BrowserContext> =>
  chromium.launchPersistentContext(folder, launch(folder));

/** One browser for all tests of a file; it ends with them. */
let browser: Promise<Browser> | undefined;
let home = "";
afterAll(async () => {
  await (await browser)?.close();
  if (home !== "") rmSync(home, { recursive: true, force: true, maxRetries: 3 });
});

/** A tab of its own profile; `faults` collects what the console and the page complain about. */
export async function openTab(options: BrowserContextOptions = {}): Promise<Tab> {
  browser ??= chromium.launch(launch((home = mkdtempSync(join(tmpdir(), "monoco-test-home-")))));
  const context = await (await browser).newContext(options);
  onTestFinished(() => context.close());
  const page = await context.newPage();
  page.setDefaultTimeout(20_000);
  const faults: string[] = [];
  page.on("console", (message) => void (message.type() === "error" && faults.push(message.text())));
  page.on("pageerror", (error) => void faults.push(error.message));
  return { page, faults };
}

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** What axe finds wrong. The page's own rules let no foreign script in, so the tab has to bypass them. */
export async function violations(page: Page): Promise<string[]> {
  await page.evaluate(axe);
  return page.evaluate(async () => {
    type Run = () => Promise<{ violations: { id: string; nodes: { target: string[] }[] }[] }>;
    const { run } = (globalThis as unknown as { axe: { run: Run } }).axe;
    return (await run()).violations.map(
      ({ id, nodes }) => `${id}: ${nodes.map(({ target }) => target.join(" ")).join(", ")}`,
    );
  });
}
