/** How long a lease keeps other machines out. */
import { expect, test } from "vitest";
import { leftOf, parseLease } from "../../../src/core/lease/lease.ts";
import type { Lease } from "../../../src/core/lease/lease.ts";

const minute = 60_000;
const day = 24 * 60 * minute;
const nowMs = Date.parse("2026-11-29T12:00:00Z");

/** As its holder wrote it just now, by a clock that is so far off. */
const lease = (offMs: number): Lease => ({
  v: 1,
  issue: "FEAT-0001",
  slot: "clone 0123",
  who: "maria",
  host: "laptop",
  attempt: 1,
  minutes: 45,
  untilMs: nowMs + offMs + 45 * minute,
});
const left = (of: Lease, seen: { slot?: string; seenMs?: number; offMs?: number }): number =>
  leftOf(of, { slot: seen.slot ?? "clone 4567", seenMs: seen.seenMs ?? 0, nowMs: nowMs + (seen.offMs ?? 0) });

test.for([
  ["right", 0, 0],
  ["a day apart", -day, 0],
  ["a day off each, the holder's behind and the other's ahead", -day, day],
  ["a day off each, the holder's ahead and the other's behind", day, -day],
] as const)("with clocks that are %s, it lasts for as long as it was written for", ([, holder, other]) => {
  expect(left(lease(holder), { offMs: other })).toBe(45 * minute);
  expect(left(lease(holder), { offMs: other, seenMs: 44 * minute })).toBe(minute);
  expect(left(lease(holder), { offMs: other, seenMs: 45 * minute })).toBe(0);
});

test("it keeps nobody out of the place that it is of", () => {
  expect(left(lease(0), { slot: "clone 0123" })).toBe(0);
});

test("a lease that ended days ago is over for a machine that never saw it", () => {
  expect(left(lease(-4 * day), {})).toBe(0);
});

test("what was written to keep everybody out for years is no lease", () => {
  expect(parseLease(JSON.stringify(lease(0)))).toEqual(lease(0));
  expect(parseLease(JSON.stringify({ ...lease(0), minutes: 1e308 }))).toBeUndefined();
});
