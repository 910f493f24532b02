/** Delivers a batch of notices to a command, the desktop and a webhook. Failures are reported, and stop no relay. */
import { spawn } from "node:child_process";
import { createHmac } from "node:crypto";
import { lookup } from "node:dns";
import { request } from "node:https";
import { isIP } from "node:net";
import type { LookupFunction } from "node:net";
import { wordsOf } from "../../core/error/error.ts";
import { noticeCharsMax, notifySecondsMax } from "../../core/limits.ts";
import type { NotifySettings } from "../../core/settings/settings.ts";
import { isPrivate } from "../../io/addresses.ts";
import { io } from "../../io/io.ts";
import { findProgram } from "../agents.ts";
import { t } from "../../core/language/translate.ts";

/** The schema of the input of commands and webhooks; `text` and `title` are plain text, `command` is to be typed. */
export type Batch = {
  v: 1;
  repository: string;
  notices: {
    kind: string;
    issue: string;
    text: string;
    at: string;
    command: string;
    /** Its page in the dashboard that runs. */
    link?: string | undefined;
  }[];
};

/** Which addresses are private, and whose certificate is good: tests use a server of their own. */
export type Network = { isPrivate(address: string): boolean; ca?: string };

export const network: Network = { isPrivate };

/** Delivers the batch; resolves to a message for each failure. */
export async function deliverBatch(batch: Batch, settings: NotifySettings, by = network): Promise<string[]> {
  const body = JSON.stringify(batch);
  const { command, desktop, webhook, secretEnv } = settings;
  const notifySend = desktop ? findProgram("notify-send", io().cwd) : undefined;
  const secret = secretEnv === undefined ? undefined : io().env[secretEnv];
  const ways: [name: string, done: Promise<void>][] = [
    ...(command === undefined
      ? []
      : [
          [
            "notify.command",
            run("/bin/sh", ["-c", command], body, { MONOCO_NOTICE: textOf(batch) }),
          ] as const,
        ]),
    ...(notifySend === undefined
      ? []
      : [["notify.desktop", run(notifySend, ["--", ...desktopWords(batch)], "")] as const]),
    ...(webhook === undefined ? [] : [["notify.webhook", post(webhook, { body, secret, by })] as const]),
  ].map(([name, done]) => [name, done]);
  const failed = ways.map(([name, done]) =>
    done.then(
      () => [],
      (error: unknown) => [`${name}: ${wordsOf(error)}`],
    ),
  );
  return (await Promise.all(failed)).flat();
}

/** For commands that read no JSON: the batch as text, cut to what a variable can hold. */
function textOf({ notices }: Batch): string {
  const lines = notices.flatMap(({ issue, text, command, link }) => [
    `${issue}: ${text}`,
    ...[command, link ?? []].flat().map((line) => `  ${line}`),
  ]);
  return lines.join("\n").slice(0, noticeCharsMax);
}

/** Escapes the notices: the desktop reads the body as markup. */
function desktopWords({ notices }: Batch): [title: string, body: string] {
  const [first] = notices;
  const title = notices.length === 1 && first ? `monoco: ${first.issue}` : t`monoco: ${notices.length} news`;
  const body = notices.map(({ issue, text, link = "" }) => `${issue}: ${text} ${link}`.trim()).join("\n");
  return [title, body.replaceAll("&", "&amp;").replaceAll("<", "&lt;")];
}

function run(
  program: string,
  args: readonly string[],
  input: string,
  more: Record<string, string> = {},
): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const env = { ...io().env, ...more };
  const child = spawn(program, args, {
    stdio: ["pipe", "ignore", "ignore"],
    detached: true,
    env,
    cwd: io().cwd,
  });
  const timer = setTimeout(() => {
    // Kills the command with all processes that it has started.
    if (child.pid !== undefined) process.kill(-child.pid, "SIGKILL");
    reject(new Error(t`it did not end within ${notifySecondsMax} s`));
  }, notifySecondsMax * 1_000);
  child.once("error", reject);
  child.once("exit", (code) =>
    code === 0 ? resolve() : reject(new Error(t`exit status ${code ?? "none"}`)),
  );
  // The command need not read its input.
  child.stdin?.on("error", () => undefined).end(input);
  return promise.finally(() => clearTimeout(timer));
}

type Post = { body: string; secret: string | undefined; by: Network };

/** Posts the body, signed over its bytes. A redirect is a failure, like any other answer that is not 2xx. */
async function post(url: string, { body, secret, by }: Post): Promise<void> {
  if (!secret)
    throw new Error(t`the secret is not set: name its variable in notify.secretEnv, and export it`);
  const { hostname } = new URL(url);
  const host = hostname.replaceAll(/^\[|\]$/g, "");
  // An address in place of a name is never looked up.
  if (isIP(host) !== 0 && by.isPrivate(host)) throw new Error(t`${host} is a private address`);
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const sending = request(
    url,
    {
      method: "POST",
      lookup: publicOnly(by),
      signal: AbortSignal.timeout(notifySecondsMax * 1_000),
      headers: {
        "content-type": "application/json",
        "content-length": Buffer.byteLength(body),
        "x-monoco-signature": `sha256=${createHmac("sha256", secret).update(body).digest("hex")}`,
      },
      ...(by.ca === undefined ? {} : { ca: by.ca }),
    },
    ({ statusCode = 0 }) => {
      if (statusCode >= 200 && statusCode < 300) resolve();
      else reject(new Error(t`it answered with status ${statusCode}`));
      sending.destroy();
    },
  );
  sending.on("error", reject).end(body);
  return promise;
}

/** Checks the address that is then connected to: a name cannot change between the two. */
function publicOnly({ isPrivate: isRefused }: Network): LookupFunction {
  return (name, options, done) =>
    lookup(name, { ...options, all: true }, (error, addresses) => {
      const refused = addresses?.find(({ address }) => isRefused(address));
      if (error) done(error, "", 0);
      else if (refused) done(new Error(t`${name} is at ${refused.address}, a private address`), "", 0);
      else if (options.all) done(null, addresses);
      else done(null, addresses[0]!.address, addresses[0]!.family);
    });
}
