/** A verdict that answers questions, together with what was said before. */
import { expect, test } from "vitest";
import { mergedVerdict } from "../../../src/core/review/verdict/merge.ts";
import type { Verdict } from "../../../src/core/review/verdict-schema.ts";

const met = (criterion: number, command: string) => ({
  criterion,
  result: "met" as const,
  command,
  exitCode: 0,
});
const verdict = (more: Partial<Verdict>): Verdict => ({
  verdict: "approve",
  criteria: [],
  probes: [],
  findings: [],
  ...more,
});
const finding = { id: "F1", severity: "major" as const, title: "It fails", evidence: { text: "190" } };

test("what is named again takes the place of what was said, and all else stands", () => {
  const before = verdict({
    criteria: [met(1, "npm test"), met(2, "grep -q a b")],
    probes: [{ command: "node probe.js", exitCode: 1 }],
    answers: [{ id: "P1", text: "asked for" }],
    findings: [finding],
    summary: "Both hold",
  });
  const answer = verdict({ criteria: [met(2, "node try.js")], answers: [{ id: "w1", text: "no test can" }] });
  expect(mergedVerdict({ ...before, type: "review.refused", why: ["x"] }, answer)).toEqual({
    verdict: "approve",
    criteria: [met(1, "npm test"), met(2, "node try.js")],
    probes: [{ command: "node probe.js", exitCode: 1 }],
    answers: [
      { id: "P1", text: "asked for" },
      { id: "w1", text: "no test can" },
    ],
    // What was found before stays in the record, and holds where its command does.
    findings: [],
    summary: "Both hold",
  });
});

test("a Reviewer that is asked may change its mind", () => {
  const answer = verdict({ verdict: "request_changes", findings: [finding] });
  expect(mergedVerdict(verdict({ criteria: [met(1, "npm test")] }), answer)).toMatchObject({
    verdict: "request_changes",
    criteria: [{ criterion: 1 }],
    findings: [{ id: "F1" }],
  });
});
