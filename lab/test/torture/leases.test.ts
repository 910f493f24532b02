/** Machines with one backlog and one remote, in storms of `npm run torture -w lab`: each rule of the lease has a storm that notices where it is broken. */
import { describe, expect, it } from "vitest";
import { outlivedOf, racesOf, staleOf } from "../../torture/claims.ts";
import { rageOfRuns } from "../../torture/fleet.ts";
import { rageOfHolders } from "../../torture/leases.ts";
import type { Fault } from "../../torture/leases/faults.ts";
import { full as test } from "../../../test/support/full.ts";

const rows: readonly [holds: string, faults: Fault[]][] = [
  ["a machine that sleeps past its lease merges nothing when it wakes", ["stopped past its lease"]],
  [
    "a machine that cannot push ends its session before others begin",
    ["remote silent", "remote unreachable"],
  ],
];
/** Each of three workers meets them so often. */
const times = 2;

it("of three machines that claim an issue at once one gets it", async () => {
  expect(await racesOf(3, 5)).toEqual([]);
});

it("the merge of a holder that was overtaken between its look and its push is refused", async () => {
  expect(await staleOf(2)).toEqual([]);
});

it("three workers merge each issue once, though one is killed, one sleeps, and one loses answers", async () => {
  const faults: Fault[] = [
    "stopped past its lease",
    "answers lost",
    "killed, and begun again after its lease",
  ];
  expect(await rageOfHolders(1, faults)).toMatchObject({ wrong: [] });
});

test("a healthy claim outlives its lease", async () => {
  expect(await outlivedOf(4)).toEqual([]);
});

describe("leases", () => {
  test.for(rows)("%s", { timeout: 300_000 }, async ([, faults]) => {
    const often = Array.from({ length: 3 * times }, () => faults).flat();
    expect(await rageOfHolders(1, often)).toMatchObject({ wrong: [] });
  });
});

test("a clock that is set by a day ends no lease", { timeout: 300_000 }, async () => {
  const faults = Array.from({ length: 3 * times }, (): Fault[] => [
    "clock a day ahead",
    "clock a day behind",
  ]);
  // A lease is seen for a while where sessions last, and one worker is always free to take it over.
  const long = { count: 2, steps: 3, stepMs: 30_000 };
  expect(await rageOfHolders(1, faults.flat(), long)).toMatchObject({ wrong: [], figures: { takenOver: 0 } });
});

test("any faults: no commit is lost, and each merge happens once", { timeout: 300_000 }, async () => {
  expect(await rageOfHolders(1)).toMatchObject({ wrong: [] });
});

test("whole runs on three machines merge each issue once", { timeout: 600_000 }, async () => {
  expect(await rageOfRuns(1)).toMatchObject({ wrong: [] });
});
