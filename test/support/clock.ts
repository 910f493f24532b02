/** Runs a relay in this process on a clock of the test's own: agents and git are real, waiting takes no time. */
import { becauseOf } from "../../src/core/reason/reason.ts";
import { expect, onTestFinished } from "vitest";
import { openHere } from "../../src/app/here.ts";
import { tryRunnerLock } from "../../src/app/runner-lock.ts";
import { settledHere } from "../../src/app/settings.ts";
import { findIssueOnBase, layOut, loadTerms, setUpRelay } from "../../src/app/wire.ts";
import { openOrResume } from "../../src/relay/open.ts";
import { openRelay } from "../../src/relay/relay.ts";
import { runRelay } from "../../src/relay/run-relay.ts";
import type { RunEnd } from "../../src/relay/run-relay.ts";
import type { Place } from "./place.ts";

export type Wait = { atMs: number; untilMs: number; because: string };

export type Timeline = {
  nowMs(): number;
  pass(ms: number): void;
  /** All that was waited for, in order. */
  waits: Wait[];
  /** `monoco run ISSUE`: opens the relay, or goes on with it. `wait` as in the loop's options; it waits without it. */
  run(issue: string, options?: { wait?(wait: Wait): boolean; jitter?: number }): Promise<RunEnd>;
};

export function timelineOf(place: Place): Timeline {
  const before = { ...process.env };
  Object.assign(process.env, place.sandbox.env);
  onTestFinished(() => void (process.env = before));
  let passedMs = 0;
  const nowMs = (): number => Date.now() + passedMs;
  const waits: Wait[] = [];
  const run: Timeline["run"] = async (issue, { wait = () => true, jitter = 0 } = {}) => {
    const here = await openHere(place.project);
    layOut(here);
    const settled = settledHere(here);
    const control = { interrupt: new AbortController().signal };
    const setup = setUpRelay(here, issue, { control, onProgress: () => undefined });
    const lock = tryRunnerLock(setup.places.runnerLock);
    expect(lock).toBeDefined();
    try {
      const relay = openRelay({
        ...setup,
        jitter,
        nowMs,
        sleep: async (ms) => void (passedMs += Math.max(0, ms)),
      });
      await openOrResume(relay, loadTerms(here, settled), await findIssueOnBase(here, issue, "main"));
      return await runRelay(relay, {
        once: false,
        wait: ({ untilMs, reason }) => {
          const asked = { atMs: nowMs(), untilMs, because: becauseOf(reason) };
          if (waits.at(-1)?.untilMs !== untilMs) waits.push(asked);
          if (!wait(asked)) return false;
          // All but the last second of it: what is left, the loop sleeps itself.
          passedMs += Math.max(0, untilMs - nowMs() - 1_000);
          return true;
        },
      });
    } finally {
      lock?.release();
    }
  };
  return { nowMs, pass: (ms) => void (passedMs += ms), waits, run };
}
