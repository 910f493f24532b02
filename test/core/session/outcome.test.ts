import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { speaking } from "../../../src/app/language.ts";
import { agentEndings } from "../../../src/core/journal/event.ts";
import { stopReasons } from "../../../src/core/journal/events/session-schema.ts";
import type { StopReason } from "../../../src/core/journal/event.ts";
import { classify, endingSignature } from "../../../src/core/session/outcome.ts";
import { endingWords } from "../../../src/core/reason/ending-rows.ts";
import type { StopCause } from "../../../src/core/reason/ending-schema.ts";
import type { Ending } from "../../../src/core/session/outcome.ts";
import { runs } from "../../support/runs.ts";

/** An Executor's process that ended well and said nothing. */
const quiet: Ending = {
  role: "executor",
  submitted: false,
  handedOver: false,
  verdict: "none",
  cutShort: false,
  compacted: false,
  exitCode: 0,
  signal: null,
  stderrTail: "",
};
const reviewer = { role: "reviewer" } as const;
const says = (ending: (typeof agentEndings)[number], evidence = `it says ${ending}`): Partial<Ending> => ({
  agent: { ending, evidence },
});
const stoppedBy = (reason: StopReason): Partial<Ending> => ({
  stoppedBy: { reason, because: { rule: "interrupted" } },
});
const mark = { rule: "context_mark", tokens: 150_000, percent: 75, windowTokens: 200_000 } as const;
const wrapUp = { wrapUp: { reason: "context_limit", why: mark } } as const;
const lockedOn = { rule: "same_failure", command: "make", times: 4 } as const;

type Row = [string, Partial<Ending>, StopReason, string?];
const rows = (table: readonly Row[]): void =>
  test.for(table)("%s", ([, ending, reason, evidence = ""]) => {
    const outcome = classify({ ...quiet, ...ending });
    expect(outcome.reason).toBe(reason);
    expect(endingWords(outcome.evidence).join("\n")).toContain(evidence);
  });

describe("an Executor", () => {
  rows([
    [
      "that could not be started failed",
      { spawnError: "ENOENT", exitCode: null },
      "failure",
      "could not be started: ENOENT",
    ],
    ["that left a submit message submitted", { submitted: true }, "submitted", "outbox"],
    [
      "that submitted and was then killed submitted",
      { submitted: true, ...stoppedBy("timeout"), signal: "SIGKILL", exitCode: null },
      "submitted",
    ],
    [
      "that submitted and then failed submitted",
      { submitted: true, ...says("failure"), exitCode: 1 },
      "submitted",
    ],
    [
      "that submitted and handed over submitted",
      { submitted: true, handedOver: true, ...wrapUp },
      "submitted",
    ],
    [
      "that was stopped by monoco ended for monoco's reason, whatever its exit says",
      { ...stoppedBy("silent"), ...says("completed") },
      "silent",
      "stopped by monoco: interrupted (Ctrl-C)",
    ],
    [
      "that was stopped at its mark did not hand over of its own choice",
      { ...stoppedBy("context_limit"), handedOver: true },
      "context_limit",
    ],
    [
      "that was interrupted by a person was not failing",
      { ...stoppedBy("user_interrupt"), ...says("interrupted"), exitCode: 0 },
      "user_interrupt",
    ], // TRAP 11
    ["that handed over did so", { handedOver: true }, "handed_over", "a valid RALPH.md"],
    [
      "that wrapped up at its mark ended for the mark's reason",
      { handedOver: true, ...wrapUp },
      "context_limit",
      "wrapped up at its mark: 150000 tokens of context",
    ],
    ["that was told to wrap up and did not hand over did not", wrapUp, "completed_without_submit"],
    [
      "that always tells its end and did not was cut short, though its exit status is 0",
      { cutShort: true },
      "failure",
      "before it had said how it ended",
    ], // TRAP 11
    [
      "that handed over and was cut short then handed over",
      { cutShort: true, handedOver: true },
      "handed_over",
    ],
    [
      "that failed in the same way again and again is a failure, handed over or not",
      { wrapUp: { reason: "failure", why: lockedOn } },
      "failure",
      "it left no valid RALPH.md",
    ],
    [
      "that failed in the same way again and again and handed over is a failure with a handoff",
      { handedOver: true, wrapUp: { reason: "failure", why: lockedOn } },
      "failure",
      "a valid RALPH.md of this session is there",
    ],
    [
      "that handed over and then failed handed over",
      { handedOver: true, ...says("failure"), exitCode: 1 },
      "handed_over",
    ],
    [
      "that is not logged in needs its login",
      { ...says("needs_login"), exitCode: 1 },
      "needs_login",
      "it says needs_login",
    ], // TRAP 15
    [
      "that is not logged in does so with a handoff, too",
      { ...says("needs_login"), handedOver: true },
      "needs_login",
    ],
    ["whose agent says usage limit ran into it, with exit status 0", says("usage_limit"), "usage_limit"], // TRAP 14
    [
      "that was told a limit and then failed ran into it",
      { limitText: "5-hour limit", ...says("failure"), exitCode: 1 },
      "usage_limit",
      "5-hour limit",
    ], // TRAP 14
    [
      "whose own failed result says so, in words only, ran into it",
      {
        agent: { ending: "failure", evidence: "status 429, Claude AI usage limit reached|1795253808" },
        exitCode: 1,
      },
      "usage_limit",
      "status 429, Claude AI usage limit reached|1795253808",
    ],
    ...(
      [
        ["Credit balance is too low", "needs_login"],
        ["Invalid API key · Please run /login", "needs_login"],
        ["OAuth token has expired", "needs_login"],
        ['"code":"insufficient_quota"', "needs_login"],
        ["You're out of extra usage · resets 3am (Europe/Berlin)", "usage_limit"],
        ["You've hit your org's monthly usage limit", "usage_limit"],
        ["You have exhausted your daily quota on this model.", "usage_limit"],
        ["429 Too Many Requests", "failure"],
      ] as const
    ).map(([evidence, reason]): Row => [
      `whose own failed result says "${evidence}" ends as ${reason}`,
      { agent: { ending: "failure", evidence }, exitCode: 1 },
      reason,
      evidence,
    ]), // TRAP 14, TRAP 15
    [
      "whose result has the words and is a good one did not",
      { agent: { ending: "completed", evidence: "You've hit your usage limit" } },
      "completed_without_submit",
    ],
    [
      "whose standard error has the words did not",
      { stderrTail: "You've hit your usage limit", exitCode: 1 },
      "failure",
    ],
    [
      "that was told a limit and says nothing ran into it, with exit status 0",
      { limitText: "5-hour limit" },
      "usage_limit",
    ],
    [
      "that was told a limit and completed all the same did not",
      { limitText: "5-hour limit", ...says("completed") },
      "completed_without_submit",
    ], // TRAP 14
    [
      "whose limit came while it was handing over ran into it",
      { limitText: "5-hour limit", handedOver: true },
      "usage_limit",
    ],
    ["whose context is full reached its limit", { ...says("context_limit"), exitCode: 1 }, "context_limit"],
    ["whose own budget is spent", { ...says("budget"), exitCode: 1 }, "budget"],
    [
      "that somebody interrupted from outside failed, with exit status 0",
      { ...says("interrupted"), exitCode: 0 },
      "failure",
      "interrupted from outside",
    ], // TRAP 11
    [
      "whose agent says failure failed, with exit status 0",
      { ...says("failure"), stderrTail: "boom" },
      "failure",
      "stderr: boom",
    ], // TRAP 11
    [
      "that was killed by a signal failed",
      { exitCode: null, signal: "SIGSEGV" },
      "failure",
      "killed by SIGSEGV",
    ],
    [
      "that completed with an exit status failed",
      { ...says("completed"), exitCode: 3 },
      "failure",
      "exit status 3",
    ],
    ["that said unknown and exited with a status failed", { ...says("unknown"), exitCode: 1 }, "failure"],
    [
      "that compacted its context reached its limit",
      { compacted: true, ...says("completed") },
      "context_limit",
    ], // TRAP 13
    ["that ended in a way unknown is unknown", says("unknown"), "unknown"],
    [
      "that completed and did nothing of what ends a session is never done",
      says("completed", "All done! EXIT_SIGNAL: true"),
      "completed_without_submit",
      "EXIT_SIGNAL: true",
    ], // TRAP 18
    // TRAP 21
    [
      "that asked and ended by itself waits for an answer",
      { question: "Which port?" },
      "question",
      "Which port?",
    ],
    [
      "that asked and submitted all the same submitted",
      { question: "Which port?", submitted: true },
      "submitted",
    ],
    ["that asked and handed over handed over", { question: "Which port?", handedOver: true }, "handed_over"],
    ["that asked and crashed failed", { question: "Which port?", exitCode: 1 }, "failure"],
    ["that ended by itself without a word is never done", {}, "completed_without_submit"],
    ["cannot decide by a verdict", { verdict: "valid", ...says("completed") }, "completed_without_submit"], // TRAP 25
  ]);
});

// TRAP 25: a judge that errs approves nothing
describe("a Reviewer", () => {
  rows([
    ["that gave a verdict decided", { ...reviewer, verdict: "valid" }, "decided"],
    [
      "that approved and was killed, not by monoco, may never have approved: what it ran can print that",
      { ...reviewer, verdict: "valid", approves: true, signal: "SIGKILL", exitCode: null },
      "no_verdict",
      "it approved, and did not end by itself: killed by SIGKILL",
    ],
    [
      "that approved and whose shell was killed neither",
      { ...reviewer, verdict: "valid", approves: true, ...says("completed"), exitCode: 137 },
      "no_verdict",
      "exit status 137 (killed by signal 9)",
    ],
    [
      "that approved and was frozen, so that monoco had to stop it, neither",
      { ...reviewer, verdict: "valid", approves: true, ...stoppedBy("silent"), signal: "SIGKILL" },
      "no_verdict",
      "it approved, and did not end by itself",
    ],
    [
      "that approved, told its end, and had then to be stopped has approved",
      { ...reviewer, verdict: "valid", approves: true, ...stoppedBy("silent"), ...says("completed") },
      "decided",
    ],
    [
      "that requested changes and was killed has requested them",
      { ...reviewer, verdict: "valid", approves: false, signal: "SIGKILL", exitCode: null },
      "decided",
    ],
    [
      "that approved and told of an error of its own has approved",
      { ...reviewer, verdict: "valid", approves: true, ...says("failure"), exitCode: 1 },
      "decided",
    ],
    [
      "that crashed after its verdict decided",
      { ...reviewer, verdict: "valid", ...says("failure"), exitCode: 1 },
      "decided",
    ],
    [
      "that was stopped after its verdict decided",
      { ...reviewer, verdict: "valid", ...stoppedBy("silent"), signal: "SIGKILL" },
      "decided",
    ],
    [
      "whose verdict is malformed gave none",
      { ...reviewer, verdict: "malformed", ...says("completed") },
      "no_verdict",
      "malformed",
    ],
    [
      "whose verdict is malformed gave none, whatever its exit",
      { ...reviewer, verdict: "malformed", ...says("failure"), exitCode: 1 },
      "no_verdict",
    ],
    [
      "that says approved in prose gave none",
      { ...reviewer, ...says("completed", "I approve this") },
      "no_verdict",
    ],
    ["that ended without a word gave none", reviewer, "no_verdict"],
    ["that failed failed", { ...reviewer, ...says("failure"), exitCode: 1 }, "failure"],
    ["that could not be started failed", { ...reviewer, spawnError: "ENOENT", exitCode: null }, "failure"],
    [
      "that is not logged in needs its login, before anything malformed",
      { ...reviewer, verdict: "malformed", ...says("needs_login") },
      "needs_login",
    ],
    ["that ran into a usage limit did", { ...reviewer, ...says("usage_limit") }, "usage_limit"],
    ["cannot submit", { ...reviewer, submitted: true }, "no_verdict"],
    ["cannot hand over", { ...reviewer, handedOver: true, ...wrapUp }, "no_verdict"],
    ["whose end is unknown is unknown", { ...reviewer, ...says("unknown") }, "unknown"],
  ]);
});

/** The reasons for which monoco itself stops a session, or tells it to wrap up. */
const ours = [
  "context_limit",
  "timeout",
  "not_started",
  "silent",
  "user_interrupt",
  "budget",
  "handed_over",
  "failure",
] as const;
const words = fc.constantFrom("", " ", "some words");
const causes = fc.constantFrom<StopCause>({ rule: "interrupted" }, mark, lockedOn);
const endings: fc.Arbitrary<Ending> = fc.record({
  role: fc.constantFrom("executor" as const, "reviewer" as const),
  stoppedBy: fc.option(fc.record({ reason: fc.constantFrom(...ours), because: causes }), { nil: undefined }),
  submitted: fc.boolean(),
  handedOver: fc.boolean(),
  wrapUp: fc.option(fc.record({ reason: fc.constantFrom(...ours), why: causes }), { nil: undefined }),
  verdict: fc.constantFrom("valid" as const, "malformed" as const, "none" as const),
  agent: fc.option(fc.record({ ending: fc.constantFrom(...agentEndings), evidence: words }), {
    nil: undefined,
  }),
  limitText: fc.option(words, { nil: undefined }),
  cutShort: fc.boolean(),
  compacted: fc.boolean(),
  exitCode: fc.constantFrom(null, 0, 1, 143),
  signal: fc.constantFrom(null, "SIGTERM"),
  spawnError: fc.option(fc.constant("ENOENT"), { nil: undefined }),
  stderrTail: words,
  question: fc.option(words, { nil: undefined }),
});

test("every ending has a reason and evidence in words", () => {
  fc.assert(
    fc.property(endings, (ending) => {
      const { reason, evidence } = classify(ending);
      expect(stopReasons).toContain(reason);
      expect(evidence.length).toBeGreaterThan(0);
      expect(endingWords(evidence).every((line) => line.trim() !== "")).toBe(true);
    }),
    { numRuns: runs(1_000) },
  );
});

test("decided is a Reviewer's with a valid verdict, submitted an Executor's with a submit message, and nobody else's", () => {
  fc.assert(
    fc.property(endings, (ending) => {
      const { reason } = classify(ending);
      const started = ending.spawnError === undefined;
      expect(reason === "decided").toBe(started && ending.role === "reviewer" && ending.verdict === "valid");
      expect(reason === "submitted").toBe(started && ending.role === "executor" && ending.submitted);
      if (reason === "no_verdict") expect(ending.role).toBe("reviewer");
      if (reason === "completed_without_submit") expect(ending.role).toBe("executor");
    }),
    { numRuns: runs(1_000) },
  );
});

test("without a message, a handoff or a verdict no end is taken for done, and an unknown one stays unknown", () => {
  const nothingLeft = endings.map((ending) => ({
    ...ending,
    submitted: false,
    handedOver: false,
    verdict: "none" as const,
  }));
  fc.assert(
    fc.property(nothingLeft, (ending) => {
      const { reason } = classify({ ...ending, stoppedBy: undefined });
      expect(["submitted", "decided", "handed_over"]).not.toContain(reason);
      const quietEnd = { ...quiet, role: ending.role, agent: { ending: "unknown" as const, evidence: "?" } };
      expect(classify(quietEnd).reason).toBe("unknown");
    }),
    { numRuns: runs(1_000) },
  );
});

describe("the signature of a failure", () => {
  const failed = (ending: Partial<Ending>): string | undefined =>
    endingSignature(classify({ ...quiet, ...ending }));
  const dies = { exitCode: 1, stderrTail: "cannot open /tmp/a after 5 s" };

  test("is the same in another language", () => {
    const english = failed(dies);
    speaking({ "exit status {0}{1}": "退出状态 {0}{1}" }, () => {
      expect(endingWords(classify({ ...quiet, ...dies }).evidence)[0]).toBe("退出状态 1");
      expect(failed(dies)).toBe(english);
    });
  });

  test("is the same where only numbers and paths differ", () => {
    expect(failed({ exitCode: 2, stderrTail: "cannot open /tmp/b after 7 s" })).toBe(failed(dies));
  });

  test.for<[string, Partial<Ending>]>([
    ["a program that says something else", { ...dies, stderrTail: "no space left" }],
    ["another cause", stoppedBy("silent")],
  ])("is another for %s", ([, ending]) => expect(failed(ending)).not.toBe(failed(dies)));
});
