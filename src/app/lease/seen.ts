/** What this machine knows of other machines' leases: which one it has seen, and for how long by a clock that nobody sets. */
import { hostname, uptime } from "node:os";
import { hash } from "node:crypto";
import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { bootId } from "../../agents/process-identity.ts";
import { attempt } from "../../core/error/attempt.ts";
import { io } from "../../io/io.ts";
import { makeFolder, writeAtomically } from "../../store/durable.ts";
import { repositoryPlaces } from "../../store/places.ts";
import type { Here } from "../here.ts";

/** The time since the machine's start, ms: it goes on while the machine sleeps, and no setting of the clock changes it. */
export const sinceBootMs = (): number => uptime() * 1_000;

type Noted = { commit: string; boot: string; atMs: number };

/** For how long this machine has seen this very lease, ms. The first look is noted, for later commands. */
export function seenForMs({ repository }: Here, issue: string, commit: string): number {
  const folder = join(repositoryPlaces(repository.root, io().env).monoco, "leases");
  const path = join(folder, `${issue}.json`);
  const [boot, nowMs] = [bootId(), sinceBootMs()];
  const noted = attempt(() => JSON.parse(readFileSync(path, "utf8")) as Noted, undefined);
  if (noted?.commit === commit && noted.boot === boot && noted.atMs <= nowMs) return nowMs - noted.atMs;
  makeFolder(folder);
  writeAtomically(path, JSON.stringify({ commit, boot, atMs: nowMs } satisfies Noted));
  return 0;
}

/** The name of the place where one runner at a time works on a relay: this clone, or what the variable says of a runner that is made anew. */
export function slotHere({ repository }: Here): string {
  const named = io().env["MONOCO_SLOT"];
  if (named) return `named ${named.slice(0, 100)}`;
  // A copy of the clone is another place.
  const { ino, birthtimeMs } = statSync(repository.commonDir);
  const place = [hostname(), repository.commonDir, ino, birthtimeMs].join("\0");
  return `clone ${hash("sha256", place).slice(0, 16)}`;
}
