import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { contractOf, isSameLoop, loopSource, parseLoop } from "../../../src/core/prompt/loop.ts";
import type { Loop } from "../../../src/core/journal/loop-schema.ts";
import { parseIssue } from "../../../src/core/issue/issue.ts";
import { hasPromise } from "../../../src/core/exit/promise.ts";
import { settle } from "../../../src/core/settings/layers.ts";
import type { Source } from "../../../src/core/settings/layers.ts";

const loop: Loop = { prompt: "Do it.", promise: "COMPLETE", verify: ["npm test"], review: false, max: 20 };

describe("a prompt's file", () => {
  test.for<[string, string, object, Partial<Loop>]>([
    ["is the prompt", "Do it.\n", {}, { verify: [] }],
    ["without its front matter", "---\nmax: 3\n---\n\nDo it.\n", {}, { verify: [], max: 3 }],
    ["names one check", "---\nverify: npm test\n---\nDo it.", {}, {}],
    ["or several", "---\nverify: [a, b]\n---\nDo it.", {}, { verify: ["a", "b"] }],
    [
      "a flag wins",
      "---\nverify: a\nmax: 3\npromise: A\n---\nDo it.",
      { verify: ["b"], max: 4, promise: "B" },
      { verify: ["b"], max: 4, promise: "B" },
    ],
    [
      "a flag that was not given does not",
      "---\nmax: 3\n---\nDo it.",
      { max: undefined },
      { verify: [], max: 3 },
    ],
    [
      "may be Chinese",
      "---\npromise: 完成\nreview: true\n---\nDo it.",
      {},
      { verify: [], promise: "完成", review: true },
    ],
  ])("%s", ([, text, flags, expected]) =>
    expect(parseLoop(text, "PROMPT.md", flags)).toEqual({ ...loop, ...expected }),
  );

  // TRAP 37
  test("is no program", () =>
    expect(() => parseLoop("---js\n1\n---\nDo it.", "PROMPT.md")).toThrow(/plain YAML|exactly ---/));
});

const prompts = fc.oneof(
  fc.string({ unit: "binary", minLength: 1 }),
  fc
    .array(
      fc.constantFrom(
        "# Acceptance Criteria",
        "## Objective",
        "- [ ] box",
        "```",
        "````",
        "---",
        "\n",
        "\n\n",
        "x",
        "id: FEAT-0009",
        ": ",
        '"',
        "验收标准",
      ),
      { minLength: 1 },
    )
    .map((parts) => parts.join("")),
);

test("whatever the prompt says, the issue underneath is a sound one, without boxes, and says it", () => {
  fc.assert(
    fc.property(prompts, (prompt) => {
      const issue = parseIssue(contractOf("LOOP-0007", { ...loop, prompt }), "issue.md");
      expect(issue).toMatchObject({
        id: "LOOP-0007",
        status: "open",
        checks: ["npm test"],
        criteria: [],
        tasks: [],
      });
      expect(issue.title).not.toBe("");
    }),
  );
  const { objective, title } = parseIssue(
    contractOf("LOOP-0007", { ...loop, prompt: "# A title\n\n- [ ] a" }),
    "issue.md",
  );
  expect(title).toBe("A title");
  expect(objective).toContain("- [ ] a");
});

test.for<[string, Partial<Loop>, boolean]>([
  ["itself", {}, true],
  ["with more sessions", { max: 40 }, true],
  ["another prompt", { prompt: "Do that." }, false],
  ["another promise", { promise: "DONE" }, false],
  ["another check", { verify: [] }, false],
  ["with a review", { review: true }, false],
])("the same loop: %s", ([, more, same]) => expect(isSameLoop(loop, { ...loop, ...more })).toBe(same));

test("a loop's limits are its own, and a person's settings else", () => {
  const person: Source = {
    values: { exit: { submit: false }, limits: { stalledMax: 7, sessionsMax: 9 } },
    at: () => ({ from: "project", where: "monoco.yaml" }),
  };
  const { settings, origins } = settle([loopSource({ ...loop, max: 5 }), person]);
  expect(settings).toMatchObject({
    exit: { submit: true },
    limits: { sessionsMax: 5, reviewRoundsMax: 5, redRoundsMax: 5, stalledMax: 7 },
  });
  expect(origins["limits.sessionsMax"]).toEqual({ from: "flag", where: "the loop" });
  expect(settle([loopSource({ ...loop, review: true }), person]).settings.limits.reviewRoundsMax).toBe(3);
});

test.for<[string, string, boolean]>([
  ["alone", "<promise>ALL GOOD</promise>", true],
  ["after words", "Done.\n\n  <promise>all good</promise>  \n", true],
  ["another word", "<promise>COMPLETE</promise>", false],
  ["a part of it", "<promise>ALL</promise>", false],
  ["within a line", "So <promise>ALL GOOD</promise>", false],
])("the promise ALL GOOD: %s", ([, text, given]) => expect(hasPromise(text, "ALL GOOD")).toBe(given));
