/** What a probe's findings mean: the conclusion, and the capabilities that a relay goes by. */
import { describe, expect, test } from "vitest";
import { conclude, features, withFindings } from "../../../src/core/session/probe.ts";
import type { Feature, Findings } from "../../../src/core/session/probe.ts";

/** All features found, but for these. */
function without(...missing: Feature[]): Findings {
  const entries = features.map((feature) => [
    feature,
    { found: missing.includes(feature) ? "no" : "yes", evidence: "" },
  ]);
  return Object.fromEntries(entries) as Findings;
}

test.for<[string, Findings, object]>([
  [
    "all there: native",
    without(),
    { conclusion: "native", because: "with stopHook, liveUsage, ownSessionId" },
  ],
  [
    "what others make up for takes nothing away",
    without("contextInjection", "structuredVerdict", "resume"),
    { conclusion: "native" },
  ],
  [
    "no stop hook: the loop is outside",
    without("stopHook"),
    { conclusion: "external loop", because: "without stopHook" },
  ],
  [
    "no context while it works: outside, too",
    without("liveUsage", "stopHook"),
    { conclusion: "external loop", because: "without stopHook, liveUsage" },
  ],
  [
    "nothing but words",
    without("structuredOutput", "stopHook"),
    { conclusion: "text only", because: "without structuredOutput" },
  ],
  [
    "not even without a person",
    without("headless", "structuredOutput"),
    { conclusion: "unusable", because: "without headless" },
  ],
])("%s", ([, findings, expected]) => expect(conclude(findings)).toMatchObject(expected));

describe("a relay goes by", () => {
  const declared = {
    messageOnInput: true,
    contextByHook: false,
    stopHook: true,
    liveUsage: true,
    resume: true,
    verdictBySchema: true,
    reserveTokens: 7,
  };

  test("what was found, whatever is declared", () => {
    expect(withFindings(declared, without("stopHook", "resume", "contextInjection"))).toEqual({
      ...declared,
      stopHook: false,
      resume: false,
    });
  });

  test("what is declared, where a trial went wrong for another reason", () => {
    const findings = { ...without(), resume: { found: "unknown", evidence: "" } } as const;
    expect(withFindings({ ...declared, resume: true }, findings)).toMatchObject({ resume: true });
    expect(withFindings({ ...declared, resume: false }, findings)).toMatchObject({ resume: false });
  });
});
