/** In which order a backlog is run. */
import { assert, constantFrom, property, record, subarray, uniqueArray } from "fast-check";
import { expect, test } from "vitest";
import { byId, circleThrough, missingOf, nextOf, pathTo } from "../../../src/core/backlog/backlog.ts";
import type { Next, Progress, Work } from "../../../src/core/backlog/backlog.ts";

const issue = (id: string, needs: string[] = [], more: Partial<Work> = {}): Work => ({
  id,
  needs,
  stands: "open",
  ...more,
});

test.for<[string, Work[], Record<string, Progress>, Next]>([
  ["the smallest id first", [issue("B"), issue("A")], {}, { start: "A" }],
  ["the most urgent first", [issue("A"), issue("B", [], { priority: "High" })], {}, { start: "B" }],
  ["what is least urgent last", [issue("A", [], { priority: "low" }), issue("B")], {}, { start: "B" }],
  [
    "numbers like those after a P, past 4 too",
    [
      issue("A", [], { priority: "10" }),
      issue("B", [], { priority: "9" }),
      issue("C", [], { priority: "lowest" }),
    ],
    { C: "done" },
    { start: "B" },
  ],
  ["1 before what has no priority", [issue("A"), issue("B", [], { priority: "1" })], {}, { start: "B" }],
  [
    "a dependency before what needs it",
    [issue("A", ["B"], { priority: "urgent" }), issue("B")],
    {},
    { start: "B" },
  ],
  ["nothing while a dependency runs", [issue("A", ["B"]), issue("B")], { B: "running" }, { wait: true }],
  ["what needs it, once it is done", [issue("A", ["B"]), issue("B")], { B: "done" }, { start: "A" }],
  [
    "what needs one that is closed already",
    [issue("A", ["B"]), issue("B", [], { stands: "done" })],
    {},
    { start: "A" },
  ],
  [
    "nothing that needs one that failed",
    [issue("A", ["B"]), issue("B"), issue("C", ["A"])],
    { B: "failed" },
    {
      blocked: [
        { id: "A", by: ["B"] },
        { id: "C", by: ["A"] },
      ],
    },
  ],
  [
    "nothing that needs one that was dropped",
    [issue("A", ["B"]), issue("B", [], { stands: "dropped" })],
    {},
    { blocked: [{ id: "A", by: ["B"] }] },
  ],
  [
    "what goes round in a circle never, and the others all the same",
    [issue("A", ["B"]), issue("B", ["A"]), issue("C")],
    { C: "done" },
    {
      blocked: [
        { id: "A", by: ["B"] },
        { id: "B", by: ["A"] },
      ],
    },
  ],
  [
    "in the order in which a person named them",
    [issue("A", [], { place: 2, priority: "urgent" }), issue("B", [], { place: 1 })],
    {},
    { start: "B" },
  ],
  ["nothing that needs one that is nowhere", [issue("A", ["Z"])], {}, { blocked: [{ id: "A", by: ["Z"] }] }],
  ["nothing at the end", [issue("A")], { A: "done" }, { blocked: [] }],
])("%s", ([, backlog, progress, next]) => {
  expect(nextOf(backlog, new Map(Object.entries(progress)))).toEqual(next);
});

test.for<[string, string, Work[], string[] | undefined]>([
  ["of two", "A", [issue("A", ["B"]), issue("B", ["A"])], ["A", "B", "A"]],
  ["of one", "A", [issue("A", ["A"])], ["A", "A"]],
  [
    "the shortest of several",
    "A",
    [issue("A", ["B", "C"]), issue("B", ["C"]), issue("C", ["A"])],
    ["A", "C", "A"],
  ],
  [
    "not for one that only leads into it",
    "A",
    [issue("A", ["B"]), issue("B", ["C"]), issue("C", ["B"])],
    undefined,
  ],
  [
    "not through one that is done",
    "A",
    [issue("A", ["B"]), issue("B", ["A"], { stands: "done" })],
    undefined,
  ],
])("a circle is shown: %s", ([, id, backlog, expected]) => {
  expect(circleThrough(byId(backlog), id)).toEqual(expected);
});

test("what is missing is told by what can come of it, and the way there in its order", () => {
  const backlog = [
    issue("A", ["B", "C", "D", "Z"]),
    issue("B", ["E"]),
    issue("C", [], { stands: "dropped" }),
    issue("D", [], { stands: "done" }),
    issue("E"),
  ];
  expect(missingOf(byId(backlog), backlog[0]!)).toEqual({ open: ["B"], dropped: ["C"], unknown: ["Z"] });
  expect(pathTo(byId(backlog), "A")).toEqual(["E", "B", "A"]);
  expect(pathTo(byId([issue("A", ["B"]), issue("B", ["A"])]), "A")).toEqual(["B", "A"]);
});

const ids = ["A", "B", "C", "D", "E"];
/** Each depends on earlier ones only: no circle. */
const backlogs = uniqueArray(constantFrom(...ids), { minLength: 1 }).chain((names) =>
  record(Object.fromEntries(names.map((name, at) => [name, subarray(names.slice(0, at))]))).map((needs) =>
    names.map((id) => issue(id, needs[id])),
  ),
);

test("whatever depends on what, each is run once, after all that it needs", () => {
  assert(
    property(backlogs, (backlog) => {
      const progress = new Map<string, Progress>();
      for (let next = nextOf(backlog, progress); "start" in next; next = nextOf(backlog, progress)) {
        const { start } = next;
        expect(progress.has(start)).toBe(false);
        for (const needed of backlog.find(({ id }) => id === start)!.needs)
          expect(progress.get(needed)).toBe("done");
        progress.set(start, "done");
      }
      expect(progress.size).toBe(backlog.length);
    }),
  );
});
