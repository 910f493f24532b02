import { expect, test } from "vitest";
import { boundVerdict } from "../../../src/core/review/bound-verdict.ts";
import { verdictSchema } from "../../../src/core/review/verdict-schema.ts";
import type { Verdict } from "../../../src/core/review/verdict-schema.ts";

const finding = (id: string, severity: Verdict["findings"][0]["severity"], text = "no") => ({
  id,
  severity,
  title: text,
  criterion: "1",
  evidence: { text },
});

test("a verdict that fits is the same", () => {
  const verdict = verdictSchema.parse({
    verdict: "request_changes",
    criteria: [{ criterion: 1, result: "met", command: "true", exitCode: 0, text: "seen" }],
    probes: [{ command: "true", exitCode: 0 }],
    findings: [finding("a", "note"), finding("b", "blocker")],
    summary: "No",
  });
  expect(boundVerdict(verdict)).toEqual(verdict);
  expect(boundVerdict(verdictSchema.parse({ verdict: "approve" }))).toEqual(
    verdictSchema.parse({ verdict: "approve" }),
  );
});

test("of thousands of findings the gravest are kept, and the rest is counted", () => {
  const many = Array.from({ length: 3_000 }, (_, index) => finding(`n${index}`, "note"));
  const bound = boundVerdict(
    verdictSchema.parse({
      verdict: "request_changes",
      findings: [...many, finding("last", "blocker")],
      summary: "No",
    }),
  );
  expect(bound.findings).toHaveLength(50);
  expect(bound.findings[0]).toMatchObject({ id: "last", severity: "blocker" });
  expect(bound.summary).toBe("No\n… and 2951 more findings");
});

test("whatever it says, it stays small", () => {
  const long = "x".repeat(100_000);
  const verdict = verdictSchema.parse({
    verdict: "request_changes",
    findings: Array.from({ length: 100 }, () => finding(long, "major", long)),
    criteria: [{ criterion: 1, result: "met", text: long }],
    probes: [{ command: "true", exitCode: 0, text: long }],
    summary: long,
  });
  expect(JSON.stringify(boundVerdict(verdict)).length).toBeLessThan(250_000);
});
