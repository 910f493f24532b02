/** The identity of a process, and whether that very process is still alive. */
import { readFileSync } from "node:fs";
import { statOf } from "../io/process-stat.ts";
import { attempt } from "../core/error/attempt.ts";

/** The identity of a process: a reused pid has another one. */
export type ProcessIdentity = { pid: number; startTime: string; bootId: string };

/** The identity of the process `pid`; undefined if it is gone or the system does not say. */
export function identityOf(pid: number): ProcessIdentity | undefined {
  return attempt(
    () => {
      const { isDead, startTime } = statOf(`/proc/${pid}/stat`);
      return isDead ? undefined : { pid, startTime, bootId: bootId() };
    },
    process.platform === "linux" ? undefined : { pid, startTime: "", bootId: "" },
  );
}

/** Whether this very process is alive. */
export function isAlive(identity: ProcessIdentity): boolean {
  const now = identityOf(identity.pid);
  return now !== undefined && now.startTime === identity.startTime && now.bootId === identity.bootId;
}

/** Whether the process is stopped (SIGSTOP). */
export function isStopped(pid: number): boolean {
  return attempt(() => statOf(`/proc/${pid}/stat`).isStopped, false);
}

/** A stopped process and its process group. */
export type Stopped = { pid: number; group: number };

/** Deeper than any containment: wrapper, the namespace's first process, a shell, the agent. */
const onlyChildrenMax = 5;

/** The first stopped process among `pid` and its chain of only children: an agent may be stopped while its containment goes on. */
export function stoppedFrom(pid: number): Stopped | undefined {
  let at = pid;
  for (let depth = 0; depth < onlyChildrenMax; depth++) {
    const stat = attempt(() => statOf(`/proc/${at}/stat`), undefined);
    if (!stat) return undefined;
    if (stat.isStopped) return { pid: at, group: stat.group };
    const child = onlyChildOf(at);
    if (child === undefined) return undefined;
    at = child;
  }
  return undefined;
}

export function onlyChildOf(pid: number): number | undefined {
  const children = attempt(() => readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8"), "").trim();
  return /^\d+$/.test(children) ? Number(children) : undefined;
}

export function bootId(): string {
  return attempt(() => readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim(), "");
}
