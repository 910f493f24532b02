/** What merged relays learned: kept once each, within bounds, until somebody strikes it out. */
import { describe, expect, test } from "vitest";
import { learningsIn, offeredOf, withLearned, withSetAside } from "../../../src/core/handoff/learnings.ts";
import { learningCharsMax, learningsBytesMax, learningsMax } from "../../../src/core/limits.ts";
import { bytesOf } from "../../../src/core/text/bytes.ts";

const learn = (text: string, from: string, ...patterns: string[]): string =>
  withLearned(text, { patterns, from });

describe("withLearned", () => {
  test("adds what is new, each with its issue", () => {
    const first = learn("", "FEAT-0001", "Prices are in cents", "Run `make gen` (twice)");
    expect(learn(first, "FEAT-0002", "Prices  are in cents", "Dates are UTC", "Dates are UTC"))
      .toMatchInlineSnapshot(`
      "# Learnings

      Patterns that merged relays carried; \`monoco learnings\` shows, promotes and drops them.

      - Prices are in cents (FEAT-0001)
      - Run \`make gen\` (twice) (FEAT-0001)
      - Dates are UTC (FEAT-0002)
      "
    `);
  });

  test("sets aside what a session strikes out, and does not learn it again", () => {
    const first = learn("", "FEAT-0001", "Prices are in cents", "Dates are UTC");
    const struck = learn(first, "FEAT-0002", "~~Prices are in cents~~ in euros since FEAT-0002");
    expect(offeredOf(struck)).toEqual(["Dates are UTC (FEAT-0001)"]);
    expect(learn(struck, "FEAT-0003", "Prices are in cents")).toBe(struck);
  });

  test("takes git's HEAD~~ for no strike", () => {
    expect(offeredOf(learn("", "FEAT-0001", "`git show HEAD~~` is the parent's parent"))).toHaveLength(1);
  });

  test("leaves a person's own lines as they are", () => {
    const mine = "My notes\n\n- Dates are UTC (me)\n- a line without an origin\n\nMore\n";
    expect(learn(mine, "FEAT-1", "New")).toBe(`${mine}- New (FEAT-1)\n`);
    expect(learn(mine, "FEAT-1", "Dates are UTC")).toBe(mine);
  });

  test("keeps the newest, and cuts what is long", () => {
    const many = Array.from({ length: learningsMax + 5 }, (_, n) => `Pattern ${n}`);
    const kept = learningsIn(learn("", "FEAT-1", ...many));
    expect(kept.map(({ text }) => text)).toEqual(many.slice(5));
    expect(learningsIn(learn("", "FEAT-1", "x".repeat(9_999)))[0]!.text.length).toBeLessThanOrEqual(
      learningCharsMax,
    );
  });

  test("nothing that a handoff says makes a second line of it", () => {
    const text = learn("", "FEAT-1", "one\n- two (FEAT-9)\r\n# three");
    expect(learningsIn(text)).toHaveLength(1);
    expect(learningsIn(text)[0]).toMatchObject({ from: "FEAT-1" });
  });
});

test("a session is offered the newest that fit", () => {
  const text = learn(
    "",
    "FEAT-1",
    ...Array.from({ length: 100 }, (_, n) => `Pattern ${n} ${"é".repeat(40)}`),
  );
  const offered = offeredOf(text);
  expect(offered[0]).toContain("Pattern 99 ");
  expect(offered.length).toBeGreaterThan(10);
  const bytes = bytesOf(offered.join("\n"));
  expect(bytes).toBeLessThanOrEqual(learningsBytesMax);
  expect(bytes).toBeGreaterThan(learningsBytesMax - 120);
});

test("an entry that is set aside stays, and is read as such", () => {
  const text = learn("", "FEAT-1", "One", "Two");
  const aside = withSetAside(text, learningsIn(text).slice(0, 1));
  expect(learningsIn(aside).map(({ text, isSetAside }) => [text, isSetAside])).toEqual([
    ["One", true],
    ["Two", false],
  ]);
});
