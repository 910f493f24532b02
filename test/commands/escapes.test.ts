/** Merges that turned out to be wrong are counted, and told where the next verdict of their Reviewer is read. */
import { expect, test, vi } from "vitest";
import { approves, issueText, openPlace, run } from "../support/place.ts";
import { transcriptOf } from "../support/transcript.ts";

vi.setConfig({ testTimeout: 300_000 });

test("a revert, a fix and a person's mark count, in the report, in stats and beside the Reviewer's name", async () => {
  const works = [
    run("echo 1 > $MONOCO_ISSUE.txt && git add -A && git commit -qm Work && monoco issue submit"),
  ];
  const human = issueText("FEAT-0003", "criticality: high\n");
  const place = await openPlace(
    { executor: [works], reviewer: [approves] },
    {
      issues: ["FEAT-0001", "FEAT-0002", "FEAT-0005"],
      files: { "issues/FEAT-0003-write-a-file.md": human },
      settings: "gates: { high: human }\n",
    },
  );
  expect((await place.monoco("report", "--escapes")).stdout).toBe("no merges are recorded in this clone");
  expect(await place.monoco("issue", "escaped", "FEAT-0001", "-m", "x")).toMatchObject({ exitCode: 2 });
  await place.monoco("run", "FEAT-0001", "FEAT-0002", "-j", "1");
  await place.monoco("run", "FEAT-0003");
  // A commit has whole seconds, so these are of a later one.
  const later = `GIT_COMMITTER_DATE=@${Math.floor(Date.now() / 1000) + 60}`;
  await place.sh(
    `merge=$(git log --merges -1 --format=%H --grep=FEAT-0002); ${later} git revert -m 1 --no-edit $merge`,
  );
  const fix = issueText(
    "FIX-0004",
    `type: fix\nrelated: [FEAT-0001]\ncreated_at: ${new Date(Date.now() + 60_000).toISOString()}\n`,
  );
  place.write("issues/FIX-0004-write-a-file.md", fix);
  expect(
    await transcriptOf(place.monoco, [
      ["issue", "escaped", "FEAT-0001", "-m", "The file is empty"],
      ["issue", "escaped", "FEAT-0003", "-m", "Too early"],
      ["report", "--escapes"],
      ["report", "--escapes", "FEAT-0001"],
      ["report", "--escapes", "--since", "2999-01-01"],
    ]),
  ).toMatchInlineSnapshot(`
    "$ monoco issue escaped FEAT-0001 -m 'The file is empty'
    FEAT-0001: its merge counts as escaped
    next: monoco report --escapes
    $ monoco issue escaped FEAT-0003 -m 'Too early'
    ! error: nothing of FEAT-0003 is merged
    ! hint: monoco report lists what was merged here
    exit 2
    $ monoco report --escapes
    2 of 2 merges escaped (fewer than 10 merges: no share)

    by evidence  differs from the base  2 of 2 merges escaped (fewer than 10 merges: no share)
    by Reviewer  a                      2 of 2 merges escaped (fewer than 10 merges: no share)
    approved by  reviewer               2 of 2 merges escaped (fewer than 10 merges: no share)

    FEAT-0002, submission 1, merged as <hash>
      reverted by <hash>, <date> <time> UTC
    FEAT-0001, submission 1, merged as <hash>
      repaired by FIX-0004, <date> <time> UTC
      marked by a person, <date> <time> UTC: The file is empty
    $ monoco report --escapes FEAT-0001
    ! error: --escapes counts all merges: it takes no ID and writes no HTML
    ! hint: monoco report --escapes --since <date> --json
    exit 2
    $ monoco report --escapes --since 2999-01-01
    no merges are recorded in this clone since <date> <time> UTC"
  `);
  expect(JSON.parse((await place.monoco("report", "--escapes", "--json")).stdout)).toMatchObject({
    all: { merges: 2, escaped: 2, share: null, between: null },
    escaped: [{ issue: "FEAT-0002" }, { issue: "FEAT-0001" }],
  });
  expect((await place.monoco("stats")).stdout).toMatch(
    /\n2 of 2 merges escaped .*[^]*reviewer by a[^]*approvals +2 of 2 merges escaped/,
  );
  expect((await place.monoco("issue", "review", "FEAT-0003", "--stat")).stdout).toContain(
    "by the Reviewer (session 2) [a: 2 of 2 merges escaped (fewer than 10 merges: no share)]",
  );
  place.write("monoco.yaml", `${place.read("monoco.yaml")}finish: pr\n`);
  await place.sh("git add -A && git commit -qm Pulls");
  const left = await place.monoco("run", "FEAT-0005");
  expect(left, left.stdout).toMatchObject({ exitCode: 0 });
  expect(place.read(".monoco/relays/FEAT-0005/submissions/1/dossier.md")).toContain(
    "by the Reviewer (session 2) [a: 2 of 2 merges escaped (fewer than 10 merges: no share)]",
  );
  expect((await place.monoco("log", "FEAT-0001")).stdout).toContain("the merge was wrong, says a person");
});
