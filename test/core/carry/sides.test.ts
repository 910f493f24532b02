/** Which of two clones went on with a relay. */
import { describe, expect, test } from "vitest";
import { exitOf } from "../../../src/core/carry/outcome.ts";
import { isGivenOnce, notesRefOf, prefixOf, sideOf, sideOfAll } from "../../../src/core/carry/sides.ts";
import type { Carried } from "../../../src/core/carry/sides.ts";

describe("one ref", () => {
  test.for([
    ["nothing moved", ["1", "1", "1"], undefined, "same"],
    ["both have the same, though it was not seen", ["2", "1", "2"], undefined, "same"],
    ["it was never pushed", ["1", undefined, undefined], undefined, "here"],
    ["it was deleted there", ["1", "1", undefined], undefined, "here"],
    ["it was never pulled", [undefined, undefined, "1"], undefined, "there"],
    ["it was dropped here", [undefined, "1", "1"], undefined, "there"],
    ["only here moved, by whatever", ["2", "1", "1"], undefined, "here"],
    ["only there moved, by whatever", ["1", "1", "2"], undefined, "there"],
    ["both moved", ["2", "1", "3"], undefined, "both"],
    ["both moved, and here contains there", ["2", "1", "3"], "here", "here"],
    ["never seen, and there contains here", ["2", undefined, "3"], "there", "there"],
    ["never seen, and apart", ["2", undefined, "3"], undefined, "both"],
  ] as const)("%s", ([, [here, seen, there], contains, side]) => {
    expect(sideOf({ here, seen, there }, contains)).toBe(side);
  });
});

test("a relay went on where its head or its journal did", () => {
  expect(sideOfAll(["same", "same"])).toBe("same");
  expect(sideOfAll(["same", "there"])).toBe("there");
  expect(sideOfAll(["here", "here"])).toBe("here");
  expect(sideOfAll(["here", "there"])).toBe("both");
  expect(sideOfAll(["both", "same"])).toBe("both");
});

test("what sessions left besides their head is no name of the remote", () => {
  const names = [
    "submissions/12",
    "sessions/3/head",
    "sessions/3/wip",
    "sessions/3/reflog",
    "sessions/3/stash",
    "sessions/3/heads/x/head",
    "submissions/1-0123456789ab",
    "lost-journal-1/submissions/1",
  ];
  const given = (...carry: Carried[]): string[] => names.filter((name) => isGivenOnce(name, carry));
  expect(given("handoffs")).toEqual(["submissions/12"]);
  expect(given("sessions")).toEqual(["submissions/12", "sessions/3/head"]);
  expect(given("sessions", "wip")).toEqual(["submissions/12", "sessions/3/head", "sessions/3/wip"]);
});

test("a namespace is the beginning of all names there", () => {
  expect([prefixOf("refs/monoco"), notesRefOf("refs/monoco")]).toEqual(["refs/monoco", "refs/notes/monoco"]);
  expect([prefixOf("heads"), notesRefOf("heads")]).toEqual([
    "refs/heads/monoco-relays",
    "refs/heads/monoco-relays/notes",
  ]);
});

test("what needs a person gives the exit status, before a conflict", () => {
  expect(exitOf([{ is: "up_to_date", commit: "1" }])).toBe(0);
  expect(exitOf([{ is: "moved" }, { is: "secrets", found: [] }])).toBe(1);
  expect(exitOf([{ is: "running" }, { is: "unreachable", said: "" }])).toBe(3);
});
