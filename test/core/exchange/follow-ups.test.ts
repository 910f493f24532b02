/** What of the Reviewers' findings is left when a relay is merged. */
import { expect, test } from "vitest";
import { followUpsOf, foundBeside } from "../../../src/core/exchange/follow-ups.ts";
import { replay } from "../../../src/core/journal/state.ts";
import type { Finding } from "../../../src/core/review/verdict-schema.ts";
import {
  commit,
  decided,
  finding,
  handoff,
  journal,
  opened,
  questioned,
  review,
  submitted,
} from "../support/relays.ts";
import type { Step } from "../support/relays.ts";

const by =
  (findings: Finding[], more: object = {}): Step =>
  (state) => ({
    ...decided("request_changes")(state),
    criteria: [],
    findings,
    ...more,
  });
const one = (id: string, more: Partial<Finding> = {}): Finding => ({ ...finding, id, title: id, ...more });

test.for<[string, Step[], string[]]>([
  [
    "what held back is not",
    [by([one("a", { holds: true })]), handoff, ...submitted, ...review("approve")],
    [],
  ],
  [
    "what did not hold back is",
    [by([one("a", { holds: true }), one("b")]), handoff, ...submitted, ...review("approve")],
    ["b"],
  ],
  [
    "what held back later is not",
    [
      by([one("b")]),
      handoff,
      ...submitted,
      by([one("b", { holds: true })]),
      handoff,
      ...submitted,
      ...review("approve"),
    ],
    [],
  ],
  [
    "what was found beside on the merged tree is",
    [...review("approve"), questioned, by([one("b")], { verdict: "approve", onto: commit(1) })],
    ["b"],
  ],
  ["what a person overrode is", [by([one("a", { holds: true })]), decided("approve", "person")], ["a"]],
])("%s", ([, steps, ids]) =>
  expect(foundBeside(replay(journal([opened, ...submitted, ...steps])).opening!).map(({ id }) => id)).toEqual(
    ids,
  ),
);

test("notes make no issue", () => {
  const state = replay(
    journal([opened, ...submitted, by([one("n", { severity: "note" }), one("m", { severity: "minor" })])]),
  );
  expect(followUpsOf(state.opening!).items).toMatchObject([{ key: "m", title: "m", type: "fix" }]);
});
