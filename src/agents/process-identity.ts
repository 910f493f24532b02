/** Which process a number stands for, and whether that very one is still alive. */
import { readFileSync } from "node:fs";

/** Who a process is, so that a number that was used again is not taken for it. */
export type ProcessIdentity = { pid: number; startTime: string; bootId: string };

/** The process `pid` as it is now; undefined where it is gone or the system does not tell. */
export function identityOf(pid: number): ProcessIdentity | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    // Field 3 is the state, field 22 the start, counted after the command's closing bracket: see proc(5).
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    if (fields[0] === "Z" || fields[0] === "X") return undefined;
    const startTime = fields[19]!;
    return { pid, startTime, bootId: bootId() };
  } catch {
    return process.platform === "linux" ? undefined : { pid, startTime: "", bootId: "" };
  }
}

/** Whether the very process of `identity` is alive. */
export function isAlive(identity: ProcessIdentity): boolean {
  const now = identityOf(identity.pid);
  return now !== undefined && now.startTime === identity.startTime && now.bootId === identity.bootId;
}

export function bootId(): string {
  try {
    return readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim();
  } catch {
    return "";
  }
}
