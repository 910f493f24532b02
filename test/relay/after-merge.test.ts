/** The base moves after an approval: where its changes meet the submission's, a Reviewer confirms the approval on the merged tree. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test as it } from "vitest";
import { becauseOf } from "../../src/core/reason/reason.ts";
import { fixture } from "../support/cli.ts";
import { full as test, testRows } from "../support/full.ts";
import { commit, openPlace, run, submit } from "../support/place.ts";
import type { Place } from "../support/place.ts";

const id = "FEAT-0001";
const lines = (...more: string[]): string => `${["one() { echo 1; }", "#", "#", "#", ...more].join("\n")}\n`;
const two = "two() { echo 2; }";
const files = { "lib.sh": lines(), "app.sh": ". ./lib.sh\n", "other.txt": "one\n" };
const shown = '. ./lib.sh; [ "$(two)" = 2 ]';
/** A person commits on the base. */
const moves = (command: string): object =>
  run(`cd "$PERSON" && ${command} && git add -A && git commit -qm Moved`);
const sameFile = moves("sed -i 's/echo 1/echo 11/' lib.sh");
const importer = moves("echo one >> app.sh");
const unrelated = moves("echo two >> other.txt");
const approves = {
  verdict: "approve",
  criteria: [{ criterion: 1, result: "met", command: shown, exitCode: 0 }],
  probes: [{ command: `${shown} && one`, exitCode: 0 }],
};
/** A probe is all that a confirmation needs. */
const confirms = {
  verdict: "approve",
  criteria: [],
  probes: [{ command: ". ./lib.sh; one; two", exitCode: 0 }],
};
const works = [{ write: { "lib.sh": lines(two) } }, commit, submit];

/** The work has no tests, and nothing here is about that. */
const review = (more: object = {}): string =>
  `review: ${JSON.stringify({ testsOnBase: false, takeBack: false, ...more })}\n`;

async function ran(
  { executor = [works], reviewer }: { executor?: object[][]; reviewer: object[][] },
  settings = review(),
): Promise<Place> {
  const place = await openPlace({ executor, reviewer }, { files, settings });
  const outcome = await place.monoco("run", id);
  expect(outcome, outcome.stdout).toMatchObject({ exitCode: 0 });
  return place;
}

const sessions = (place: Place) =>
  place.all("session.started").map(({ role, reason }) => `${role}: ${becauseOf(reason)}`);
const prompt = (place: Place, session: string): string =>
  readFileSync(join(place.project, ".monoco/relays", id, "sessions", session, "prompt.md"), "utf8");

const first = ["executor: new relay", "reviewer: submission 1 is checked"];
const moved = (meets: string, mode = "auto"): string =>
  `reviewer: main has moved since submission 1 was approved${meets} (review.afterMerge ${mode})`;

it("the same file: the approval is confirmed, and the merge says so", async () => {
  const place = await ran(
    { reviewer: [[sameFile, approves], [confirms]] },
    `${review()}checks: ["test -d ."]\n`,
  );
  expect(sessions(place)).toEqual([...first, moved(", and both sides changed lib.sh")]);
  expect(await place.git("show", "main:lib.sh")).toBe(lines(two).replace("echo 1", "echo 11").trimEnd());
  const base = await place.git("rev-parse", "main^1");
  expect(place.all("review.decided")).toMatchObject([
    { session: 2, verdict: "approve" },
    { session: 3, verdict: "approve", onto: base },
  ]);
  expect(await place.git("log", "-1", "--format=%B", "main")).toContain(
    "Monoco-Executor: a\nMonoco-Reviewer: session 2, a\nMonoco-Confirmed: on the merged tree by session 3, a\n",
  );
  // The merged tree is the Reviewer's, what it is told is short, and its checks run once.
  expect(place.all("session.started")[2]!.head).toBe(place.all("merge.questioned")[0]!.commit);
  const text = prompt(place, "0003-reviewer");
  expect(text).toMatch(/approved, and main has moved since[^]*both sides changed lib\.sh/);
  expect(text).toMatch(/What main has brought since[^]*-one\(\) \{ echo 1; \}\n\+one\(\) \{ echo 11; \}/);
  expect(text).toMatch(/The diff against the merge base[^]*\+two\(\) \{ echo 2; \}/);
  expect(place.all("checks.ran").filter(({ target }) => target === "merge")).toHaveLength(1);
  expect((await place.monoco("relay", "log", id)).stdout).toMatch(
    /to be confirmed on the merged tree by a Reviewer: main has moved[^]*submission 1: confirmed on the merged tree by the reviewer/,
  );
  expect((await place.monoco("issue", "review", id, "--show")).stdout).toMatch(
    /## On the merged tree\n\nmain has moved[^]*\*\*confirmed\*\* by the Reviewer \(session 3\)/,
  );
  expect((await place.monoco("relay", "explain", id)).stdout).toMatch(
    /have the approval of submission 1 confirmed on the merged tree[^]*review\.afterMerge/,
  );
});

test("an importer of a changed file: it is confirmed as well", async () => {
  const place = await ran({ reviewer: [[importer, approves], [confirms]] });
  expect(sessions(place)).toEqual([...first, moved(", and its app.sh meets the submission's lib.sh")]);
});

describe("a file that has nothing to do with it", () => {
  test("asks for nothing by default", async () => {
    const place = await ran({ reviewer: [[unrelated, approves]] });
    expect(sessions(place)).toEqual(first);
  });

  test("asks for a confirmation by `always`", async () => {
    const place = await ran(
      { reviewer: [[unrelated, approves], [confirms]] },
      review({ afterMerge: "always" }),
    );
    expect(sessions(place)).toEqual([...first, moved("", "always")]);
  });
});

test("`never` merges even where both sides changed a file", async () => {
  const place = await ran({ reviewer: [[sameFile, approves]] }, review({ afterMerge: "never" }));
  expect(sessions(place)).toEqual(first);
});

it("requested changes go to an Executor, who is told to merge the base; its submission is reviewed as any", async () => {
  const finding = {
    id: "two-ones",
    severity: "major",
    title: "one is 11 now, and two has to follow",
    evidence: { command: '. ./lib.sh; [ "$(one)" = 1 ]', exitCode: 1, text: "11" },
    criterion: "1",
  };
  const mends = [run("git merge -q main && echo 'three() { echo 3; }' >> lib.sh"), commit, submit];
  const place = await ran({
    executor: [works, mends],
    reviewer: [
      [sameFile, approves],
      [{ verdict: "request_changes", findings: [finding] }],
      [{ ...approves, probes: [{ command: ". ./lib.sh; three", exitCode: 0 }] }],
    ],
  });
  expect(sessions(place)).toEqual([
    ...first,
    moved(", and both sides changed lib.sh"),
    "executor: changes were requested on submission 1",
    "reviewer: submission 2 is checked",
  ]);
  expect(place.all("review.decided")[1]).toMatchObject({
    verdict: "request_changes",
    onto: place.all("merge.questioned")[0]!.baseCommit,
    findings: [{ id: "two-ones", holds: true }],
  });
  const text = prompt(place, "0004-executor");
  expect(text).toContain("one is 11 now, and two has to follow");
  expect(text).toMatch(
    /Approved, but not as merged with origin\/main \(\w{12}\)[^]*Merge origin\/main into your branch first/,
  );
  expect(await place.git("show", "main:lib.sh")).toContain("three");
});

describe("the base moves again while it is being confirmed", () => {
  test("elsewhere: the confirmation holds", async () => {
    const place = await ran({
      reviewer: [
        [sameFile, approves],
        [unrelated, confirms],
      ],
    });
    expect(sessions(place)).toHaveLength(3);
    expect(await place.git("show", "main:other.txt")).toBe("one\ntwo");
  });

  test("in a file that meets it: it is confirmed once more, and a person is asked after the third time", async () => {
    const place = await openPlace(
      {
        executor: [works],
        reviewer: [
          [sameFile, approves],
          [moves("echo one >> app.sh"), confirms],
        ],
      },
      { files, settings: review() },
    );
    const stopped = await place.monoco("run", id);
    expect(stopped).toMatchObject({ exitCode: 1 });
    expect(stopped.stdout).toContain("main moved 3 times while submission 1 was being merged");
    expect(sessions(place)).toHaveLength(5);
    expect(await place.monoco("issue", "review", id, "--approve", "--no-run")).toMatchObject({ exitCode: 0 });
    expect(await place.monoco("relay", "resume", id)).toMatchObject({ exitCode: 0 });
    expect(sessions(place)).toHaveLength(5);
    expect(await place.git("log", "-1", "--format=%B", "main")).toContain(
      "Monoco-Reviewer: person\nMonoco-Confirmed: on the merged tree by person\n",
    );
  });
});

test("a person's approval is confirmed, too, and one that they give once the base has moved needs nobody else", async () => {
  const place = await openPlace(
    { executor: [works], reviewer: [[sameFile, approves], [{ verdict: "approve" }]] },
    { files, settings: `${review()}gates: { medium: human }\n` },
  );
  expect(await place.monoco("run", id)).toMatchObject({ exitCode: 1 });
  expect(await place.monoco("issue", "review", id, "--approve", "--no-run")).toMatchObject({ exitCode: 0 });
  expect(await place.monoco("relay", "resume", id)).toMatchObject({ exitCode: 0 });
  expect(sessions(place)).toHaveLength(3);
  expect(place.all("review.decided").map(({ by, onto }) => [by, onto !== undefined])).toEqual([
    ["reviewer", false],
    ["person", false],
    ["reviewer", true],
  ]);
});

/** All that is journaled from the question to the merge. */
const appends = [
  "session.started",
  "session.ended",
  "review.given",
  "review.decided",
  "merge.prepared",
  "merge.done",
];

describe("killed while it is asked and answered, and resumed, the relay leads on to one confirmed merge", () => {
  testRows<[number, "synced" | "torn"]>(
    appends.flatMap((_, index): [number, "synced" | "torn"][] => [
      [index + 1, "synced"],
      [index + 1, "torn"],
    ]),
  )("append %i after the question, %s", async ([at, when]) => {
    const place = await openPlace(
      { executor: [works], reviewer: [[sameFile, approves], [confirms]] },
      { files, settings: `${review()}checks: ["test -d ."]\n` },
    );
    const die = async (args: string[], KILL_AT: string): Promise<void> => {
      const preload = `--import=${fixture("kill-at-append.mjs")}`;
      const env = { NODE_OPTIONS: preload, KILL_AT, KILL_WHEN: when };
      expect((await place.sandbox.monoco(args, { cwd: place.project, env })).signal).toBe("SIGKILL");
    };
    await die(["run", id], "merge.questioned");
    await die(["relay", "resume", id], String(at + (when === "torn" ? 1 : 0)));
    await place.monoco("relay", "resume", id);
    const types = place.events().map(({ type }) => type);
    expect(types.filter((type) => type === "merge.done")).toHaveLength(1);
    expect(types.filter((type) => type === "merge.questioned")).toHaveLength(1);
    // Whatever is known is not found out again.
    expect(place.all("checks.ran").filter(({ target }) => target === "merge")).toHaveLength(1);
    expect(place.all("review.decided").map(({ onto }) => onto !== undefined)).toEqual([false, true]);
    expect(await place.git("log", "--format=%B", "main")).toContain(
      "Monoco-Confirmed: on the merged tree by",
    );
  });
});
