/** The clock of a run: waits end when they would have ended, whatever somebody does to the clock on the wall. */
import { expect, test } from "vitest";
import { steadyNow } from "../../src/relay/clock.ts";

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
const noonMs = Date.UTC(2026, 10, 22, 12);

/** A wall clock that a person sets, and one that only counts. */
function clocks() {
  let wallMs = noonMs;
  let countedMs = 5_000.4;
  return {
    now: steadyNow(
      () => wallMs,
      () => countedMs,
    ),
    pass: (ms: number) => {
      wallMs += ms;
      countedMs += ms;
    },
    /** What passes while the machine sleeps is not counted. */
    sleep: (ms: number) => void (wallMs += ms),
    set: (ms: number) => void (wallMs += ms),
  };
}

test("set back by a day, it goes on from where it was: an hour's wait lasts an hour", () => {
  const { now, pass, set } = clocks();
  const untilMs = now() + hourMs;
  pass(hourMs / 2);
  set(-dayMs);
  expect(untilMs - now()).toBeLessThanOrEqual(hourMs / 2 + 1);
  pass(hourMs / 2 + 1);
  expect(now()).toBeGreaterThanOrEqual(untilMs);
});

test("set forward, and after the machine has slept, it is the time of the wall", () => {
  const { now, pass, set, sleep } = clocks();
  pass(1_000);
  expect(now()).toBe(noonMs + 1_000);
  sleep(8 * hourMs);
  expect(now()).toBe(noonMs + 1_000 + 8 * hourMs);
  set(hourMs);
  expect(now()).toBe(noonMs + 1_000 + 9 * hourMs);
});

test("it counts whole milliseconds", () => {
  const { now, pass, set } = clocks();
  set(-dayMs);
  pass(0.7);
  expect(Number.isInteger(now())).toBe(true);
});
