/** Kills what is left of a process tree, found by the marker in the environment of each of its processes. Only Linux shows environments. */
import { spawn } from "node:child_process";
import { attempt } from "../core/error/attempt.ts";
import { readdirSync, readlinkSync, statSync } from "node:fs";
import { sweepMs, sweepReadMs } from "../core/limits.ts";
import { io } from "../io/io.ts";
import { needPipes } from "../io/need-pipes.ts";
import { statOf } from "../io/process-stat.ts";

export type SweepOptions = {
  /** A process that the sweep must not kill. */
  except?: number | undefined;
  /** The `startTime` of the tree's first process: no process of the tree is older. */
  since?: string | undefined;
  /** The tree has a PID namespace of its own: no process of monoco's namespace belongs to it. */
  contained?: boolean | undefined;
  /** The folder where the system lists its processes. */
  proc?: string | undefined;
  /** The owner of the tree's processes; undefined for any: the processes of root may have changed theirs. */
  uid?: number | undefined;
};

/**
 * Kills every process that carries `marker` (`NAME=value`), until none is found, for at most `sweepMs`.
 *
 * Reading an environment takes a lock of that process, and its holder may keep the lock for ever (a program that hangs in
 * exec). So only processes that may belong to the tree are read, by a short-lived reader, which is given up after
 * `sweepReadMs`.
 */
export async function sweep(marker: string, options: SweepOptions = {}): Promise<void> {
  if (process.platform !== "linux") return;
  const { proc = "/proc", uid = ownUid(), ...tree } = options;
  const deadlineMs = performance.now() + sweepMs;
  const mute = new Set<number>();
  while (performance.now() < deadlineMs) {
    const carriers = await carriersOf({ ...tree, proc, uid }, { proc, marker, mute });
    if (carriers?.length === 0) return;
    carriers?.forEach(kill);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/** The processes with the marker; undefined while too many files are open. */
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

/** The processes that may belong to the tree. Reads only files that take no lock which a process may hold for long. */
function candidatesOf({ proc, except, since = "0", contained = false, uid }: Candidates): number[] {
  const ownNamespace = contained ? namespaceOf(proc, "self") : undefined;
  const mayBelong = (name: string): boolean =>
    (uid === undefined || statSync(`${proc}/${name}`).uid === uid) &&
    isYounger(`${proc}/${name}/stat`, since) &&
    (ownNamespace === undefined || namespaceOf(proc, name) !== ownNamespace);
  return (
    readdirSync(proc)
      // A process may end between the two reads.
      .filter((name) => /^\d+$/.test(name) && attempt(() => mayBelong(name), false))
      .map(Number)
      .filter((pid) => pid !== except && pid !== process.pid)
  );
}

/** Whether a living process with memory is younger. Dead processes and kernel threads have no environment. */
function isYounger(path: string, since: string): boolean {
  const { isDead, hasMemory, startTime } = statOf(path);
  return !isDead && hasMemory && Number(startTime) >= Number(since);
}

function namespaceOf(proc: string, name: string): string | undefined {
  return attempt(() => readlinkSync(`${proc}/${name}/ns/pid`), undefined);
}

/**
 * Reads all environments at once, then ever smaller parts if that hangs or finds the marker: a machine has hundreds of
 * processes, and few of them do either. A process whose environment cannot be read in time goes to `mute`.
 */
async function carriers(pids: readonly number[], look: Look): Promise<number[]> {
  const all = await contentOf(pids.map((pid) => `${look.proc}/${pid}/environ`));
  if (all && !all.includes(look.marker)) return [];
  if (pids.length > 1) return (await Promise.all(partsOf(pids).map((part) => carriers(part, look)))).flat();
  if (!all) pids.forEach((pid) => look.mute.add(pid));
  return all && carries(all, look.marker) ? [...pids] : [];
}

/** Eight parts, so that one hanging process among hundreds is found in three steps. */
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
 * Reads files in a process of its own, which can be given up if a read hangs; in this process a hanging read would hold it, or
 * one of its few file threads. The reader begins with its own environment, which never hangs: if even that is late, the
 * machine is busy, and no process is mute. An unreadable file (of a process that is gone) is empty. Returns undefined if a
 * read hangs. Rejects if too many files are open.
 */
async function contentOf(paths: readonly string[]): Promise<Buffer | undefined> {
  if (paths.length === 0) return Buffer.alloc(0);
  needPipes();
  return new Promise((resolve) => {
    const reader = spawn("cat", ["--", "/proc/self/environ", ...paths], {
      stdio: ["ignore", "pipe", "ignore"],
      // Only the PATH: monoco's own environment may have the marker, and would make every process read look like a carrier.
      env: { PATH: io().env["PATH"] ?? "" },
    });
    const chunks: Buffer[] = [];
    const giveUp = (): void => {
      reader.kill("SIGKILL");
      // Stops waiting even if the kernel does not let the reader die.
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
    // The process has gone already.
  }
}
