/** A person's word on a relay that rests. */
import { describe, expect, test } from "vitest";
import { wordIn } from "../../../src/core/backlog/word.ts";
import {
  answered,
  asked,
  blocked,
  blockedNow,
  cleared,
  decided,
  ended,
  executor,
  handoff,
  journal,
  opened,
  openedWith,
  paused,
  resumed,
  review,
  submitted,
} from "../support/relays.ts";
import type { Step } from "../support/relays.ts";

const answer: Step = () => answered(1);
const approval = decided("approve", "person");
const question: Step[] = [
  openedWith({ questionsMax: 1 }),
  executor,
  asked,
  ended("question", { progress: false }),
  handoff,
  blockedNow,
];

describe("a relay that rests", () => {
  test.for<[string, Step[], boolean | undefined]>([
    ["goes on by the answer to the question that blocks it", [...question, answer], false],
    ["does not by an answer where something else blocks it", [opened, blocked, answer], undefined],
    [
      "goes on by a person's approval",
      [opened, ...submitted, ...review("approve"), blocked, approval],
      false,
    ],
    ["does not by a word from before its block", [opened, ...submitted, approval, blocked], undefined],
    ["does not while it is paused", [opened, ...submitted, paused, approval], undefined],
    ["has gone on where it was resumed elsewhere", [opened, blocked, resumed], true],
    ["and where it was paused before", [opened, paused, resumed], true],
    ["does not where it is blocked again", [opened, blocked, resumed, blocked], undefined],
    ["does not once it is cleared", [opened, blocked, resumed, cleared], undefined],
  ])("%s", ([, steps, isResumed]) => {
    const events = journal(steps);
    const word = isResumed === undefined ? undefined : { seq: events.length, resumed: isResumed };
    expect(wordIn(events)).toEqual(word);
  });
});
