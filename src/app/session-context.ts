/** The session that a command runs in, known by MONOCO_SESSION_DIR; commands in a session never touch a lock. */
import { existsSync, readFileSync, realpathSync } from "node:fs";
import { attempt } from "../core/error/attempt.ts";
import { dirname, join } from "node:path";
import { MonocoError } from "../core/error/error.ts";
import { parseLive } from "../core/session/live.ts";
import type { Live } from "../core/session/live.ts";
import type { Repository } from "../git/repository.ts";
import { marksIn } from "../store/mark.ts";
import { io } from "../io/io.ts";
import { t } from "../core/language/translate.ts";

export type InSession = { folder: string; outbox: string; live: Live };

/** Undefined outside a session; an error where the session's own files are missing. */
export function currentSession(
  env: Readonly<Record<string, string | undefined>> = io().env,
): InSession | undefined {
  const folder = env["MONOCO_SESSION_DIR"];
  if (!folder) return undefined;
  const path = join(folder, "live.json");
  const live = existsSync(path) ? parseLive(readFileSync(path, "utf8")) : undefined;
  if (!live) {
    throw new MonocoError("input", t`${path} is missing or broken: this is not a running monoco session`, {
      hint: t`unset MONOCO_SESSION_DIR when you are outside a session`,
    });
  }
  return { folder, outbox: join(folder, "outbox"), live };
}

/**
 * Refuses what is a person's to a command that a session or a check of the repository at `root` started, whatever that has
 * made of its own environment: it cannot change that of the processes above it, which Linux tells. (In a PID namespace an
 * orphan stays below the session; elsewhere one that lets go of its parents is not known any more.)
 */
export function refuseFromWithin({ root, commonDir }: Pick<Repository, "root" | "commonDir">): void {
  if (process.platform === "linux" && !existsSync("/proc/self")) {
    throw new MonocoError("input", t`there is no /proc here: nothing tells a person from a session`, {
      hint: t`mount it (mount -t proc proc /proc), or give the command outside of this container`,
    });
  }
  const ours = [root, dirname(realpathSync(commonDir))].map((folder) => `${folder}/.monoco/`);
  const marks = ours.flatMap((folder) => marksIn(join(folder, "relays")));
  for (const env of [io().env, ...environmentsAbove()]) {
    const session = env["MONOCO_SESSION_DIR"];
    const start = ours.find((folder) => session?.startsWith(folder));
    const [kind, name] = start ? session!.slice(start.length).split("/") : [];
    const issue = start
      ? kind === "proposals"
        ? t`an issue that is not written yet`
        : name
      : marks.find(({ mark }) => env[mark.name]?.startsWith(mark.value))?.issue;
    if (issue === undefined) continue;
    throw new MonocoError("input", t`this is a person's to do, and it was started by the relay of ${issue}`, {
      hint: t`a session submits, asks and hands over: monoco issue submit, monoco relay ask, monoco relay prepare`,
    });
  }
}

const ancestorsMax = 100;

/** As they were when each process began; what belongs to somebody else is passed over. */
function environmentsAbove(): Record<string, string>[] {
  const found: Record<string, string>[] = [];
  for (let pid = process.ppid, left = ancestorsMax; pid > 0 && left > 0; pid = parentOf(pid), left -= 1) {
    const entries = readable(`/proc/${pid}/environ`).split("\0");
    found.push(
      Object.fromEntries(entries.map((entry) => [entry.split("=", 1)[0], entry.replace(/^[^=]*=/, "")])),
    );
  }
  return found;
}

function readable(path: string): string {
  return attempt(() => readFileSync(path, "utf8"), "");
}

/** The second field behind the command's closing bracket: see proc(5). 0 where nobody is above it, or nothing tells. */
function parentOf(pid: number): number {
  const stat = readable(`/proc/${pid}/stat`);
  return Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1] ?? 0);
}
