/** monoco explain and relay log, on the journal of a real run. */
import { expect, test } from "vitest";
import { transcript, transcriptOf } from "../support/transcript.ts";
import { approves, commit, openPlace, works } from "../support/place.ts";

test("a relay tells why it handed over, went on and merged, in words and as JSON, and its log is there for grep", async () => {
  const begins = [{ write: { "a.txt": "a\n" } }, commit, { handoff: { next: ["go on"] } }];
  const place = await openPlace(
    { executor: [begins, works], reviewer: [approves] },
    { settings: "preset: auto\n" },
  );
  expect(await place.monoco("run", "FEAT-0001")).toMatchObject({ exitCode: 0 });

  expect(transcript(await place.monoco("relay", "explain", "FEAT-0001"))).toMatchInlineSnapshot(`
    "times: UTC
       1  <time>  open the relay
          because  preset simple: 1 criterion and 0 tasks make it simple
          setting  preset: auto (monoco.yaml:4)
       2  <time>  start session 1 (executor by a)
          because  new relay
          number   sessions spent: 0 of 10 (limits.sessionsMax)
          setting  roles.executor.agents: ["a"] (monoco.yaml:2)
       4  <time>  session 1 ended: handed over
          because  a valid RALPH.md of this session is there
          number   commits: 1
          number   files changed: 1
       5  <time>  session 1 does not look finished
          because  the vote is 0.15 (threshold 0.6)
          number   tasks_complete (weight 0.4): 0 of 1 boxes resolved: 0
          number   consecutive_done (weight 0.25): 0 of 1 session in a row said done: 0 (exit.doneSessions)
          number   test_only (weight 0.2): 0 of 2 sessions in a row changed tests only: 0 (exit.testSessions)
          number   strong_indicators (weight 0.15): documentation only: 0.15
          number   vote: 0.15 of 0.6 (exit.threshold)
          number   completion indicators: 0 of 2
          number   EXIT_SIGNAL: absent: 0
          number   completion promise: absent: 0
          number   closing answer: done: absent: 0
          number   refused submit whose reason has gone: absent: 0
          number   checks not run: 0
          number   files changed since the last submission, else the base: 1
          setting  exit.threshold: 0.6 (default)
          setting  exit.doneSessions: 1 (preset auto: simple)
          setting  exit.testSessions: 2 (preset auto: simple)
       7  <time>  start session 2 (executor by a)
          because  session 1 handed over
          number   sessions spent: 1 of 10 (limits.sessionsMax)
          setting  roles.executor.agents: ["a"] (monoco.yaml:2)
       9  <time>  session 2 ended: submitted
          because  a submit message lay in its outbox
          number   commits: 1
          number   files changed: 1
      10  <time>  put up submission 1
          because  the executor submitted
      12  <time>  start session 3 (reviewer by a)
          because  submission 1 is checked
          number   sessions spent: 2 of 10 (limits.sessionsMax)
          setting  roles.reviewer.agents: ["a"] (monoco.yaml:2)
      15  <time>  session 3 ended: decided
          because  a verdict was read from its output
      17  <time>  take the approval
          because  the reviewer decided so on submission 1
          setting  limits.reviewRoundsMax: 3 (default)
      19  <time>  merge submission 1
          because  it is approved and checked"
  `);

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

  expect(
    await transcriptOf(place.monoco, [
      ["relay", "explain", "FEAT-0001", "--session", "9"],
      ["relay", "explain", "FEAT-0002"],
    ]),
  ).toMatchInlineSnapshot(`
    "$ monoco relay explain FEAT-0001 --session 9
    ! error: FEAT-0001 has no session 9
    ! hint: monoco status FEAT-0001 lists its sessions
    exit 2
    $ monoco relay explain FEAT-0002
    ! error: FEAT-0002 exists nowhere: no branch has a file issues/**/FEAT-0002*.md
    ! hint: monoco issue list shows what there is
    exit 2"
  `);
});
