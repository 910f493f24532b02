/** The steps of an issue's life without a relay: each from each state, through the command line. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { legalTransitions, transitions } from "../../src/core/issue/transitions.ts";
import { parseIssue } from "../../src/core/issue/issue.ts";
import { stages, statuses } from "../../src/core/issue/vocabulary.ts";
import { issuePath, issueText, openPlace } from "../support/place.ts";
import type { Place } from "../support/place.ts";
import { full as test, testRows } from "../support/full.ts";

const states = statuses.flatMap((status) => stages.map((stage) => ({ status, stage })));
const idOf = (index: number): string => `FEAT-${String(index + 1).padStart(4, "0")}`;

/** One issue in each state, with a comment, an odd order and an unknown key. */
async function placeOfAll(): Promise<Place> {
  const files = states.map(({ status, stage }, index): [string, string] => [
    issuePath(idOf(index)),
    issueText(
      idOf(index),
      `mine: [1,  2] # kept\n${status === "closed" ? "solution: wontfix\nclosed_at: 2026-01-01T00:00:00Z\n" : ""}`,
    )
      .replace("status: open", `status: ${status}`)
      .replace("stage: draft", `stage: ${stage}`),
  ]);
  return openPlace({ executor: [[]], reviewer: [[]] }, { issues: [], files: Object.fromEntries(files) });
}

const texts = (place: Place): string[] => states.map((_, index) => place.read(issuePath(idOf(index))));

// TRAP 31
testRows([
  ["start", "start"],
  ["stop", "stop"],
  ["close", "accept"],
  ["cancel", "cancel"],
  ["wontfix", "wontfix"],
  ["duplicate", "duplicate"],
  ["push", "push"],
  ["pull", "pull"],
  ["reopen", "reopen"],
] as const)(
  "%s is done where it is legal, and refused elsewhere with what is legal",
  async ([command, name]) => {
    const place = await placeOfAll();
    const before = texts(place);
    const ids = states.map((_, index) => idOf(index));
    const isLegal = states.map((state) => legalTransitions(state).includes(name));
    const legal = ids.filter((_, index) => isLegal[index]);
    const illegal = ids.filter((_, index) => !isLegal[index]);

    const refused = await place.monoco("issue", command, ...illegal, legal[0]!);
    expect(refused).toMatchObject({ exitCode: 2, stdout: "" });
    for (const [index, { status, stage }] of states.entries()) {
      if (isLegal[index]) continue;
      expect(refused.stderr).toContain(`${idOf(index)} is ${status}, ${stage}: ${command} is not possible`);
    }
    expect(refused.stderr).toMatch(/hint: monoco issue /);
    // One that would have been legal stands beside them: nothing is changed.
    expect(texts(place)).toEqual(before);

    const done = await place.monoco("issue", command, ...legal, "--json");
    expect(done).toMatchObject({ exitCode: 0, stderr: "" });
    const steps = JSON.parse(done.stdout) as { id: string; to: string }[];
    expect(steps.map(({ id }) => id)).toEqual(legal);
    const after = texts(place);
    for (const [index] of states.entries()) {
      const now = after[index]!;
      if (!isLegal[index]) {
        expect(now).toBe(before[index]);
        continue;
      }
      const issue = parseIssue(now, issuePath(idOf(index)));
      expect(`${issue.status}/${issue.stage}`).toBe(steps.find(({ id }) => id === idOf(index))?.to);
      expect(now).toContain("mine: [1,  2] # kept\n");
      expect(issue.closedAt === undefined).toBe(issue.status !== "closed");
      expect(issue.updatedAt).toBeDefined();
    }
  },
);

// TRAP 31
test.for([
  ["submit", "submit", ["submit", "--by-hand"]],
  ["request changes", "request_changes", ["review", "--request-changes", "-m", "No such page"]],
  ["accept", "accept", ["review", "--approve"]],
] as const)(
  "without a relay %s is done where it is legal, and refused elsewhere",
  async ([, name, [verb, ...flags]]) => {
    const place = await placeOfAll();
    const before = texts(place);
    const ran = await Promise.all(
      states.map((_, index) => place.monoco("issue", verb, idOf(index), ...flags, "--json")),
    );
    const after = texts(place);
    for (const [index, state] of states.entries()) {
      const { exitCode, stdout, stderr } = ran[index]!;
      if (!legalTransitions(state).includes(name)) {
        expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: "" });
        expect(stderr).toMatch(/is not possible\nhint: monoco issue /);
        expect(after[index]).toBe(before[index]);
        continue;
      }
      expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
      const { changes } = transitions[name];
      expect(parseIssue(after[index]!, issuePath(idOf(index)))).toMatchObject(changes);
      expect(after[index]!.includes("## Review Comments")).toBe(name === "request_changes");
      expect(after[index]!.includes("No such page")).toBe(name === "request_changes");
    }
    expect(ran.filter(({ exitCode }) => exitCode === 0)).toHaveLength(1);
  },
);

test("each command that a refusal names works as it is named", async () => {
  const place = await placeOfAll();
  const named = new Map<string, string>();
  for (const [index, state] of states.entries()) {
    const illegal = legalTransitions(state).includes("pull") ? "start" : "pull";
    const { stderr } = await place.monoco("issue", illegal, idOf(index));
    const [, commands = ""] = /hint: (.*)/.exec(stderr) ?? [];
    for (const command of commands.split("; or ")) named.set(command.replace(idOf(index), "ID"), command);
  }
  expect(named.size).toBe(Object.keys(transitions).length);
  for (const command of named.values()) {
    await place.sh("git checkout -q -- .");
    const words = command.split(" ").slice(1);
    const args = words.map((word) => word.replaceAll('"', ""));
    expect(await place.monoco(...args), command).toMatchObject({ exitCode: 0, stderr: "" });
  }
});

test("work done by hand goes from draft to closed, and back once, with commands alone", async () => {
  const place = await openPlace({ executor: [[]], reviewer: [[]] });
  const steps: [string[], string][] = [
    [["start", "FEAT-0001"], "open/doing"],
    [["submit", "FEAT-0001", "--by-hand"], "open/review"],
    [["review", "FEAT-0001", "--request-changes", "-m", "no page"], "open/doing"],
    [["submit", "FEAT-0001", "--by-hand"], "open/review"],
    [["review", "FEAT-0001", "--approve", "-m", "now it is there"], "closed/done"],
    [["reopen", "FEAT-0001"], "open/draft"],
  ];
  for (const [args, to] of steps) {
    const ran = await place.monoco("issue", ...args);
    expect(ran.stderr).toBe("");
    expect(ran.stdout).toContain(`→ ${to}`);
  }
  expect(place.read(issuePath("FEAT-0001"))).toMatch(
    /## Review Comments\n\n- .*, request changes: no page\n\n- .*, close: now it is there\n/,
  );
  // What --by-hand is for is told where the submit of a commit is refused.
  const refused = await place.monoco("issue", "submit", "FEAT-0001");
  expect(refused).toMatchObject({ exitCode: 2 });
  expect((await place.monoco("issue", "review", "FEAT-0001")).stderr).toContain(
    "work done by hand: --approve",
  );
  expect((await place.monoco("issue", "review", "FEAT-0001", "--request-changes")).stderr).toContain(
    "what has to change?",
  );
});

it("a parent is closed after its children, with them, or when a person insists", async () => {
  const place = await openPlace(
    { executor: [[]], reviewer: [[]] },
    {
      issues: [],
      files: {
        [issuePath("EPIC-0001")]: issueText("EPIC-0001"),
        [issuePath("FEAT-0001")]: issueText("FEAT-0001", "parent: EPIC-0001\n"),
      },
    },
  );
  for (const command of ["cancel", "wontfix", "duplicate"]) {
    const refused = await place.monoco("issue", command, "EPIC-0001");
    expect(refused).toMatchObject({ exitCode: 2, stdout: "" });
    expect(refused.stderr).toMatch(
      /children that are not closed: FEAT-0001 \(open, draft\)\nhint: .*--force/,
    );
  }
  expect(place.read(issuePath("EPIC-0001"))).toContain("status: open");
  expect((await place.monoco("issue", "cancel", "EPIC-0001", "FEAT-0001")).exitCode).toBe(0);
  await place.monoco("issue", "reopen", "EPIC-0001", "FEAT-0001");
  expect((await place.monoco("issue", "wontfix", "EPIC-0001", "--force")).exitCode).toBe(0);
});

test("while a relay is open the file is not changed, and the way out is told", async () => {
  const place = await openPlace({ executor: [[{ exit: 1 }]], reviewer: [[]] });
  await place.monoco("run", "FEAT-0001", "--once");
  const before = place.read(issuePath("FEAT-0001"));
  // One that would be legal, one that would not: neither is told of steps that an open relay refuses.
  for (const command of ["cancel", "close"]) {
    const ran = await place.monoco("issue", command, "FEAT-0001");
    expect(ran).toMatchObject({ exitCode: 2, stdout: "" });
    expect(ran.stderr).toMatch(/FEAT-0001 has a relay \(\w+\)[\s\S]*monoco relay clear FEAT-0001/);
  }
  expect(place.read(issuePath("FEAT-0001"))).toBe(before);
  await place.monoco("relay", "clear", "FEAT-0001");
  expect(await place.monoco("issue", "cancel", "FEAT-0001")).toMatchObject({ exitCode: 0 });
});

// TRAP 25
test("a session cannot close its own issue", async () => {
  const closes = [{ run: "monoco issue close $MONOCO_ISSUE; monoco issue cancel $MONOCO_ISSUE; exit 0" }];
  const place = await openPlace({ executor: [closes], reviewer: [[]] });
  await place.monoco("run", "FEAT-0001", "--once");
  const stderr = join(place.project, ".monoco/relays/FEAT-0001/sessions/0001-executor/stderr.log");
  const said =
    readFileSync(stderr, "utf8") + readFileSync(stderr.replace("stderr.log", "stream.jsonl"), "utf8");
  expect(said).toContain("a session cannot change where an issue stands");
  expect(place.read(issuePath("FEAT-0001"))).toContain("status: open");
});
