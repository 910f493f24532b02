/** The merge that brought a commit, the session that made it, and the place of a line in its submission. */
import { describe, expect, test } from "vitest";
import { broughtBy, isSince, landingIn, workIn } from "../../../src/core/report/lineage.ts";
import type { Landing, Work } from "../../../src/core/report/lineage.ts";
import { guardsOf, namesPath } from "../../../src/core/report/why.ts";
import type { TakenBack } from "../../../src/core/trial/trial-schema.ts";
import type { Step } from "../support/relays.ts";
import { ended, executor, journal, opened } from "../support/relays.ts";

const landing = (commit: string, parents: string[], head: string, issue = "FEAT-0001"): Landing => ({
  commit,
  parents,
  head,
  issue,
  title: "x",
  submission: 1,
});

/** `child: parent parent, …` */
const graphOf = (text: string): Map<string, string[]> =>
  new Map(
    text
      .split(", ")
      .map((one) => [one.split(":")[0]!, one.split(":")[1]!.split(" ").filter(Boolean)] as const),
  );

describe("the landing that brought each commit", () => {
  test.for<[string, string, Landing[], Record<string, string | undefined>]>([
    [
      "of a merge: its submission's commits, and not those of the base that it merged in",
      "m:b2 s, b2:b1, s:s1 b2, s1:b1, b1:",
      [landing("m", ["b2", "s"], "s")],
      { m: "m", s: "m", s1: "m", b1: undefined, b2: undefined },
    ],
    [
      "of a squash: its submission's, too",
      "m:b2, b2:b1, s:s1, s1:b1, b1:",
      [landing("m", ["b2"], "s")],
      { m: "m", s1: "m", b2: undefined, b1: undefined },
    ],
    [
      "of two: the first that had it",
      "n:m t, t:m, m:b s, s:b, b:",
      [landing("m", ["b", "s"], "s"), landing("n", ["m", "t"], "t", "FEAT-0002")],
      { s: "m", t: "n", b: undefined },
    ],
    [
      "of a pull request that grew: it has the commits that are new to it",
      "n:l t, t:s, l:b s, s:b, b:a, a:",
      [landing("l", ["b", "s"], "s"), landing("n", ["l", "t"], "t")],
      { s: "l", t: "n", b: undefined, a: undefined },
    ],
  ])("%s", ([, text, landings, expected]) => {
    const brought = broughtBy(graphOf(text), landings);
    const found = Object.keys(expected).map((commit) => [commit, brought.get(commit)?.commit]);
    expect(Object.fromEntries(found)).toEqual(expected);
  });
});

/** An Executor's session from one commit to another; `wip` is what it left uncommitted. */
const session = (from: string, to: string, wip?: string): Step[] => [
  10_500,
  (state) => ({ ...executor(state), head: from }),
  (state) => ended("handed_over", { head: to, ...(wip && { wip }) })(state),
];
const handedOver: Step = () => ({
  type: "person.handed_over",
  branch: "mine",
  head: "a",
  commits: 0,
  wip: "w0",
  text: "",
  sha256: "",
  lint: [],
  handedOverAtMs: 0,
});

describe("what a session made", () => {
  const graph = graphOf("d:c old, c:p, p:b, b:a, a:, old:");
  const workOf = (...steps: Step[][]) => workIn(graph, journal([opened, ...steps.flat()]));
  const makersIn = ({ made }: Work): Record<string, number> =>
    Object.fromEntries([...made].map(([commit, by]) => [commit, by.session]));

  test("is what it committed, and not what people had committed before, nor what is older than it", () => {
    const { made } = workOf(session("a", "b"), session("p", "d"));
    expect([...made.keys()].toSorted()).toEqual(["b", "c", "d", "old"]);
    expect(made.get("b")?.session).toBe(1);
    expect(["d", "c"].map((one) => made.get(one)?.session)).toEqual([2, 2]);
    expect([9, 21].map((atS) => isSince(made.get("d")!, atS))).toEqual([false, true]);
  });

  test("is also what it left uncommitted, which the commits of the next one have as a parent", () => {
    const work = workOf(session("a", "b", "w1"), session("p", "p", "w2"), session("p", "d"));
    expect(makersIn(work)).toMatchObject({ b: 1, w1: 1, w2: 2, c: 3, d: 3 });
    expect(Object.fromEntries(work.parents)).toMatchObject({
      d: ["c", "old", "w2"],
      c: ["p", "w2"],
      w2: ["p", "w1"],
    });
  });

  test("is not what a person handed over uncommitted", () => {
    const work = workOf([handedOver], session("a", "b"));
    expect(makersIn(work)).toEqual({ b: 1 });
    expect(Object.fromEntries(work.parents)).toEqual({ b: ["a", "w0"], w0: ["a"] });
  });
});

test.for<[string, string, boolean]>([
  ["both trailers", `FEAT-0001: x\n\nMonoco-Issue: FEAT-0001\nMonoco-Submission: 2 ${"a".repeat(40)}`, true],
  ["an id that is none", `x\n\nMonoco-Issue: ../../x\nMonoco-Submission: 2 ${"a".repeat(40)}`, false],
  ["a commit that is none", "x\n\nMonoco-Issue: FEAT-0001\nMonoco-Submission: 2 --all", false],
])("a landing is a commit with its trailers: %s", ([, message, isLanding]) =>
  expect(landingIn("c", [], message) !== undefined).toBe(isLanding),
);

test.for<[string, boolean]>([
  ["node --test price.js", true],
  ["sed -n 3p src/price.js:12", true],
  ["Rounding is in `./src/price.js`.", true],
  ["node lib/price.js", false],
  ["node myprice.js", false],
  ["the price", false],
  ["舍入在 src/price.js，而不在别处", true],
])("%j names src/price.js: %s", ([text, names]) => expect(namesPath(text, "src/price.js")).toBe(names));

test("a line has the guards of the changes that hold it, each whole, at its place now", () => {
  const taken: TakenBack[] = [{ file: "a.js", line: 4, lines: 3, result: "guarded", by: "npm test" }];
  // Two lines came above, and one of the two below was removed since.
  const since = [
    { before: { line: 1, count: 0 }, after: { line: 2, count: 2 } },
    { before: { line: 7, count: 1 }, after: { line: 8, count: 0 } },
  ];
  const at = (from: number, to = from) =>
    guardsOf(taken, { from, to, file: "b.js" }, since).map(({ file, line, lines }) => [file, line, lines]);
  // What was tried without one line of it is not known.
  expect([at(6), at(7), at(8), at(1, 9)]).toEqual(Array.from({ length: 4 }, () => [["b.js", 6, 3]]));
  expect([at(3), at(5), at(9)]).toEqual([[], [], []]);
  const replaced = [{ before: { line: 4, count: 3 }, after: { line: 4, count: 4 } }];
  expect(guardsOf(taken, { from: 4, to: 7, file: "a.js" }, replaced)).toEqual([]);
  const within = [{ before: { line: 4, count: 0 }, after: { line: 5, count: 1 } }];
  expect(guardsOf(taken, { from: 4, to: 4, file: "a.js" }, within)).toMatchObject([{ line: 4, lines: 4 }]);
});
