/** What a program in a sandbox reaches of the network: real bubblewrap, and real servers on this machine. */
import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer as createPlain } from "node:http";
import { createServer as createSecure } from "node:https";
import { createServer as createRaw } from "node:net";
import type { AddressInfo, Server } from "node:net";
import { hostname, networkInterfaces } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { spawnChild } from "../../src/agents/child.ts";
import { openProxy } from "../../src/agents/network/proxy.ts";
import type { ProxyOptions, Refusal } from "../../src/agents/network/proxy.ts";
import type { NetworkView } from "../../src/agents/network/words.ts";
import { isOwn } from "../../src/io/addresses.ts";
import { isHere } from "../support/namespaces.ts";
import { temporaryFolder } from "../support/repository.ts";

vi.setConfig({ testTimeout: 30_000 });
const works = isHere("bubblewrap");

/** Asks for each address by Node's own fetch; the hosts of this machine are not left out of the proxy. */
const ask = `for (const url of process.argv.slice(1)) {
  try { const got = await fetch(url); console.log(got.status + " " + (await got.text()).trim()); }
  catch (error) { console.log("failed: " + (error.cause?.message || error.message)); }
}`;
const fetching = (...urls: string[]): string =>
  `NO_PROXY= no_proxy= node --input-type=module -e '${ask}' ${urls.join(" ")}`;

describe.runIf(works)("network: vendors", () => {
  test("a host that is named is reached, plain and by TLS; any other, and an address, is refused in words", async () => {
    const { port, secure, cert } = await vendor();
    const { said, refused } = await inSandbox(
      fetching(
        `http://localhost:${port}/a`,
        `https://localhost:${secure}/b`,
        `http://127.0.0.1:${port}/`,
        `http://[::1]:${port}/`,
        "http://other.example/",
      ),
      { chosen: ["localhost"], env: { NODE_EXTRA_CA_CERTS: cert }, read: [cert] },
    );
    expect(said).toEqual([
      "200 plain /a",
      "200 secure /b",
      expect.stringMatching(/^failed: /),
      expect.stringMatching(/^failed: /),
      expect.stringMatching(/^failed: /),
    ]);
    expect(refused).toEqual([
      { host: "127.0.0.1", port, why: "address" },
      { host: "::1", port, why: "address" },
      { host: "other.example", port: 80, why: "unlisted" },
    ]);
  });

  test("a plain request goes through whole, and what refuses one says how to allow the host", async () => {
    const { port } = await vendor();
    const send = (host: string): string =>
      `node -e 'const r = require("http").request({ host: "127.0.0.1", port: 3128, method: "POST", path: "http://${host}:${port}/x", headers: { connection: "x-mine", "x-mine": "1", "x-kept": "2" } }, (a) => a.pipe(process.stdout)); r.end("body")'`;
    const { said } = await inSandbox(`${send("localhost")}; echo; ${send("evil.example")}`, {
      chosen: ["localhost"],
    });
    expect(said).toEqual([
      "plain /x",
      "body, x-kept 2, x-mine undefined",
      expect.stringContaining("a person may add it to networkHosts in monoco.yaml"),
    ]);
  });

  test("a name that leads to a private address is refused, unless it is named whole", async () => {
    const { port } = await vendor();
    const asked = fetching(`http://localhost:${port}/a`);
    const byVendor = await inSandbox(asked, { vendor: ["localhost"] });
    expect(byVendor.said).toEqual([expect.stringMatching(/^failed: /)]);
    expect(byVendor.refused).toEqual([{ host: "localhost", port, why: "private" }]);
  });

  test("a port that is named opens no other", async () => {
    const { port, secure } = await vendor();
    const { said } = await inSandbox(fetching(`http://localhost:${port}/a`, `http://localhost:${secure}/`), {
      chosen: [`localhost:${port}`],
    });
    expect(said).toEqual(["200 plain /a", expect.stringMatching(/^failed: /)]);
  });

  test("the proxy of the person's own network is gone through, and asked for the same hosts only", async () => {
    const { port } = await vendor();
    const seen = new Set<string>();
    const upstream = createPlain((_, response) => void response.end("from upstream"));
    upstream.on("connect", (request, socket) => {
      seen.add(`${request.url} ${request.headers["proxy-authorization"]}`);
      socket.end("HTTP/1.1 200 OK\r\n\r\nHTTP/1.1 200 OK\r\ncontent-length: 4\r\n\r\ntold");
    });
    const proxyUrl = `http://me:secret@127.0.0.1:${await listen(upstream)}`;
    const { said } = await inSandbox(
      fetching("http://far.example/", `http://localhost:${port}/a`, "http://other.example/"),
      {
        chosen: ["far.example", "localhost"],
        proxy: { HTTPS_PROXY: proxyUrl, NO_PROXY: "localhost" },
      },
    );
    expect(said).toEqual(["200 told", "200 plain /a", expect.stringMatching(/^failed: /)]);
    expect([...seen]).toEqual([`far.example:80 Basic ${Buffer.from("me:secret").toString("base64")}`]);
  });

  test("a program that goes past the proxy reaches nothing: no address, no socket of the kernel's", async () => {
    const { port } = await vendor();
    const { said } = await inSandbox(await past(port), { chosen: ["localhost"] });
    expect(said).toEqual(["failed", "failed", "failed", "own server reached"]);
  });

  test("what its proxy still has open does not outlive it", async () => {
    const raw = createRaw(() => undefined);
    const port = await listen(raw);
    const { said } = await inSandbox(
      `node -e 'const s = require("net").connect(3128, "127.0.0.1", () => s.write("CONNECT localhost:${port} HTTP/1.1\\r\\n\\r\\n")); s.once("data", (d) => { console.log(String(d).split("\\r")[0]); process.exit(0) })'`,
      { chosen: ["localhost"] },
    );
    expect(said).toEqual(["HTTP/1.1 200 Connection established"]);
    await expect.poll(() => connectionsOf(raw)).toBe(0);
  });

  test("a TERM reaches the program alone, which may still send something", async () => {
    const { port } = await vendor();
    const run = await spawnIn(
      // A group that has only just begun may get TERM twice; Node would end by the second.
      `trap 'trap "" TERM; setsid env ${fetching(`http://localhost:${port}/late`).replaceAll("'", `'"'"'`)}; exit 0' TERM; echo up; while :; do sleep 0.05; done`,
      {
        chosen: ["localhost"],
      },
    );
    await run.until("up");
    expect(await run.child.stop(10_000)).toEqual({ exitCode: 0, signal: null });
    expect(run.lines).toEqual(["up", "200 plain /late"]);
  });

  test("where the proxy is gone before the start, the program does not start", async () => {
    const run = await spawnIn("echo ran", { chosen: [], folder: "/nowhere" });
    expect(await run.child.exited).toMatchObject({ exitCode: 1 });
    expect([run.lines, run.child.stderrTail()]).toEqual([
      [],
      expect.stringContaining("the way to the network did not open"),
    ]);
  });
});

describe.runIf(works)("network: none", () => {
  test("leaves a loopback of its own, and nothing besides", async () => {
    const { port } = await vendor();
    const run = await spawnIn(await past(port), undefined);
    await run.child.exited;
    expect(run.lines).toEqual(["failed", "failed", "failed", "own server reached"]);
  });
});

/** Three ways past a proxy, and a server of the program's own. */
async function past(port: number): Promise<string> {
  const name = `monoco-test-${port}`;
  const abstract = createRaw((socket) => socket.end());
  abstract.listen(`\0${name}`);
  await once(abstract, "listening");
  onTestFinished(() => void abstract.close());
  const to = (options: string): string =>
    `node -e 'const c = require("net").connect(${options}); c.on("connect", () => { console.log("reached"); process.exit() }); c.on("error", () => { console.log("failed"); process.exit() })'`;
  const own = `node -e 'const s = require("net").createServer().listen(0, "127.0.0.1", () => require("net").connect(s.address().port, "127.0.0.1", () => { console.log("own server reached"); process.exit() }))'`;
  return [to(`${port}, "127.0.0.1"`), to(`443, "192.0.2.1"`), to(`{ path: "\\0${name}" }`), own].join("; ");
}

/** Two servers of this machine, one with a certificate of its own. */
async function vendor(): Promise<{ port: number; secure: number; cert: string }> {
  const folder = temporaryFolder();
  const [key, cert] = [join(folder, "key.pem"), join(folder, "cert.pem")];
  const subject = ["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost"];
  const made = ["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"];
  execFileSync("openssl", [...made, "-keyout", key, "-out", cert, ...subject], { stdio: "ignore" });
  const plain = createPlain((request, response) => {
    if (request.method !== "POST") return void response.end(`plain ${request.url}`);
    const { "x-kept": kept, "x-mine": mine } = request.headers;
    let body = "";
    request.on("data", (chunk) => (body += String(chunk)));
    request.on("end", () =>
      response.end(`plain ${request.url}\n${body}, x-kept ${String(kept)}, x-mine ${String(mine)}`),
    );
  });
  const secure = createSecure({ key: readFileSync(key), cert: readFileSync(cert) }, (request, response) => {
    response.end(`secure ${request.url}`);
  });
  return { port: await listen(plain), secure: await listen(secure), cert };
}

async function listen(server: Server): Promise<number> {
  server.listen(0, "localhost");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  return (server.address() as AddressInfo).port;
}

function connectionsOf(server: Server): Promise<number> {
  return new Promise((resolve) => server.getConnections((_, count) => resolve(count)));
}

type Open = Partial<ProxyOptions["hosts"]> & {
  env?: Record<string, string>;
  proxy?: Record<string, string>;
  folder?: string;
  read?: string[];
};

async function inSandbox(script: string, open: Open): Promise<{ said: string[]; refused: Refusal[] }> {
  const run = await spawnIn(script, open);
  await run.child.exited;
  run.close();
  expect(run.child.stderrTail()).toBe("");
  return { said: run.lines, refused: run.refused };
}

/** Without `open`, in no network at all. */
async function spawnIn(script: string, open: Open | undefined) {
  const folder = temporaryFolder();
  const refused: Refusal[] = [];
  const { vendor: hosts = [], chosen = [], env = {}, proxy = {}, read = [] } = open ?? {};
  const onRefused = (one: Refusal): void => void refused.push(one);
  const opened =
    open && (await openProxy({ folder, hosts: { vendor: hosts, chosen }, env: proxy, onRefused }));
  let isOpen = true;
  const close = (): void => {
    if (isOpen) opened?.close();
    isOpen = false;
  };
  onTestFinished(close);
  const network: NetworkView = open ? { proxy: open.folder ?? folder } : {};
  const lines: string[] = [];
  const waiting = new Map<string, () => void>();
  const child = spawnChild({
    argv: ["/bin/sh", "-c", script],
    cwd: folder,
    env: { PATH: process.env["PATH"] ?? "", ...env },
    marker: `MONOCO_TEST=${hostname()}-${folder}`,
    containment: "bubblewrap",
    view: { hidden: [], scratch: [], read, write: [folder], network },
    stdoutFile: join(folder, "stdout"),
    stderrFile: join(folder, "stderr"),
    bytesMax: 100_000,
    onLine: (line) => {
      lines.push(line);
      waiting.get(line)?.();
    },
    onFlood: () => undefined,
  });
  onTestFinished(() => child.stop(0).then(() => undefined));
  const until = (line: string): Promise<void> =>
    new Promise((resolve) => (lines.includes(line) ? resolve() : void waiting.set(line, resolve)));
  return { child, lines, refused, close, until };
}

test("an address of this machine is known as IPv4 in IPv6, too", () => {
  const all = Object.values(networkInterfaces()).flatMap((one) => one ?? []);
  for (const { address, family } of all) {
    expect(isOwn(address)).toBe(true);
    if (family === "IPv4") expect(isOwn(`::ffff:${address}`)).toBe(true);
  }
  for (const address of ["192.0.2.1", "::ffff:192.0.2.1"]) expect(isOwn(address)).toBe(false);
});
