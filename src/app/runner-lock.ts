/** The lock of a relay's one writer, signed with its holder for the error message to others. */
import { ftruncateSync, readFileSync, statSync, writeSync } from "node:fs";
import { isStopped } from "../agents/process-identity.ts";
import { attempt } from "../core/error/attempt.ts";
import { hostname } from "node:os";
import { MonocoError } from "../core/error/error.ts";
import { timeOf } from "../core/text/figures.ts";
import { plainLine } from "../core/text/sanitize.ts";
import { isLocked, tryLock } from "../store/lock.ts";
import type { Lock } from "../store/lock.ts";
import type { RepositoryPlaces } from "../store/places.ts";
import { t } from "../core/language/translate.ts";

/** Takes the lock and signs it; undefined while another process holds it. */
export function tryRunnerLock(path: string): Lock | undefined {
  const lock = tryLock(path);
  if (!lock) return undefined;
  try {
    ftruncateSync(lock.fd, 0);
    writeSync(lock.fd, `process ${process.pid} on ${hostname()}, since ${new Date().toISOString()}\n`);
  } catch {
    // The signature is a convenience: on a full disk the lock works without it.
  }
  return lock;
}

/** The lock for a command that runs the relay. */
export async function takeRunnerLock(path: string, issue: string): Promise<Lock> {
  const lock = await lockSoon(path);
  if (lock) return lock;
  throw heldByAnother(path, issue);
}

/** The lock, tried for 0.2 s: `relay status` holds it for an instant, so one refusal is not yet a conflict. */
export async function lockSoon(path: string): Promise<Lock | undefined> {
  for (let attempt = 0; attempt < 10; attempt++) {
    const lock = tryRunnerLock(path);
    if (lock) return lock;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  return undefined;
}

/** The run in the background. `pid` is missing if another machine has it. */
export type BackgroundRun = { pid?: number; sinceMs: number };

/** The run that goes on in the background; undefined if there is none. */
export function backgroundRun({ runLock }: Pick<RepositoryPlaces, "runLock">): BackgroundRun | undefined {
  if (!isLocked(runLock)) return undefined;
  const pid = holderHere(runLock);
  // The holder has signed the file when it took the lock.
  return { ...(pid !== undefined && { pid }), sinceMs: statSync(runLock).mtimeMs };
}

/** Whether the run in the background, if one goes on, takes the issue. */
export function isTakenInBackground({ runLock }: RepositoryPlaces, issue: string): boolean {
  const [, ids = ""] = readOr(runLock).split("\n");
  return isLocked(runLock) && (ids === "" || ids.split(" ").includes(issue));
}

/** The lock of the run in the background, which takes these issues, or all if none is named. Throws `conflict` while another one holds it. */
export async function takeBackgroundLock({ runLock }: RepositoryPlaces, ids: string[]): Promise<Lock> {
  const lock = await lockSoon(runLock);
  if (lock) attempt(() => writeSync(lock.fd, ids.join(" ")), 0);
  if (lock) return lock;
  throw new MonocoError("conflict", t`a run goes on in the background already${holderOf(runLock)}`, {
    hint: t`monoco log -f follows it; monoco stop --all ends it with a handoff`,
  });
}

export function heldByAnother(path: string, issue: string): MonocoError {
  const holder = holderHere(path);
  const said = t`${issue} is being run by another monoco${holderOf(path)}`;
  if (holder !== undefined && isStopped(holder))
    return new MonocoError("conflict", said, {
      hint: t`that process is stopped by a signal; kill -CONT ${holder} lets it go on`,
    });
  return new MonocoError("conflict", said, {
    hint: t`monoco status ${issue} shows it; monoco stop ${issue} ends it with a handoff`,
  });
}

/** The process of this machine that signed the lock last; meaningful only while the lock is held. */
export function holderHere(path: string): number | undefined {
  const [, pid, host] = /^process (\d+) on (\S+), since /.exec(readOr(path)) ?? [];
  return host === hostname() ? Number(pid) : undefined;
}

function readOr(path: string): string {
  return attempt(() => readFileSync(path, "utf8"), "");
}

/** The signature of the last holder: meaningful only while the lock is held. */
function holderOf(path: string): string {
  const signature = plainLine(readOr(path).split("\n")[0]!);
  const [, pid, host, since] = /^process (\d+) on (\S+), since (\S+)$/.exec(signature) ?? [];
  if (since === undefined) return signature && ` (${signature})`;
  return t` (process ${pid} on ${host}, since ${timeOf(Date.parse(since), Date.now())})`;
}
