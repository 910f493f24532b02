/** The session around a command, known by MONOCO_SESSION_DIR. Commands in a session never take a lock. */
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

/** The current session; undefined outside one. Throws if the session's own files are missing. */
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
 * Throws if a session or a check of the repository at `root` started this command. A session can change its own environment,
 * but not that of the processes above it, which Linux shows. (In a PID namespace an orphan stays below the session; elsewhere
 * a process that leaves its parents is not recognized.)
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
    throw new MonocoError("input", t`only a person may do this; it was started by the relay of ${issue}`, {
      hint: t`a session submits, asks and hands over: monoco issue submit, monoco relay ask, monoco relay prepare`,
    });
  }
}

const ancestorsMax = 100;

/** The environments of the processes above, as each was started; another user's processes are skipped. */
function environmentsAbove(): Record<string, string>[] {
  const environments: Record<string, string>[] = [];
  for (let pid = process.ppid, left = ancestorsMax; pid > 0 && left > 0; pid = parentOf(pid), left -= 1) {
    const entries = readable(`/proc/${pid}/environ`).split("\0");
    environments.push(
      Object.fromEntries(entries.map((entry) => [entry.split("=", 1)[0], entry.replace(/^[^=]*=/, "")])),
    );
  }
  return environments;
}

function readable(path: string): string {
  return attempt(() => readFileSync(path, "utf8"), "");
}

/** The parent's pid: the second field after the closing bracket in /proc/PID/stat, see proc(5). 0 if there is none, or if it is unknown. */
function parentOf(pid: number): number {
  const stat = readable(`/proc/${pid}/stat`);
  return Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1] ?? 0);
}
