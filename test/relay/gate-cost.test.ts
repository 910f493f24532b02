/** What the review gate costs: no tree is checked twice but on purpose, and its time has an end. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import type { EventOf } from "../../src/core/journal/event.ts";
import { commit, openPlace, run, submit } from "../support/place.ts";
import type { Place } from "../support/place.ts";
import { full as test, testRows } from "../support/full.ts";

const id = "FEAT-0001";
const add = "add() {\n  echo $(($1 + $2))\n}\n";
const adds3 = add.replace("$2", "$2 + ${3:-0}");
const part = (name: string, sign: string): string => `${name}() {\n  echo $(($1 ${sign} $2))\n}\n`;
const tests = (file: string, call: string, result: number): string =>
  `. ./lib/${file}.sh\n[ "$(${call})" = ${result} ]\n`;
const all = "for t in tests/*.sh; do sh $t || exit 1; done\n";
const files = { "lib/add.sh": add, "tests/add.sh": tests("add", "add 1 2", 3) };
const sixParts = {
  "lib/add.sh": adds3,
  ...Object.fromEntries(
    "- * / % & |".split(" ").map((sign, at) => [`lib/part${at}.sh`, part(`part${at}`, sign)]),
  ),
  "tests/add.sh": tests("add", "add 1 2 3", 6),
  "tests/part0.sh": tests("part0", "part0 3 1", 2),
  "tests/part1.sh": tests("part1", "part1 3 1", 3),
};
const shown = { command: '. ./lib/add.sh; [ "$(add 1 2 3)" = 6 ]', exitCode: 0 };
const other = { command: '. ./lib/add.sh; [ "$(add 4 2 1)" = 7 ]', exitCode: 0 };
const probe = { command: '. ./lib/add.sh; [ "$(add 0 0)" = 0 ]', exitCode: 0 };
const approves = (...commands: object[]): object => ({
  verdict: "approve",
  criteria: commands.map((one) => ({ criterion: 1, result: "met", ...one })),
  probes: [probe],
});

type Story = { write: Record<string, string>; check?: string; settings?: string; reviewer?: object[][] };
type Runs = { place: Place; trees: string[] };

/** The check writes down, beside all clones, which tree it was given, and whose clone it was. */
async function reviewed({ write, check = all, settings = "", reviewer }: Story): Promise<Runs> {
  const counted = `find . -name .git -prune -o -type f -print | sort | xargs sha1sum | sha1sum | sed "s/-$/\${PWD##*.}/" >> "$(cat counted)"; ${check.trim()}`;
  const place = await openPlace(
    {
      executor: [[{ write }, commit, submit]],
      reviewer: reviewer ?? [[approves(shown, { command: counted, exitCode: 0 })]],
    },
    { files: { ...files, counted: "" }, settings: `checks: [${JSON.stringify(counted)}]\n${settings}` },
  );
  const log = join(place.around, "runs");
  await place.sh(`printf '%s' '${log}' > counted && git commit -qam Count`);
  const outcome = await place.monoco("run", id);
  expect(outcome, outcome.stdout).toMatchObject({ exitCode: 0 });
  return { place, trees: readFileSync(log, "utf8").trim().split("\n") };
}

test("no tree that has answered is checked again, but on purpose: green checks of changed tests, and a red on the base", async () => {
  const { trees } = await reviewed({ write: sixParts });
  const runsByTree = Object.values(Object.groupBy(trees, (tree) => tree.split(" ")[0]!));
  expect(runsByTree.flatMap((same = []) => (same.length > 1 ? [same.length] : []))).toEqual([2, 2]);
});

test("checks that the baseline saw green are not run on the base again: neither for evidence, nor where all is taken back", async () => {
  const { trees } = await reviewed({ write: { "lib/add.sh": adds3 } });
  const hashes = trees.map((tree) => tree.split(" ")[0]);
  expect(hashes.filter((hash) => hash === hashes[0])).toHaveLength(1);
});

const untested = Object.fromEntries(Object.entries(sixParts).filter(([path]) => path.startsWith("lib/")));

testRows<[string, string]>([
  ["a check that takes half of it", "sleep 1; "],
  ["a check that hangs on a tree that nobody submitted", "case $PWD in *.trial) sleep 90 ;; esac; "],
])("taking back stops when `review.minutes` is over: %s", async ([, slow]) => {
  const { place } = await reviewed({
    write: untested,
    check: slow + all,
    settings: "review: { minutes: 0.03333, takeBackMax: 20 }",
    reviewer: [[approves(shown, other)]],
  });
  const [{ trial }] = place.all("submission.tried") as [EventOf<"submission.tried">];
  expect(trial).toMatchObject({ onBase: { result: "none" }, takeBack: { result: "time" }, unguarded: true });
  expect(trial.takeBack.left).toBeGreaterThan(0);
  expect(trial.ms).toBeLessThan(30_000);
  const { stdout } = await place.monoco("issue", "review", id, "--show");
  expect(stdout).toContain("not tried: changes taken back (out of time (review.minutes))");
});

test("what `review.minutes` has no time for is taking back: the base's tests are crossed first, so that nobody is asked", async () => {
  const isOver = `until [ "$(cat "$(find "$PERSON/.monoco" -name trial-ms)" 2> /dev/null || echo 0)" -ge 4000 ]; do sleep 0.05; done`;
  const { place } = await reviewed({
    write: { ...untested, "tests/add.sh": tests("add", "add 2 2", 4) },
    check: `sleep 1; ${all}`,
    settings: "review: { minutes: 0.066667, takeBackMax: 20 }",
    reviewer: [[run(isOver), approves(shown, other)]],
  });
  expect(place.all("submission.tried").at(-1)).toMatchObject({
    trial: {
      onBase: { result: "pass" },
      crossing: { result: "tried", found: [] },
      takeBack: { result: "time" },
    },
  });
});

test("a check that takes half of `review.minutes`, named as evidence, too: the base is never left out, and the rest is", async () => {
  const { place, trees } = await reviewed({
    // What is not crossed in time would be for a person.
    write: { ...sixParts, "tests/add.sh": files["tests/add.sh"] },
    check: `sleep 3; ${all}`,
    settings: "review: { minutes: 0.1 }",
  });
  expect(trees.some((tree) => tree.endsWith(" base"))).toBe(true);
  expect(place.all("submission.tried").at(-1)).toMatchObject({
    trial: { onBase: { result: "fail" }, takeBack: { result: "not_needed" } },
  });
});
