/** A case that does not come to its end is given up: what it was waiting for is told, and its processes are killed. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { attempt } from "../../../src/core/error/attempt.ts";
import type { Place } from "./place.ts";
import { processesIn } from "./processes.ts";

/** What `work` comes to; where `patience` ends before it does, an error that names each relay's last event and each process. */
export async function within<T>(place: Place, patience: AbortSignal, work: Promise<T>): Promise<T> {
  const over = Promise.withResolvers<never>();
  let ended = Promise.resolve();
  const giveUp = (): void => {
    over.reject(new Error(`given up, with ${waitingFor(place)}`));
    ended = end(place);
  };
  if (patience.aborted) giveUp();
  else patience.addEventListener("abort", giveUp);
  try {
    return await Promise.race([work, over.promise]);
  } finally {
    patience.removeEventListener("abort", giveUp);
    await ended;
  }
}

/** By the last event of a relay: what it was at. */
export function phaseOf({ project }: Place, issue: string): string {
  try {
    const path = join(project, ".monoco", "relays", issue, "journal.jsonl");
    const line = readFileSync(path, "utf8").trimEnd().split("\n").at(-1) ?? "";
    return /"type":"([\w.]+)"/.exec(line)?.[1] ?? "being written";
  } catch {
    return "not open";
  }
}

function waitingFor(place: Place): string {
  const relays = place.issues.map((issue) => `${issue} at ${phaseOf(place, issue)}`);
  const running = processesIn(place.sandbox.folder).map(
    ({ role, state, words }) => `${role} (${state}) ${words}`,
  );
  return [...relays, ...running].join("; ") || "nothing";
}

/** A process that is killed may have started another: so often, with a pause, until nothing is left. */
const killsMax = 100;

async function end(place: Place): Promise<void> {
  place.close();
  for (let turn = 0; turn < killsMax; turn++) {
    const found = processesIn(place.sandbox.folder);
    if (found.length === 0) return;
    for (const { pid } of found) attempt(() => process.kill(pid, "SIGKILL"), false);
    await sleep(50);
  }
}
