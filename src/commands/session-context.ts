/** The session that a command runs in, known by MONOCO_SESSION_DIR; commands in a session never touch a lock. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { MonocoError } from "../core/error.ts";
import { parseLive } from "../core/live.ts";
import type { Live } from "../core/live.ts";

export type InSession = { folder: string; outbox: string; live: Live };

/** Undefined outside a session; an error where the session's own files are missing. */
export function currentSession(
  env: Readonly<Record<string, string | undefined>> = process.env,
): InSession | undefined {
  const folder = env["MONOCO_SESSION_DIR"];
  if (!folder) return undefined;
  const path = join(folder, "live.json");
  const live = existsSync(path) ? parseLive(readFileSync(path, "utf8")) : undefined;
  if (!live) {
    throw new MonocoError("input", `${path} is missing or broken: this is no running monoco session`, {
      hint: "unset MONOCO_SESSION_DIR when you are outside a session",
    });
  }
  return { folder, outbox: join(folder, "outbox"), live };
}

/**
 * Refuses what is a person's to a command that a session or a check of the repository at `root` started, whatever that has
 * made of its own environment: it cannot change that of the processes above it, which Linux tells. (In a PID namespace an
 * orphan stays below the session; elsewhere one that lets go of its parents is not known any more.)
 */
export function refuseFromWithin(root: string): void {
  const ours = `${root}/.monoco/`;
  const above = environmentsAbove();
  const found = [process.env, ...above]
    .flatMap((env) => [env["MONOCO_SESSION_DIR"], env["MONOCO_CHECK"]])
    .find((place) => place?.startsWith(ours));
  if (found === undefined) return;
  const [, issue = ""] = found.slice(ours.length).split(/[/#]/);
  throw new MonocoError("input", `this is a person's to do, and it was started by the relay of ${issue}`, {
    hint: "a session submits, asks and hands over: monoco issue submit, monoco relay ask, monoco relay prepare",
  });
}

const ancestorsMax = 100;

/** As they were when each process began. */
function environmentsAbove(): Record<string, string>[] {
  const found: Record<string, string>[] = [];
  try {
    for (let pid = process.ppid; pid > 0 && found.length < ancestorsMax; pid = parentOf(pid)) {
      const entries = readFileSync(`/proc/${pid}/environ`, "utf8").split("\0");
      found.push(
        Object.fromEntries(entries.map((entry) => [entry.split("=", 1)[0], entry.replace(/^[^=]*=/, "")])),
      );
    }
  } catch {
    // No such system, or another user's process: nothing of ours is above it.
  }
  return found;
}

/** The second field behind the command's closing bracket: see proc(5). */
function parentOf(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
  return Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1]);
}
