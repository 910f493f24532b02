import { describe, expect, test } from "vitest";
import { closesDone, closingIn, closingJsonSchema } from "../../../src/core/exit/closing.ts";

const done = { done: true, remaining: [] };

describe("the answer to the closing question is found", () => {
  test.for<[string, string, ReturnType<typeof closingIn>]>([
    ["as the whole answer", '{"done": true, "remaining": []}', done],
    [
      "in a fence, after words",
      'Here it is:\n\n```json\n{\n  "done": true,\n  "remaining": []\n}\n```\n',
      done,
    ],
    [
      "on a line of its own, the last one",
      '{"done": true, "remaining": []}\n{"done": false, "remaining": ["docs"]}',
      { done: false, remaining: ["docs"] },
    ],
    [
      "with null and words for nothing",
      '{"done": true, "remaining": ["none"], "question": null, "blockedBy": "N/A"}',
      done,
    ],
    [
      "with a question",
      '{"done": false, "remaining": [], "question": "Tabs or blanks?"}',
      { done: false, remaining: [], question: "Tabs or blanks?" },
    ],
    ["not in prose", "I am done, nothing remains.", undefined],
    ["not in another object", '{"done": "yes"}', undefined],
    ["not in half of one", '{"done": true, "remaining": [', undefined],
  ])("%s", ([, text, closing]) => expect(closingIn(text)).toEqual(closing));
});

test("what is left or in the way speaks against a done", () => {
  expect(closesDone({ done: true, remaining: [] })).toBe(true);
  expect(closesDone({ done: true, remaining: ["docs"] })).toBe(false);
  expect(closesDone({ done: true, remaining: [], blockedBy: "no network" })).toBe(false);
  expect(closesDone({ done: false, remaining: [] })).toBe(false);
});

test("the schema asks for every field and takes no other: an API may refuse any other", () => {
  expect(closingJsonSchema()).toMatchObject({
    type: "object",
    required: ["done", "remaining", "question", "blockedBy"],
    additionalProperties: false,
    properties: { done: { type: "boolean" }, remaining: { type: "array", items: { type: "string" } } },
  });
});

test.for(["(none)", "Not blocked.", "No blockers", "Nothing remains", "None at this time.", "No questions."])(
  "%s is nothing",
  (words) => {
    const answer = JSON.stringify({ done: true, remaining: [words], blockedBy: words, question: words });
    expect(closingIn(answer)).toEqual({ done: true, remaining: [] });
  },
);
