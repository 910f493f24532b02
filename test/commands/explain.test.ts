/** monoco relay explain and relay log, on the journal of a real run. */
import { expect, test } from "vitest";
import { approves, commit, openPlace, works } from "../support/place.ts";

test("a relay tells why it handed over, went on and merged, in words and as JSON, and its log is there for grep", async () => {
  const begins = [{ write: { "a.txt": "a\n" } }, commit, { handoff: { next: ["go on"] } }];
  const place = await openPlace(
    { executor: [begins, works], reviewer: [approves] },
    { settings: "preset: auto\n" },
  );
  expect(await place.monoco("run", "FEAT-0001")).toMatchObject({ exitCode: 0 });

  const told = await place.monoco("relay", "explain", "FEAT-0001");
  expect(told).toMatchObject({ exitCode: 0, stderr: "" });
  expect(told.stdout).toMatch(
    /open the relay\n {6}because {2}preset simple: 1 criterion and 0 tasks make it simple {2}\[opened\]/,
  );
  expect(told.stdout).toMatch(
    /start session 2 \(executor by a\)\n {6}because {2}session 1 handed over {2}\[handed_over\]\n {6}number {3}sessions spent: 1 of 10 \(limits\.sessionsMax\)/,
  );

  const second = await place.monoco("relay", "explain", "FEAT-0001", "--session", "2", "--json");
  const { decisions } = JSON.parse(second.stdout) as {
    decisions: { decision: string; settings: unknown[] }[];
  };
  expect(decisions.map(({ decision }) => decision)).toEqual([
    "start session 2 (executor by a)",
    "session 2 ended: submitted",
    "put up submission 1",
  ]);
  expect(decisions[0]!.settings).toContainEqual({
    key: "roles.executor.agents",
    value: ["a"],
    origin: "monoco.yaml:2",
  });

  const log = await place.monoco("relay", "log", "FEAT-0001", "--json");
  const lines = log.stdout.trim().split("\n");
  expect(lines.filter((line) => /"type":"session\.ended".*"reason":"submitted"/.test(line))).toHaveLength(1);
  expect(JSON.parse(lines.at(-1)!)).toMatchObject({ type: "merge.done", submission: 1 });

  expect(await place.monoco("relay", "explain", "FEAT-0001", "--session", "9")).toMatchObject({
    exitCode: 2,
    stderr: expect.stringMatching(/^error: FEAT-0001 has no session 9\nhint: /),
  });
  expect(await place.monoco("relay", "explain", "FEAT-0002")).toMatchObject({ exitCode: 2 });
});
