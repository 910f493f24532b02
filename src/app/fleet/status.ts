/** What is known of a fleet: its workers, what each has, and what nobody has. */
import type { PgBoss } from "pg-boss";
import { z } from "zod";
import { databaseOf } from "../../core/lease/database.ts";
import type { Database } from "../../core/lease/database.ts";
import { io } from "../../io/io.ts";
import { baseReader } from "../base-issues.ts";
import type { Here } from "../here.ts";
import { planOf } from "../queue/plan.ts";
import { failureOf, openBoss } from "./boss.ts";
import { liveJobs, queueOfRepository } from "./fleet.ts";

export type FleetWorker = { host: string; pid: number; since: string; heard: string; live: boolean };
/** `key` is an issue, or a place of an account as `claude/1`. */
export type FleetClaim = { key: string; host: string; pid: number; since: string };
export type FleetReport = {
  database: string;
  workers: FleetWorker[];
  claims: FleetClaim[];
  /** Issues that could begin, and that nobody has. */
  free: string[];
};

const aboutSchema = z.object({ host: z.string(), pid: z.number() }).catch({ host: "?", pid: 0 });

export async function fleetReport(
  here: Here,
  { base, url }: { base: string; url: string | undefined },
): Promise<FleetReport> {
  const database = databaseOf(url, io().env);
  const read = await fleetReader(here, { base, database });
  const boss = await openBoss(database);
  try {
    return await read(boss);
  } finally {
    await boss.stop().catch(() => undefined);
  }
}

/** Reads the report as often as it is called. What it reads of git it keeps. */
export async function fleetReader(
  here: Here,
  { base, database }: { base: string; database: Database },
): Promise<(boss: PgBoss) => Promise<FleetReport>> {
  const queue = await queueOfRepository(here.repository, base);
  const issues = baseReader(here, base);
  return async (boss) => {
    const flags = { base, all: true, ignoreDependencies: false };
    const plan = await planOf(here, [], { flags, onBase: await issues.read() });
    try {
      const [workers, claims] = [await workersOf(boss, queue), await claimsOf(boss, queue)];
      const taken = new Set(claims.map(({ key }) => key));
      return { database: database.name, workers, claims, free: plan.asked.filter((id) => !taken.has(id)) };
    } catch (error) {
      throw failureOf(error, database);
    }
  };
}

async function workersOf(boss: PgBoss, queue: string): Promise<FleetWorker[]> {
  return (await boss.getInstances())
    .filter(({ name, stoppedOn }) => name === queue && !stoppedOn)
    .map(({ host, pid, live, startedOn, heartbeatOn }) => ({
      host,
      pid,
      since: startedOn.toISOString(),
      heard: heartbeatOn.toISOString(),
      live,
    }));
}

async function claimsOf(boss: PgBoss, queue: string): Promise<FleetClaim[]> {
  const jobs = (await boss.getQueue(queue)) ? await liveJobs(boss, queue) : [];
  return jobs.map(({ singletonKey, data, createdOn }) => ({
    key: singletonKey ?? "",
    ...aboutSchema.parse(data),
    since: createdOn.toISOString(),
  }));
}
