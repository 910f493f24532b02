/** What goes on of a relay that another clone began: words, and nothing that decides. */
import { expect, test } from "vitest";
import { heardIn } from "../../../src/core/carry/heard.ts";
import { replay } from "../../../src/core/journal/state.ts";
import { decide } from "../../../src/core/relay/decide.ts";
import { phaseOf, runningSession } from "../../../src/core/relay/phase.ts";
import {
  executor,
  journal,
  opened,
  prepared,
  pulled,
  review,
  settingsWith,
  submitted,
} from "../support/relays.ts";
import type { Step } from "../support/relays.ts";

const said: Step = () => ({ type: "note.said", by: "person", text: "mind the tests" });

test.for([
  ["an approval", [opened, ...submitted, ...review("approve")]],
  ["a prepared merge", [opened, ...submitted, ...review("approve"), prepared]],
  ["a running session", [opened, executor]],
] as const)("of a pulled journal, %s is not in force", ([, steps]) => {
  const state = replay(journal([...steps, pulled]));
  expect([phaseOf(state), runningSession(state)]).toEqual(["none", undefined]);
  expect(decide(state, settingsWith().limits, 0)).toMatchObject({ do: "rest", reason: { rule: "no_relay" } });
});

test("what people said, and what a verdict asked for, is told to the next Executor", () => {
  const { opening } = replay(journal([opened, said, ...submitted, ...review("request_changes")]));
  expect(heardIn(opening!, "en").join("\n")).toMatch(
    /Reviewer asked for[^]*- \[\w+\][^]*people said[^]*- mind the tests/,
  );
});
