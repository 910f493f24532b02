/** The tests of a submission are put to the test: what fails without the change, what the base's own tests say, what nothing guards. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { commit, openPlace, submit } from "../support/place.ts";
import type { Place } from "../support/place.ts";

const id = "FEAT-0001";
const add = "add() {\n  echo $(($1 + $2))\n}\n";
const sub = "\nsub() {\n  echo $(($1 - $2))\n}\n";
const tests = (call: string, result: number): string => `. ./lib.sh\n[ "$(${call})" = ${result} ]\n`;
const files = { "lib.sh": add, "tests/add.sh": tests("add 1 2", 3) };
const checks = `checks: ["for t in tests/*.sh; do sh $t || exit 1; done"]`;
const evidence = { command: '. ./lib.sh; [ "$(sub 3 1)" = 2 ]', exitCode: 0 };
const approves = [
  {
    verdict: "approve",
    criteria: [{ criterion: 1, result: "met", ...evidence }],
    probes: [{ command: '. ./lib.sh; [ "$(sub 1 3)" = -2 ]', exitCode: 0 }],
  },
];

/** A relay whose Executor submits these files, and whose Reviewer approves. */
async function open(write: Record<string, string>, settings = ""): Promise<Place> {
  return openPlace(
    { executor: [[{ write }, commit, submit]], reviewer: [approves] },
    { files, settings: `${checks}\n${settings}` },
  );
}

const trialOf = (place: Place) =>
  place.all("checks.ran").find(({ target }) => target === "submission")!.trial;
const promptOf = (place: Place): string =>
  readFileSync(join(place.project, ".monoco/relays", id, "sessions/0002-reviewer/prompt.md"), "utf8");

describe("new tests over the base", () => {
  test("that pass there are listed, and an approval asks a person", async () => {
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

describe("the base's tests, crossed with the submission,", () => {
  test("that turn red where its own are green are a listed weakening", async () => {
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
  const mul = "\nmul() {\n  echo $(($1 * $2))\n}\n";

  test("are listed where all checks stay green without them, to the Reviewer and in the dossier", async () => {
    const place = await open({ "lib.sh": add + sub + mul, "tests/sub.sh": tests("sub 3 1", 2) });
    expect(await place.monoco("run", id)).toMatchObject({ exitCode: 0 });
    const { takeBack } = trialOf(place)!;
    expect(takeBack).toMatchObject({
      result: "tried",
      changes: [
        { file: "lib.sh", line: 6, lines: 1, result: "guarded" },
        { file: "lib.sh", line: 10, lines: 1, result: "unguarded" },
      ],
    });
    expect(promptOf(place)).toContain("lib.sh:10 (1 line) taken back: UNGUARDED: all checks stay green");
  });
});
