/** What several machines cost: claims a second, how soon an issue that is ready is claimed, and what a remote run pushes and asks. */
import { join } from "node:path";
import { wholeCarrier } from "../../src/app/carry/carrier.ts";
import { migrateTables } from "../../src/app/fleet/boss.ts";
import { Fleet } from "../../src/app/fleet/fleet.ts";
import { fleetQueue } from "../../src/app/fleet/queue.ts";
import { openHere } from "../../src/app/here.ts";
import { leaseQueue } from "../../src/app/queue/lease.ts";
import type { Queue } from "../../src/app/queue/port.ts";
import { databaseOf } from "../../src/core/lease/database.ts";
import { within } from "../../src/io/io.ts";
import { hasPostgres, newServer } from "../../test/support/postgres.ts";
import { openFleet } from "../fleet/place.ts";
import type { Fleet as Machines } from "../fleet/place.ts";
import { pushes } from "./pushes.ts";
import { issueName } from "./project.ts";
import type { Bench } from "./playground.ts";
import { rowOf } from "./table.ts";
import type { Row } from "./table.ts";

/** A claimer: a queue, and how to call it as if in its own clone. */
type Claimer = { queue: Queue; inside: <T>(act: () => Promise<T>) => Promise<T>; leave?(): Promise<void> };

export async function fleet({ playground, scale, runs = 20 }: Bench): Promise<Row[]> {
  const many = Math.max(2, Math.round(32 * scale));
  const rows = [...(await claims("leases", many, { runs, open: leases }))];
  if (hasPostgres) {
    const server = newServer();
    await server.begin();
    try {
      const url = await server.database();
      await migrateTables(databaseOf(url, {}));
      const open = (machines: Machines, at: number): Promise<Claimer> => withJobs(machines, at, url);
      rows.push(...(await claims("pg-boss and leases", many, { runs, open })));
    } finally {
      await server.dispose();
    }
  }
  const [sessions, heldSeconds] = [Math.max(3, Math.round(30 * scale)), Math.max(3, Math.round(65 * scale))];
  return [...rows, ...pushes(playground, { sessions, heldSeconds })];
}

type Claims = { runs: number; open(machines: Machines, at: number): Promise<Claimer> };

/** Claims and releases of one claimer that nobody disturbs; then how long the claimers take that find all issues ready at the same moment. */
async function claims(name: string, many: number, { runs, open }: Claims): Promise<Row[]> {
  const machines = await openFleet([], many);
  const claimers: Claimer[] = [];
  try {
    for (let at = 0; at < many; at += 1) claimers.push(await open(machines, at));
    const alone: number[] = [];
    for (let n = 1; n <= runs; n += 1) {
      const began = performance.now();
      await takeAndGive(claimers[0]!, issueName(n));
      alone.push(1_000 / (performance.now() - began));
    }
    const rows = [rowOf(`${name}: claims and releases a second, one machine`, "", alone)];
    for (const few of [Math.min(4, many), many]) {
      const took = (await together(claimers.slice(0, few), few * 100)).toSorted((one, other) => one - other);
      const at = (share: number): number => took[Math.ceil(took.length * share) - 1]!;
      rows.push(rowOf(`${name}: ready to claimed, ${few} claimers, p50`, "ms", [at(0.5)]));
      rows.push(rowOf(`${name}: ready to claimed, ${few} claimers, p99`, "ms", [at(0.99)]));
    }
    return rows;
  } finally {
    for (const one of claimers) await one.leave?.();
    machines.dispose();
  }
}

async function takeAndGive({ queue, inside }: Claimer, issue: string): Promise<void> {
  const claim = await inside(() => queue.claim(issue));
  if ("heldBy" in claim) throw claim.heldBy;
  await inside(() => queue.release(claim));
}

/** As many issues as claimers are ready at once: each claimer asks for one after the other, in the same order, until it has one. */
async function together(claimers: readonly Claimer[], firstIssue: number): Promise<number[]> {
  const issues = claimers.map((_, at) => issueName(firstIssue + at));
  const began = performance.now();
  const claimed = await Promise.all(
    claimers.map(async ({ queue, inside }) => {
      for (;;)
        for (const issue of await inside(() => queue.ready(issues))) {
          const claim = await inside(() => queue.claim(issue));
          if (!("heldBy" in claim)) return { claim, tookMs: performance.now() - began };
        }
    }),
  );
  for (const [at, { queue, inside }] of claimers.entries())
    await inside(() => queue.release(claimed[at]!.claim));
  return claimed.map(({ tookMs }) => tookMs);
}

async function leases(machines: Machines, at: number): Promise<Claimer> {
  const cwd = machines.clones[at]!;
  const env = { ...machines.sandbox.env, XDG_STATE_HOME: join(machines.sandbox.folder, `state-${at}`) };
  const inside = <T>(act: () => Promise<T>): Promise<T> => within({ cwd, env }, act);
  const here = await inside(() => openHere(cwd));
  const carrier = await inside(async () => wholeCarrier(here, {}));
  return { inside, queue: leaseQueue(carrier, { minutes: 45, warn: () => undefined }) };
}

/** A claimer behind PostgreSQL, as `monoco worker` is one. */
async function withJobs(machines: Machines, at: number, url: string): Promise<Claimer> {
  const { queue: inner, inside } = await leases(machines, at);
  const joined = await Fleet.join({
    database: databaseOf(url, {}),
    queue: "claims-bench",
    slot: `machine ${at}`,
    spent: () => [],
    tell: () => undefined,
  });
  return { inside, queue: fleetQueue(joined, { inner, account: undefined }), leave: () => joined.leave() };
}
