/** The tests of a submission are put to the test: what fails without the change, what the base's own tests say, what nothing guards. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test as it } from "vitest";
import { commit, openPlace, run, submit } from "../support/place.ts";
import { full as test, testRows } from "../support/full.ts";
import type { Place } from "../support/place.ts";

const id = "FEAT-0001";
const add = "add() {\n  echo $(($1 + $2))\n}\n";
const sub = "\nsub() {\n  echo $(($1 - $2))\n}\n";
const tests = (call: string, result: number): string => `. ./lib.sh\n[ "$(${call})" = ${result} ]\n`;
const files = { "lib.sh": add, "tests/add.sh": tests("add 1 2", 3) };
const check = "for t in tests/*.sh; do sh $t || exit 1; done";
const evidence = { command: '. ./lib.sh; [ "$(sub 3 1)" = 2 ]', exitCode: 0 };
const probe = { command: '. ./lib.sh; [ "$(sub 1 3)" = -2 ]', exitCode: 0 };
const approving = (...shown: object[]): object[] => [
  {
    verdict: "approve",
    criteria: shown.map((one) => ({ criterion: 1, result: "met", ...one })),
    probes: [probe],
  },
];
const approves = approving(evidence);
const addProbe = { probes: [{ command: '. ./lib.sh; [ "$(add 1 1)" = 2 ]', exitCode: 0 }] };

type Story = { executor?: object[][]; reviewer?: object[][]; checks?: string; settings?: string };

/** A relay whose Executor submits these files, and whose Reviewer approves. */
async function open(write: Record<string, string>, story: Story = {}): Promise<Place> {
  const { executor = [], reviewer = [approves], settings = "" } = story;
  return openPlace(
    { executor: [[{ write }, commit, submit], ...executor], reviewer },
    {
      files: { ...files, ".gitignore": "dist/\n" },
      settings: `checks: [${JSON.stringify(story.checks ?? check)}]\n${settings}`,
    },
  );
}

const trialOf = (place: Place) =>
  place.all("checks.ran").find(({ target }) => target === "submission")!.trial;
const promptOf = (place: Place): string =>
  readFileSync(join(place.project, ".monoco/relays", id, "sessions/0002-reviewer/prompt.md"), "utf8");

describe("new tests over the base", () => {
  it("that pass there are listed, and an approval asks a person", async () => {
    const place = await open({ "lib.sh": add + sub, "tests/sub.sh": tests("add 2 2", 4) });
    const ran = await place.monoco("run", id);
    expect(ran).toMatchObject({ exitCode: 1 });
    expect(ran.stdout).toContain(
      "no new test fails on the base (tests/sub.sh): a person has to approve, too",
    );
    expect(trialOf(place)!.onBase).toEqual({ result: "pass", files: ["tests/sub.sh"], required: true });
    expect(promptOf(place)).toContain("NO NEW TEST FAILS ON THE BASE");
    expect((await place.monoco("issue", "review", id, "--show")).stdout).toMatch(
      /## The tests, put to the test\n[^]*NO NEW TEST FAILS/,
    );
    expect(await place.monoco("issue", "review", id, "--approve")).toMatchObject({ exitCode: 0 });
    expect(await place.monoco("relay", "resume", id)).toMatchObject({ exitCode: 0 });
  });

  test("that fail there are no hindrance", async () => {
    const place = await open({ "lib.sh": add + sub, "tests/sub.sh": tests("sub 3 1", 2) });
    expect(await place.monoco("run", id)).toMatchObject({ exitCode: 0 });
    expect(trialOf(place)!.onBase).toMatchObject({ result: "fail", files: ["tests/sub.sh"] });
  });
});

test("a red that does not repeat shows nothing", async () => {
  const flaky = `case $PWD in *.base) [ -e ../seen ] || { touch ../seen; exit 1; };; esac; ${check}`;
  const place = await open({ "lib.sh": add + sub, "tests/sub.sh": tests("add 2 2", 4) }, { checks: flaky });
  await place.monoco("run", id);
  expect(trialOf(place)!.onBase.result).toBe("unclear");
});

test("a red that repeats on one tree proves nothing of a red on another", async () => {
  const once = "[ -e ../seen ] || { touch ../seen; exit 1; }";
  const flaky = `case $PWD in *.trial) grep -q echo lib/mul.sh || ${once};; esac; ${check}`;
  const place = await open(
    { "lib.sh": add + sub, "lib/mul.sh": "mul() {\n  echo 1\n}\n", "tests/sub.sh": tests("sub 3 1", 2) },
    { checks: flaky },
  );
  await place.monoco("run", id);
  const { onBase, takeBack } = trialOf(place)!;
  expect(onBase.result).toBe("fail");
  expect(takeBack.changes).toMatchObject([
    { file: "lib.sh", result: "guarded" },
    { file: "lib/mul.sh", result: "unseen" },
  ]);
});

describe("the base's tests, crossed with the submission,", () => {
  it("that turn red where its own are green are a listed weakening", async () => {
    const place = await open({
      "lib.sh": "add() {\n  echo 0\n}\n" + sub,
      "tests/add.sh": tests("add 1 2", 0),
    });
    expect(await place.monoco("run", id)).toMatchObject({ exitCode: 0 });
    expect(trialOf(place)!.crossing).toMatchObject({
      result: "tried",
      found: [{ crossed: "base_tests", result: "weakened", files: ["tests/add.sh"] }],
    });
    expect(place.all("submission.inspected").at(-1)!.weakened).toMatchObject([
      { file: "tests/add.sh", kind: "crossed" },
    ]);
  });
});

describe("changes that are taken back", () => {
  const mul = "mul() {\n  echo $(($1 * $2))\n}\n";

  it("are listed where all checks stay green without them, to the Reviewer and in the dossier", async () => {
    const place = await open({ "lib.sh": add + sub, "lib/mul.sh": mul, "tests/sub.sh": tests("sub 3 1", 2) });
    expect(await place.monoco("run", id)).toMatchObject({ exitCode: 0 });
    const { takeBack } = trialOf(place)!;
    expect(takeBack).toMatchObject({
      result: "tried",
      changes: [
        { file: "lib.sh", line: 6, lines: 1, result: "guarded" },
        { file: "lib/mul.sh", line: 2, lines: 1, result: "unguarded" },
      ],
    });
    expect(promptOf(place)).toContain("lib/mul.sh:2 (1 line) taken back: UNGUARDED: nothing turns red");
  });

  test("are all taken back at once for evidence that only something is there: it has to notice", async () => {
    const hollow = { command: ". ./lib.sh && sub 3 1", exitCode: 0 };
    const place = await open({ "lib.sh": add + sub }, { reviewer: [approving(hollow), approves] });
    expect(await place.monoco("run", id)).toMatchObject({ exitCode: 0 });
    expect(place.all("review.refused")).toMatchObject([
      { why: [expect.stringContaining("ends the same on the submission when all work is taken out")] },
    ]);
    expect(place.all("review.decided")).toMatchObject([
      {
        criteria: [{ worth: "shown_by_absence", emptied: "differs" }],
        takenBack: [{ file: "lib.sh", line: 6, result: "guarded", by: evidence.command }],
      },
    ]);
  });
});

describe("evidence that ends otherwise on the base", () => {
  const added = (text: string): object[] => [
    { write: { "look.sh": text } },
    { ...approving({ command: "sh look.sh", exitCode: 0 })[0], ...addProbe },
  ];
  const noted = { "lib.sh": `# done\n${add}` };

  testRows<[string, string, string]>([
    ["reads a comment", "grep -q done lib.sh", "ends the same on the submission when all work is taken out"],
    ["asks git", "git log -1 --format=%s | grep -q work", "ends the same on the submission when all work"],
    ["remembers that it has run", "mkdir ../seen", "when it ran again after the base"],
  ])("shows nothing where the Reviewer's program only %s", async ([, text, why]) => {
    const place = await open(noted, { reviewer: [added(text)] });
    expect(await place.monoco("run", id)).toMatchObject({ exitCode: 1 });
    expect(place.all("merge.done")).toEqual([]);
    expect(place.all("review.refused")[0]!.why).toEqual([expect.stringContaining(why)]);
  });

  test("by nothing but a new program that nothing names asks a person", async () => {
    // The story is a file of the project, and would name them.
    const props =
      "echo 'echo 2' > pro''ve.sh; echo 'sh pro''ve.sh' > bo''th.sh; echo 'See pro''ve.sh' > NOTES.md";
    const shown = { command: 'test "$(sh p*ve.sh)" = 2', exitCode: 0 };
    const approved = { ...approving(shown)[0], ...addProbe };
    const place = await openPlace(
      { executor: [[{ write: noted }, run(props), commit, submit]], reviewer: [[approved]] },
      { files, settings: `checks: [${JSON.stringify(check)}]` },
    );
    expect(await place.monoco("run", id)).toMatchObject({ exitCode: 1 });
    expect(place.events().at(-1)).toMatchObject({ reason: { rule: "human_gate", criteria: [1] } });
    expect((await place.monoco("issue", "review", id, "--show")).stdout).toContain(
      "ONLY BY A NEW FILE THAT NOTHING NAMES",
    );
  });

  // `noted` is no work: run.conf, or the new test, is all that decides.
  testRows<[string, Record<string, string>, string, string]>([
    [
      "data",
      { "run.conf": "echo 2\n", ...noted },
      "sh run.conf",
      "ONLY BY WHAT IS NEITHER A SOURCE NOR A TEST",
    ],
    ["tests", { "tests/sub.sh": "echo 2\n" }, "sh tests/sub.sh", "ONLY BY TESTS"],
  ])("by nothing but data, or by nothing but tests, asks a person: %s", async ([, write, runs, words]) => {
    const shown = { command: `test "$(${runs})" = 2`, exitCode: 0 };
    const place = await open(write, { reviewer: [[{ ...approving(shown)[0], ...addProbe }]] });
    expect(await place.monoco("run", id)).toMatchObject({ exitCode: 1 });
    expect(place.events().at(-1)).toMatchObject({ reason: { rule: "human_gate", criteria: [1] } });
    expect((await place.monoco("issue", "review", id, "--show")).stdout).toContain(words);
  });

  test("is looked at with what the set-up builds from what is left", async () => {
    const built = { command: '. ./dist/lib.sh; [ "$(sub 3 1)" = 2 ]', exitCode: 0 };
    const settings = 'setup: ["mkdir -p dist && cp lib.sh dist/"]';
    const place = await open({ "lib.sh": add + sub }, { reviewer: [approving(built)], settings });
    expect(await place.monoco("run", id)).toMatchObject({ exitCode: 0 });
    expect(place.all("review.decided")[0]!.criteria).toMatchObject([{ emptied: "differs" }]);
  });

  test("is looked at with what the checks build from what is left", async () => {
    const built = { command: '. ./dist/lib.sh; [ "$(sub 3 1)" = 2 ]', exitCode: 0 };
    const checks = `mkdir -p dist && cp lib.sh dist/ && ${check}`;
    const place = await open({ "lib.sh": add + sub }, { reviewer: [approving(built)], checks });
    expect(await place.monoco("run", id)).toMatchObject({ exitCode: 0 });
    expect(place.all("review.decided")[0]!.criteria).toMatchObject([{ emptied: "differs" }]);
  });
});

test("a set-up that works from the change on keeps no first session from beginning, and a second one waits for it", async () => {
  const settings = 'setup: ["test -f ready"]';
  const place = await open({ "lib.sh": add + sub, ready: "" }, { settings });
  await place.monoco("run", id);
  expect(
    readFileSync(join(place.project, ".monoco/relays", id, "sessions/0001-executor/prompt.md"), "utf8"),
  ).toContain("`setup` fails in this clone");
  expect(place.events().at(-1)).toMatchObject({ reason: { rule: "human_gate" } });

  const idle = await openPlace(
    { executor: [[{ write: { a: "" } }, commit]], reviewer: [approves] },
    { files, settings },
  );
  const ran = await idle.monoco("run", id);
  expect(ran).toMatchObject({ exitCode: 1, stderr: "" });
  expect(idle.all("session.started")).toHaveLength(1);
  expect(idle.events().at(-1)).toMatchObject({ reason: { rule: "setup_failed" } });
});

describe("the time that it takes", () => {
  const counted = `pwd >> ../counted; ${check}`;
  const honest = { "lib.sh": add + sub, "tests/sub.sh": tests("sub 3 1", 2) };
  const places = async (place: Place): Promise<string[]> =>
    (await place.sh(`cat "$(find '${place.around}/state' -name counted)"`))
      .split("\n")
      .map((path) => path.replace(/^.*\./, ""));

  test("is none where it is switched off, and the dossier says so", async () => {
    const settings = "review: { testsOnBase: false, crossing: false, takeBack: false }";
    const changed = { ...honest, "tests/add.sh": tests("add 2 2", 4) };
    const place = await open(changed, { settings, checks: counted });
    expect(await place.monoco("run", id)).toMatchObject({ exitCode: 0 });
    // Its tests are its own: green checks run a second time.
    expect(await places(place)).toEqual(["review", "review"]);
    const { stdout } = await place.monoco("issue", "review", id, "--show");
    expect(stdout).toContain("not tried: the new tests on the base (switched off)");
    expect(stdout).toContain("not tried: the tests crossed with the base's (switched off)");
    expect(stdout).toContain("not tried: changes taken back (switched off)");
    expect(stdout).toContain("shown by absence; not taken back");
  });

  it("ends with review.minutes, which the dossier says", async () => {
    const place = await open(honest, { settings: "review: { minutes: 0.00001 }", checks: counted });
    expect(await place.monoco("run", id)).toMatchObject({ exitCode: 0 });
    expect(trialOf(place)).toMatchObject({
      onBase: { result: "time" },
      takeBack: { result: "time", left: 1 },
    });
    expect((await places(place)).length).toBeLessThan(5);
  });

  test("is none for a tree that was tried before", async () => {
    const rejects = [
      {
        verdict: "request_changes",
        findings: [{ id: "a", severity: "major", title: "A", criterion: "1", evidence: { text: "" } }],
      },
    ];
    const again = [run("git commit -q --allow-empty -m Again"), submit];
    const place = await open(honest, { executor: [again], reviewer: [rejects, approves], checks: counted });
    expect(await place.monoco("run", id)).toMatchObject({ exitCode: 0 });
    // The new test over the base, twice, and the base; a change taken back, twice.
    const tried = ["base", "base", "base", "trial", "trial"];
    expect(await places(place)).toEqual(["review", "review", ...tried, "review", "review"]);
  });
});

describe("each command of the evidence", () => {
  test("finds the clones as they were, and what the checks have built on both sides", async () => {
    const spoils =
      'sed -i d lib.sh; echo > more; git checkout -qf --detach $(git rev-list --max-parents=0 HEAD); . ./dist/lib.sh; [ "$(sub 3 1)" = 2 ]';
    const clean =
      'test ! -e more && test "$(git log -1 --format=%s)" = work && . ./lib.sh && [ "$(sub 3 1)" = 2 ]';
    const built = '. ./dist/lib.sh && [ "$(add 1 2)" = 3 ]';
    const shown = [spoils, clean, built].map((command) => ({ command, exitCode: 0 }));
    const checks = `mkdir -p dist && cp lib.sh dist/ && ${check}`;
    const place = await open({ "lib.sh": add + sub }, { reviewer: [approving(...shown)], checks });
    await place.monoco("run", id);
    const [decided] = place.all("review.decided");
    expect(decided!.criteria).toMatchObject([
      { reproduced: true },
      { reproduced: true },
      { reproduced: true, worth: "as_before" },
    ]);
  });

  test("is not run where the Reviewer's clone cannot be set up again: a person is asked", async () => {
    const place = await open(
      { "lib.sh": add + sub },
      {
        reviewer: [[run("touch ../broken"), run("rm -rf ../*.review")]],
        settings: 'setup: ["test ! -e ../broken"]',
      },
    );
    expect(await place.monoco("run", id)).toMatchObject({ exitCode: 1 });
    expect(place.events().at(-1)).toMatchObject({ type: "relay.blocked", reason: { rule: "setup_failed" } });
  });
});
