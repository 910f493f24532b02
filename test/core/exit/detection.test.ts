import { becauseOf } from "../../../src/core/reason/reason.ts";
import { inWords } from "../support/in-words.ts";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { finishedBy, isUndecided, scoreExit } from "../../../src/core/exit/detection.ts";
import type { ExitEvidence } from "../../../src/core/exit/detection.ts";
import type { ExitSignal } from "../../../src/core/reason/exit-schema.ts";
import { settingsSchema } from "../../../src/core/settings/settings.ts";

const policy = settingsSchema.parse({}).exit;

const nothing: ExitEvidence = {
  answer: "",
  boxes: { resolved: 0, total: 3 },
  files: ["src/a.ts"],
  changed: 1,
  checksOk: undefined,
  before: [],
};
const ticked = { boxes: { resolved: 3, total: 3 } };
const green = { ...ticked, checksOk: true, answer: "I am at the second criterion." };
const factsIn = "all 3 boxes are resolved, the checks pass, and 1 file changed";
const saidDone = { done: true, testOnly: false };
const tested = { done: false, testOnly: true };
const block = (signal: string): string => `RALPH_STATUS:\nSTATUS: complete\nEXIT_SIGNAL: ${signal}\n`;

const score = (more: Partial<ExitEvidence>) => scoreExit({ ...nothing, ...more }, policy);
const present = (more: Partial<ExitEvidence>): string[] =>
  score(more)
    .signals.filter((signal) => signal.present)
    .map(({ name }) => name);

describe("the signals of the vote", () => {
  test.for<[string, Partial<ExitEvidence>, string[]]>([
    ["nothing says nothing", {}, []],
    ["every box resolved", ticked, ["tasks_complete"]],
    ["one box open", { boxes: { resolved: 2, total: 3 } }, []],
    ["no boxes at all are not complete", { boxes: { resolved: 0, total: 0 } }, []],
    [
      "two sessions in a row that said done",
      { answer: "All tasks are done.", before: [saidDone] },
      ["consecutive_done"],
    ],
    ["one session that said done", { answer: "All tasks are done." }, []],
    // TRAP 17
    [
      "not in a row: a session in between said nothing",
      { answer: "All tasks are done.", before: [saidDone, { done: false, testOnly: false }] },
      [],
    ],
    ["an earlier one alone", { answer: "Working on it.", before: [saidDone, saidDone] }, []],
    [
      "three sessions that changed tests only",
      { files: ["test/a.test.ts"], before: [tested, tested] },
      ["test_only"],
    ],
    ["two of them", { files: ["test/a.test.ts"], before: [tested] }, []],
    ["no change is no test session", { files: [], before: [tested, tested] }, []],
    ["a summary", { answer: "## Summary\nAdded the login." }, ["strong_indicators"]],
    ["acceptance", { answer: "All acceptance criteria are met." }, ["strong_indicators"]],
    ["deployment", { answer: "It is ready for production." }, ["strong_indicators"]],
    ["documentation only", { files: ["README.md", "docs/a.md"] }, ["strong_indicators"]],
    ["综上所述", { answer: "综上所述，登录功能可用。" }, ["strong_indicators"]],
    ["验收标准", { answer: "所有验收标准均已满足。" }, ["strong_indicators"]],
    ["the promise", { answer: "<promise>COMPLETE</promise>" }, ["strong_indicators"]],
  ])("%s", ([, more, signals]) => expect(present(more)).toEqual(signals));

  const signalInWords = ({ reason, ...signal }: ExitSignal): object => ({
    ...signal,
    because: becauseOf(reason),
  });

  test("each tells the numbers that led to it", () => {
    expect(
      score({ ...ticked, before: [tested], files: ["a_test.go", "x.spec.js"] }).signals.map(signalInWords),
    ).toEqual([
      { name: "tasks_complete", present: true, weight: 0.4, because: "3 of 3 boxes resolved" },
      {
        name: "consecutive_done",
        present: false,
        weight: 0.25,
        because: "0 of 2 sessions in a row said done",
      },
      {
        name: "test_only",
        present: false,
        weight: 0.2,
        because: "2 of 3 sessions in a row changed tests only; tests take 100 % of the sessions",
      },
      { name: "strong_indicators", present: false, weight: 0.15, because: "none" },
    ]);
  });
});

describe("the work counts as finished", () => {
  const row = (finished: boolean, because: string | RegExp) => ({ finished, because });
  test.for<[string, Partial<ExitEvidence>, { finished: boolean; because: string | RegExp }]>([
    [
      "by the vote",
      { ...ticked, answer: "All tasks are done.", before: [saidDone] },
      row(true, "the vote is 0.65 (threshold 0.6)"),
    ],
    ["not by all boxes alone", ticked, row(false, "the vote is 0.4 (threshold 0.6)")], // TRAP 24
    ["not by done signals alone", { answer: "All tasks are done.", before: [saidDone] }, row(false, /0\.25/)],
    ["not by tests alone", { files: ["test/a.ts"], before: [tested, tested] }, row(false, /0\.2 /)],
    [
      "by the promise",
      { answer: "<promise>COMPLETE</promise>" },
      row(true, "the completion promise is given"),
    ],
    ["by the facts alone, whatever is said in prose", green, row(true, factsIn)],
    ["by the facts, not by checks without a change", { ...green, changed: 0 }, row(false, /the vote is/)],
    ["by the facts, not by checks that did not run", { ...ticked, changed: 1 }, row(false, /the vote is/)],
    [
      "by the facts, not with a box left open",
      { ...green, boxes: { resolved: 2, total: 3 } },
      row(false, /others/),
    ],
    [
      "not by the facts against a no",
      { ...green, answer: block("false") },
      row(false, "EXIT_SIGNAL is false"),
    ],
    [
      "not by the facts against a no in a closing answer",
      { ...green, closing: { done: false, remaining: ["the docs"] } },
      row(false, "asked once more, it answered that it is not done (remaining: the docs)"),
    ],
    [
      "by a closing answer",
      { answer: "The tests do not pass yet.", closing: { done: true, remaining: [] } },
      row(true, "asked once more, it answered that it is done"),
    ],
    [
      "not by a closing answer that names what is left",
      { closing: { done: true, remaining: ["the docs"] } },
      row(false, /remaining: the docs/),
    ],
    [
      "not by a closing answer that names what blocks it",
      { closing: { done: true, remaining: [], blockedBy: "no network" } },
      row(false, /blocked by: no network/),
    ],
    [
      "not by words against a closing answer",
      { answer: "All tasks are done.", before: [saidDone], closing: { done: false, remaining: [] } },
      row(false, "asked once more, it answered that it is not done"),
    ],
    [
      "by a submit that was refused for what is over",
      { refusalGone: "uncommitted changes: a.ts" },
      row(true, "a submit was refused (uncommitted changes: a.ts), and that reason has gone"),
    ],
    [
      "by EXIT_SIGNAL and two indicators",
      { answer: `I implemented the login. All tests pass.\n${block("true")}` },
      row(true, "EXIT_SIGNAL is true, and 2 completion indicators stand behind it"),
    ],
    [
      "not by EXIT_SIGNAL alone",
      { answer: block("true") },
      row(false, "EXIT_SIGNAL is true, but 0 of 2 completion indicators stand behind it"),
    ],
    // TRAP 18
    [
      "never against EXIT_SIGNAL: false",
      {
        ...ticked,
        answer: `All tasks are done. <promise>COMPLETE</promise>\n${block("false")}`,
        before: [saidDone, saidDone],
      },
      row(false, "EXIT_SIGNAL is false"),
    ],
    [
      "never over a contradiction",
      {
        ...ticked,
        answer: `All tests pass, implemented.\n${block("true").replace("complete", "in_progress")}`,
      },
      row(false, "its status block contradicts itself: STATUS: in_progress"),
    ],
    [
      "not while it left boxes open beside those that it ticked",
      {
        boxes: { resolved: 4, total: 5 },
        answer: `I implemented the login. All tests pass.\n${block("true")}`,
      },
      row(false, "some boxes are ticked, and others are open"),
    ],
    [
      "by EXIT_SIGNAL, one indicator of its own and green checks",
      { checksOk: true, answer: `I implemented the login.\n${block("true")}` },
      row(true, "EXIT_SIGNAL is true, and 2 completion indicators stand behind it"),
    ],
    [
      "not twice for one thing: it says that the tests pass, and they do",
      { checksOk: true, answer: `All tests pass.\n${block("true")}` },
      row(false, "EXIT_SIGNAL is true, but 1 of 2 completion indicators stand behind it"),
    ],
    [
      "by a closing answer, whatever boxes are open and whatever its block contradicts",
      {
        boxes: { resolved: 1, total: 3 },
        answer: block("true").replace("complete", "in_progress"),
        closing: { done: true, remaining: [] },
      },
      row(true, "asked once more, it answered that it is done"),
    ],
    [
      "not by a structured yes or the promise against a closing answer",
      {
        answer: `I implemented it. All tests pass. <promise>COMPLETE</promise>\n${block("true")}`,
        closing: { done: false, remaining: [] },
      },
      row(false, "asked once more, it answered that it is not done"),
    ],
    [
      "not by a closing answer over red checks",
      { checksOk: false, closing: { done: true, remaining: [] } },
      row(false, "the last checks failed"),
    ],
    [
      "never while the checks are red",
      { ...ticked, checksOk: false, answer: `I implemented it. All tests pass.\n${block("true")}` },
      row(false, "the last checks failed"),
    ],
  ])("%s", ([, more, { finished, because }]) => {
    expect(inWords(score(more))).toMatchObject({
      finished,
      because: typeof because === "string" ? because : (expect.stringMatching(because) as string),
    });
  });
});

describe("words are taken for what they say", () => {
  test.for([
    "NOT emitting <promise>COMPLETE</promise> yet.",
    "This comes last:\n\n    <promise>COMPLETE</promise>",
    "I will print `<promise>COMPLETE</promise>` when all tasks are done.",
    "> All tasks are done.",
    "```\nAll tasks are done.\n```",
    "The tests do not pass yet.",
    "Once all tasks are done, I will submit.",
    "All tasks are done except the documentation.",
    "Task 2 of 5 is complete.",
    "The first task is complete.",
    "Are all tasks done?",
    "The implementation is almost complete.",
    "- [ ] all tasks are done",
    'The prompt says "all tasks are done".',
    "任务尚未完成。",
    "如果所有任务都完成，我会提交。",
    "第一步任务已完成。",
    "任务完成了一部分，还差测试。",
    "等所有任务完成后再提交。",
  ])("no done signal: %s", (answer) =>
    expect(score({ answer })).toMatchObject({ done: false, promise: false }),
  );

  test.for([
    "All tasks are done.",
    "The implementation is complete.",
    "I'm done.",
    "Done.",
    "Nothing is left to do.",
    "Everything works.\n\nAll acceptance criteria have been met; the issue is complete.",
    "任务已完成。",
    "所有任务都已完成。",
    "全部完成，没有剩余任务。",
    "<promise>COMPLETE</promise>",
  ])("a done signal: %s", (answer) => expect(score({ answer })).toMatchObject({ done: true }));
});

test("a loop is done by its own promise, and by nothing less", () => {
  const rows: [Partial<ExitEvidence>, boolean][] = [
    [green, false],
    [{ answer: `All is done.\n${block("true")}` }, false],
    [{ answer: "<promise>COMPLETE</promise>" }, false],
    [{ answer: "<promise>ALL GREEN</promise>" }, true],
  ];
  const contradicted = block("true").replace("complete", "in_progress");
  for (const answer of [block("false"), contradicted].map((one) => `<promise>ALL GREEN</promise>\n${one}`))
    expect(scoreExit({ ...nothing, answer }, { ...policy, promise: "ALL GREEN" }), answer).toMatchObject({
      finished: false,
    });
  for (const [more, finished] of rows)
    expect(
      scoreExit({ ...nothing, ...more }, { ...policy, promise: "ALL GREEN" }),
      more.answer,
    ).toMatchObject({
      finished,
      reason: { rule: "exit_promise", given: finished },
    });
});

test("a structured no, red checks and a closing no are never overruled, whatever else is there", () => {
  const closing = fc.record({
    done: fc.boolean(),
    remaining: fc.array(fc.constant("the docs"), { maxLength: 1 }),
  });
  const judged = fc.record({
    facts: fc.record({
      resolved: fc.nat({ max: 2 }),
      total: fc.constant(2),
      checks: fc.constantFrom("passed" as const, "failed" as const, "not_run" as const),
      changed: fc.nat({ max: 1 }),
    }),
    exitSignal: fc.constantFrom(true, false, null),
    promise: fc.boolean(),
    indicators: fc.nat({ max: 9 }),
    total: fc.constantFrom(0, 0.15, 0.4, 0.6, 1),
    closing: fc.option(closing, { nil: undefined }),
    refusalGone: fc.constantFrom("uncommitted", undefined),
  });
  fc.assert(
    fc.property(judged, (one) => {
      const { finished } = finishedBy(one, policy);
      const { facts, closing: asked } = one;
      const denied = one.exitSignal === false || asked?.done === false || (asked?.remaining.length ?? 0) > 0;
      if (denied || facts.checks === "failed") expect(finished).toBe(false);
      else if (asked || (facts.resolved === 2 && facts.checks === "passed" && facts.changed > 0))
        expect(finished).toBe(true);
      else if (facts.resolved === 1) expect(finished).toBe(false);
    }),
  );
});

describe("an agent is asked once more where neither facts nor its own no decide", () => {
  const none = { resolved: 0, total: 3 };
  const all = { resolved: 3, total: 3 };
  test.for<[string, string, { resolved: number; total: number }, boolean, boolean]>([
    ["prose says anything", "All tasks are done.", none, true, true],
    ["every box is ticked, and the checks will tell", "Done.", all, true, false],
    ["every box is ticked, and no check runs", "Done.", all, false, true],
    ["some boxes are open", "All tasks are done.", { resolved: 1, total: 3 }, true, true],
    ["it said no", block("false"), none, true, false],
    ["it said no, and ticked every box", block("false"), all, true, false],
    ["it contradicted itself", block("true").replace("complete", "in_progress"), all, true, true],
    ["it said yes, with two indicators", `Implemented, all tests pass.\n${block("true")}`, none, true, true],
    ["it said yes, and nothing more", block("true"), none, true, true],
    ["it gave the promise", "<promise>COMPLETE</promise>", none, true, true],
  ])("%s", ([, answer, boxes, willBeChecked, asked]) =>
    expect(isUndecided(answer, boxes, willBeChecked)).toBe(asked),
  );
});

test("no answer makes it throw, and a flood takes no time", () => {
  fc.assert(fc.property(fc.string({ unit: "binary" }), (answer) => void score({ answer })));
  for (const part of ["all ", "done. ", "`", '"', "所有", "tests pass", "> ", "all tasks "]) {
    score({ answer: part.repeat(1_000_000 / part.length) });
  }
});

// TRAP 17
test("whatever came before, a session that is not done clears every streak", () => {
  const earlier = fc.array(fc.record({ done: fc.boolean(), testOnly: fc.boolean() }), { maxLength: 12 });
  const streaks = ["consecutive_done", "test_only"];
  fc.assert(
    fc.property(earlier, (before) => {
      const found = present({
        answer: "All tasks are done.",
        files: ["test/a.test.ts"],
        before: [...before, { done: false, testOnly: false }],
      });
      expect(found.filter((name) => streaks.includes(name))).toEqual([]);
    }),
  );
});

test("a long number is no part of a whole, and is read at once", () => {
  const isDone = (answer: string): boolean => score({ answer }).done;
  expect(isDone(`All tasks are done: ${"1234567890".repeat(1_900)}.`)).toBe(true);
  for (const part of ["5 of 7", "step 5 of 7", "5 7/8", "task 1/2"])
    expect(isDone(`All tasks are done, ${part}.`), part).toBe(false);
});
