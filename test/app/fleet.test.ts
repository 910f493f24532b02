/** A fleet's jobs in a real PostgreSQL: who has what, and what a database that is away or wrong does. */
import { hostname } from "node:os";
import { PgBoss } from "pg-boss";
import { beforeAll, describe, expect, onTestFinished, test, vi } from "vitest";
import { databaseOf } from "../../src/core/lease/database.ts";
import type { Spending } from "../../src/core/relay/spending.ts";
import { MonocoError } from "../../src/core/error/error.ts";
import { migrateTables } from "../../src/app/fleet/boss.ts";
import { Fleet } from "../../src/app/fleet/fleet.ts";
import { fleetQueue } from "../../src/app/fleet/queue.ts";
import type { Account } from "../../src/app/fleet/queue.ts";
import type { Claim, Queue } from "../../src/app/queue/port.ts";
import { hasPostgres, openPostgres } from "../support/postgres.ts";

const postgres = openPostgres();
const queue = "claims-test";

describe.skipIf(!hasPostgres)("with PostgreSQL (skipped where it is not installed)", () => {
  let url = "";
  beforeAll(async () => {
    url = await postgres.database();
    await migrateTables(databaseOf(url, {}));
  });

  type Worker = { fleet: Fleet; told: string[] };

  async function join(slot: string, spent: Spending[] = [], at = url): Promise<Worker> {
    const told: string[] = [];
    const tell = (text: string): void => void told.push(text);
    const fleet = await Fleet.join({ database: databaseOf(at, {}), queue, slot, spent: () => spent, tell });
    onTestFinished(() => fleet.leave());
    return { fleet, told };
  }

  /** As pg-boss ends the job of a worker that is silent for too long. */
  async function endJobs(key: string): Promise<void> {
    await postgres.sql(
      url,
      `UPDATE monoco.job SET heartbeat_on = now() - interval '1 hour' WHERE singleton_key = '${key}'; UPDATE monoco.queue SET monitor_on = NULL, monitor_claim_on = NULL`,
    );
    const boss = new PgBoss({ connectionString: url, schema: "monoco", migrate: false, schedule: false });
    boss.on("error", () => undefined);
    await boss.start();
    await boss.supervise(queue);
    await boss.stop();
  }

  /** Beats come when the test says so. */
  const stopBeats = (): void => {
    vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
    onTestFinished(() => void vi.useRealTimers());
  };

  test("of two workers that ask at once, one gets the issue; given back, the other can have it", async () => {
    const [a, b] = [await join("a"), await join("b")];
    const got = await Promise.all([a, b, a, b].map(({ fleet }) => fleet.take("FEAT-0001")));
    expect(got.filter(Boolean)).toHaveLength(1);
    expect(await a.fleet.taken()).toEqual(new Set(["FEAT-0001"]));
    const [holder, other] = got[0] || got[2] ? [a, b] : [b, a];
    await other.fleet.give("FEAT-0001");
    expect(await other.fleet.take("FEAT-0001")).toBe(false);
    await holder.fleet.give("FEAT-0001");
    expect(await other.fleet.take("FEAT-0001")).toBe(true);
  });

  test("a worker that is silent loses its jobs; what it says about them later ends no other claim", async () => {
    stopBeats();
    const [a, b, c] = [await join("a"), await join("b"), await join("c")];
    expect(await a.fleet.take("FEAT-0002")).toBe(true);
    expect(await b.fleet.take("FEAT-0002")).toBe(false);
    await endJobs("FEAT-0002");
    expect(await b.fleet.take("FEAT-0002")).toBe(true);
    await a.fleet.give("FEAT-0002");
    expect(await c.fleet.take("FEAT-0002")).toBe(false);
    expect(await b.fleet.taken()).toContain("FEAT-0002");
  });

  test("a healthy claim whose job ended, as in an outage, gets a new job with the next beat", async () => {
    stopBeats();
    const [a, b] = [await join("a"), await join("b")];
    await a.fleet.take("FEAT-0003");
    await endJobs("FEAT-0003");
    expect(await a.fleet.taken()).toEqual(new Set());
    vi.advanceTimersByTime(5_000);
    await expect.poll(() => a.fleet.taken()).toEqual(new Set(["FEAT-0003"]));
    expect(await b.fleet.take("FEAT-0003")).toBe(false);
    await a.fleet.give("FEAT-0003");
    expect(await b.fleet.take("FEAT-0003")).toBe(true);
  });

  test("while PostgreSQL is away, a worker keeps what it has, begins nothing, and says so once; then it goes on", async () => {
    const [a, b] = [await join("a"), await join("b")];
    await a.fleet.take("FEAT-0004");
    await postgres.stop();
    const queues = queueOf(a.fleet);
    const asked = async (): Promise<number | undefined> => {
      const came = await queues.claim("FEAT-0005");
      expect(came).toMatchObject({ heldBy: { kind: "later" }, untilMs: expect.any(Number) as number });
      return "heldBy" in came ? came.untilMs : undefined;
    };
    const first = await asked();
    // It is asked again, and does not answer again.
    await expect.poll(asked, { timeout: 10_000 }).not.toBe(first);
    expect(a.told).toEqual([
      expect.stringMatching(/^postgres:\/\/\/fleet1 cannot be used: .*nothing new begins$/),
    ]);
    await postgres.start();
    await expect.poll(() => a.told, { timeout: 15_000 }).toHaveLength(2);
    expect(a.told[1]).toBe("postgres:///fleet1 answers again");
    await expect.poll(() => b.fleet.awayUntilMs, { timeout: 15_000 }).toBeUndefined();
    expect(await b.fleet.take("FEAT-0004")).toBe(false);
    expect(await queues.claim("FEAT-0005")).toMatchObject({ issue: "FEAT-0005" });
  });

  test("an account has as many places in the whole fleet as its agent's fleetMax", async () => {
    const account = { name: "claude", max: 2 };
    const [a, b] = [queueOf((await join("a")).fleet, account), queueOf((await join("b")).fleet, account)];
    const claims = await Promise.all([
      ...["FEAT-0011", "FEAT-0012"].map((id) => a.claim(id)),
      ...["FEAT-0013", "FEAT-0014"].map((id) => b.claim(id)),
    ]);
    const got = claims.flatMap((claim) => ("heldBy" in claim ? [] : [claim]));
    expect(got).toHaveLength(2);
    const full = claims.find((claim) => "heldBy" in claim);
    expect(full).toMatchObject({
      heldBy: { kind: "later", message: expect.stringContaining("2 times") as string },
    });
    const holder = got[0]!.issue < "FEAT-0013" ? a : b;
    await holder.release(got[0]!);
    expect(await b.claim("FEAT-0015")).toMatchObject({ issue: "FEAT-0015" });
  });

  test("each worker hears what the sessions of the others have used in the last day", async () => {
    stopBeats();
    const spent = (issue: string, startedAtMs: number): Spending => ({
      issue,
      session: 1,
      startedAtMs,
      endedAtMs: startedAtMs + 60_000,
      minutes: 1,
      tokens: 1_000,
      costUsd: 0.5,
    });
    const nowMs = Date.now();
    const own = spent("FEAT-0021", nowMs - 120_000);
    const a = await join("a", [own, spent("FEAT-0020", nowMs - 25 * 60 * 60_000)]);
    const b = await join("b");
    expect(b.fleet.elsewhere()).toEqual([own]);
    expect(a.fleet.elsewhere()).toEqual([]);
  });

  test("an issue that the other queue refuses is free again in the fleet", async () => {
    const [a, b] = [await join("a"), await join("b")];
    const held = { heldBy: new MonocoError("conflict", "another machine has it") };
    const refusing = fleetQueue(a.fleet, {
      inner: { ...inner(), claim: async () => held },
      account: undefined,
    });
    expect(await refusing.claim("FEAT-0031")).toHaveProperty("heldBy");
    expect(await b.fleet.take("FEAT-0031")).toBe(true);
  });

  test("a database without the tables, or with those of another version, is an error that names the command", async () => {
    const bare = await postgres.database();
    const asked = await failureOf(() => join("a", [], bare));
    expect(asked).toMatchObject({
      kind: "input",
      hint: expect.stringContaining("monoco fleet migrate") as string,
    });
    await migrateTables(databaseOf(bare, {}));
    await migrateTables(databaseOf(bare, {}));
    await postgres.sql(bare, "UPDATE monoco.version SET version = version + 1");
    for (const newer of [() => join("a", [], bare), () => migrateTables(databaseOf(bare, {}))])
      expect(await failureOf(newer)).toMatchObject({
        kind: "input",
        message: expect.stringContaining("not those of pg-boss 12.38.0") as string,
        hint: expect.stringContaining("monoco fleet migrate") as string,
      });
  });

  test.each([
    ["no such database", (at: string) => at.replace("/fleet1", "/none"), "input"],
    ["no such user", (at: string) => at.replace("tester:", "nobody:"), "input"],
    ["nobody answers", (at: string) => at.replace("monoco-pg", "monoco-none"), "later"],
    ["no such host", (at: string) => at.replace(/@.*/, "@none.invalid/fleet"), "input"],
  ])("%s: an error without the password", async (_, wrong, kind) => {
    const failure = await failureOf(() => join("a", [], wrong(url)));
    expect(failure).toMatchObject({ kind, message: expect.stringContaining("cannot be used") as string });
    expect(JSON.stringify([failure, String(failure), failure.stack, failure.hint])).not.toContain("s3cr3t");
  });

  test("the host of a worker is what fleet status shows", async () => {
    const a = await join("a");
    await a.fleet.take("FEAT-0041");
    const [row] = (
      await postgres.sql(url, "SELECT data->>'host' FROM monoco.job WHERE singleton_key = 'FEAT-0041'")
    ).split("\n");
    expect(row).toBe(hostname());
  });
});

/** The error of what must fail, with the hint as a person reads it. */
async function failureOf(run: () => Promise<unknown>): Promise<MonocoError> {
  const error: unknown = await run().then(
    () => undefined,
    (why: unknown) => why,
  );
  if (error instanceof MonocoError) return error;
  throw error ?? new Error("no error was thrown");
}

/** A queue that has everything, as the claims of a single machine would be. */
function inner(): Queue {
  return {
    isRemote: true,
    ready: async (issues) => [...issues],
    claim: async (issue): Promise<Claim> => ({ issue, lost: new AbortController().signal }),
    renew: async () => true,
    release: async () => undefined,
  };
}

const queueOf = (fleet: Fleet, account?: Account): Queue => fleetQueue(fleet, { inner: inner(), account });
