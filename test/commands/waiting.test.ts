/** Waiting at a terminal, on a clock and an input of the test's own. */
import { PassThrough } from "node:stream";
import { expect, it } from "vitest";
import { waiterOf } from "../../src/commands/run/run.ts";
import { openWaiter } from "../../src/commands/run/waiting.ts";
import { full as test } from "../support/full.ts";

const minute = 60_000;
const hour = 60 * minute;

function atTerminal(options: { always?: boolean; input?: boolean } = {}) {
  const input = new PassThrough();
  let now = 0;
  const shown: string[] = [];
  const waiter = openWaiter({
    always: options.always ?? false,
    input: options.input === false ? undefined : input,
    screen: { line: () => undefined, live: (_name, text) => shown.push(text), end: () => undefined },
    nowMs: () => now,
  });
  const wait = { untilMs: 60 * minute, reason: { rule: "usage_limit", agent: "claude" } } as const;
  return {
    input,
    waiter,
    shown,
    /** Whether it goes on waiting at each of these seconds. */
    looks: (seconds: readonly number[], until = wait.untilMs, issue = "FEAT-0001") =>
      seconds.map((second) => {
        now = second * 1_000;
        return waiter.goOn(issue, { ...wait, untilMs: until });
      }),
    say: async (text: string) => {
      input.write(text);
      await new Promise((resolve) => setImmediate(resolve));
    },
  };
}

test("nobody answers: it counts down for 30 s, says how to choose, and quits", () => {
  const { looks, shown } = atTerminal();
  expect(looks([0, 1, 29, 30])).toEqual([true, true, true, false]);
  expect(shown).toEqual([
    "FEAT-0001  waits 60 min 0 s (w, Enter: wait; q, Enter: quit; quits in 30.0 s): usage limit of claude",
    "FEAT-0001  waits 59 min 59 s (w, Enter: wait; q, Enter: quit; quits in 29.0 s): usage limit of claude",
    "FEAT-0001  waits 59 min 31 s (w, Enter: wait; q, Enter: quit; quits in 1.0 s): usage limit of claude",
  ]);
});

test("a terminal that cannot be read from quits after the same time", () => {
  const { looks } = atTerminal({ input: false });
  expect(looks([0, 29, 31])).toEqual([true, true, false]);
});

test("who says wait waits to the end, for every relay of the run", async () => {
  const { looks, say, shown } = atTerminal();
  expect(looks([0])).toEqual([true]);
  await say("w\n");
  expect(looks([40, 3_000])).toEqual([true, true]);
  expect(looks([3_001], 9_000_000, "FEAT-0002")).toEqual([true]);
  expect(shown.at(-1)).toBe("FEAT-0002  waits 99 min 59 s: usage limit of claude");
});

it("who says quit quits at once; other words are no answer", async () => {
  const { looks, say } = atTerminal();
  expect(looks([0])).toEqual([true]);
  await say("what?\n");
  expect(looks([1])).toEqual([true]);
  await say("q\n");
  expect(looks([2])).toEqual([false]);
});

test("what is over before the choice is waited for without a word, and each wait has its own 30 s", () => {
  const { looks, shown } = atTerminal();
  expect(looks([0, 14], 15_000)).toEqual([true, true]);
  expect(shown.at(-1)).toBe("FEAT-0001  waits 1.0 s: usage limit of claude");
  expect(looks([100, 129, 130], 10 * minute)).toEqual([true, true, false]);
});

it("unattended, or with --wait, it waits as long as it takes", () => {
  const { looks } = atTerminal({ always: true });
  expect(looks([0, 31, 3_599])).toEqual([true, true, true]);
});

it("a reset that would be less than 30 s away when the question ends is waited for without one", () => {
  const { looks, shown } = atTerminal();
  expect(looks([0, 10, 29, 30, 49], 50_000)).toEqual([true, true, true, true, true]);
  expect(shown.join("\n")).not.toContain("quit");
  expect(shown.at(-1)).toBe("FEAT-0001  waits 1.0 s: usage limit of claude");
});

it.each([
  { flags: { wait: false }, isTTY: true, asks: true },
  { flags: { wait: false, all: true }, isTTY: true, asks: false },
  { flags: { wait: true }, isTTY: true, asks: false },
  { flags: { wait: false }, isTTY: false, asks: false },
])("a run with $flags, at a terminal: $isTTY, asks whether to wait: $asks", ({ flags, isTTY, asks }) => {
  const shown: string[] = [];
  const screen = {
    line: () => undefined,
    live: (_name: string, text: string) => shown.push(text),
    end: () => undefined,
  };
  const waiter = waiterOf(flags, screen, {
    stdin: Object.assign(new PassThrough(), { isTTY }),
    stdout: { isTTY },
  });
  const reason = { rule: "usage_limit", agent: "claude" } as const;
  expect(waiter.goOn("FEAT-0001", { untilMs: Date.now() + hour, reason })).toBe(true);
  waiter.end();
  expect(shown.map((line) => line.includes("q, Enter: quit"))).toEqual([asks]);
});
