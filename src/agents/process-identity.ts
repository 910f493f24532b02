/** Which process a number stands for, and whether that very one is still alive. */
import { readFileSync } from "node:fs";
import { statOf } from "../io/process-stat.ts";
import { attempt } from "../core/error/attempt.ts";

/** Who a process is, so that a number that was used again is not taken for it. */
export type ProcessIdentity = { pid: number; startTime: string; bootId: string };

/** The process `pid` as it is now; undefined where it is gone or the system does not tell. */
export function identityOf(pid: number): ProcessIdentity | undefined {
  return attempt(
    () => {
      const { isDead, startTime } = statOf(`/proc/${pid}/stat`);
      return isDead ? undefined : { pid, startTime, bootId: bootId() };
    },
    process.platform === "linux" ? undefined : { pid, startTime: "", bootId: "" },
  );
}

/** Whether the very process of `identity` is alive. */
export function isAlive(identity: ProcessIdentity): boolean {
  const now = identityOf(identity.pid);
  return now !== undefined && now.startTime === identity.startTime && now.bootId === identity.bootId;
}

/** It lives and does nothing (SIGSTOP). */
export function isStopped(pid: number): boolean {
  return attempt(() => statOf(`/proc/${pid}/stat`).isStopped, false);
}

/** A process that is stopped, and its process group. */
export type Stopped = { pid: number; group: number };

/** Deeper than any containment: wrapper, the namespace's first process, a shell, the agent. */
const onlyChildrenMax = 5;

/** The first stopped process of `pid` and the chain of only children below it: what contains an agent goes on when that is stopped. */
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
