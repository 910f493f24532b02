/** Before all test files: temporary folders in memory where there is room, and one cache of compiled code for all that is started. */
import { existsSync, mkdtempSync, rmSync, statfsSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Linux has it. The tests make and delete files by the ten thousand, and the journal is synced after each line. */
const memory = "/dev/shm";
const roomMin = 4 * 2 ** 30;

export default function setUp(): (() => void) | undefined {
  if (!process.env["TMPDIR"] && existsSync(memory) && roomIn(memory) >= roomMin)
    process.env["TMPDIR"] = memory;
  if (process.env["NODE_COMPILE_CACHE"]) return undefined;
  const folder = mkdtempSync(join(tmpdir(), "monoco-compiled-"));
  // Inherited by the processes of the test files.
  process.env["NODE_COMPILE_CACHE"] = folder;
  // A process that is about to end may still write what it has compiled.
  return () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
}

function roomIn(folder: string): number {
  const { bavail, bsize } = statfsSync(folder);
  return bavail * bsize;
}
