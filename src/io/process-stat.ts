/** Reads what Linux says about a process in `/proc/PID/stat`. */
import { readFileSync } from "node:fs";

/** Reads the file at `path` (`/proc/PID/stat`), which waits for no lock of the process. Throws if the process is gone. */
export function statOf(path: string): {
  isDead: boolean;
  isStopped: boolean;
  group: number;
  startTime: string;
  hasMemory: boolean;
} {
  const stat = readFileSync(path, "utf8");
  // Fields counted after the command's closing bracket: 3 is the state, 5 the process group, 22 the start, 23 the size; see
  // proc(5).
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  const state = fields[0]!;
  return {
    isDead: /^[ZX]/.test(state),
    isStopped: /^[Tt]/.test(state),
    group: Number(fields[2]),
    startTime: fields[19]!,
    hasMemory: fields[20] !== "0",
  };
}
