/** The system calls of a run on its files, read from what strace logged of it. */
import { execFileSync } from "node:child_process";
import { join, resolve } from "node:path";

/** Whether strace is there and allowed to trace: containers forbid it at times. */
export function straceWorks(): boolean {
  try {
    execFileSync("strace", ["-f", "-b", "execve", "-o", "/dev/null", "true"], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}

/** All that changes a disk, or waits for it. A kernel that lacks one is told so by the question mark. */
const calls =
  "write pwrite64 writev pwritev rename renameat renameat2 link linkat symlink symlinkat unlink unlinkat rmdir fsync fdatasync ftruncate mkdir mkdirat openat copy_file_range";

/** For strace's `-e trace=`. */
export const traced = calls
  .split(" ")
  .map((call) => `?${call}`)
  .join(",");

/** Whose: `runner`, or a git by its command and which start of that it is, as `fetch.3`. */
export type Owner = string;

/** The `nth` call of that name in one thread of a run that begins at the stage; `on`: its file below the place. */
export type Call = { stage: string; owner: Owner; call: string; nth: number; on: string };

/** Of which part of a log: the calls up to a moment (in seconds, as `-ttt` logs it), of a run that begins at a stage. */
export type Logged = { folder: string; stage: string; owner: Owner; until?: number };

/**
 * The calls on `folder` and what is below it; pipes, the compile cache and the like are left out, but count, as strace counts:
 * by thread. Two threads that come to the same number make one call, since strace meets whoever gets there.
 */
export function callsIn(log: string, { folder, stage, owner, until = Infinity }: Logged): Call[] {
  const counts = new Map<string, number>();
  const found = new Map<string, Call>();
  for (const [, thread, at = "0", call = "", rest = ""] of log.matchAll(
    /^(\d+) +(?:([\d.]+) )?(\w+)\((.*)$/gm,
  )) {
    if (Number(at) > until) break;
    const counted = `${thread} ${call}`;
    const nth = (counts.get(counted) ?? 0) + 1;
    counts.set(counted, nth);
    const path = pathOf(call, rest, folder);
    if (!`${path}/`.startsWith(`${folder}/`) || (call === "openat" && !rest.includes("O_CREAT"))) continue;
    const key = `${call} ${nth}`;
    if (!found.has(key)) found.set(key, { stage, owner, call, nth, on: path!.slice(folder.length) });
  }
  return [...found.values()];
}

/** What a call changes: the file behind its last descriptor (`3</w/a>`), or a name, which may be relative to a descriptor's folder. */
function pathOf(call: string, rest: string, folder: string): string | undefined {
  const descriptors = [...rest.matchAll(/(?:AT_FDCWD|\b\d+)<([^>]*)>/g)];
  if (/^(p?writev?(64)?|f(data)?sync|ftruncate|copy_file_range)$/.test(call)) return descriptors.at(-1)?.[1];
  const names = [...rest.matchAll(/"((?:[^"\\]|\\.)*)"/g)];
  const name = (call.startsWith("symlink") ? names.at(-1) : names[0])?.[1];
  return name === undefined ? undefined : resolve(descriptors[0]?.[1] ?? join(folder, "project"), name);
}
