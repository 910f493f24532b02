/** What workers say outside of the repository, a line of JSON each: it is there, whatever becomes of them. */
import { readFileSync } from "node:fs";
import { attempt } from "../../../src/core/error/attempt.ts";

export type Said = {
  /** Since the machine's start: workers' own clocks may be wrong. */
  atMs: number;
  worker: string;
  what:
    | "claimed"
    | "released"
    | "start"
    | "end"
    | "pushed"
    | "taken"
    | "moved"
    | "refused"
    | "failed"
    | "told"
    | "killed"
    | "stopped"
    | "woken";
  issue?: string;
  commit?: string;
  text?: string;
};

/** The name of the workers' queue in PostgreSQL. */
export const claimsOfStorm = "claims-storm";

export const upMs = (): number => Number(readFileSync("/proc/uptime", "utf8").split(" ")[0]) * 1_000;

/** A line that was cut off is none. */
export function saidIn(path: string): Said[] {
  return readFileSync(path, "utf8")
    .split("\n")
    .flatMap((line) => attempt(() => [JSON.parse(line) as Said], []));
}
