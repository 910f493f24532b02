/** A session whose model fails for ever ends in bounded time as shipped: nothing of the CLI's own patience is taken away. */
import { test, vi } from "vitest";
import { programOf, runAsShipped } from "./as-shipped.ts";
import type { Fault, SubjectName } from "./as-shipped.ts";
import type { StopReason } from "../../src/index.ts";
import { ofFull } from "../../test/support/full.ts";

type Row = {
  subject: SubjectName;
  fault: Fault;
  ends: StopReason;
  evidence: string;
  /** How often the model was asked. */
  requests: number;
  secondsMax: number;
  limits?: object;
};

// Most of it is waiting; OpenCode, which waits longest, begins.
vi.setConfig({ maxConcurrency: 12, testTimeout: 300_000 });

/** Tried to the end. docs/agents.md has how long the other faults last. */
const failures = (
  [
    ["opencode", "429", "APIError 429: scripted 429", 6],
    ["opencode", "500", "APIError 500: scripted 500", 6],
    ["claude", "429", "terminal_reason api_error, status 429", 6],
    ["claude", "500", "terminal_reason api_error, status 500", 6],
    ["claude", "cut", "api_error connection_failed", 6],
    ["codex", "429", "responseTooManyFailedAttempts 429: exceeded retry limit", 1],
    ["codex", "500", "internalServerError", 30],
    ["codex", "cut", "stream disconnected before completion", 6],
    ["codex", "refused", "httpConnectionFailed", 0],
    ["codex-openai", "429", "responseTooManyFailedAttempts 429: exceeded retry limit", 2],
    ["codex-openai", "500", "internalServerError", 37],
    ["codex-openai", "cut", "stream disconnected before completion", 13],
    ["gemini", "429", "status 429", 3],
    ["gemini", "500", "status 500", 3],
    ["gemini", "cut", "terminated", 1],
  ] as const
).map(([subject, fault, evidence, requests]): Row => {
  // Measured on a quiet machine: up to 33 s, OpenCode 90 s.
  const secondsMax = subject === "opencode" ? 150 : 75;
  return { subject, fault, ends: "failure", evidence, requests, secondsMax };
});

/** Whatever a CLI would do by itself: it has begun to wait, and monoco's patience ends first. */
const silences = (["opencode", "claude", "codex", "gemini"] as const).flatMap((subject) =>
  (["deaf", "hang"] as const).map((fault): Row => {
    const limits = { silenceMinutes: 0.75 };
    const evidence = "no output for 0.75 minutes";
    return { subject, fault, ends: "silent", evidence, requests: 1, secondsMax: 120, limits };
  }),
);

for (const row of [...failures, ...silences]) {
  const { subject, fault, ends, evidence, requests, secondsMax } = row;
  const installed = programOf(subject) !== undefined;
  if (!installed) console.warn(`SKIPPED: ${subject} is not installed here; run \`npm run agents:install\``);
  test
    .skipIf(!installed)
    .concurrent(
      `${subject}, ${fault}: ${ends}`,
      fault === "cut" ? {} : ofFull,
      async ({ expect, signal }) => {
        const bound = await runAsShipped({ ...row, signal });
        expect(bound, bound.said).toMatchObject({ reason: ends, requests, left: [] });
        expect(bound.evidence.join("\n")).toContain(evidence);
        // TRAP 4
        expect(bound.evidence.join("\n")).not.toContain("hooks were not seen");
        expect(bound.seconds).toBeLessThan(secondsMax);
      },
    );
}
