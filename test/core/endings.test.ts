/** The labelled endings of test/fixtures/endings: what the rules may never do, and how well they do at the least. */
import { describe, expect, test } from "vitest";
import { decisionsOf, figuresOf, judge, partsOf, readEndings } from "../../scripts/endings.ts";

const endings = readEndings();

// TRAP 14, TRAP 16, TRAP 17, TRAP 18, TRAP 24
test.for(endings.map((ending) => [`${ending.group}/${ending.name}`, ending] as const))(
  "%s is decided rightly, or asked",
  ([, ending]) => {
    const { askable, because } = judge(ending);
    expect(["asked", ending.submit ? "yes" : "no"], `${ending.why}, but: ${because}`).toContain(askable);
  },
);

test.for(
  endings
    .filter(({ limit, login, promise }) => !limit || !login || !promise)
    .map((ending) => [`${ending.group}/${ending.name}`, ending] as const),
)("%s has no limit and no promise but its own", ([, ending]) => {
  const { limit, login, promise, because } = judge(ending);
  expect({ limit, login, promise }, `${ending.why}, but: ${because}`).toEqual({
    limit: ending.limit,
    login: ending.login,
    promise: ending.promise,
  });
});

describe("precision and recall do not fall", () => {
  test.for<[string, ReturnType<typeof decisionsOf>["alone"], number]>([
    ["tuned", { falses: 1, misses: 23 }, 130],
    ["held out", { falses: 2, misses: 36 }, 110],
  ])("%s", ([part, most, askedMax]) => {
    const { endings: some } = partsOf(endings).find(({ name }) => name === part)!;
    for (const question of ["limit", "login", "promise"] as const)
      expect(figuresOf(some, question)).toMatchObject({ precision: 1, recall: 1 });
    const { askable, alone } = decisionsOf(some);
    expect(askable.asked).toBeLessThanOrEqual(askedMax);
    expect(alone.falses).toBeLessThanOrEqual(most.falses);
    expect(alone.misses).toBeLessThanOrEqual(most.misses);
  });
});

test("there are many, each with a name of its own, many of real CLIs and sessions, and about half is held out", () => {
  expect(endings.length).toBeGreaterThanOrEqual(400);
  expect(endings.filter(({ stream, from }) => stream ?? from).length).toBeGreaterThanOrEqual(150);
  expect(new Set(endings.map(({ group, name }) => `${group}/${name}`)).size).toBe(endings.length);
  const [, heldOut] = partsOf(endings);
  expect(heldOut!.endings.length / endings.length).toBeGreaterThan(0.4);
});
