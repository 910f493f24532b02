/** The tests of a submission are put to the test: what fails without the change, what the base's own tests say, what nothing guards. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test as it } from "vitest";
import { commit, issuePath, issueText, openPlace, run, submit } from "../support/place.ts";
import { full as test, testRows } from "../support/full.ts";
import type { Place } from "../support/place.ts";

const id = "FEAT-0001";
const add = "add() {\n  echo $(($1 + $2))\n}\n";
const sub = "\nsub() {\n  echo $(($1 - $2))\n}\n";
/** Beside the work that the evidence is about. */
const more = "mul() {\n  echo $(($1 * $2))\n}\n";
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
const second = { command: '. ./lib.sh; [ "$(sub 9 4)" = 5 ]', exitCode: 0 };
/** For what is not about what guards the change. */
const unaskedFor = "review: { testsOnBase: false, takeBack: false }";
const addProbe = { probes: [{ command: '. ./lib.sh; [ "$(add 1 1)" = 2 ]', exitCode: 0 }] };

/** As `checks:` has it. */
const selectable = { run: check, select: "for t in {files}; do sh $t || exit 1; done" };

type Story = {
  executor?: object[][];
  reviewer?: object[][];
  checks?: string | object;
  settings?: string;
  criterion?: string;
  /** Of the issue. */
  front?: string;
};

/** A relay whose Executor submits these files, and whose Reviewer approves. */
async function open(write: Record<string, string>, story: Story = {}): Promise<Place> {
  const { executor = [], reviewer = [approves], settings = "", criterion = "the file is there" } = story;
  const text = issueText(id, story.front).replace("the file is there", criterion);
  return openPlace(
    { executor: [[{ write }, commit, submit], ...executor], reviewer },
    {
      files: { ...files, [issuePath(id)]: text, ".gitignore": "dist/\n" },
      settings: `checks: [${JSON.stringify(story.checks ?? check)}]\nbaseline: none\n${settings}`,
    },
  );
}

const trialOf = (place: Place) => place.all("submission.tried").at(-1)!.trial;
const promptOf = (place: Place, session = "0002-reviewer"): string =>
  readFileSync(join(place.project, ".monoco/relays", id, `sessions/${session}/prompt.md`), "utf8");
const dossierOf = async (place: Place): Promise<string> =>
  (await place.monoco("issue", "review", id, "--show")).stdout;

describe("new tests over the base", () => {
  it("that pass there are listed, and the Reviewer is asked about them", async () => {
    const write = { "lib.sh": add + sub, "more.sh": more, "tests/sub.sh": tests("add 2 2", 4) };
    const place = await open(write);
    expect(await place.monoco("run", id)).toMatchObject({ exitCode: 0 });
    expect(trialOf(place)).toMatchObject({ unguarded: true });
    expect(trialOf(place).onBase).toEqual({ result: "pass", files: ["tests/sub.sh"] });
    expect(promptOf(place, "0003-reviewer")).toContain(
      "- W1 (lib.sh, more.sh: no new test fails on the base, except for want of a name, and no check guards the change) is listed",
    );
    expect(await dossierOf(place)).toMatch(/## The tests, put to the test\n[^]*NO NEW TEST FAILS/);
  });

  test("that are none are for the Reviewer to answer", async () => {
    const write = { "lib.sh": add + sub, "more.sh": more };
    const place = await open(write, { reviewer: [approving(evidence, second)] });
    expect(await place.monoco("run", id)).toMatchObject({ exitCode: 0 });
    expect(trialOf(place)).toMatchObject({ onBase: { result: "none" }, unguarded: true });
    expect(place.all("review.refused").map(({ why }) => why)).toEqual([
      [expect.stringMatching(/^W1 \(lib\.sh, more\.sh: no new test fails/)],
    ]);
    expect(place.all("review.decided")).toMatchObject([{ answers: [{ id: "W1" }] }]);
  });

  test("that fail there are no hindrance", async () => {
    const place = await open({ "lib.sh": add + sub, "tests/sub.sh": tests("sub 3 1", 2) });
    expect(await place.monoco("run", id)).toMatchObject({ exitCode: 0 });
    expect(trialOf(place).onBase).toMatchObject({ result: "fail", files: ["tests/sub.sh"] });
  });
});

test("a red that does not repeat shows nothing", async () => {
  const flaky = `case $PWD in *.base) [ -e ../seen ] || { touch ../seen; exit 1; };; esac; ${check}`;
  const place = await open({ "lib.sh": add + sub, "tests/sub.sh": tests("add 2 2", 4) }, { checks: flaky });
  await place.monoco("run", id);
  expect(trialOf(place).onBase.result).toBe("unclear");
});

it("a check that was red on the same work and is green now is listed as flaky", async () => {
  const lucky = `case $PWD in *.review) [ -e ../seen ] || { touch ../seen; exit 1; };; esac; ${check}`;
  const place = await open(
    { "lib.sh": add + sub, "tests/sub.sh": tests("sub 3 1", 2) },
    { checks: lucky, executor: [[{ write: { "NOTES.md": "looked at again\n" } }, commit, submit]] },
  );
  expect(await place.monoco("run", id)).toMatchObject({ exitCode: 0 });
  expect(place.all("checks.ran").filter(({ target }) => target === "submission")).toMatchObject([
    { ok: false },
    { ok: true },
  ]);
  expect(trialOf(place)).toMatchObject({ flaky: [lucky] });
  expect(place.all("review.decided").at(-1)).toMatchObject({ answers: [{ id: "W1" }] });
});

test("new tests that fail there only for want of a name are for the Reviewer to answer", async () => {
  const place = await open({ "lib.sh": add + sub, "tests/sub.sh": ". ./lib.sh\ntype sub\n" });
  expect(await place.monoco("run", id)).toMatchObject({ exitCode: 0 });
  expect(trialOf(place)).toMatchObject({ onBase: { result: "fail" }, unguarded: true });
  expect(place.all("review.refused").map(({ why }) => why)).toEqual([
    [expect.stringMatching(/^W1 \(lib\.sh: no new test fails on the base, except for want of a name/)],
  ]);
});

describe("the base's tests, crossed with the submission,", () => {
  const asksLess = { "lib.sh": "add() {\n  echo 0\n}\n" + sub, "tests/add.sh": tests("add 1 2", 0) };

  test("run alone, and say so in the log with their time, where a check says how", async () => {
    const slow = { ...selectable, select: `sleep 1.1; ${selectable.select}` };
    const place = await open(asksLess, { checks: slow });
    const { stdout } = await place.monoco("run", id);
    const narrow = "for t in tests/add.sh; do sh $t || exit 1; done";
    expect(trialOf(place).crossing.found).toMatchObject([
      { result: "weakened", command: `sleep 1.1; ${narrow}` },
    ]);
    expect(stdout).toContain(`crossed tests: sleep 1.1; ${narrow} (exit status 1 after 1.`);
  });

  it("that turn red where its own are green ask a person", async () => {
    const place = await open(asksLess);
    expect(await place.monoco("run", id)).toMatchObject({ exitCode: 1 });
    expect(trialOf(place).crossing).toMatchObject({
      result: "tried",
      found: [{ crossed: "base_tests", result: "weakened", files: ["tests/add.sh"] }],
    });
    expect(place.all("submission.inspected").at(-1)!.weakened).toMatchObject([
      { file: "tests/add.sh", kind: "crossed" },
    ]);
    // It is asked once more for the place alone, and its answer does not make it stand.
    expect(place.events().at(-1)).toMatchObject({ reason: { rule: "human_gate", tests: ["tests/add.sh"] } });
    expect(place.all("merge.done")).toEqual([]);
    expect(await place.monoco("issue", "review", id, "--approve", "--no-run")).toMatchObject({ exitCode: 0 });
    expect(await place.monoco("relay", "resume", id)).toMatchObject({ exitCode: 0 });
  });

  testRows<[string, Story, string]>(
    [
      ["the contract allows the file", { front: 'allows: ["tests/**"]\n' }, "allowed"],
      ["a criterion names the input and the new value", { criterion: "`add 1 2` prints 0" }, "criterion"],
    ],
    () => false,
  )("ask nobody where %s", async ([, story, excused]) => {
    const place = await open(asksLess, story);
    await place.monoco("run", id);
    expect(trialOf(place).crossing.found).toMatchObject([{ result: "weakened", excused }]);
    expect(place.all("merge.done")).toHaveLength(1);
  });

  test("that only cannot load a name which is gone are listed: answered, they may stand", async () => {
    const plus = { "lib.sh": "plus() {\n  echo $(($1 + $2))\n}\n", "tests/add.sh": tests("plus 1 2", 3) };
    const shown = { command: '. ./lib.sh; [ "$(plus 3 1)" = 4 ]', exitCode: 0 };
    const other = { command: '. ./lib.sh; [ "$(plus 0 1)" = 1 ]', exitCode: 0 };
    const place = await open(plus, { reviewer: [[{ ...approving(shown)[0], probes: [other] }]] });
    await place.monoco("run", id);
    expect(trialOf(place).crossing.found).toMatchObject([{ result: "interface" }]);
    expect(place.all("merge.done")).toHaveLength(1);
  });

  test("that turn red once, and green the next time, prove nothing: they are listed", async () => {
    const flaky = `case $PWD in *.trial) grep -q sub tests/add.sh || [ -e ../seen ] || { touch ../seen; exit 1; };; esac; ${check}`;
    const changed = { "lib.sh": add + sub, "tests/add.sh": tests("sub 3 1", 2) };
    const place = await open(changed, { checks: flaky });
    expect(await place.monoco("run", id)).toMatchObject({ exitCode: 0 });
    expect(trialOf(place)).toMatchObject({
      onBase: { result: "fail" },
      crossing: { found: [{ result: "flaky" }] },
    });
    expect(place.all("submission.inspected").at(-1)!.weakened).toMatchObject([{ kind: "flaky" }]);
    expect(place.all("review.decided")).toMatchObject([{ answers: [{ id: "W1" }] }]);
  });
});

it.for<[title: string, begins: string, counts: boolean]>([
  ["a program, if its first line says so", "#!/bin/sh\n", false],
  ["data, if nothing says so", "", true],
])("a file without an ending is %s", async ([, begins, counts]) => {
  const said = { command: "grep -q 'Section: net' debian/control", exitCode: 0 };
  const work = { "debian/control": `${begins}# Section: net\n` };
  const place = await open(work, {
    reviewer: [[{ ...approving(said)[0], ...addProbe }]],
    settings: "review: { takeBack: false }\n",
  });
  expect(await place.monoco("run", id)).toMatchObject({ exitCode: counts ? 0 : 1 });
});

describe("changes that are taken back", () => {
  const mul = "mul() {\n  echo $(($1 * $2))\n}\n";

  it("are named in the dossier where all checks stay green without them", async () => {
    // The Reviewer is at work until the last of them has been begun.
    const meets = "mkfifo ../met 2> /dev/null;";
    const tells = `! [ -e lib/mul.sh ] || grep -q echo lib/mul.sh || { ${meets} echo > ../met; }; ${check}`;
    const place = await open(
      { "lib.sh": add + sub, "lib/mul.sh": mul, "tests/sub.sh": tests("sub 3 1", 2) },
      { checks: tells, reviewer: [[run(`${meets} cat ../met`), ...approves]] },
    );
    expect(await place.monoco("run", id)).toMatchObject({ exitCode: 0 });
    expect(trialOf(place).takeBack).toMatchObject({
      result: "tried",
      changes: [
        { file: "lib.sh", line: 6, lines: 1, result: "guarded" },
        { file: "lib/mul.sh", line: 2, lines: 1, result: "unguarded" },
      ],
    });
    expect(promptOf(place)).not.toContain("taken back");
    expect(await dossierOf(place)).toContain("No check fails if lib/mul.sh:2 is removed");
  });

  test("are all taken back at once for evidence that only something is there: it has to notice", async () => {
    const hollow = { command: ". ./lib.sh && sub 3 1", exitCode: 0 };
    const reviewer = [approving(hollow), approving(evidence, second)];
    const place = await open({ "lib.sh": add + sub }, { reviewer });
    expect(await place.monoco("run", id)).toMatchObject({ exitCode: 0 });
    expect(place.all("review.refused")).toMatchObject([
      {
        why: [
          expect.stringContaining("it shows that something is there, and not that it works"),
          expect.stringMatching(/^W1 /),
        ],
      },
    ]);
    expect(place.all("review.decided")).toMatchObject([
      {
        criteria: [{ worth: "shown_by_absence", emptied: "differs" }, {}],
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

  const isThere =
    "`sh look.sh` ended with 0 on the submission, 1 on the base, 0 on the submission without its work: it shows that something is there, and not that it works";

  testRows<[string, string, string]>([
    ["reads a comment", "grep -q done lib.sh", isThere],
    ["asks git", "git log -1 --format=%s | grep -q work", isThere],
    ["remembers that it has run", "mkdir ../seen", "when it ran again after the base"],
  ])("shows nothing where the Reviewer's program only %s", async ([, text, why]) => {
    const place = await open(noted, { reviewer: [added(text)], settings: unaskedFor });
    expect(await place.monoco("run", id)).toMatchObject({ exitCode: 1 });
    expect(place.all("merge.done")).toEqual([]);
    expect(place.all("review.refused")[0]!.why).toEqual([expect.stringContaining(why)]);
    expect(place.events().at(-1)).toMatchObject({ reason: { rule: "evidence_unclear", criteria: [1] } });
  });

  test("by nothing but a new program that nothing names asks a person", async () => {
    // The story is a file of the project, and would name them.
    const props =
      "echo 'echo 2' > pro''ve.sh; echo 'sh pro''ve.sh' > bo''th.sh; echo 'See pro''ve.sh' > NOTES.md";
    const shown = { command: 'test "$(sh p*ve.sh)" = 2', exitCode: 0 };
    const approved = { ...approving(shown)[0], ...addProbe };
    const place = await openPlace(
      { executor: [[{ write: noted }, run(props), commit, submit]], reviewer: [[approved]] },
      { files, settings: `checks: [${JSON.stringify(check)}]\n${unaskedFor}` },
    );
    expect(await place.monoco("run", id)).toMatchObject({ exitCode: 1 });
    expect(place.events().at(-1)).toMatchObject({ reason: { rule: "evidence_unclear", criteria: [1] } });
    expect(await dossierOf(place)).toContain("result depends only on a new file that nothing names");
  });

  // `noted` is no work: run.conf, or the new test, is all that decides.
  testRows<[string, Record<string, string>, string, string]>([
    [
      "data",
      { "run.conf": "echo 2\n", ...noted },
      "sh run.conf",
      "result depends only on files that are neither sources nor tests",
    ],
    [
      "tests",
      { "tests/sub.sh": "echo 2\n" },
      "sh tests/sub.sh",
      "shown; result is the same when the change is removed",
    ],
  ])("by nothing but data, or by nothing but tests, asks a person: %s", async ([, write, runs, words]) => {
    const shown = { command: `test "$(${runs})" = 2`, exitCode: 0 };
    const reviewer = [[{ ...approving(shown)[0], ...addProbe }]];
    const place = await open(write, { reviewer, settings: unaskedFor, criterion: "it adds up" });
    expect(await place.monoco("run", id)).toMatchObject({ exitCode: 1 });
    expect(place.events().at(-1)).toMatchObject({ reason: { rule: "evidence_unclear", criteria: [1] } });
    expect(await dossierOf(place)).toContain(words);
  });

  test("counts where a comment is an error in a new program, whose language its name does not say", async () => {
    const sum = "#!/usr/bin/env node\nconsole.log(process.argv[2] - process.argv[3]);\n";
    const shown = { command: 'test "$(node sub 3 1)" = 2', exitCode: 0 };
    const reviewer = [[{ ...approving(shown)[0], ...addProbe }]];
    const place = await open({ sub: sum }, { reviewer, settings: unaskedFor });
    expect(await place.monoco("run", id)).toMatchObject({ exitCode: 0 });
    expect(place.all("review.decided")[0]!.criteria).toMatchObject([{ emptied: "differs" }]);
  });

  test("is looked at with what the set-up builds from what is left", async () => {
    const built = { command: '. ./dist/lib.sh; [ "$(sub 3 1)" = 2 ]', exitCode: 0 };
    const settings = `setup: ["mkdir -p dist && cp lib.sh dist/"]\n${unaskedFor}`;
    const place = await open({ "lib.sh": add + sub }, { reviewer: [approving(built)], settings });
    expect(await place.monoco("run", id)).toMatchObject({ exitCode: 0 });
    expect(place.all("review.decided")[0]!.criteria).toMatchObject([{ emptied: "differs" }]);
  });

  test("is looked at with what the checks build from what is left", async () => {
    const built = { command: '. ./dist/lib.sh; [ "$(sub 3 1)" = 2 ]', exitCode: 0 };
    const checks = `mkdir -p dist && cp lib.sh dist/ && ${check}`;
    const reviewer = [approving(built)];
    const place = await open({ "lib.sh": add + sub }, { reviewer, checks, settings: unaskedFor });
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
  // A base that cannot be set up guards nothing: the Reviewer is asked about the change.
  expect(place.all("review.decided")).toMatchObject([{ answers: [{ id: "W1" }] }]);

  const idle = await openPlace(
    { executor: [[{ write: { a: "" } }, commit]], reviewer: [approves] },
    { files, settings: `${settings}\nbaseline: none` },
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
    expect(await places(place)).toEqual(["review", "trial"]);
    expect(trialOf(place).unguarded).toBeUndefined();
    const stdout = await dossierOf(place);
    expect(stdout).toContain("not tried: the new tests on the base (switched off)");
    expect(stdout).toContain("not tried: the tests crossed with the base's (switched off)");
    expect(stdout).toContain("not tried: changes taken back (switched off)");
  });

  test("is none where it is switched off, and a change without tests is no place to answer", async () => {
    const place = await open({ "lib.sh": add + sub }, { settings: unaskedFor });
    expect(await place.monoco("run", id)).toMatchObject({ exitCode: 0 });
    expect(trialOf(place)).toMatchObject({ onBase: { result: "off" }, takeBack: { result: "off" } });
    expect(place.all("review.refused")).toEqual([]);
  });

  it("ends with review.minutes, but for runs on the base, and the dossier says so", async () => {
    const place = await open(
      { "lib.sh": add + sub, "tests/sub.sh": tests("add 2 2", 4) },
      {
        settings: "review: { minutes: 0.00001 }",
        checks: counted,
        reviewer: [approving(evidence, second)],
      },
    );
    expect(await place.monoco("run", id)).toMatchObject({ exitCode: 0 });
    expect(trialOf(place)).toMatchObject({
      onBase: { result: "pass" },
      takeBack: { result: "time", left: 1 },
      unguarded: true,
    });
    expect(await dossierOf(place)).toContain("not tried: changes taken back (out of time (review.minutes))");
  });

  test("is over before a change is taken back, which is said, and holds up nothing", async () => {
    const place = await open(honest, { settings: "review: { minutes: 0.00001 }", checks: counted });
    expect(await place.monoco("run", id)).toMatchObject({ exitCode: 0 });
    expect(trialOf(place)).toMatchObject({ onBase: { result: "fail" }, takeBack: { result: "time" } });
    expect(await dossierOf(place)).toContain("not tried: changes taken back (out of time (review.minutes))");
  });

  it("is none for a tree that was tried before", async () => {
    // Until the check again, the new test over the base, the base, and the change taken back are known.
    const known = `until [ "$(grep -o exitCode "$PERSON/.monoco/relays/${id}/tree-runs.json" | wc -l)" -ge 4 ]; do sleep 0.05; done`;
    const rejects = [
      run(known),
      {
        verdict: "request_changes",
        findings: [{ id: "a", severity: "major", title: "A", criterion: "1", evidence: { text: "" } }],
      },
    ];
    const again = [run("git commit -q --allow-empty -m Again"), submit];
    const place = await open(honest, { executor: [again], reviewer: [rejects, approves], checks: counted });
    expect(await place.monoco("run", id)).toMatchObject({ exitCode: 0 });
    // The new test over the base, once, because it names what is new, and the base; the check again, and a change taken back.
    expect((await places(place)).toSorted()).toEqual(["base", "base", "review", "review", "trial", "trial"]);
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
    const reviewer = [approving(...shown)];
    const place = await open({ "lib.sh": add + sub }, { reviewer, checks, settings: unaskedFor });
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
