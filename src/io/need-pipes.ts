/** Guards against a crash of Node: a process that starts while no file can be opened has no pipes, and its error no listener. */
import { closeSync, openSync } from "node:fs";

/** The files of a start: two ends of four streams, two files for the output, and two for the start itself. */
const pipesMax = 12;

/** Throws the system's error (EMFILE, ENFILE) if a new process could not get its pipes now. */
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
