/** A PostgreSQL with the tables of a fleet, and a line to it for each worker. */
import { migrateTables } from "../../../src/app/fleet/boss.ts";
import { Fleet } from "../../../src/app/fleet/fleet.ts";
import { databaseOf } from "../../../src/core/lease/database.ts";
import { newServer } from "../../../test/support/postgres.ts";
import type { Server } from "../../../test/support/postgres.ts";
import { claimsOfStorm } from "../leases/said.ts";
import { openProxy } from "./proxy.ts";
import type { Proxy } from "./proxy.ts";

export type Database = {
  lines: ReadonlyMap<string, Proxy>;
  urlOf(worker: string): string;
  /** Ends the server by the signal, waits, and starts it again. One of these at a time. */
  restart(signal: "SIGKILL" | "SIGINT", wait: () => Promise<unknown>): Promise<void>;
  /** All jobs of all workers are gone, as after a restore of a backup. */
  forget(): Promise<void>;
  dispose(): Promise<void>;
};

/** The least that pg-boss takes: a worker's jobs are over after so much silence. */
const silenceSeconds = 10;

export async function openDatabase(workers: readonly string[]): Promise<Database> {
  const server = newServer();
  await server.begin();
  const url = await server.database();
  await makeQueue(server, url);
  const lines = new Map<string, Proxy>();
  for (const worker of workers) lines.set(worker, await openProxy(server.socket()));
  let last: Promise<unknown> = Promise.resolve();
  const inTurn = (act: () => Promise<void>): Promise<void> => {
    const mine = last.then(act);
    last = mine.catch(() => undefined);
    return mine;
  };
  return {
    lines,
    urlOf: (worker) => {
      const at = new URL(url.replace("@/", `@127.0.0.1:${lines.get(worker)?.port}/`));
      at.search = "";
      return String(at);
    },
    restart: (signal, wait) =>
      inTurn(async () => {
        await server.stop(signal);
        await wait();
        await server.start();
      }),
    forget: () => inTurn(async () => void (await server.sql(url, "DELETE FROM monoco.job"))),
    dispose: async () => {
      for (const line of lines.values()) line.close();
      await server.dispose();
    },
  };
}

/** The queue as workers make it; only the silence is shorter, so that a killed worker's issues are soon free. */
async function makeQueue({ sql }: Server, url: string): Promise<void> {
  const database = databaseOf(url, {});
  await migrateTables(database);
  const of = { database, queue: claimsOfStorm, slot: "lab", spent: () => [], tell: () => undefined };
  await (await Fleet.join(of)).leave();
  await sql(
    url,
    `UPDATE monoco.queue SET heartbeat_seconds = ${silenceSeconds} WHERE name = '${claimsOfStorm}'`,
  );
}
