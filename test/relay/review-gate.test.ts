/** What a verdict has to show before anything is merged, and who decides when it does not. */
import { approvalsAsked } from "../support/approvals-asked.ts";
import { becauseOf } from "../../src/core/reason/reason.ts";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { printCopy } from "../../src/core/journal/copy-parts.ts";
import { approves, commit, issuePath, issueText, openPlace, run, submit, works } from "../support/place.ts";
import type { Place, Story } from "../support/place.ts";
import { full as test } from "../support/full.ts";

const id = "FEAT-0001";
const met = (more: object): object => ({ criterion: 1, result: "met", ...more });
/** It runs something, and fails on the base. */
const looks = "echo test -s file.txt | sh";
const probe = { command: "git diff --check HEAD", exitCode: 0 };
const approval = (evidence: object, more: object = {}): object[] => [
  { verdict: "approve", criteria: [met(evidence)], probes: [probe], ...more },
];
const finding = { id: "no-end", severity: "major", title: "No end", criterion: "1" };
const rejects = [{ verdict: "request_changes", findings: [finding] }];

const onBase = (place: Place): Promise<string> => place.git("ls-tree", "-r", "--name-only", "main");
const prompt = (place: Place, session: string): string =>
  readFileSync(join(place.project, ".monoco/relays", id, "sessions", session, "prompt.md"), "utf8");

/** A place whose issue has front matter of its own. */
async function openWith(story: Story, front: string, settings: string): Promise<Place> {
  return openPlace(story, { issues: [], files: { [issuePath(id)]: issueText(id, front) }, settings });
}

describe("a submission whose checks fail", () => {
  const red = { settings: `checks: ["cat file.txt && grep -q done file.txt"]\nbaseline: none` };
  const ticks = run("sed -i 's/- \\[ ]/- [x]/' issues/*.md");
  const mends = [run("echo done >> file.txt"), commit, { submit: true }];

  it("goes straight back to an Executor, with the output in its prompt; no Reviewer is paid for it", async () => {
    const place = await openPlace(
      {
        executor: [[ticks, ...works], mends],
        reviewer: [approval({ command: looks, exitCode: 0 })],
      },
      red,
    );
    expect(await place.monoco("run", id)).toMatchObject({ exitCode: 0 });
    expect(place.all("session.started").map(({ role, reason }) => [role, becauseOf(reason)])).toEqual([
      ["executor", "new relay"],
      ["executor", "the checks failed on submission 1"],
      ["reviewer", "submission 2 is checked"],
    ]);
    expect(prompt(place, "0002-executor")).toMatch(
      /Checks that fail now[^]*exit status 1\n```data\n[^]*\ntext\n```/,
    );
    const [handoff] = place.all("handoff.recorded");
    expect(handoff!.text).toContain(
      "- [x] the file is there (claimed, but `cat file.txt && grep -q done file.txt` fails)",
    );
    expect(handoff!.text).toContain(
      "1. Make `cat file.txt && grep -q done file.txt` pass: it fails (exit 1).",
    );
    expect(handoff!.text).toContain("3. When all of this is solved");
    expect(handoff!.text).not.toContain("Everything is ticked");
  });

  test("and is a person's own comes back to them, with what fails and two ways on", async () => {
    const place = await openPlace({ executor: [mends], reviewer: [approves] }, red);
    await place.sh("git checkout -q -b mine && echo text > file.txt && git add -A && git commit -qm Mine");
    expect(await place.monoco("issue", "submit", id)).toMatchObject({ exitCode: 0 });
    const ran = await place.monoco("relay", "resume", id);
    expect(ran).toMatchObject({ exitCode: 1 });
    expect(ran.stdout).toContain("fails its checks: cat file.txt && grep -q done file.txt (exit status 1)");
    expect(place.all("session.started")).toEqual([]);
    const approved = await place.monoco("issue", "review", id, "--approve", "--no-run");
    expect(approved).toMatchObject({ exitCode: 2 });
    expect(approved.stderr).toContain("cannot be approved over a failed check");
    expect(approved.stderr).toContain(`let an Executor fix it: monoco resume ${id}`);
    await place.sh("echo done >> file.txt && git commit -qam More");
    expect(await place.monoco("issue", "submit", id)).toMatchObject({ exitCode: 0 });
    expect(await place.monoco("relay", "resume", id)).toMatchObject({ exitCode: 0 });
    expect(await onBase(place)).toContain("file.txt");
  });

  test("and is a person's own is fixed by an Executor once they resume: it begins with their commits", async () => {
    const place = await openPlace({ executor: [mends], reviewer: [approves] }, red);
    await place.sh("git checkout -q -b mine && echo text > file.txt && git add -A && git commit -qm Mine");
    await place.monoco("issue", "submit", id);
    expect(await place.monoco("relay", "resume", id)).toMatchObject({ exitCode: 1 });
    expect(await place.monoco("relay", "resume", id)).toMatchObject({ exitCode: 0 });
    expect(prompt(place, "0001-executor")).toMatch(
      /Checks that fail now[^]*exit status 1\n```data\n[^]*\ntext\n```/,
    );
    expect(await place.git("show", "main:file.txt")).toBe("text\ndone");
  });
});

test("what a refused verdict found goes to the next Reviewer first, into the dossier and into the issue", async () => {
  const blocker = {
    id: "F1",
    severity: "blocker",
    title: "discount(200, 10) is 190",
    criterion: "the sums",
    evidence: { command: looks, exitCode: 0, text: "it should be 180" },
  };
  const place = await openPlace({
    executor: [works],
    reviewer: [
      [{ verdict: "request_changes", findings: [blocker] }],
      approval({ command: looks, exitCode: 0 }),
    ],
  });
  expect(await place.monoco("run", id)).toMatchObject({ exitCode: 0 });
  const text = prompt(place, "0003-reviewer");
  expect(text).toMatch(
    /does not count yet, because[^]*\[blocker\] F1: discount\(200, 10\) is 190[^]*it should be 180/,
  );
  expect(text.indexOf("discount(200, 10)")).toBeLessThan(text.indexOf("## Acceptance criteria by number"));
  expect((await place.monoco("issue", "review", id, "--show")).stdout).toMatch(
    /## Findings of verdicts that did not count\n\nSession 2:[^]*discount\(200, 10\) is 190/,
  );
  expect(await place.git("show", `main:${issuePath(id)}`)).toContain(
    "- blocker: discount(200, 10) is 190 (in a verdict that did not count)",
  );
});

describe("an approval whose evidence does not hold", () => {
  test("goes back to a Reviewer once, who is told why; a good one is merged then", async () => {
    const lies = approval({ command: "test -f nowhere", exitCode: 0 });
    const place = await openPlace({
      executor: [works],
      reviewer: [lies, approval({ command: looks, exitCode: 0 })],
    });
    expect(await place.monoco("run", id)).toMatchObject({ exitCode: 0 });
    const why = "criterion 1 (the file is there): `test -f nowhere` does not reproduce: exit status 1, not 0";
    expect(place.all("review.refused")).toMatchObject([{ session: 2, verdict: "approve", why: [why] }]);
    expect(prompt(place, "0003-reviewer")).toContain(why);
    expect(place.all("review.decided")).toMatchObject([
      { session: 3, verdict: "approve", criteria: [{ reproduced: true }], probes: [{ reproduced: true }] },
    ]);
    expect(await onBase(place)).toContain("file.txt");
  });

  it("a second time asks a person, who finds it in the dossier and decides", async () => {
    const place = await openPlace({
      executor: [works],
      reviewer: [approval({ file: "file.txt", line: 9 }), [{ verdict: "approve", criteria: [], probes: [] }]],
    });
    const ran = await place.monoco("run", id);
    expect(ran).toMatchObject({ exitCode: 1 });
    expect(ran.stdout).toContain(`monoco issue review ${id} --show`);
    expect(await onBase(place)).not.toContain("file.txt");
    const { stdout } = await place.monoco("issue", "review", id, "--show");
    expect(stdout).toContain("`file.txt:9` does not reproduce: it has 1 lines");
    expect(stdout).toContain("session 3 said approve, which does not count:");
    expect(await place.monoco("issue", "review", id, "--approve")).toMatchObject({ exitCode: 0 });
    expect(await place.git("log", "-1", "--format=%B", "main")).toContain("Monoco-Reviewer: person");
  });

  test("is looked at on the files of the submission, whatever the Reviewer did to them", async () => {
    const place = await openPlace({
      executor: [works],
      reviewer: [
        [
          run("echo better > file.txt; git add -A; git commit -qm Better"),
          ...approval({ command: "grep -q better file.txt", exitCode: 0 }),
        ],
        approval({ command: looks, exitCode: 0 }),
      ],
    });
    expect(await place.monoco("run", id)).toMatchObject({ exitCode: 0 });
    expect(place.all("review.refused")).toHaveLength(1);
    expect(await place.git("show", "main:file.txt")).toBe("text");
  });
});

test("what a Reviewer adds stands beside the submission when its evidence is looked at; it is kept, and not merged", async () => {
  const place = await openPlace({
    executor: [works],
    reviewer: [
      [run("echo 'grep -q text file.txt' > try.sh"), ...approval({ command: "sh try.sh", exitCode: 0 })],
    ],
  });
  expect(await place.monoco("run", id)).toMatchObject({ exitCode: 0 });
  expect(await onBase(place)).not.toContain("try.sh");
  const kept = place.all("session.ended")[1]!.wip!;
  expect(await place.git("show", `${kept}:try.sh`)).toBe("grep -q text file.txt");
  expect((await place.monoco("issue", "review", id)).stdout).toContain(
    `git diff ${place.all("submission.requested")[0]!.head} ${kept}`,
  );
});

test("what a Reviewer adds is shown to the Executor that has to mend its finding", async () => {
  const place = await openPlace({
    executor: [works, [run("echo more >> file.txt"), commit, { submit: true }]],
    reviewer: [[run("echo 'exit 1 # no end' > try.sh"), ...rejects], approves],
  });
  expect(await place.monoco("run", id)).toMatchObject({ exitCode: 0 });
  const text = prompt(place, "0003-executor");
  expect(text).toContain("What the Reviewer added in its clone");
  expect(text).toContain("+exit 1 # no end");
  expect(await onBase(place)).not.toContain("try.sh");
});

test("Ctrl-C while evidence is looked at loses no verdict: it is looked at again", async () => {
  const command =
    'f="$FIFO"; [ -e "$f.done" ] || { touch "$f.done"; echo here > "$f"; sleep 600; }; ' + looks;
  const place = await openPlace({ executor: [works], reviewer: [approves] });
  const fifo = join(place.around, "fifos", "evidence");
  const story = {
    executor: [works],
    reviewer: [approval({ command: command.replace("$FIFO", fifo), exitCode: 0 })],
  };
  place.write("story.yaml", JSON.stringify(story));
  await place.sh(`mkfifo '${fifo}' && git commit -qam Story`);
  const running = place.start("run", id);
  await place.heard("evidence");
  running.kill("SIGINT");
  expect(await running).toMatchObject({ exitCode: 130 });
  // What its own runs told is recorded before evidence is looked at.
  expect(place.events().slice(-2)).toMatchObject([
    { type: "session.ended", reason: "decided" },
    { type: "submission.tried" },
  ]);
  expect(await place.monoco("relay", "resume", id)).toMatchObject({ exitCode: 0 });
  expect(place.all("session.started")).toHaveLength(2);
});

describe("requested changes", () => {
  test("that cite nothing do not hold back: the Reviewer is told, then a person", async () => {
    const place = await openPlace({
      executor: [works],
      reviewer: [
        [{ verdict: "request_changes", findings: [{ id: "taste", severity: "major", title: "Ugly" }] }],
      ],
    });
    const ran = await place.monoco("run", id);
    expect(ran.stdout).toContain("nothing that it found holds back an approval");
    expect(place.all("session.started").map(({ role }) => role)).toEqual([
      "executor",
      "reviewer",
      "reviewer",
    ]);
  });

  test("are the first that the next Reviewer reads, with what has changed since and the criteria by number", async () => {
    const place = await openPlace({
      executor: [works, [run("echo more >> file.txt"), commit, { submit: true }]],
      reviewer: [rejects, approves],
    });
    expect(await place.monoco("run", id)).toMatchObject({ exitCode: 0 });
    const text = prompt(place, "0004-reviewer");
    const order = [
      "First: the findings on submission 1",
      "no-end",
      "What has changed since submission 1",
      "+more",
      "Acceptance criteria by number",
      "The diff against the merge base",
    ];
    expect(order.map((words) => text.indexOf(words))).toEqual(
      order.map((words) => text.indexOf(words)).toSorted((a, b) => a - b),
    );
    expect(text.indexOf(order[0]!)).toBeGreaterThan(0);
  });

  test("stand below a person's approval, which says so", async () => {
    const place = await openPlace(
      { executor: [works], reviewer: [rejects] },
      { limits: { reviewRoundsMax: 1 } },
    );
    expect(await place.monoco("run", id)).toMatchObject({ exitCode: 1 });
    expect(
      await place.monoco("issue", "review", id, "--approve", "--no-run", "-m", "It may end there"),
    ).toMatchObject({
      exitCode: 0,
    });
    expect(await place.monoco("relay", "resume", id)).toMatchObject({ exitCode: 0 });
    expect(place.all("review.decided").at(-1)).toMatchObject({
      by: "person",
      verdict: "approve",
      overrides: "request_changes",
    });
    expect(place.events().at(-1)).toMatchObject({ type: "merge.done" });
  });
});

test("a person's words that are too many are refused, and nothing is dropped", async () => {
  const place = await openPlace(
    { executor: [works], reviewer: [rejects] },
    { limits: { reviewRoundsMax: 1 } },
  );
  await place.monoco("run", id);
  const before = place.events().length;
  const said = await place.monoco("issue", "review", id, "--request-changes", "-m", "q".repeat(120_000));
  expect(said).toMatchObject({ exitCode: 2, stdout: "" });
  expect(said.stderr).toContain("-m: 120000 characters, more than 8000");
  expect(await place.monoco("relay", "say", id, "\u0001".repeat(60_000))).toMatchObject({ exitCode: 2 });
  expect(place.events()).toHaveLength(before);
  expect(await place.sh(`ls .monoco/relays/${id}/inbox`)).toBe("");
});

describe("a gate", () => {
  it("of the issue's criticality waits for a person, who approves or does not", async () => {
    const place = await openWith(
      { executor: [works], reviewer: [approves] },
      "criticality: high\n",
      "gates: { high: human }",
    );
    const ran = await place.monoco("run", id);
    expect(ran).toMatchObject({ exitCode: 1 });
    expect(ran.stdout).toContain("a person has to approve, too (gates.high human)");
    expect(await onBase(place)).not.toContain("file.txt");
    expect((await place.monoco("issue", "review", id, "--show")).stdout).toMatch(
      /^\| 1 \| the file is there \| behaves \(guessed\) \| met \| `test -z .*` \| 0 \| 1 \| shown; fails when the change is removed \|$/m,
    );
    expect(await place.monoco("relay", "resume", id)).toMatchObject({ exitCode: 1 });
    expect(await place.monoco("issue", "review", id, "--approve")).toMatchObject({ exitCode: 0 });
    expect(place.all("review.decided").map(({ by }) => by)).toEqual(["reviewer", "person"]);
  });

  test("is open to issues of another criticality", async () => {
    const place = await openWith({ executor: [works], reviewer: [approves] }, "", "gates: { high: human }");
    expect(await place.monoco("run", id)).toMatchObject({ exitCode: 0 });
  });

  test("that no criterion can pass by a machine's word is a person's, too", async () => {
    const place = await openPlace({
      executor: [works],
      reviewer: [
        [
          {
            verdict: "approve",
            criteria: [{ criterion: 1, result: "not_verifiable", text: "needs a printer" }],
            probes: [probe],
          },
        ],
      ],
    });
    const { stdout } = await place.monoco("run", id);
    expect(stdout).toContain("the Reviewer could not verify criterion 1");
    // As kill storms read it.
    expect(approvalsAsked(stdout)).toEqual([id]);
  });

  test.for<[string, object[][], number, string[]]>([
    ["merges when both approve", [approves, approves], 0, ["approve", "approve"]],
    ["does not when the second requests changes", [approves, rejects], 1, ["approve", "request_changes"]],
    ["does not ask the second when the first requests changes", [rejects, approves], 1, ["request_changes"]],
  ])("of two Reviewers %s", async ([, reviewer, exitCode, verdicts]) => {
    const place = await openWith(
      { executor: [works], reviewer },
      "criticality: critical\n",
      "reviewers: { critical: 2 }",
    );
    place.write(
      "monoco.yaml",
      place.read("monoco.yaml").replace('"backoffSeconds":0', '"backoffSeconds":0,"reviewRoundsMax":1'),
    );
    await place.sh("git commit -qam Rounds");
    expect(await place.monoco("run", id)).toMatchObject({ exitCode });
    expect(place.all("review.decided").map(({ verdict }) => verdict)).toEqual(verdicts);
    expect((await onBase(place)).includes("file.txt")).toBe(exitCode === 0);
  });
});

it("a journal that is edited in place while its runner holds it merges nothing", async () => {
  const edits = `j="$PERSON/.monoco/relays/${id}/journal.jsonl"; at=$(grep -obF '"title":"Write a file"' "$j" | head -1 | cut -d: -f1); printf '"title":"Wrote a file"' | dd of="$j" bs=1 seek="$at" conv=notrunc`;
  const place = await openPlace({ executor: [works], reviewer: [[run(edits), ...approves]] });
  const ran = await place.monoco("run", id);
  expect(ran).toMatchObject({ exitCode: 2 });
  expect(ran.stderr).toContain("journal.jsonl:1: the journal is damaged: the line was changed");
  const print = printCopy(`refs/monoco/${id}/journal`);
  expect(ran.stderr).toContain(print);
  expect(await place.sh(print)).not.toContain("Wrote a file");
  expect(await onBase(place)).not.toContain("file.txt");
});

it("a commit whose checks failed is checked again once a person resumes the relay, and not before", async () => {
  const place = await openPlace({ executor: [works, [submit]], reviewer: [approves] });
  const room = join(place.around, "room");
  place.write("monoco.yaml", `${place.read("monoco.yaml")}checks: [ls '${room}']\nbaseline: none\n`);
  await place.sh("git commit -qam Checks");
  const blocked = await place.monoco("run", id);
  expect(blocked).toMatchObject({ exitCode: 1 });
  expect(blocked.stdout).toContain("its checks failed on this very commit (submission 1)");
  expect(place.all("checks.ran").filter(({ target }) => target === "submission")).toHaveLength(1);
  await place.sh(`mkdir '${room}'`);
  const resumed = await place.monoco("relay", "resume", id);
  expect(resumed, resumed.stdout + resumed.stderr).toMatchObject({ exitCode: 0 });
  const [first, second, ...more] = place.all("submission.requested").map(({ head }) => head);
  expect([second, more]).toEqual([first, []]);
});
