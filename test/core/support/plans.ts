/** Drives a plan of runs without a process: `ends` says how each run that is due ends. */
import type { Due, Ended, Runs } from "../../../src/core/trial/due.ts";

/** What the plan answers, and each run in words: `new_tests npm test on base+test/a.js`. */
export function drive<T>(plan: Runs<T>, ends: (due: Due) => Ended): { answer: T; runs: string[] } {
  const runs: string[] = [];
  let step = plan.next();
  while (!step.done) {
    const { command, why, on, setsUp } = step.value;
    const edits = on.edits.map(({ path, to }) => (to ? path : `-${path}`)).join(",");
    runs.push(`${why} ${command} on ${on.side}${edits && `+${edits}`}${setsUp ? " set up" : ""}`);
    step = plan.next(ends(step.value));
  }
  return { answer: step.value, runs };
}
