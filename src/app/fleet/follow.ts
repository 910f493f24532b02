/** A fleet as live views show it: read every few seconds by one connection, for which no view waits. */
import type { PgBoss } from "pg-boss";
import { setTimeout } from "node:timers/promises";
import { wordsOf } from "../../core/error/error.ts";
import { databaseOf } from "../../core/lease/database.ts";
import { io } from "../../io/io.ts";
import type { Here } from "../here.ts";
import { loadSettings } from "../settings.ts";
import { openBoss } from "./boss.ts";
import { fleetReader } from "./status.ts";
import type { FleetReport } from "./status.ts";

/** How often the database is asked, ms. */
const everyMs = 5_000;

/** The last report, or why there is none. */
export type FleetSeen = FleetReport | string;

/** Follows the fleet of each repository until `signal` aborts; the returned function has what was seen last. */
export function followFleet(
  heres: readonly Here[],
  signal: AbortSignal,
): (here: Here) => FleetSeen | undefined {
  const seen = new Map<Here, FleetSeen>();
  void follow(heres, { seen, signal });
  return (here) => seen.get(here);
}

async function follow(
  heres: readonly Here[],
  { seen, signal }: { seen: Map<Here, FleetSeen>; signal: AbortSignal },
): Promise<void> {
  const readers = new Map<Here, Awaited<ReturnType<typeof fleetReader>>>();
  let boss: PgBoss | undefined;
  const look = async (here: Here): Promise<FleetReport> => {
    const database = databaseOf(undefined, io().env);
    boss ??= await openBoss(database, { signal });
    const { base } = loadSettings(here);
    const read = readers.get(here) ?? (await fleetReader(here, { base, database }));
    readers.set(here, read);
    return read(boss);
  };
  while (!signal.aborted) {
    for (const here of heres) if (!signal.aborted) seen.set(here, await look(here).catch(wordsOf));
    await setTimeout(everyMs, undefined, { signal }).catch(() => undefined);
  }
  await boss?.stop().catch(() => undefined);
}
