/** The end of what was printed, and what comes next: `log -f` and `attach`. */
import { closeSync, existsSync, openSync, readSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { lineReader } from "../../agents/output.ts";
import { followMs } from "../../core/limits.ts";
import { io } from "../../io/io.ts";

type Tail = {
  last: number;
  /** The new lines since the last call. */
  read(): string[];
  /** What to wait for; without it, only the lines that are there are printed. */
  isOver?: (() => boolean) | undefined;
};

/** Prints the last lines and, until it is over, all that follow. Ends, too, when nobody reads the output any more. */
export async function printTail({ last, read, isOver = () => true }: Tail): Promise<void> {
  const { stdout } = io();
  for (let most = last; ; most = Infinity) {
    // Lines that were written before the end are read after it.
    const over = isOver();
    for (const line of read().slice(-most)) stdout.write(`${line}\n`);
    if (over || stdout.errored) return;
    await sleep(followMs);
  }
}

/** Reads the new lines of a file, from `begin` on; the file may be written later. */
export function linesIn(path: string, begin = 0): () => string[] {
  let at = begin;
  let lines: string[] = [];
  const reader = lineReader((line) => lines.push(line));
  return () => {
    lines = [];
    if (!existsSync(path)) return lines;
    const fd = openSync(path, "r");
    const piece = Buffer.alloc(64 * 1024);
    for (let size; (size = readSync(fd, piece, 0, piece.length, at)) > 0; at += size)
      reader.push(piece.subarray(0, size));
    closeSync(fd);
    return lines;
  };
}
