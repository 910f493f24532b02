/** One blow: something of a relay is killed, or stopped for a while, where the relay happens to be. */
import { readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import type { Place } from "../place/place.ts";
import type { Random } from "../place/random.ts";
import { groupOf, processesIn, roles } from "../place/processes.ts";
import { phaseOf } from "../place/stall.ts";

const ownGroup = groupOf(readFileSync("/proc/self/stat", "utf8"));

/** As long as a stopped process stays so, at most: longer than what git and monoco wait for each other. */
const stopMsMax = 1_500;

export type Blow = { what: string; phase: string };

/** Undefined where nothing was there to be hit. */
export async function strike(place: Place, random: Random): Promise<Blow | undefined> {
  const found = processesIn(place.sandbox.folder);
  const present = roles.filter((role) => found.some((one) => one.role === role));
  if (present.length === 0) return undefined;
  const role = random.of(present);
  const target = random.of(found.filter((one) => one.role === role));
  const wholeGroup = target.group !== ownGroup && random.next() < 0.3;
  const phase = phaseOf(place, random.of(place.issues));
  const stops = random.next() < 0.3;
  const whom = wholeGroup ? -target.group : target.pid;
  send(whom, stops ? "SIGSTOP" : "SIGKILL");
  if (stops) {
    await sleep(random.whole(50, stopMsMax));
    send(whom, "SIGCONT");
  }
  return { what: `${stops ? "stop" : "kill"} ${wholeGroup ? "group of " : ""}${role}`, phase };
}

/** To a process, or to a group by its negative number. */
export function send(whom: number, signal: NodeJS.Signals): void {
  try {
    process.kill(whom, signal);
  } catch {
    // It ended meanwhile.
  }
}
