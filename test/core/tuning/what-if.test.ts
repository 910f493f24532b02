/** What other thresholds would have decided on a recorded journal, and what turned out to be right. */
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { judge, scorePolicy } from "../../../src/core/tuning/judge-policy.ts";
import { labelsOf } from "../../../src/core/tuning/labels.ts";
import type { Label, Truth } from "../../../src/core/tuning/labels.ts";
import { readSettings } from "../../../src/core/settings/file.ts";
import { scoreExit } from "../../../src/core/exit/detection.ts";
import { rescore } from "../../../src/core/tuning/rescore.ts";
import { policySchema, settingsSchema } from "../../../src/core/settings/settings.ts";
import type { Source } from "../../../src/core/settings/layers.ts";
import { whatIf } from "../../../src/core/tuning/what-if.ts";
import { relayLines, scoreLines } from "../../../src/views/replay-table.ts";
import {
  blocked,
  checked,
  cleared,
  decided as verdict,
  ended,
  executor,
  failed,
  journal,
} from "../support/relays.ts";
import {
  handoff,
  merged,
  opened,
  openedLoop,
  openedWith,
  paused,
  prepared,
  resumed,
  reviewer,
} from "../support/relays.ts";
import { stalled, submitted, review, worked } from "../support/relays.ts";
import type { Step } from "../support/relays.ts";
import { completed, decided } from "../support/scores.ts";
import { diceFrom, runToRest } from "../support/simulation.ts";
import { runs } from "../../support/runs.ts";

const policy = (text: string): Source =>
  readSettings({ text, file: "policy.yaml", from: "policy", schema: policySchema });

/** `after session: recorded → would`. */
const told = (steps: readonly Step[], text: string): string[] =>
  whatIf(journal(steps), policy(text)).compared.map(
    ({ session, recorded, would }) => `${session}: ${recorded} → ${would}`,
  );

const twice = [...completed({ complete: true, done: true }), ...completed({ complete: true, done: true })];
const sentBack: Step[] = [checked("green"), reviewer, verdict("request_changes"), ended("decided")];
const approved: Step[] = [checked("green"), reviewer, verdict("approve"), ended("decided")];

describe("a policy is compared with what was recorded, decision by decision", () => {
  test.for<[string, Step[], string, string[]]>([
    [
      "nothing set decides as it was",
      [opened, ...twice, decided],
      "{}",
      ["1: go_on → go_on", "2: submit → submit"],
    ],
    [
      "one done session is enough: it submits earlier, and what follows is unknown",
      [opened, ...twice, decided],
      "exit: { doneSessions: 1 }",
      ["1: go_on → submit", "2: submit → unknown"],
    ],
    [
      "three are asked for: it goes on where the other submitted",
      [opened, ...twice, decided, ...sentBack, executor],
      "exit: { doneSessions: 3 }",
      ["1: go_on → go_on", "2: submit → go_on", "3: go_on → unknown"],
    ],
    [
      "a loop is done by its promise, whatever the thresholds",
      [openedLoop(), ...completed({}), ...completed({ promise: true }), decided],
      "exit: { doneSessions: 1, threshold: 0.9 }",
      ["1: go_on → go_on", "2: submit → submit"],
    ],
    [
      "a higher threshold",
      [opened, ...twice, decided],
      "exit: { threshold: 0.7 }",
      ["1: go_on → go_on", "2: submit → go_on"],
    ],
    [
      "no submit on anybody's behalf",
      [opened, ...twice, decided],
      "exit: { submit: false }",
      ["1: go_on → go_on", "2: submit → go_on"],
    ],
    ["a preset", [opened, ...twice, decided], "preset: simple", ["1: go_on → submit", "2: submit → unknown"]],
    [
      "a number beside a preset wins over it",
      [opened, ...twice, decided],
      "{ preset: simple, exit: { doneSessions: 2 } }",
      ["1: go_on → go_on", "2: submit → submit"],
    ],
    [
      "fewer stalls open the breaker earlier",
      [opened, ...stalled, ...stalled, ...stalled, decided],
      "limits: { stalledMax: 2 }",
      ["1: go_on → go_on", "2: go_on → open_breaker", "3: open_breaker → unknown", "3: probe → unknown"],
    ],
    [
      "more stalls let it go on",
      [opened, ...stalled, ...stalled, ...stalled, decided],
      "limits: { stalledMax: 9 }",
      ["1: go_on → go_on", "2: go_on → go_on", "3: open_breaker → go_on", "3: probe → unknown"],
    ],
    [
      "a breaker that only a person closes asks where the other probed",
      [opened, ...stalled, ...stalled, ...stalled, decided, 31 * 60_000, decided],
      "breaker: { reopen: manual }",
      [
        "1: go_on → go_on",
        "2: go_on → go_on",
        "3: open_breaker → open_breaker",
        "3: probe → ask",
        "3: go_on → unknown",
      ],
    ],
    [
      "a longer pause changes when, not what",
      [opened, ...failed, executor],
      "limits: { backoffSeconds: 3000 }",
      ["1: go_on → go_on"],
    ],
    [
      "fewer sessions an hour: a pause, too",
      [opened, ...worked, ...worked, ...worked],
      "limits: { sessionsPerHour: 1 }",
      ["1: go_on → go_on", "2: go_on → go_on", "3: go_on → go_on"],
    ],
    [
      "a budget that is spent",
      [opened, executor, ended("handed_over", { costUsd: 2 }), handoff, ...worked],
      "budgets: { relay: { costUsd: 1 } }",
      ["1: go_on → ask", "2: go_on → unknown"],
    ],
    [
      "fewer sessions",
      [opened, ...worked, ...worked, ...worked],
      "limits: { sessionsMax: 2 }",
      ["1: go_on → go_on", "2: go_on → ask", "3: go_on → unknown"],
    ],
    [
      "more sessions, where it was blocked",
      [openedWith({ sessionsMax: 2 }), ...worked, ...worked, decided],
      "limits: { sessionsMax: 3 }",
      ["1: go_on → go_on", "2: ask → go_on"],
    ],
    [
      "a block that no threshold asked for is no decision of a policy",
      [opened, ...worked, blocked, resumed, ...worked],
      "{}",
      ["1: go_on → go_on", "2: go_on → go_on"],
    ],
    [
      "a session that said no is not finished by any threshold",
      [opened, ...completed({ complete: true, done: true, strong: true, exitSignal: false })],
      "exit: { doneSessions: 1, threshold: 0.1 }",
      ["1: go_on → go_on"],
    ],
    ["a relay that was opened only has decided nothing", [opened], "{}", []],
  ])("%s", ([, steps, text, expected]) => expect(told(steps, text)).toEqual(expected));

  test("a score made anew by other thresholds is what those would have given at the time", () => {
    const words = [
      "Everything is done.",
      "All done. Tests pass. Implemented.",
      "<promise>COMPLETE</promise>",
      "Next, tests.",
    ];
    const signals = [
      "",
      "\nRALPH_STATUS\nSTATUS: complete\nEXIT_SIGNAL: true\n",
      "\nRALPH_STATUS\nEXIT_SIGNAL: false\n",
    ];
    const before = fc.array(fc.record({ done: fc.boolean(), testOnly: fc.boolean() }), { maxLength: 4 });
    const policies = fc.record({
      doneSessions: fc.integer({ min: 1, max: 4 }),
      testSessions: fc.integer({ min: 1, max: 4 }),
      threshold: fc.constantFrom(0.1, 0.4, 0.6, 0.75, 0.9),
    });
    fc.assert(
      fc.property(
        fc.constantFrom(...words),
        fc.constantFrom(...signals),
        fc.constantFrom(0, 2, 3),
        fc.constantFrom(["a.test.ts"], ["a.ts"], ["README.md"], []),
        fc.constantFrom(true, false, undefined),
        before,
        policies,
        policies,
        (word, signal, resolved, files, checksOk, earlier, recorded, other) => {
          const { exit } = settingsSchema.parse({});
          const evidence = {
            answer: `${word}${signal}`,
            boxes: { resolved, total: 3 },
            files,
            changed: files.length,
            checksOk,
            before: earlier,
          };
          const score = (thresholds: typeof recorded) => scoreExit(evidence, { ...exit, ...thresholds });
          const scored = { type: "signal.scored" as const, session: 1, ...score(recorded) };
          const again = rescore(scored, earlier, { ...exit, ...other });
          const { total, finished, threshold } = score(other);
          expect(again).toMatchObject({ total, finished, threshold });
          expect(again.signals.map(({ present }) => present)).toEqual(
            score(other).signals.map(({ present }) => present),
          );
        },
      ),
      { numRuns: runs(2_000) },
    );
  });

  test("it says why it decides otherwise", () => {
    const { differs } = whatIf(journal([opened, ...twice, decided]), policy("exit: { doneSessions: 1 }"));
    expect(differs).toMatchObject({
      session: 1,
      because: "session 1 looks finished and did not submit: the vote is 0.65 (threshold 0.6)",
    });
  });

  test("by the recorded thresholds nothing is ever decided otherwise, whatever happens in a relay", () => {
    fc.assert(
      fc.property(fc.integer(), (seed) => {
        const { events } = runToRest(diceFrom(seed));
        const { compared, differs } = whatIf(events, policy("{}"));
        expect(differs).toBeNull();
        expect(compared.filter(({ would }) => would === "unknown")).toEqual([]);
      }),
      { numRuns: runs(200) },
    );
  });
});

const labels = (steps: readonly Step[], said?: "done" | "not_done"): string[] =>
  labelsOf("FEAT-0001", journal(steps), said).map(
    ({ session, truth, source }) => `${session} ${truth} (${source})`,
  );

describe("labels come from what happened anyway, and keep their source", () => {
  test.for<[string, Step[], string[]]>([
    [
      "an automatic submission that was approved",
      [opened, ...twice, decided, ...approved],
      ["2 done (approved)"],
    ],
    ["one that was sent back", [opened, ...twice, decided, ...sentBack], ["2 not_done (changes_requested)"]],
    ["one that an agent made itself says nothing", [opened, ...submitted, ...review("approve")], []],
    [
      "one that was merged and reopened",
      [opened, ...twice, decided, ...approved, prepared, merged, opened],
      ["2 not_done (reopened)"],
    ],
    [
      "a clearing is no reopening",
      [opened, ...twice, decided, ...approved, cleared, opened],
      ["2 done (approved)"],
    ],
    ["a person's stop on a stalled relay", [opened, ...worked, ...stalled, paused], ["2 stop (stopped)"]],
    ["on one that gets on it says nothing", [opened, ...stalled, ...worked, paused], []],
    [
      "stalls in a relay that was merged all the same",
      [opened, ...stalled, ...stalled, ...submitted, ...review("approve"), prepared, merged],
      ["2 go_on (merged)"],
    ],
  ])("%s", ([, steps, expected]) => expect(labels(steps)).toEqual(expected));

  test("a submit without a changed file shows that the session before was done", () => {
    const unsubmitted = [opened, ...completed({ complete: true, done: true })];
    const next = (filesChanged: number): Step[] => [
      executor,
      ended("submitted", { filesChanged }),
      ...submitted.slice(2),
    ];
    expect(labels([...unsubmitted, ...next(0)])).toEqual(["1 done (submitted_next)"]);
    expect(labels([...unsubmitted, ...next(1)])).toEqual([]);
    expect(labels([...unsubmitted, ...next(0), ...review("request_changes")])).toEqual([
      "1 not_done (changes_requested)",
    ]);
  });

  test("a person's word is on the last session that was scored, and overrules", () => {
    expect(labels([opened, ...twice], "not_done")).toEqual(["2 not_done (person)"]);
    expect(labels([opened, ...twice, decided, ...approved], "not_done")).toEqual(["2 not_done (person)"]);
    expect(labels([opened, ...worked], "done")).toEqual([]);
  });
});

describe("a policy is judged by what turned out to be right", () => {
  const label = (session: number, truth: Truth): Label => ({
    issue: "FEAT-0001",
    session,
    truth,
    source: "person",
  });
  test.for<[string, Step[], string, Label, string]>([
    ["it submits what was done", [opened, ...twice, decided], "{}", label(2, "done"), "right"],
    [
      "it goes on with what was done",
      [opened, ...twice, decided],
      "exit: { threshold: 0.9 }",
      label(2, "done"),
      "too_late",
    ],
    ["it submits what was not", [opened, ...twice, decided], "{}", label(2, "not_done"), "too_early"],
    [
      "it goes on with what was not",
      [opened, ...twice, decided],
      "exit: { threshold: 0.9 }",
      label(2, "not_done"),
      "right",
    ],
    [
      "it had parted before",
      [opened, ...twice, decided],
      "exit: { doneSessions: 1 }",
      label(2, "done"),
      "unknown",
    ],
    [
      "it stops in time",
      [opened, ...stalled, ...stalled, ...stalled],
      "limits: { stalledMax: 2 }",
      label(3, "stop"),
      "right",
    ],
    ["it does not stop", [opened, ...stalled, ...stalled, paused], "{}", label(2, "stop"), "too_late"],
    [
      "it stops what would have come right",
      [opened, ...stalled, ...stalled, ...worked],
      "limits: { stalledMax: 2 }",
      label(2, "go_on"),
      "too_early",
    ],
    ["it lets it come right", [opened, ...stalled, ...stalled, ...worked], "{}", label(2, "go_on"), "right"],
  ])("%s", ([, steps, text, one, judgement]) =>
    expect(judge(one, whatIf(journal(steps), policy(text)))).toBe(judgement),
  );

  test("its sessions, waste and cost are counted as far as they are certain", () => {
    const paid: Step[] = [executor, ended("handed_over", { progress: false, costUsd: 0.5 }), handoff];
    const events = journal([opened, ...completed({ complete: true, done: true }), ...paid, ...paid]);
    const one = (text: string) =>
      scorePolicy([{ events, labels: [label(1, "not_done")], whatIf: whatIf(events, policy(text)) }]);
    expect(one("{}")).toMatchObject({
      relays: 1,
      differing: 0,
      labels: { right: 1, too_early: 0, too_late: 0, unknown: 0 },
      prematureExits: 0,
      sessions: 3,
      wastedSessions: 2,
      costUsd: 1,
    });
    expect(one("exit: { doneSessions: 1 }")).toMatchObject({
      differing: 1,
      prematureExits: 1,
      sessions: 1,
      wastedSessions: 0,
      costUsd: 0,
    });
  });
});

test("side by side, in words", () => {
  const steps = [opened, ...twice, decided, ...sentBack];
  const events = journal(steps);
  const found = labelsOf("FEAT-0001", events);
  const policies = ["exit: { doneSessions: 1 }", "exit: { doneSessions: 3 }"].map((text, index) => ({
    name: `${"ab"[index]}.yaml`,
    whatIf: whatIf(events, policy(text)),
  }));
  expect(relayLines({ issue: "FEAT-0001", labels: found, policies })).toEqual([
    "FEAT-0001",
    "                   recorded  a.yaml   b.yaml",
    "  after session 1  go on     submit   go on",
    "  after session 2  submit    unknown  go on",
    "  after session 3  go on     unknown  unknown",
    "  a.yaml: submit after session 1, because session 1 looks finished and did not submit: the vote is 0.65 (threshold 0.6)",
    "  b.yaml: go on after session 2, because session 2 handed over",
    "  session 2 was not done (changes requested)",
    "",
  ]);
  const scores = policies.map(({ name, whatIf: one }) => ({
    name,
    score: scorePolicy([{ events, labels: found, whatIf: one }]),
  }));
  expect(scoreLines(scores).slice(0, 7)).toEqual([
    "                      a.yaml  b.yaml",
    "relays                1       1",
    "decided otherwise in  1       1",
    "labels right          0       1",
    "  too early           0       0",
    "  too late            0       0",
    "  unknown             1       0",
  ]);
});
