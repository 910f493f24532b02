/** What the review gate costs, in runs of a check: no tree is checked twice but on purpose, and its time has an end. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
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
const files = {
  "lib/add.sh": add,
  "tests/add.sh": tests("add", "add 1 2", 3),
  "all.sh": all,
  ".gitignore": "dist/\n",
};
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
const probe = { command: '. ./lib/add.sh; [ "$(add 0 0)" = 0 ]', exitCode: 0 };
const approves = (...commands: object[]): object => ({
  verdict: "approve",
  criteria: commands.map((one) => ({ criterion: 1, result: "met", ...one })),
  probes: [probe],
});

type Story = { write: Record<string, string>; check?: string; settings?: string; reviewer?: object[][] };
type Runs = { place: Place; trees: string[]; check: string };

/** The check writes down, beside all clones, which tree it was given. */
async function reviewed({ write, check = all, settings = "", reviewer }: Story): Promise<Runs> {
  const counted = `find . -name .git -prune -o -name dist -prune -o -type f -print | sort | xargs sha1sum | sha1sum >> "$(cat counted)"; ${check.trim()}`;
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
  return { place, check: counted, trees: readFileSync(log, "utf8").trim().split("\n") };
}

/** The trees that were checked more than once, as the number of runs of each. */
const repeats = ({ trees }: Runs): number[] =>
  Object.values(Object.groupBy(trees, (tree) => tree)).flatMap((same = []) =>
    same.length > 1 ? [same.length] : [],
  );

const checkSubmission = 1;

testRows<[string, Story, { repeats: number[]; takenBack: number }]>([
  ["many changes with tests", { write: sixParts }, { repeats: [2, 2, 2, 2], takenBack: 2 }],
  [
    "one change: the tests over the base are the same tree as the change taken back",
    { write: { "lib/add.sh": adds3, "tests/three.sh": tests("add", "add 1 2 3", 6) } },
    { repeats: [2, 2], takenBack: 1 },
  ],
  [
    "a change without tests, and a check that builds: its run on the base is its evidence, too",
    {
      write: { "lib/add.sh": adds3 },
      check: `mkdir -p dist && cp lib/*.sh dist && ${all}`,
      settings: "review: { takeBack: false }",
    },
    { repeats: [], takenBack: 0 },
  ],
  [
    "the checks' own script as well: fewer changes are taken back",
    {
      write: { ...sixParts, "all.sh": `set -e\n${all}` },
      check: "sh all.sh",
      settings: "gates: { protected: reviewer }",
    },
    { repeats: [2, 2, 2], takenBack: 1 },
  ],
  [
    "the base moves, and is met: the merged tree is checked once",
    {
      write: sixParts,
      reviewer: [
        [run('cd "$PERSON" && echo "# sums" >> lib/add.sh && git commit -qam Moved'), approves(shown)],
        [{ verdict: "approve", probes: [shown] }],
      ],
    },
    { repeats: [2, 2, 2, 2], takenBack: 2 },
  ],
])("%s: at most ten runs are added, and none that a tree has answered", async ([, story, seen]) => {
  const runs = await reviewed(story);
  // On purpose: green checks of changed tests run twice, and each red one on its own tree.
  expect(repeats(runs)).toEqual(seen.repeats);
  expect(runs.trees.length - checkSubmission).toBeLessThanOrEqual(10);
  const [{ trial } = {}] = runs.place.all("checks.ran");
  expect(trial!.takeBack.changes).toHaveLength(seen.takenBack);
});

testRows<[string, string]>([
  ["a check that takes half of it, whose second run counts", "sleep 1; "],
  ["a check that hangs on a tree that nobody submitted", "case $PWD in *.base | *.trial) sleep 90 ;; esac; "],
])("taking back and crossing stop when `review.minutes` is over: %s", async ([, slow]) => {
  const { place, trees } = await reviewed({
    write: sixParts,
    check: slow + all,
    settings: "review: { minutes: 0.03333 }",
    reviewer: [[approves(shown)]],
  });
  const [{ trial } = {}] = place.all("checks.ran");
  expect(trial).toMatchObject({ onBase: { result: "time" }, takeBack: { result: "time", changes: [] } });
  // Twice on the submission; the first run on another tree is ended when the time is.
  expect(trees.length).toBeLessThanOrEqual(3);
  expect(trial!.ms).toBeLessThan(30_000);
  const prompt = join(place.project, ".monoco/relays", id, "sessions/0002-reviewer/prompt.md");
  expect(readFileSync(prompt, "utf8")).toContain(
    "not tried: changes taken back (out of time (review.minutes))",
  );
});

test("a check that takes half of `review.minutes`, named as evidence, too: the gate adds no more than that", async () => {
  const { trees } = await reviewed({
    write: sixParts,
    check: `sleep 3; ${all}`,
    settings: "review: { minutes: 0.1 }",
  });
  const checkedTwice = 1;
  const evidenceOnBase = 1;
  expect(trees).toHaveLength(checkSubmission + checkedTwice + evidenceOnBase);
});
