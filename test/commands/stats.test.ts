/** monoco stats, on the journals of real runs. */
import { expect, test } from "vitest";
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
  expect(await place.monoco("stats", "--since", "2999-01-01")).toMatchObject({
    exitCode: 0,
    stdout: "no sessions since 2999-01-01T00:00:00.000Z",
  });
  expect(await place.monoco("stats", "--since", "yesterday")).toMatchObject({
    exitCode: 2,
    stderr: expect.stringMatching(/^error: --since yesterday: it is no date\nhint: /),
  });
  place.write(".monoco/relays/FEAT-0009/journal.jsonl", "{}\n{}\n");
  const damaged = await place.monoco("stats");
  expect(damaged.exitCode).not.toBe(0);
  expect(damaged.stdout).toContain("all sessions: 2");
  expect(damaged.stderr).toContain("FEAT-0009");
});
