/** The review gate against agents that want to get round it: nothing of theirs is merged, and each run stops with its reason. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { endings, issue, play, stage, times, told } from "../support/cast.ts";
import type { Place, Row } from "../support/cast.ts";
import { openPlace, run } from "../support/place.ts";
import { full as test, testRows } from "../support/full.ts";

const spent = (sessions: number): string => `spent ${sessions} sessions (sessionsMax ${sessions})`;

/** The base is where it was, although a Reviewer has approved. */
async function expectBaseUntouched({ sandbox, project, base }: Place): Promise<void> {
  expect(await sandbox.git(project, "rev-parse", "main")).toBe(base);
  expect(await sandbox.git(project, "status", "--porcelain")).toBe("");
}

describe.concurrent("nothing is merged of an Executor that", () => {
  // TRAP 25
  test.for<[string, Row]>([
    [
      "copies its environment, as the next Reviewer's and as nobody's, and approves from everywhere",
      {
        cast: { executor: "poses-as-reviewer", reviewer: "requests-changes", limits: "sessionsMax: 2" },
        endings: ["executor submitted", "reviewer decided"],
        blocked: spent(2),
        also: (place) =>
          expect(told(place, "review.decided")).toMatchObject([
            { by: "reviewer", session: 2, verdict: "request_changes" },
          ]),
      },
    ],
    [
      "has its branch say otherwise after it submitted",
      {
        cast: { executor: "rewrites-after-submitting", reviewer: "approves", limits: "sessionsMax: 2" },
        endings: times(2, "executor submitted"),
        blocked: `test -f file.txt: ${spent(2)}`,
        also: (place) =>
          expect(told(place, "submission.refused").map(({ why }) => why)).toEqual(
            times(2, expect.stringMatching(/^commit [0-9a-f]{8} is not of this session's branch$/)),
          ),
      },
    ],
    [
      "closes its issue, clears its relay and runs another",
      {
        cast: { executor: "closes-itself", reviewer: "requests-changes", limits: "sessionsMax: 2" },
        endings: ["executor submitted", "reviewer decided"],
        blocked: spent(2),
        also: (place) => expect(told(place, "relay.opened")).toHaveLength(1),
      },
    ],
  ])("%s", ([, row]) => play(row));

  test("approves another relay's submission as if it were a person, from its session, as an orphan and from its checks", async () => {
    const own = "MONOCO_SESSION_DIR MONOCO_ISSUE MONOCO_ROLE MONOCO_SESSION";
    const commands = [
      "issue review FEAT-0001 --approve",
      "relay resume FEAT-0001",
      "issue close FEAT-0001 --force",
      "issue lint --fix",
      "loop LOOP.md --review",
      // From a folder that passes for another repository.
      "run FEAT-0001",
    ];
    const forges = (log: string): string =>
      commands
        .map((words) => `env ${own.replaceAll(/\w+/g, "-u $&")} monoco ${words} >> ${log} 2>&1`)
        .join("; ")
        .replace(/env (?=[^;]*$)/, "cd ../x; env ");
    const place = await openPlace(
      {
        executor: [
          [
            run('test "$MONOCO_ISSUE" = FEAT-0001 || sh forge.sh'),
            run('echo done > "$MONOCO_ISSUE.txt"; git add -A; git commit -qm work'),
            { submit: true },
          ],
        ],
        reviewer: [[{ verdict: "approve" }]],
      },
      { issues: ["FEAT-0001", "FEAT-0002"], settings: "gates: { medium: human }\n" },
    );
    const [log, orphans, check] = ["session", "orphan", "check"].map((name) =>
      join(place.around, `${name}.log`),
    );
    const at = `cd '${place.project}'`;
    await place.sh('mkdir ../x && echo "gitdir: $PWD/.git" > ../x/.git');
    place.write(
      "forge.sh",
      `${at}\n${forges(log!)}\n(setsid sh -c "${forges(orphans!)}" &)\nuntil [ "$(grep -c ^hint ${orphans!})" = ${commands.length} ]; do sleep 0.1; done\n`,
    );
    place.write("LOOP.md", "Go on.\n");
    place.write("check.sh", `${at} && { ${forges(check!)}; }; true\n`);
    place.write("monoco.yaml", `${place.read("monoco.yaml")}checks: [sh check.sh]\n`);
    await place.sh("git add -A && git commit -qm Forge");
    expect(await place.monoco("run", "FEAT-0001")).toMatchObject({ exitCode: 1 });
    const before = await place.git("rev-parse", "main");
    expect(await place.monoco("run", "FEAT-0002")).toMatchObject({ exitCode: 1 });
    for (const file of [log!, orphans!, check!]) {
      const refused = readFileSync(file, "utf8").match(
        /^error: only a person may do this; it was started by the relay of FEAT-000\d$/gm,
      );
      expect(refused?.length, readFileSync(file, "utf8")).toBeGreaterThanOrEqual(commands.length);
    }
    expect(place.all("review.decided", "FEAT-0001").map(({ by }) => by)).toEqual(["reviewer"]);
    expect(await place.git("rev-parse", "main")).toBe(before);
    expect(await place.git("status", "--porcelain")).toBe("");
    // The person, at their own terminal, can.
    expect(await place.monoco("issue", "review", "FEAT-0001", "--approve", "--no-run")).toMatchObject({
      exitCode: 0,
    });
  });

  it("writes into the journal that it is approved: the next writer finds that it is another's", async () => {
    const place = await stage({ executor: "forges-journal", reviewer: "approves" });
    const ran = await place.start();
    expect(ran).toMatchObject({ exitCode: 3 });
    expect(ran.stderr).toMatch(/journal\.jsonl moved on: .* bytes more that are not its runner's/);
    // Its hashes are right: nothing but the note tells it from the runner's own.
    expect(told(place, "review.decided")).toMatchObject([{ by: "person", verdict: "approve" }]);
    const again = await place.monoco("relay", "resume", issue);
    expect(again).toMatchObject({ exitCode: 1 });
    expect(again.stderr).toContain("was written by somebody else than its runner, while that was at work");
    await expectBaseUntouched(place);
    const [, takeOut] = /take it out: (.*?); or take/.exec(again.stderr)!;
    await place.sandbox.sh(place.project, takeOut!);
    expect(told(place, "review.decided")).toEqual([]);
    expect((await place.monoco("relay", "status", issue)).stdout).not.toContain("approve");
  });
});

const doNotCount = (because: string | RegExp): Omit<Row, "cast"> => ({
  endings: ["executor submitted", ...times(2, "reviewer decided")],
  blocked: `the verdict on submission 1 is for you to decide: ${String(because)}`,
});
/** What does not reproduce shows nothing: the person reads of which criteria that is so. */
const doesNotShow = (because: string): Omit<Row, "cast"> => ({
  endings: ["executor submitted", ...times(2, "reviewer decided")],
  blocked: `what shows criterion 1, 2 of submission 1 is for you to say: ${because}`,
});
const noVerdict = (ending: string): Omit<Row, "cast"> => ({
  endings: ["executor submitted", ...times(2, `reviewer ${ending}`)],
  blocked: "2 Reviewer sessions gave no verdict on submission 1",
});

describe.concurrent("nothing is merged on the word of a Reviewer that", () => {
  testRows<[string, string, Omit<Row, "cast">, string?]>([
    [
      "approves without evidence",
      "reviewer-without-evidence",
      doNotCount(
        "criterion 1 (file.txt is there): no evidence; criterion 2 (it holds a word): no evidence; no probe of its own",
      ),
    ],
    [
      "lies about exit statuses",
      "reviewer-lies statuses",
      doesNotShow(
        "criterion 1 (file.txt is there): `grep -q nowhere file.txt` does not reproduce: exit status 1, not 0",
      ),
    ],
    [
      "lies about what a probe did",
      "reviewer-lies probes",
      doNotCount("probe: `grep -q nowhere file.txt` does not reproduce: exit status 1, not 0"),
    ],
    [
      "names lines that are not there",
      "reviewer-lies lines",
      doesNotShow("criterion 1 (file.txt is there): `file.txt:400` does not reproduce: it has 1 lines"),
    ],
    [
      "judges another commit: one that it made better",
      "reviewer-mends-what-it-judges",
      doesNotShow(
        "criterion 1 (file.txt is there): `grep -qx good file.txt` does not reproduce: exit status 1, not 0",
      ),
    ],
    [
      "approves over a blocker of its own",
      "reviewer-against-itself blocker",
      doNotCount("it approves over its own finding F1 (blocker)"),
    ],
    [
      "approves what does not meet a criterion",
      "reviewer-against-itself unmet",
      doNotCount("criterion 2 (it holds a word): not met, and yet it approves"),
    ],
    ["never comes to an end", "talks-for-ever", noVerdict("timeout"), "sessionMinutes: 0.12"],
    ["says nothing and sits still", "sits-still", noVerdict("silent"), "silenceMinutes: 0.08"],
    [
      "raises one finding again and again",
      "requests-changes",
      {
        endings: times(3, "executor submitted", "reviewer decided"),
        blocked: "No: finding F1 was raised in 3 rounds",
      },
      "reviewRoundsMax: 9",
    ],
    [
      "finds something new each time",
      "reviewer-finds-something-new",
      {
        endings: times(2, "executor submitted", "reviewer decided"),
        blocked: "Not 4: 2 rounds of requested changes (reviewRoundsMax 2)",
        also: (place) => expect(told(place, "review.decided").at(-1)).toMatchObject({ trend: "diverging" }),
      },
    ],
    [
      "finds thousands of things",
      "reviewer-floods-findings",
      {
        endings: times(2, "executor submitted", "reviewer decided"),
        blocked: "No 0; No 1; No 2: 2 rounds of requested changes (reviewRoundsMax 2)",
        also: (place) => {
          const prompt = join(place.project, ".monoco/relays", issue, "sessions/0003-executor/prompt.md");
          expect(readFileSync(prompt, "utf8")).toContain("… and 3950 more findings\n");
          expect(readFileSync(prompt, "utf8").length).toBeLessThan(30_000);
        },
      },
    ],
  ])("%s", ([, reviewer, expected, limits]) =>
    play({ cast: { executor: "works", reviewer, ...(limits ? { limits } : {}) }, ...expected }),
  );
});

describe.concurrent("an approval is not enough", () => {
  test.for<[string, string, string, string[], string]>([
    [
      "where a second Reviewer crashes",
      "reviewers-disagree reviewer-crashes",
      "reviewers: { medium: 2 }",
      ["executor submitted", "reviewer decided", ...times(2, "reviewer failure")],
      "2 Reviewer sessions gave no verdict on submission 1",
    ],
    [
      "where a person has to approve, too, and the Reviewer plays the person",
      "reviewer-plays-the-person now",
      "gates: { medium: human }",
      ["executor submitted", "reviewer decided"],
      "submission 1 is approved by the Reviewer: a person has to approve, too (gates.medium human)",
    ],
    [
      "where a person has to approve, too, and what is run as evidence plays the person",
      "reviewer-plays-the-person later",
      "gates: { medium: human }",
      ["executor submitted", "reviewer decided"],
      "submission 1 is approved by the Reviewer: a person has to approve, too (gates.medium human)",
    ],
  ])("%s", async ([, reviewer, settings, expected, blocked]) => {
    const place = await stage({ executor: "works", reviewer, settings });
    const ran = await place.start();
    expect(endings(place), ran.stdout + ran.stderr).toEqual(expected);
    expect(ran).toMatchObject({ exitCode: 1 });
    expect(ran.stdout).toContain(`blocked: ${blocked}`);
    expect(told(place, "review.decided").map(({ by }) => by)).not.toContain("person");
    expect(told(place, "merge.prepared")).toEqual([]);
    await expectBaseUntouched(place);
  });
});
