/** Node's own start of a process takes the program down where no file can be opened any more: the pipes are missing, and the error has no listener. */
import { closeSync, openSync } from "node:fs";

/** Those of four streams, two ends each, of the two files for its output, and of the start itself. */
const pipesMax = 12;

/** Throws the system's error where a process that is started now could not be given its pipes: EMFILE or ENFILE. */
export function needPipes(): void {
  const files: number[] = [];
  try {
    while (files.length < pipesMax) files.push(openSync("/dev/null", "r"));
  } catch (error) {
    throw Object.assign(new Error("spawn"), {
      code: (error as NodeJS.ErrnoException).code,
      syscall: "spawn",
      cause: error,
    });
  } finally {
    for (const file of files) closeSync(file);
  }
}
