/** Kills what is left of a process tree, found by the marker that each of its processes has in its environment. Only Linux shows environments. */
import { spawn } from "node:child_process";
import { attempt } from "../core/error/attempt.ts";
import { readdirSync, readlinkSync, statSync } from "node:fs";
import { sweepMs, sweepReadMs } from "../core/limits.ts";
import { io } from "../io/io.ts";
import { needPipes } from "../io/need-pipes.ts";
import { statOf } from "../io/process-stat.ts";

export type SweepOptions = {
  /** A process that is not the sweep's to kill. */
  except?: number | undefined;
  /** The `startTime` of the tree's first process: no process of the tree is older. */
  since?: string | undefined;
  /** The tree lives in a PID namespace of its own: no process of this one's namespace belongs to it. */
  contained?: boolean | undefined;
  /** Where the system lists its processes. */
  proc?: string | undefined;
  /** Whose processes may belong to the tree; undefined for everybody's: those of a root user may have changed theirs. */
  uid?: number | undefined;
};

/**
 * Kills every process that carries `marker` (`NAME=value`), until a look finds none, for at most `sweepMs`.
 *
 * To read an environment takes a lock of that process, and whoever holds it may hold it for ever (a program that hangs in
 * exec): only processes that may belong to the tree are read, by a short-lived reader, which is given up after `sweepReadMs`.
 */
export async function sweep(marker: string, options: SweepOptions = {}): Promise<void> {
  if (process.platform !== "linux") return;
  const { proc = "/proc", uid = ownUid(), ...tree } = options;
  const deadlineMs = performance.now() + sweepMs;
  const mute = new Set<number>();
  while (performance.now() < deadlineMs) {
    const found = await carriersOf({ ...tree, proc, uid }, { proc, marker, mute });
    if (found?.length === 0) return;
    found?.forEach(kill);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/** Undefined where it cannot be told just now: too many files are open. */
async function carriersOf(of: Candidates, look: Look): Promise<number[] | undefined> {
  try {
    return await carriers(
      candidatesOf(of).filter((pid) => !look.mute.has(pid)),
      look,
    );
  } catch {
    return undefined;
  }
}

type Look = { proc: string; marker: string; mute: Set<number> };

function ownUid(): number | undefined {
  const uid = process.getuid?.();
  return uid === 0 ? undefined : uid;
}

type Candidates = SweepOptions & { proc: string };

/** Nothing that is looked at here takes a lock that a process may hold for long. */
function candidatesOf({ proc, except, since = "0", contained = false, uid }: Candidates): number[] {
  const ownNamespace = contained ? namespaceOf(proc, "self") : undefined;
  const mayBelong = (name: string): boolean =>
    (uid === undefined || statSync(`${proc}/${name}`).uid === uid) &&
    isYounger(`${proc}/${name}/stat`, since) &&
    (ownNamespace === undefined || namespaceOf(proc, name) !== ownNamespace);
  return (
    readdirSync(proc)
      // A process may end between two looks.
      .filter((name) => /^\d+$/.test(name) && attempt(() => mayBelong(name), false))
      .map(Number)
      .filter((pid) => pid !== except && pid !== process.pid)
  );
}

/** The dead have no environment, nor has the kernel's own work any. */
function isYounger(path: string, since: string): boolean {
  const { isDead, hasMemory, startTime } = statOf(path);
  return !isDead && hasMemory && Number(startTime) >= Number(since);
}

function namespaceOf(proc: string, name: string): string | undefined {
  return attempt(() => readlinkSync(`${proc}/${name}/ns/pid`), undefined);
}

/**
 * Reads all at once, and in ever smaller parts where that hangs or finds something: a machine has hundreds of processes, and
 * few of them do. A process whose environment cannot be read in time goes to `mute`.
 */
async function carriers(pids: readonly number[], look: Look): Promise<number[]> {
  const all = await contentOf(pids.map((pid) => `${look.proc}/${pid}/environ`));
  if (all && !all.includes(look.marker)) return [];
  if (pids.length > 1) return (await Promise.all(partsOf(pids).map((part) => carriers(part, look)))).flat();
  if (!all) pids.forEach((pid) => look.mute.add(pid));
  return all && carries(all, look.marker) ? [...pids] : [];
}

/** Eight, so that one that hangs among hundreds is found in three steps. */
function partsOf(pids: readonly number[]): number[][] {
  const size = Math.ceil(pids.length / 8);
  return Array.from({ length: Math.ceil(pids.length / size) }, (_, part) =>
    pids.slice(part * size, (part + 1) * size),
  );
}

function carries(environment: Buffer, marker: string): boolean {
  return Buffer.concat([Buffer.from("\0"), environment]).includes(`\0${marker}\0`);
}

/**
 * By a process of its own: a read that hangs can be given up with it, whereas it would hold this process, or one of its few
 * threads for files, as long as it hangs. The reader begins with its own environment, which never hangs: a machine that takes
 * long to start it is busy, and no process is mute for that. A file that cannot be read (of a process that is gone) is empty;
 * undefined where one hangs. Rejects where too many files are open.
 */
async function contentOf(paths: readonly string[]): Promise<Buffer | undefined> {
  if (paths.length === 0) return Buffer.alloc(0);
  needPipes();
  return new Promise((resolve) => {
    const reader = spawn("cat", ["--", "/proc/self/environ", ...paths], {
      stdio: ["ignore", "pipe", "ignore"],
      // Nothing else: monoco's own environment may have the marker, and all that is read would count as its carrier.
      env: { PATH: io().env["PATH"] ?? "" },
    });
    const chunks: Buffer[] = [];
    const giveUp = (): void => {
      reader.kill("SIGKILL");
      // Even where the kernel does not let it die: nobody waits for it.
      reader.stdout.destroy();
      reader.unref();
      resolve(undefined);
    };
    let timer = setTimeout(giveUp, sweepMs);
    const end = (): void => {
      clearTimeout(timer);
      resolve(Buffer.concat(chunks));
    };
    reader.stdout.on("data", (chunk: Buffer) => {
      chunks.push(chunk);
      clearTimeout(timer);
      timer = setTimeout(giveUp, sweepReadMs);
    });
    reader.once("error", end);
    reader.once("close", end);
  });
}

function kill(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // Already gone.
  }
}
