import { expect, test } from "vitest";
import { countFailure } from "../../../src/core/session/same-failure.ts";
import type { SameFailures } from "../../../src/core/session/same-failure.ts";

type Ended = { command: string; error?: string };

const fails = (error: string, command = "npm test"): Ended => ({ command, error });
const works = (command = "npm test"): Ended => ({ command });

/** How often each has failed in the same way, and the count that goes on. */
function counter(): (ended: Ended) => number {
  let known: SameFailures = new Map();
  return (ended) => {
    const counted = countFailure(known, ended);
    known = counted.failures;
    return counted.times;
  };
}

test.for<[string, Ended[], number[]]>([
  ["the same failure counts up", [fails("boom"), fails("boom"), fails("boom")], [1, 2, 3]],
  ["a success starts it again", [fails("boom"), works(), fails("boom")], [1, 0, 1]],
  ["another error is progress", [fails("a is missing"), fails("b is missing")], [1, 1]],
  [
    "commands count each for itself, however they are spaced",
    [fails("boom"), fails("boom", "make"), fails("boom", "npm   test"), works("ls")],
    [1, 1, 2, 0],
  ],
  [
    "times, paths and counts do not make another error",
    [fails("FAIL /tmp/a1/x.test.ts (12 ms) at 0x7ffe"), fails("FAIL /tmp/b22/x.test.ts (7.5 s) at 0x11aa")],
    [1, 2],
  ],
  ["a silent failure is one too", [fails(""), fails("")], [1, 2]],
])("%s", ([, ended, expected]) => {
  expect(ended.map(counter())).toEqual(expected);
});

test("a session that runs ten thousand commands keeps a few of them", () => {
  const count = counter();
  for (let index = 0; index < 10_000; index++) count(fails("boom", `command ${index}`));
  expect(count(fails("boom", "command 0"))).toBe(1);
  expect(count(fails("boom", "command 9999"))).toBe(2);
});
