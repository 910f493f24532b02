/** What is left of a tree is found by its marker, in bounded time, and without a look into what cannot belong to it. */
import { randomUUID } from "node:crypto";
import { spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { execaSync } from "execa";
import { expect, onTestFinished, test } from "vitest";
import { identityOf } from "../../src/agents/process-identity.ts";
import { sweep } from "../../src/agents/sweep.ts";
import { sweepReadMs } from "../../src/core/limits.ts";
import { temporaryFolder } from "../support/repository.ts";

// TRAP 63
test("processes whose environment cannot be read, since they hang in exec, hold nobody up: neither the sweep nor other work", async () => {
  // A process that hangs in exec cannot be made here: an `environ` that blocks whoever opens it stands in for one.
  const marker = newMarker();
  const proc = temporaryFolder();
  const [left, ...hanging] = Array.from({ length: 12 }, () => sleeper({ PATH: "/bin" }));
  list(proc, left!, marker);
  const gone = once(left!, "exit").then(() => rmSync(join(proc, String(left!.pid)), { recursive: true }));
  for (const each of hanging) list(proc, each, "fifo");
  const startMs = performance.now();
  const swept = sweep(marker, { proc });
  // More hang than there are threads for files.
  await readFile("/proc/self/stat");
  expect(performance.now() - startMs).toBeLessThan(sweepReadMs);
  await Promise.all([swept, gone]);
  expect(performance.now() - startMs).toBeLessThan(8 * sweepReadMs);
  expect(hanging.map((each) => each.signalCode)).toEqual(hanging.map(() => null));
});

test("nobody is taken for a carrier where the sweep itself runs in a tree that has the marker", async () => {
  const marker = newMarker();
  const [name = "", value = ""] = marker.split("=");
  const proc = temporaryFolder();
  const [innocent, left] = [sleeper({ PATH: "/bin" }), sleeper({ PATH: "/bin" })];
  list(proc, innocent, "NAME=innocent");
  list(proc, left, marker);
  const gone = once(left, "exit").then(() => rmSync(join(proc, String(left.pid)), { recursive: true }));
  process.env[name] = value;
  onTestFinished(() => void delete process.env[name]);
  await Promise.all([sweep(marker, { proc }), gone]);
  expect(innocent.signalCode).toBe(null);
});

test.for<[string, (own: ChildProcess) => Parameters<typeof sweep>[1]]>([
  ["is older than the tree", (own) => ({ since: `${Number(identityOf(own.pid!)!.startTime) + 1}` })],
  ["belongs to another user", () => ({ uid: 54_321 })],
  ["lives in the runner's PID namespace, where the tree has one of its own", () => ({ contained: true })],
  ["is excepted", (own) => ({ except: own.pid })],
])("a process that %s is not looked into", async ([, options]) => {
  const marker = newMarker();
  const [name = "", value = ""] = marker.split("=");
  const stranger = sleeper({ [name]: value });
  await sweep(marker, options(stranger));
  expect(stranger.signalCode).toBe(null);
  const gone = once(stranger, "exit");
  await sweep(marker);
  expect(await gone).toEqual([null, "SIGKILL"]);
});

/** Lists a process as the system does, with an environment that holds `marker`, or a fifo for one. */
function list(proc: string, { pid }: ChildProcess, marker: string): void {
  const folder = join(proc, String(pid));
  mkdirSync(folder);
  writeFileSync(join(folder, "stat"), readFileSync(`/proc/${pid}/stat`));
  const environ = join(folder, "environ");
  if (marker === "fifo") execaSync("mkfifo", [environ]);
  else writeFileSync(environ, `A=b\0${marker}\0`);
}

function sleeper(env: Record<string, string>): ChildProcess {
  const started = spawn("/bin/sleep", ["300"], { env });
  onTestFinished(() => void started.kill("SIGKILL"));
  return started;
}

function newMarker(): string {
  return `MONOCO_TEST=${randomUUID()}`;
}
