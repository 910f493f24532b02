/** Reads the logs of checks, which are next to the relay's journal. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { plain } from "../core/text/sanitize.ts";

/** The end of a check's output, without colours; `log` is a path below the folder `relay`, or empty. */
export function tailOf(relay: string, { log }: { log: string }): string {
  if (log === "") return "";
  const path = join(relay, log);
  return existsSync(path) ? plain(readFileSync(path, "utf8").slice(-3_000)).trim() : "";
}
