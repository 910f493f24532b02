/** monoco stats, on the journals of real runs. */
import { expect, test } from "vitest";
import { transcript, transcriptOf } from "../support/transcript.ts";
import { approves, openPlace, works } from "../support/place.ts";

test("the sessions of a repository are counted from its journals; a damaged one hides no other", async () => {
  const place = await openPlace({ executor: [works], reviewer: [approves] });
  expect(await place.monoco("stats")).toMatchObject({ exitCode: 0, stdout: "no sessions yet" });
  expect(await place.monoco("run", "FEAT-0001")).toMatchObject({ exitCode: 0 });
  const found = await place.monoco("stats", "--json");
  expect(JSON.parse(found.stdout)).toMatchObject({
    since: null,
    relays: { known: 1, merged: 1, left: 0 },
    all: { sessions: 2, advanced: 2, reasons: { submitted: 1, decided: 1 } },
    by: [
      { agent: "a", role: "executor", sessions: 1 },
      { agent: "a", role: "reviewer", sessions: 1 },
    ],
  });
  expect(
    await transcriptOf(place.monoco, [
      ["stats", "--since", "2999-01-01"],
      ["stats", "--since", "yesterday"],
      ["stats", "--since", "2026-02-31"],
    ]),
  ).toMatchInlineSnapshot(`
    "$ monoco stats --since 2999-01-01
    no sessions since <date> <time> UTC
    $ monoco stats --since yesterday
    ! error: --since yesterday: expected a date
    ! hint: write it like <date>, or <time>
    exit 2
    $ monoco stats --since 2026-02-31
    ! error: --since <date>: expected a date
    ! hint: write it like <date>, or <time>
    exit 2"
  `);
  place.write(".monoco/relays/FEAT-0009/journal.jsonl", "{}\n{}\n");
  expect(transcript(await place.monoco("stats"))).toMatchInlineSnapshot(`
    "relays 1: merged 1 (100 %); paused after failing sessions: 0
    0 of 1 merges escaped (fewer than 10 merges: no share)

    all sessions: 2
      advanced       2 of 2 (100 %)
      mean duration  <duration>
      ended by       submitted 1, decided 1
      handoffs       0 written (0 completed by monoco), 0 generated
      cost           not reported

    executor by a: 1
      advanced       1 of 1 (100 %)
      mean duration  <duration>
      ended by       submitted 1
      handoffs       0 written (0 completed by monoco), 0 generated
      cost           not reported

    reviewer by a: 1
      advanced       1 of 1 (100 %)
      mean duration  <duration>
      ended by       decided 1
      handoffs       0 written (0 completed by monoco), 0 generated
      cost           not reported
      approvals      0 of 1 merges escaped (fewer than 10 merges: no share)
    ! error: /place/a project, 项目/.monoco/relays/FEAT-0009/journal.jsonl:1: the journal is damaged: the line is not an event
    ! hint: restore it from a backup, or from its copy (git rev-list --objects --no-object-names --filter=object:type=blob --filter-provided-objects refs/monoco/FEAT-0009/journal | xargs -n 1 git cat-file blob), or keep the first 0 lines: monoco goes on from any prefix
    exit 2"
  `);
});
