import { expect, it } from "vitest";
import { cannotRun, comparedWith } from "../../../src/core/relay/baseline.ts";
import type { CheckResult } from "../../../src/core/review/check-result.ts";

const result = (more: Partial<CheckResult>): CheckResult => ({
  command: "npm test",
  exitCode: 1,
  timedOut: false,
  durationMs: 1,
  log: "check-1.log",
  ...more,
});
const red = (failing: string[]): CheckResult => result({ failing, signature: failing.join("\n") });
const unnamed = (signature: string): CheckResult => result({ signature });
const late = result({ exitCode: null, timedOut: true, signature: "timed out" });

it.each<[string, CheckResult, CheckResult, CheckResult["asBefore"]]>([
  ["the same test", red(["a"]), red(["a"]), "same"],
  ["fewer tests", red(["a"]), red(["a", "b"]), "same"],
  ["another test, too", red(["a", "c"]), red(["a"]), undefined],
  [
    "another test, too, in an output whose end is the same",
    { ...red(["a", "c"]), signature: "a" },
    red(["a"]),
    undefined,
  ],
  ["no test that can be read", unnamed("syntax error"), red(["a"]), undefined],
  ["the same words", unnamed("no median"), unnamed("no median"), "same"],
  ["fewer lines", unnamed("line one"), unnamed("line one\nline two"), "same"],
  ["other words", unnamed("no mean"), unnamed("no median"), "unread"],
  ["other words and another status", { ...unnamed("no mean"), exitCode: 2 }, unnamed("no median"), undefined],
  ["no start", result({ exitCode: 127, signature: "not found" }), red(["a"]), undefined],
  ["no end", late, red(["a"]), undefined],
  ["no end, as before", late, late, "same"],
  ["a check that is green on the base", red(["a"]), result({ exitCode: 0 }), undefined],
  ["another check", { ...red(["a"]), command: "npm run lint" }, red(["a"]), undefined],
])("a check that fails by %s", (_how, now, before, asBefore) => {
  expect(comparedWith([now], [before])[0]!.asBefore).toBe(asBefore);
});

it.each<[string, Parameters<typeof cannotRun>[0], boolean]>([
  ["a set-up that fails", { setUp: result({ command: "npm ci" }), checks: [] }, true],
  ["a check that is not found", { checks: [result({ exitCode: 127 })] }, true],
  ["a check that may not be run", { checks: [result({ exitCode: 126 })] }, true],
  ["a check without an end", { checks: [late] }, true],
  ["a red check", { checks: [red(["a"])] }, false],
  ["a green check", { checks: [result({ exitCode: 0 })] }, false],
])("%s: the baseline cannot run, or can", (_what, baseline, isTrue) => {
  expect(cannotRun(baseline) !== undefined).toBe(isTrue);
});
