/** In which order a backlog is run, and how two policies share it. */
import { assert, constantFrom, property, record, subarray, uniqueArray } from "fast-check";
import { expect, test } from "vitest";
import { nextOf } from "../../src/core/backlog.ts";
import type { Next, Progress, Work } from "../../src/core/backlog.ts";
import { policyFor } from "../../src/core/policy-share.ts";

const issue = (id: string, dependencies: string[] = [], more: Partial<Work> = {}): Work => ({
  id,
  dependencies,
  done: false,
  ...more,
});

test.for<[string, Work[], Record<string, Progress>, Next]>([
  ["the smallest id first", [issue("B"), issue("A")], {}, { start: "A" }],
  ["the most urgent first", [issue("A"), issue("B", [], { priority: "High" })], {}, { start: "B" }],
  ["what is least urgent last", [issue("A", [], { priority: "low" }), issue("B")], {}, { start: "B" }],
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
    [issue("A", ["B"]), issue("B", [], { done: true })],
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
  ["nothing that needs one that is nowhere", [issue("A", ["Z"])], {}, { blocked: [{ id: "A", by: ["Z"] }] }],
  ["nothing at the end", [issue("A")], { A: "done" }, { blocked: [] }],
])("%s", ([, backlog, progress, next]) => {
  expect(nextOf(backlog, new Map(Object.entries(progress)))).toEqual(next);
});

test("a circle is shown, also behind one that stands outside of it", () => {
  const backlog = [issue("A", ["B"]), issue("B", ["C"]), issue("C", ["D"]), issue("D", ["B"])];
  expect(() => nextOf(backlog, new Map())).toThrow("these issues wait for each other: B → C → D → B");
  expect(() => nextOf([issue("A", ["A"])], new Map())).toThrow("A → A");
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
        for (const needed of backlog.find(({ id }) => id === start)!.dependencies)
          expect(progress.get(needed)).toBe("done");
        progress.set(start, "done");
      }
      expect(progress.size).toBe(backlog.length);
    }),
  );
});

test("an issue is always run under the same one of two policies, and each gets its share", () => {
  const names = Array.from({ length: 400 }, (_, n) => `FEAT-${String(n + 1).padStart(4, "0")}`);
  const first = names.map((id) => policyFor(id, ["a", "b"]));
  expect(names.map((id) => policyFor(id, ["a", "b"]))).toEqual(first);
  const share = first.filter((policy) => policy === "a").length;
  expect(share).toBeGreaterThan(150);
  expect(share).toBeLessThan(250);
  expect(policyFor("FEAT-0001", [])).toBeUndefined();
});
