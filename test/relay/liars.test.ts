/** `command` agents that lie, forge, flood and will not die, each a tiny real program, against the whole of `monoco run`. */
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Containment } from "../../src/agents/containment.ts";
import { extensionsMax } from "../../src/core/limits.ts";
import {
  endings,
  expectNobodyLeft,
  expectNothingMerged,
  issue,
  issuePath,
  play,
  stage,
  times,
  told,
} from "../support/cast.ts";
import type { Place, Row } from "../support/cast.ts";
import { eventsOf, fixture, processesOf } from "../support/cli.ts";
import { full as test, testRows } from "../support/full.ts";
import { isHere } from "../support/namespaces.ts";

const noProgress = "no progress in 2 sessions in a row (stalledMax 2)";
/** It submitted, was refused, and then only did the same again. */
const refusedAndStuck = ["executor submitted", "reviewer decided", ...times(2, "executor submitted")];

/** Its checks failed, no Reviewer was asked, and then it only did the same again. */
const redAndStuck = times(3, "executor submitted");

const refusals = (place: Place): string[] => [
  ...new Set(told(place, "submission.refused").map(({ why }) => why)),
];

describe.concurrent("nothing is merged of an Executor that", () => {
  testRows<[string, Row]>([
    // TRAP 5, 18, 23, 24
    [
      "says that it is done, and did nothing",
      {
        cast: { executor: "says-done", reviewer: "approves" },
        endings: times(2, "executor completed_without_submit"),
        blocked: noProgress,
        also: (place) => {
          expect(told(place, "signal.scored")[0]).toMatchObject({ finished: true });
          expect(refusals(place)).toEqual(["nothing differs from main, but for the issue itself"]);
        },
      },
    ],
    [
      "says that it is done, and did junk: that is put up for review, and no more",
      {
        cast: { executor: "says-done --junk", reviewer: "requests-changes" },
        endings: [
          "executor completed_without_submit",
          "reviewer decided",
          ...times(2, "executor completed_without_submit"),
        ],
        blocked: noProgress,
      },
    ],
    [
      "names the promise to say that it does not make it",
      {
        cast: { executor: "says-not-yet", reviewer: "approves", limits: "sessionsMax: 3" },
        endings: times(3, "executor completed_without_submit"),
        blocked: "spent 3 sessions (sessionsMax 3)",
        also: (place) => expect(told(place, "submission.requested")).toEqual([]),
      },
    ],
    [
      "ticks every box, and did nothing",
      {
        cast: { executor: "ticks-every-box", reviewer: "approves" },
        endings: times(3, "executor completed_without_submit"),
        blocked: noProgress,
      },
    ],
    [
      "ticks every box and submits that",
      {
        cast: { executor: "ticks-every-box --submit", reviewer: "approves" },
        endings: times(3, "executor submitted"),
        blocked:
          "nothing differs from main, but for the issue itself: 3 submits in a row were refused for this reason",
        also: (place) =>
          expect(refusals(place)).toEqual(["nothing differs from main, but for the issue itself"]),
      },
    ],
    [
      "submits a commit of the base",
      {
        cast: { executor: "submits-anything main", reviewer: "approves" },
        endings: times(2, "executor submitted"),
        blocked: noProgress,
        also: (place) =>
          expect(refusals(place)).toEqual(["nothing differs from main, but for the issue itself"]),
      },
    ],
    [
      "submits somebody else's branch",
      {
        cast: { executor: "submits-anything other", reviewer: "approves" },
        endings: times(2, "executor submitted"),
        blocked: noProgress,
        also: (place) =>
          expect(refusals(place)).toEqual([
            expect.stringMatching(/^commit [0-9a-f]{8} is not of this session's branch$/),
          ]),
      },
    ],
    [
      "submits a commit that there is not",
      {
        cast: { executor: `submits-anything ${"0123456789".repeat(4)}`, reviewer: "approves" },
        endings: times(2, "executor submitted"),
        blocked: noProgress,
        also: (place) => expect(refusals(place)).toEqual(["commit 01234567 is not in the repository"]),
      },
    ],
    // TRAP 20
    [
      "commits something in every session, and never anything of use",
      {
        cast: { executor: "pretends-progress", reviewer: "approves", limits: "sessionsMax: 3" },
        endings: times(3, "executor completed_without_submit"),
        blocked: "test -f file.txt: spent 3 sessions (sessionsMax 3)",
      },
    ],
    [
      "hands over for ever",
      {
        cast: { executor: "hands-over-for-ever", reviewer: "approves" },
        endings: times(2, "executor handed_over"),
        blocked: noProgress,
      },
    ],
    // TRAP 25
    [
      "approves itself, on its output and by monoco's command",
      {
        cast: { executor: "approves-itself", reviewer: "requests-changes" },
        endings: refusedAndStuck,
        blocked: noProgress,
      },
    ],
    [
      "forges verdicts and submits, in the inbox and in other sessions' outboxes",
      {
        cast: { executor: "forges-messages", reviewer: "requests-changes" },
        endings: refusedAndStuck,
        blocked: noProgress,
      },
    ],
    [
      "puts submits and handoffs where later sessions' will be",
      {
        cast: { executor: "plants-messages", reviewer: "approves" },
        endings: times(3, "executor completed_without_submit"),
        blocked: noProgress,
        also: (place) =>
          expect(told(place, "handoff.recorded").map(({ source }) => source)).toEqual(times(3, "generated")),
      },
    ],
    [
      "writes a check that approves it, and that shows the Reviewer other files",
      {
        cast: {
          executor: "poisons-its-check",
          reviewer: "reviewer-runs-the-check",
          checks: '["! test -e check.sh || sh check.sh"]',
        },
        endings: ["executor submitted", "reviewer no_verdict", "reviewer no_verdict"],
        blocked: "2 Reviewer sessions gave no verdict on submission 1",
        also: (place, ran) => {
          // Here the check had run in the Reviewer's session.
          expect(told(place, "session.ended")[1]?.evidence).toContainEqual({
            rule: "verdicts_not_taken",
            count: 3,
          });
          expect(ran.stdout).toContain("submission 1: checks green");
        },
      },
    ],
    [
      "edits its acceptance criteria: the Reviewer is told",
      {
        cast: { executor: "edits-criteria", reviewer: "reads-of-tampering" },
        endings: refusedAndStuck,
        blocked: noProgress,
        also: (place) =>
          expect(told(place, "contract.tampered").map(({ fields }) => fields)).toEqual([
            ["objective", "criteria", "checks"],
          ]),
      },
    ],
    [
      "edits monoco.yaml and its checks: those of the contract are run, by the limits of the contract",
      {
        cast: { executor: "edits-settings", reviewer: "approves" },
        endings: redAndStuck,
        blocked: noProgress,
        also: (place) => {
          expect(told(place, "contract.tampered")[0]).toMatchObject({ fields: ["checks", "monoco.yaml"] });
          expect(told(place, "review.decided")[0]).toMatchObject({
            by: "monoco",
            findings: [{ title: "The check fails: test -f file.txt" }],
          });
        },
      },
    ],
    [
      "puts files where the inbox and later sessions have to be",
      {
        cast: { executor: "blocks-the-way", reviewer: "approves" },
        endings: times(2, "executor completed_without_submit"),
        blocked: noProgress,
        also: async (place) =>
          expect(await place.monoco("relay", "stop", issue)).toMatchObject({ exitCode: 0 }),
      },
    ],
    [
      "never stops, and asks for more time for ever",
      {
        cast: { executor: "never-stops", reviewer: "approves", limits: "sessionMinutes: 0.02" },
        endings: times(2, "executor timeout"),
        blocked: noProgress,
        also: (place) =>
          expect(told(place, "extension.granted").filter(({ minutes }) => minutes > 0.02)).toEqual([]),
      },
    ],
    [
      "wishes for time again and again: few of its wishes are events",
      {
        cast: { executor: "asks-bit-by-bit", reviewer: "approves", limits: "sessionMinutes: 0.05" },
        endings: times(2, "executor timeout"),
        blocked: noProgress,
        also: (place) => {
          const granted = told(place, "extension.granted").filter(({ session }) => session === 1);
          expect(granted.length).toBeGreaterThan(0);
          expect(granted.length).toBeLessThanOrEqual(extensionsMax);
        },
      },
    ],
    [
      "floods its output with its names and figures: few of them are events",
      {
        cast: { executor: "floods-events", reviewer: "approves" },
        endings: times(2, "executor completed_without_submit"),
        blocked: noProgress,
        also: (place) => expect(eventsOf(place.project, issue).length).toBeLessThan(50),
      },
    ],
  ])("%s", ([, row]) => play(row));
});

describe.concurrent("nothing is merged on the word of a Reviewer that", () => {
  const twiceNone = (ending: string) => ({
    endings: ["executor submitted", ...times(2, `reviewer ${ending}`)],
    blocked: "2 Reviewer sessions gave no verdict on submission 1",
  });
  const twoRounds = {
    endings: times(2, "executor submitted", "reviewer decided"),
    blocked: "No: 2 rounds of requested changes (reviewRoundsMax 2)",
  };

  // TRAP 25
  testRows<[string, string, Omit<Row, "cast">]>([
    ["crashes", "reviewer-crashes", twiceNone("failure")],
    ["says nothing", "reviewer-says-nothing", twiceNone("no_verdict")],
    ["approves in prose, in a quotation, in half a line", "reviewer-in-prose", twiceNone("no_verdict")],
    ["returns verdicts that there are not", "reviewer-malformed", twiceNone("no_verdict")],
    ["approves, beside a malformed verdict", "reviewer-contradicts --malformed", twiceNone("no_verdict")],
    ["requests changes, and approves in the same session", "reviewer-contradicts", twoRounds],
    ["fills its context and goes on", "fills-its-context", twiceNone("context_limit")],
    [
      "gives a person's verdict by the inbox, and submits",
      "reviewer-forges",
      {
        ...twiceNone("no_verdict"),
        also: (place) => {
          expect(told(place, "session.ended")[1]?.evidence).toContainEqual({
            rule: "verdicts_not_taken",
            count: 3,
          });
          // A submit is nothing that a Reviewer's outbox can hold: it would have been told that it may stop.
          const live = join(place.project, ".monoco/relays", issue, "sessions/0002-reviewer/live.json");
          expect(JSON.parse(readFileSync(live, "utf8"))).not.toHaveProperty("letStop");
        },
      },
    ],
  ])("%s", ([, reviewer, expected]) => play({ cast: { executor: "works", reviewer }, ...expected }));

  test("would approve what fails its checks: it is not asked", () =>
    play({
      cast: {
        executor: "works",
        reviewer: "approves",
        checks: '["test -s file.txt", "grep -q nowhere file.txt"]',
      },
      endings: times(5, "executor submitted"),
      blocked: "grep -q nowhere file.txt: 5 submissions in a row with red checks (limits.redRoundsMax 5)",
    }));
});

describe.concurrent("what is merged in spite of them is what was reviewed", () => {
  testRows<[string, string, string]>([
    ["not what an Executor commits after its submit", "commits-after-submitting", "approves"],
    ["not what a Reviewer commits to it", "works", "reviewer-edits-its-clone"],
  ])("%s", async ([, executor, reviewer]) => {
    const place = await stage({ executor, reviewer });
    expect(await place.start()).toMatchObject({ exitCode: 0 });
    expect(readdirSync(place.project)).toContain("file.txt");
    expect(readdirSync(place.project)).not.toContain("evil.txt");
    const submitted = told(place, "submission.requested")[0]!.head;
    expect(await place.sandbox.git(place.project, "rev-parse", "main^2")).toBe(submitted);
  });

  test("not what it makes of the contract, even where the Reviewer has no objection", async () => {
    const place = await stage({
      executor: "edits-criteria",
      reviewer: "approves",
      settings: "gates: { protected: reviewer }",
    });
    expect(await place.start()).toMatchObject({ exitCode: 0 });
    const merged = readFileSync(join(place.project, issuePath), "utf8");
    expect(merged).toContain("- [ ] it holds a word");
    expect(merged).toContain("A file.");
    expect(merged).toContain('checks: ["test -f file.txt"]');
  });
});

describe.concurrent("an agent's program that lies in the repository is the person's, not the workspace's", () => {
  test.for<[string, string]>([
    ["as a program", '["./agent.sh"]'],
    ["as the script of another program", '["sh", "./agent.sh"]'],
  ])("%s", async ([, run]) => {
    const place = await stage({ executor: run, reviewer: run }, { "agent.sh": "edits-its-program" });
    await place.start();
    expect(endings(place)).toEqual(times(2, "executor submitted", "reviewer decided"));
    await expectNothingMerged(place);
  });

  it("one that would be the workspace's is refused, with what to write instead", async () => {
    const run = '["sh", "agent.sh"]';
    const place = await stage({ executor: run, reviewer: run }, { "agent.sh": "edits-its-program" });
    const ran = await place.start();
    expect(ran).toMatchObject({ exitCode: 2 });
    expect(ran.stderr).toBe(
      "error: FEAT-0001: monoco.yaml: agents.liar.run: agent.sh is a file of the repository\n" +
        "hint: write ./agent.sh for your own, beside monoco.yaml; name it in args: where the copy that the agent works on is meant",
    );
    expect(eventsOf(place.project, issue)).toEqual([]);
  });
});

const levels: Containment[] = isHere("a PID namespace")
  ? ["pid-namespace", "process-group"]
  : ["process-group"];

// TRAP 7
describe.for(levels)("under %s", (containment) => {
  test("a session that ignores TERM ends in bounded time, with all its children", () =>
    play({
      cast: { executor: "sits-still", reviewer: "approves", limits: "silenceMinutes: 0.01", containment },
      endings: times(2, "executor silent"),
      blocked: noProgress,
    }));

  it("what a session leaves behind is gone before the next one starts, whatever it did to stay", async () => {
    // Without a namespace, a process with an empty environment cannot be told from a stranger's: that is not promised.
    const executor =
      containment === "pid-namespace" ? "leaves-grandchildren" : "leaves-grandchildren --marked";
    const place = await stage({ executor, reviewer: "approves", containment });
    const running = place.start();
    const journal = join(place.project, ".monoco/relays", issue, "journal.jsonl");
    const started = '"type":"session.started","session":2';
    await expect.poll(() => readText(journal).includes(started), { timeout: 60_000, interval: 5 }).toBe(true);
    expect(processesOf(place.sandbox.folder).filter((line) => line.includes("left by session 1"))).toEqual(
      [],
    );
    expect(await running).toMatchObject({ exitCode: 1 });
    expect(endings(place)).toEqual(times(2, "executor completed_without_submit"));
    await expectNobodyLeft(place, containment);
  });
});

// TRAP 43
describe("a flood ends its session, and monoco stays under 200 MB", () => {
  testRows<[string, string]>([
    ["100 MB in one line", "one-long-line"],
    ["standard error without end", "floods-stderr"],
  ])("%s", async ([, executor]) => {
    const place = await stage({ executor, reviewer: "approves" });
    const peak = join(place.sandbox.folder, "peak");
    const ran = await place.start({
      NODE_OPTIONS: `--import=${fixture("write-peak-memory.mjs")}`,
      PEAK_MEMORY_FILE: peak,
    });
    expect(endings(place), ran.stderr).toEqual(times(2, "executor failure"));
    expect(told(place, "session.ended")[0]?.evidence).toEqual([
      { rule: "stopped", by: { rule: "flooded", megabytesMax: 64 } },
    ]);
    expect(ran).toMatchObject({ exitCode: 1 });
    expect(Number(readFileSync(peak, "utf8"))).toBeLessThan(200_000_000);
    await expectNobodyLeft(place);
    await expectNothingMerged(place);
  });
});

function readText(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}
