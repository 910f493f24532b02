/** Submissions that change protected paths or weaken tests, through the whole of `monoco run`: who is told, and where. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { issue, issuePath, play, stage, told } from "../support/cast.ts";
import { eventsOf, fixture } from "../support/cli.ts";
import { full as test } from "../support/full.ts";

const texts = {
  "check.sh": ". ./ci/lib.sh\ntest -f file.txt\n",
  "ci/lib.sh": ":\n",
  "test/a.test.js": 'it("holds a word", () => {});\n',
  "db/1.sql": "select 1;\n",
};
const cast = {
  executor: "weakens-its-tests",
  reviewer: "keeps-its-prompt",
  checks: '["sh check.sh"]',
  settings: 'protected: ["test/", "*.sql"]',
  texts,
};

it("protected paths and weakened tests are shown to the Reviewer first, and to everybody who asks", async () => {
  await play({
    cast,
    endings: ["executor submitted", "reviewer decided", "executor submitted", "executor submitted"],
    blocked: "no progress in 2 sessions in a row (stalledMax 2)",
    also: async (place, ran) => {
      expect(told(place, "submission.inspected")).toMatchObject([
        {
          submission: 1,
          protected: [
            { path: "check.sh", kind: "command", by: "sh check.sh" },
            { path: "ci/lib.sh", kind: "command", by: "sh check.sh" },
            { path: ".github/workflows/ci.yml", kind: "ci" },
            { path: "test/a.test.js", kind: "yours", by: "test/" },
          ],
          weakened: [
            { file: "test/a.test.js", line: 1, kind: "only", text: 'it.only("holds a word", () => {});' },
            { file: ".github/workflows/ci.yml", kind: "swallowed" },
            { file: "check.sh", line: 1, kind: "swallowed", text: "npm test || true" },
            { file: "ci/lib.sh", line: 1, kind: "swallowed", text: "exit 0" },
          ],
        },
      ]);
      const order = eventsOf(place.project, issue).map(({ type }) => type);
      expect(order.indexOf("submission.inspected")).toBeLessThan(order.indexOf("checks.ran"));
      // What the Reviewer stood before: between the contract and the checks.
      const shown = told(place, "review.decided")[0]!.findings[0]!.evidence.text;
      expect(shown).toContain("- P3 .github/workflows/ci.yml: CI: it runs with the project's rights\n");
      expect(shown).toContain(
        '- W1 test/a.test.js:1: only this test is run: it.only("holds a word", () => {});\n',
      );
      expect(ran.stdout).toContain(
        "submission 1 changes 4 protected paths, 4 places that weaken tests or checks",
      );
      const dossier = await place.monoco("issue", "review", issue);
      expect(dossier.stdout).toContain(
        "## Protected paths that it changes\n\n```data\nP1 check.sh: run by monoco: sh check.sh\n",
      );
      expect(dossier.stdout).toContain(
        "## What may weaken tests or checks\n\n```data\nW1 test/a.test.js:1: only this test is run",
      );
      expect((await place.monoco("relay", "status", issue)).stdout).toContain(
        "PROTECTED: check.sh, ci/lib.sh, .github/workflows/ci.yml, …, WEAKENED in 4 places",
      );
      const status = JSON.parse((await place.monoco("relay", "status", issue, "--json")).stdout);
      expect(JSON.stringify(status)).toContain('"weakened":4');
      const json = JSON.parse((await place.monoco("issue", "review", issue, "--json")).stdout);
      expect(json).toMatchObject({ inspection: { weakened: [{ kind: "only" }, {}, {}, {}] } });
    },
  });
});

it("an approval answers what is listed; the answers stand in the dossier, the merge commit and the issue", async () => {
  const place = await stage({ ...cast, reviewer: "answers-when-told" });
  expect(await place.start()).toMatchObject({ exitCode: 1 });
  expect(told(place, "review.refused")[0]?.why.map((one) => one.slice(0, 2))).toEqual([
    "P1",
    "P2",
    "P3",
    "P4",
    "W1",
    "W2",
    "W3",
    "W4",
  ]);
  expect(told(place, "relay.blocked")[0]?.reason).toEqual({
    rule: "human_gate",
    submission: 1,
    protected: ["check.sh", "ci/lib.sh", ".github/workflows/ci.yml"],
  });
  const answered = "W1 test/a.test.js:1: only this test is run: it.only(";
  expect((await place.monoco("issue", "review", issue)).stdout).toContain(`\n${answered}`);
  await place.monoco("issue", "review", issue, "--approve", "--no-run");
  expect(await place.monoco("relay", "resume", issue)).toMatchObject({ exitCode: 0 });
  const message = await place.sandbox.git(place.project, "log", "-1", "--format=%B", "main");
  for (const text of [message, readFileSync(join(place.project, issuePath), "utf8")]) {
    expect(text).toContain(answered);
    expect(text).toContain("answer: the contract asks for it");
  }
});

test("what the contract allows needs no person", async () => {
  // Without a check that guards the source it would be a person who judges what one command shows.
  const checks = `["sh check.sh", "grep -q '= .w' a.js"]`;
  const allowing = { ...cast, reviewer: "answers-when-told", checks };
  const withSource = { ...texts, "a.js": 'export const word = "";\n' };
  const place = await stage({ ...allowing, texts: withSource, allows: "[check.sh, ci/, .github/]" });
  expect(await place.start()).toMatchObject({ exitCode: 0 });
  expect(told(place, "submission.inspected")[0]?.protected.map(({ allowed }) => allowed)).toEqual([
    true,
    true,
    true,
    undefined,
  ]);
});

test("work that touches nothing of the kind has no such event", async () => {
  const place = await stage({ executor: "works", reviewer: "approves" });
  expect(await place.start()).toMatchObject({ exitCode: 0 });
  expect(told(place, "submission.inspected")).toEqual([]);
  expect((await place.monoco("relay", "status", issue)).stdout).not.toMatch(/PROTECTED|WEAKENED/);
});

test("what hides the diff from git, or gives it another form, hides nothing here", async () => {
  // Neither the person's configuration nor attributes that the branch brings.
  const place = await stage({ ...cast, texts: { ...texts, ".gitattributes": "*.js diff=x\n" } });
  for (const [key, value] of [
    ["diff.noprefix", "true"],
    ["diff.external", "/bin/true"],
    ["diff.x.textconv", "true"],
    ["diff.context", "0"],
    ["diff.renames", "copies"],
    ["color.ui", "always"],
  ])
    await place.sandbox.git(place.project, "config", key!, value!);
  await place.start();
  expect(told(place, "submission.inspected")[0]?.weakened.map(({ file }) => file)).toEqual([
    "test/a.test.js",
    ".github/workflows/ci.yml",
    "check.sh",
    "ci/lib.sh",
  ]);
});

it("a pattern that is none is refused with its line", async () => {
  const place = await stage({ ...cast, settings: 'protected: ["a", "!"]' });
  const ran = await place.start();
  expect(ran).toMatchObject({ exitCode: 2 });
  expect(ran.stderr).toMatch(/^error: monoco\.yaml:\d+: protected\.1: expected a pattern as in \.gitignore/);
});

// TRAP 24
test.for([
  ["breaks-its-contract", "the file (cannot be read)"],
  ["deletes-its-contract", "the file (deleted)"],
  ["calls-a-criterion-off", "criteria"],
] as const)(
  "an Executor that %s is told of first, and the base's contract stays as it was",
  async ([executor, field]) => {
    const place = await stage({ executor, reviewer: "reads-of-tampering", limits: "sessionsMax: 2" });
    await place.start();
    expect(told(place, "contract.tampered")[0]?.fields).toEqual([field]);
    expect(told(place, "review.decided")[0]).toMatchObject({ verdict: "request_changes" });
    const landed = await stage({ executor, reviewer: "approves" });
    const before = readFileSync(join(landed.project, issuePath), "utf8");
    expect(await landed.start()).toMatchObject({ exitCode: 1 });
    expect(told(landed, "relay.blocked")[0]?.reason).toMatchObject({
      rule: "human_gate",
      protected: [`the contract (${field})`],
    });
    await landed.monoco("issue", "review", issue, "--approve", "--no-run");
    expect(await landed.monoco("relay", "resume", issue)).toMatchObject({ exitCode: 0 });
    const after = readFileSync(join(landed.project, issuePath), "utf8");
    expect(after).toContain("- [ ] it holds a word");
    expect(after).toContain(/^title: .*$/m.exec(before)![0]);
  },
);

test("a kill between the submission and the look at it loses nothing that a Reviewer has to know", async () => {
  const edits = { executor: "edits-criteria", reviewer: "reads-of-tampering", limits: "sessionsMax: 2" };
  const whole = await stage(edits);
  await whole.start();
  const types = eventsOf(whole.project, issue).map(({ type }) => type);
  expect(types).toContain("contract.tampered");
  const place = await stage(edits);
  const killed = await place.start({
    NODE_OPTIONS: `--import=${fixture("kill-at-append.mjs")}`,
    KILL_AT: String(types.indexOf("submission.requested") + 1),
    KILL_WHEN: "synced",
  });
  expect(killed.signal).toBe("SIGKILL");
  expect(told(place, "submission.requested")).toHaveLength(1);
  expect(told(place, "contract.tampered")).toEqual([]);
  await place.monoco("relay", "resume", issue);
  expect(told(place, "contract.tampered")).toHaveLength(1);
  expect(told(place, "review.decided")).toMatchObject([{ verdict: "request_changes" }]);
});
