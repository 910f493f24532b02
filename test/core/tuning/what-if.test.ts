/** What other thresholds would have decided on a recorded journal. */
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { readSettings } from "../../../src/core/settings/file.ts";
import { scoreExit } from "../../../src/core/exit/detection.ts";
import { rescore } from "../../../src/core/tuning/rescore.ts";
import { policySchema, settingsSchema } from "../../../src/core/settings/settings.ts";
import type { Source } from "../../../src/core/settings/layers.ts";
import { whatIf } from "../../../src/core/tuning/what-if.ts";
import { relayLines } from "../../../src/views/replay-table.ts";
import { blocked, checked, decided as verdict, ended, executor, failed, journal } from "../support/relays.ts";
import { handoff, opened, openedLoop, openedWith, resumed, reviewer } from "../support/relays.ts";
import { stalled, worked } from "../support/relays.ts";
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

test("in words", () => {
  const steps = [opened, ...twice, decided, ...sentBack];
  const compared = whatIf(journal(steps), policy("exit: { doneSessions: 1 }"));
  expect(relayLines("FEAT-0001", "a.yaml", compared)).toEqual([
    "FEAT-0001",
    "                   recorded  a.yaml",
    "  after session 1  go on     submit",
    "  after session 2  submit    unknown",
    "  after session 3  go on     unknown",
    "  a.yaml: submit after session 1, because session 1 looks finished and did not submit: the vote is 0.65 (threshold 0.6)",
    "",
  ]);
  expect(relayLines("FEAT-0001", "a.yaml", whatIf(journal([opened]), policy("{}")))).toEqual([
    "FEAT-0001",
    "  nothing was decided by a threshold",
    "",
  ]);
});
