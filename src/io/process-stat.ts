/** What Linux says of a process in `/proc/PID/stat`. */
import { readFileSync } from "node:fs";

/** What the file at `path` (`/proc/PID/stat`) says: to read it waits for no lock of that process. Throws where it is gone. */
export function statOf(path: string): {
  isDead: boolean;
  isStopped: boolean;
  group: number;
  startTime: string;
  hasMemory: boolean;
} {
  const stat = readFileSync(path, "utf8");
  // Field 3 is the state, 5 the process group, 22 the start, 23 the size, counted after the command's closing bracket: see proc(5).
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
