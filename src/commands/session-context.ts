/** The session that a command runs in, known by MONOCO_SESSION_DIR alone; commands in a session never touch a lock. */
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
