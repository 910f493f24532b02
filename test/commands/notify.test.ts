/** People who are away are told: by a command, the desktop and a signed webhook, in batches, and never through a private address. */
import { createHmac } from "node:crypto";
import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { text } from "node:stream/consumers";
import { describe, expect, onTestFinished, test } from "vitest";
import { deliverBatch, network } from "../../src/app/overview/notify.ts";
import type { Batch } from "../../src/app/overview/notify.ts";
import { within } from "../../src/io/io.ts";
import { main } from "../../src/main.ts";
import { openSandbox } from "../support/cli.ts";
import { openPlace, run } from "../support/place.ts";

const asks = [run('monoco relay ask "Which <b>port</b>?"')];
const batch: Batch = {
  v: 1,
  repository: "/r",
  notices: [
    { kind: "done", issue: "FEAT-0001", text: "merged", at: "2026-11-21T00:00:00.000Z", command: "monoco" },
  ],
};

test("a run tells its command, the desktop and the bell what needs a person, in one batch", async () => {
  const place = await openPlace(
    { executor: [asks], reviewer: [[]] },
    {
      issues: ["FEAT-0001", "FEAT-0002"],
      limits: { questionsMax: 1 },
      settings:
        'notify: { command: "cat >> \\"$PERSONS/told.jsonl\\"; echo >> \\"$PERSONS/told.jsonl\\"", desktop: true }\n',
    },
  );
  const bin = join(place.around, "bin");
  mkdirSync(bin);
  writeFileSync(join(bin, "notify-send"), `#!/bin/sh\nprintf '%s\\n' "$@" > "${place.around}/desktop"\n`);
  chmodSync(join(bin, "notify-send"), 0o755);
  const stdout = Object.assign(new PassThrough(), { isTTY: true, columns: 80 });
  const printed = text(stdout);
  const env = { ...place.sandbox.env, PERSONS: place.around, PATH: `${bin}:${place.sandbox.env["PATH"]}` };
  expect(await main(["run", "--all"], { cwd: place.project, env, stdout, stderr: stdout })).toBe(1);
  stdout.end();
  expect((await printed).split("\u0007")).toHaveLength(3);
  const told = readFileSync(join(place.around, "told.jsonl"), "utf8").trim().split("\n");
  expect(told).toHaveLength(1);
  const { notices } = JSON.parse(told[0]!) as Batch;
  const byIssue = notices.toSorted((one, other) => (one.issue < other.issue ? -1 : 1));
  expect(byIssue.map(({ kind, issue, command }) => [kind, issue, command])).toEqual([
    ["question", "FEAT-0001", 'monoco answer FEAT-0001 "…"'],
    ["question", "FEAT-0002", 'monoco answer FEAT-0002 "…"'],
  ]);
  expect(notices[0]!.text).toContain("Which <b>port</b>?");
  const desktop = readFileSync(join(place.around, "desktop"), "utf8");
  expect(desktop).toMatch(/^--\nmonoco: 2 news\n/);
  expect(desktop).toContain("Which &lt;b>port&lt;/b>?");
});

describe("the webhook", () => {
  /** A server of this machine with a certificate of its own: only an injection reaches it. */
  async function listen(status: number, headers: Record<string, string> = {}) {
    const sandbox = openSandbox();
    onTestFinished(() => sandbox.dispose());
    const [key, cert] = ["key.pem", "cert.pem"].map((name) => join(sandbox.folder, name)) as [string, string];
    const subject = ["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost"];
    const made = ["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"];
    execFileSync("openssl", [...made, "-keyout", key, "-out", cert, ...subject], { stdio: "ignore" });
    const ca = readFileSync(cert, "utf8");
    const got: { path: string; body: string; signature: string }[] = [];
    const server = createServer({ key: readFileSync(key), cert: ca }, (request, response) => {
      void text(request).then((body) => {
        const signature = String(request.headers["x-monoco-signature"]);
        got.push({ path: request.url ?? "", body, signature });
        response.writeHead(status, headers).end();
      });
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => void server.close());
    const { port } = server.address() as AddressInfo;
    return { url: `https://localhost:${port}/hook`, port, got, by: { isPrivate: () => false, ca } };
  }

  const env = { ...process.env, SECRET: "s3cret" };
  const deliver = (webhook: string, by = network, secretEnv = "SECRET") =>
    within({ env }, () => deliverBatch(batch, { webhook, secretEnv }, by));

  test("is given the batch, signed over its bytes", async () => {
    const { url, got, by } = await listen(204);
    expect(await deliver(url, by)).toEqual([]);
    const signature = `sha256=${createHmac("sha256", "s3cret").update(got[0]!.body).digest("hex")}`;
    expect(got).toEqual([{ path: "/hook", body: JSON.stringify(batch), signature }]);
  });

  test("is not followed where it leads elsewhere, and is not sent unsigned", async () => {
    const { url, got, by } = await listen(302, { location: "/other" });
    expect(await deliver(url, by)).toEqual(["notify.webhook: it answered with status 302"]);
    expect(got.map(({ path }) => path)).toEqual(["/hook"]);
    expect(await deliver(url, by, "NO_SUCH")).toEqual([expect.stringContaining("the secret is not set")]);
    expect(got).toHaveLength(1);
  });

  test("reaches no private address, by name or by number", async () => {
    const { url, port, got } = await listen(204);
    expect(await deliver(url)).toEqual([
      expect.stringMatching(/localhost is at (?:127\.0\.0\.1|::1), a private/),
    ]);
    for (const host of [
      "127.0.0.1",
      "[::1]",
      "[::ffff:127.0.0.1]",
      "2130706433",
      "10.1.2.3",
      "169.254.169.254",
      "[fd00::1]",
    ])
      expect(await deliver(`https://${host}:${port}/`), host).toEqual([
        expect.stringContaining("a private address"),
      ]);
    expect(got).toEqual([]);
    for (const address of ["8.8.8.8", "2606:4700::1111"]) expect(network.isPrivate(address)).toBe(false);
  });
});

test("a command that fails is told, and stops nothing", async () => {
  expect(await deliverBatch(batch, { command: "exit 3" })).toEqual(["notify.command: exit status 3"]);
});
