/** On which trees a verdict's evidence runs, and what that tells. */
import { describe, expect, test } from "vitest";
import type { Due, Ended } from "../../../src/core/trial/due.ts";
import { evidenceRuns, evidenceTrees, measuring, tellsOf } from "../../../src/core/trial/evidence-runs.ts";
import type {
  EvidenceInput,
  EvidenceCommand,
  OnTrees,
  Tells,
} from "../../../src/core/trial/evidence-runs.ts";
import type { RoledFile } from "../../../src/core/trial/overlays.ts";
import { drive } from "../support/plans.ts";

const blob = (hash: string) => ({ mode: "100644", hash });
const files: RoledFile[] = [
  { path: "price.js", role: "source", before: blob("1"), after: blob("2") },
  { path: "README.md", role: "other", before: blob("1"), after: blob("2") },
];
const price = {
  path: "price.js",
  mode: "100644",
  before: "a();\n",
  after: "b();\n",
  hunks: [{ before: { line: 1, count: 1 }, after: { line: 1, count: 1 } }],
  namedBy: 1,
};
const plan = { sources: new Map([["price.js", price]]), changes: [] };

function input(more: Partial<EvidenceInput> = {}): EvidenceInput {
  const commands: EvidenceCommand[] = [{ command: "try", exitCode: 0, of: "criterion" }];
  const trees = evidenceTrees(more.files ?? files, plan, []);
  return {
    commands,
    files,
    trees,
    added: [],
    guards: new Set(),
    stale: false,
    approves: true,
    resolved: [],
    ...more,
  };
}
/** Red wherever the sources are not as submitted; a search stays green where the words are left. */
const program = ({ why, on }: Due): Ended => ({
  exitCode: on.side === "base" || ["words", "names"].includes(why) ? 1 : 0,
});

test("a program runs on every tree, and at last once more in the Reviewer's clone", () => {
  expect(drive(evidenceRuns(input()), program).runs).toEqual([
    "evidence try on review",
    "on_base try on base",
    "words try on submission+price.js,README.md",
    "names try on submission+price.js",
    "comment try on submission+price.js",
    "elsewhere try on submission",
    "evidence try on review",
  ]);
});

test.for<[string, string, string[], string]>([
  ["the one file that the Reviewer added", "node price.test.js", ["price.test.js"], "node price.work.js"],
  ["no file of several: one may load the other", "node a.js", ["a.js", "b.test.js"], "node a.js"],
])("elsewhere the word test is taken out of %s", ([, command, paths, elsewhere]) => {
  const commands: EvidenceCommand[] = [{ command, exitCode: 0, of: "criterion" }];
  const added = paths.map((path) => ({ path, to: blob("3") }));
  const { runs } = drive(evidenceRuns(input({ commands, added })), program);
  const names = elsewhere === command ? paths : [elsewhere.replace("node ", "")];
  expect(runs).toContain(`elsewhere ${elsewhere} on submission+${names.join(",")}`);
});

test.for<[string, Partial<EvidenceInput>, (due: Due) => Ended, string[]]>([
  ["what does not reproduce runs nowhere else", {}, () => ({ exitCode: 1 }), ["evidence try on review"]],
  [
    "what is as green on the base is not asked further, where no test is changed",
    {},
    () => ({ exitCode: 0 }),
    ["evidence try on review", "on_base try on base"],
  ],
  [
    "a verdict that requests changes needs only both sides",
    { approves: false },
    program,
    ["evidence try on review", "on_base try on base"],
  ],
  [
    "a check that is known to guard the work needs no run",
    {
      commands: [{ command: "npm test", exitCode: 0, of: "criterion", isCheck: true }],
      guards: new Set(["npm test"]),
    },
    program,
    [],
  ],
  [
    "a probe has to reproduce, and no more",
    { commands: [{ command: "try", exitCode: 0, of: "probe" }] },
    program,
    ["evidence try on review"],
  ],
  [
    "a search in a source stops where the words are left",
    {},
    ({ on }) => ({ exitCode: on.side === "base" ? 1 : 0 }),
    [
      "evidence try on review",
      "on_base try on base",
      "words try on submission+price.js,README.md",
      "evidence try on review",
    ],
  ],
])("%s", ([, more, ends, runs]) => expect(drive(evidenceRuns(input(more)), ends).runs).toEqual(runs));

test("what the set-up has built of the work is built anew before a command is said not to notice", () => {
  const { runs } = drive(evidenceRuns(input({ stale: true })), ({ on, setsUp }) => ({
    exitCode: on.side === "base" || setsUp ? 1 : 0,
  }));
  expect(runs).toContain("words try on submission+price.js,README.md set up");
});

describe("what a command tells", () => {
  const ends = (all: Partial<Record<keyof OnTrees, number | "time">>): OnTrees =>
    Object.fromEntries(
      Object.entries(all).map(([tree, one]) => [tree, one === "time" ? one : { exitCode: one }]),
    );
  test.for<[Tells, OnTrees]>([
    ["work", ends({ base: 1, words: 1, names: 1, comment: 0 })],
    ["same", ends({ base: 1, words: 0 })],
    ["same", ends({ base: 1, words: 1, names: 0 })],
    ["data", ends({ base: 1, words: 1, names: 0, data: 1 })],
    ["text", ends({ base: 1, words: 1, names: 1, comment: 1 })],
    ["work", ends({ base: 0, words: 1, names: 1, comment: 1, base_comment: 1 })],
    ["unused", ends({ base: 1, words: 1, names: 1, comment: 0, unused: 0 })],
    ["not_run", ends({ base: 1, words: "time" })],
    ["not_run", ends({ base: 1, words: 1, names: "time" })],
  ])("%s: %j", ([tells, on]) => expect(tellsOf(on, 0, { sources: true, tests: false })).toBe(tells));

  test("where no source is changed, the text is the work", () =>
    expect(tellsOf(ends({ base: 1 }), 0, { sources: false, tests: false })).toBe("work"));
});

test("both sides are measured three times, in turn; a run that failed has no figure", () => {
  let n = 0;
  const { answer, runs } = drive(measuring("bench", []), ({ on }) =>
    on.side === "base" ? { exitCode: 1 } : { exitCode: 0, output: `took ${(n += 1)}` },
  );
  expect(answer).toEqual({ branch: [1, 2, 3], base: [] });
  expect(runs.map((one) => one.split(" on ")[1])).toEqual([
    "review",
    "base",
    "review",
    "base",
    "review",
    "base",
  ]);
});
