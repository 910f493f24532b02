/** The logs of checks, beside the journal of their relay. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { plain } from "../core/text/sanitize.ts";

/** The end of a check's output, without its colours; `log` is below the folder `relay`. */
export function tailOf(relay: string, { log }: { log: string }): string {
  const path = join(relay, log);
  return existsSync(path) ? plain(readFileSync(path, "utf8").slice(-3_000)).trim() : "";
}
