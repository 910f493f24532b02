/** What each queue promises to a runner, whatever keeps the claims: kernel locks, leases in git, or jobs in PostgreSQL. */
import { beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { migrateTables } from "../../src/app/fleet/boss.ts";
import { Fleet } from "../../src/app/fleet/fleet.ts";
import { fleetQueue } from "../../src/app/fleet/queue.ts";
import { openHere } from "../../src/app/here.ts";
import { wholeCarrier } from "../../src/app/carry/carrier.ts";
import { leaseQueue } from "../../src/app/queue/lease.ts";
import { localQueue } from "../../src/app/queue/local.ts";
import type { Claim, Held, Queue } from "../../src/app/queue/port.ts";
import { within } from "../../src/io/io.ts";
import { hasPostgres, openPostgres } from "../support/postgres.ts";
import { openTwoClones } from "../support/two-clones.ts";

const postgres = openPostgres();

/** Two runners that share their issues. */
type Two = { one: Queue; other: Queue };

/** Calls a queue in the folder and environment of its clone. */
function inClone(queue: Queue, surroundings: { cwd: string; env: Record<string, string> }): Queue {
  const there = <T>(act: () => Promise<T>): Promise<T> => within(surroundings, act);
  return {
    isRemote: queue.isRemote,
    ready: (issues) => there(() => queue.ready(issues)),
    claim: (issue) => there(() => queue.claim(issue)),
    renew: (claim) => there(() => queue.renew(claim)),
    release: (claim) => there(() => queue.release(claim)),
  };
}

const inPostgres = "jobs in PostgreSQL around leases (skipped where it is not installed)";

const adapters: Record<string, () => Promise<Two>> = {
  "this machine's locks": async () => {
    const { place, a } = await openTwoClones();
    const { env } = place.sandbox;
    const here = await openHere(a.folder);
    const queue = (): Queue => inClone(localQueue(here), { cwd: a.folder, env });
    return { one: queue(), other: queue() };
  },
  "leases on a remote": leases,
  [inPostgres]: async () => {
    const { one, other } = await leases();
    const database = { url: await postgres.database(), name: "the database" };
    await migrateTables(database);
    const join = async (inner: Queue, slot: string): Promise<Queue> => {
      const of = { database, queue: "claims", slot, spent: () => [], tell: () => undefined };
      const fleet = await Fleet.join(of);
      onTestFinished(() => fleet.leave());
      return fleetQueue(fleet, { inner, account: undefined });
    };
    return { one: await join(one, "one"), other: await join(other, "other") };
  },
};

async function leases(): Promise<Two> {
  const { place, a, b } = await openTwoClones();
  const { env } = place.sandbox;
  const warn = (): void => undefined;
  const queueIn = async (cwd: string): Promise<Queue> => {
    const here = await openHere(cwd);
    const carrier = await within({ cwd, env }, async () => wholeCarrier(here, {}));
    return inClone(leaseQueue(carrier, { minutes: 45, warn }), { cwd, env });
  };
  return { one: await queueIn(a.folder), other: await queueIn(b.folder) };
}

const isClaim = (came: Claim | Held): came is Claim => !("heldBy" in came);

/** The claim, which the test releases at its end at the latest. */
async function claimed(queue: Queue, issue = "FEAT-0001"): Promise<Claim> {
  const came = await queue.claim(issue);
  if (!isClaim(came)) throw came.heldBy;
  onTestFinished(() => queue.release(came));
  return came;
}

const contract = Object.entries(adapters).map(([name, open]) => ({ name, open }));

describe.for(contract)("by $name", ({ name, open }) => {
  beforeEach(({ skip }) => skip(name === inPostgres && !hasPostgres));

  test("one runner has an issue; another is told who, as a conflict, and has it after the release", async () => {
    const { one, other } = await open();
    const claim = await claimed(one);
    expect(claim).toMatchObject({ issue: "FEAT-0001", lost: { aborted: false } });
    expect(await other.claim("FEAT-0001")).toMatchObject({ heldBy: { kind: "conflict" } });
    await one.release(claim);
    expect(await claimed(other)).toMatchObject({ issue: "FEAT-0001" });
  });

  test("of two that claim at the same moment one has it", async () => {
    const { one, other } = await open();
    const came = await Promise.all([one.claim("FEAT-0001"), other.claim("FEAT-0001")]);
    expect(came.filter(isClaim)).toHaveLength(1);
    for (const [at, claim] of came.entries()) if (isClaim(claim)) await [one, other][at]!.release(claim);
  });

  test("what is held is not ready for others, and other issues are", async () => {
    const { one, other } = await open();
    await claimed(one);
    expect(await other.ready(["FEAT-0001", "FEAT-0002"])).toEqual(["FEAT-0002"]);
    expect(await claimed(other, "FEAT-0002")).toMatchObject({ issue: "FEAT-0002" });
  });

  test("a claim is renewed as often as its holder likes, and is the same one", async () => {
    const { one, other } = await open();
    const claim = await claimed(one);
    for (const _ of [1, 2, 3]) expect(await one.renew(claim)).toBe(true);
    expect(await other.claim("FEAT-0001")).toMatchObject({ heldBy: { kind: "conflict" } });
    expect(claim.lost.aborted).toBe(false);
  });

  test("a release that comes twice does not end the claim of the next holder", async () => {
    const { one, other } = await open();
    const claim = await claimed(one);
    await one.release(claim);
    await claimed(other);
    await one.release(claim);
    expect(await one.claim("FEAT-0001")).toMatchObject({ heldBy: { kind: "conflict" } });
  });
});
