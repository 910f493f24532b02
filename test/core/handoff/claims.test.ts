/** What a session says is done is marked where a failing check contradicts it. */
import { expect, test } from "vitest";
import { markContradicted } from "../../../src/core/handoff/claims.ts";

const done = (...texts: string[]) => texts.map((text) => ({ text, state: "done" as const }));
const failed = [{ command: "npm test", tail: "FAIL src/parse.test.ts\n  1 !== 2" }];
const marked = (texts: string[], more: object = {}) =>
  markContradicted(done(...texts), { failed, finished: true, language: "en", ...more }).map(
    ({ text }) => text,
  );

test.for<[string, string]>([
  ["names the failing check", "Ran `npm test`"],
  ["says that the tests pass", "All tests pass"],
  ["is about a file in its output", "Tested in src/parse.test.ts"],
])("what %s is marked, and nothing else", ([, claim]) =>
  expect(marked([claim, "The README has a section"])).toEqual([
    `${claim} (claimed, but \`npm test\` fails)`,
    "The README has a section",
  ]),
);

test("of work that is said to be finished each item is marked, where none can be told apart", () =>
  expect(marked(["It greets", "It counts"])).toEqual([
    "It greets (claimed, but `npm test` fails)",
    "It counts (claimed, but `npm test` fails)",
  ]));

test("of work on the way none is, and none where nothing fails", () => {
  expect(marked(["It greets"], { finished: false })).toEqual(["It greets"]);
  expect(marked(["All tests pass"], { failed: [] })).toEqual(["All tests pass"]);
});

test("a mark is made once", () => {
  const [once] = marked(["It greets"]);
  expect(marked([once!])).toEqual([once]);
});
