/** monoco run --all that can be left: what it would do, when it begins nothing more, and what it says at its end. */
import { createHash } from "node:crypto";
import { expect, it } from "vitest";
import { untilTime } from "../../src/commands/run/until.ts";
import { approves, issuePath, issueText, openPlace, works } from "../support/place.ts";
import type { Place } from "../support/place.ts";
import { full as test } from "../support/full.ts";
import { transcriptOf } from "../support/transcript.ts";

/** A folder's names and files, as one word. */
async function printOf(place: Place): Promise<string> {
  const all = await place.sh(`find . "${place.around}/home" -printf '%p %T@ %s\\n' | sort; git for-each-ref`);
  return createHash("sha256").update(all).digest("hex");
}

const backlog = {
  [issuePath("FEAT-0001")]: issueText("FEAT-0001", "dependencies: [FEAT-0002]\npriority: high\n"),
  [issuePath("FEAT-0002")]: issueText("FEAT-0002", "criticality: high\n"),
  [issuePath("FEAT-0003")]: issueText("FEAT-0003", "priority: urgent\n"),
  [issuePath("FEAT-0004")]: issueText("FEAT-0004").split("## Acceptance")[0]!,
  [issuePath("FEAT-0005")]: issueText("FEAT-0005", "dependencies: [FEAT-0004]\n"),
  [issuePath("FEAT-0006")]: issueText("FEAT-0006", "dependencies: [FEAT-0404]\n"),
  [issuePath("FEAT-0007")]: issueText("FEAT-0007", "type: epic\n"),
};

it("--dry-run tells the order, the refused, the agents, the budgets and the gates, and leaves no trace", async () => {
  const place = await openPlace(
    { executor: [works], reviewer: [approves] },
    { issues: [], files: backlog, settings: "gates: { high: human }\nbudgets: { run: { costUsd: 20 } }\n" },
  );
  const before = await printOf(place);
  expect(
    await transcriptOf(place.monoco, [
      ["run", "--all", "--dry-run", "-j", "2"],
      ["run", "FEAT-0001", "FEAT-0004", "--dry-run"],
      ["run", "FEAT-0004", "--without-criteria", "--dry-run"],
    ]),
  ).toMatchInlineSnapshot(`
    "$ monoco run --all --dry-run -j 2
    would run on main, 2 at once:
      1  FEAT-0003  Write a file
      2  FEAT-0002  Write a file  a person approves (high)
      3  FEAT-0001  Write a file  after FEAT-0002
    would not be begun:
      FEAT-0006  issues/FEAT-0006-write-a-file.md:6: FEAT-0006 depends on FEAT-0404, which main does not have
                 fix the id, or commit that issue on main; or go on all the same: monoco run FEAT-0006 --ignore-dependencies
      FEAT-0004  issues/FEAT-0004-write-a-file.md: FEAT-0004 has no acceptance criteria: nothing could show that it is done
                 write what has to be true under ## Acceptance Criteria, one \`- [ ]\` each, and commit it; or let it be judged by its objective alone: monoco run FEAT-0004 --without-criteria
      FEAT-0005  waits for FEAT-0004
    agents:
      a  scripted  built in  executor, reviewer
    budgets    run.costUsd 20; at most 30 sessions a relay
    approvals  1 of 3 will wait for a person by criticality; what changes protected paths will, too, which cannot be known ahead
    $ monoco run FEAT-0001 FEAT-0004 --dry-run
    nothing would run on main
    would not be begun:
      FEAT-0001  FEAT-0001 waits for FEAT-0002 (open, draft)
                 monoco run FEAT-0002 FEAT-0001 runs them in order; or go on all the same: monoco run FEAT-0001 --ignore-dependencies
      FEAT-0004  issues/FEAT-0004-write-a-file.md: FEAT-0004 has no acceptance criteria: nothing could show that it is done
                 write what has to be true under ## Acceptance Criteria, one \`- [ ]\` each, and commit it; or let it be judged by its objective alone: monoco run FEAT-0004 --without-criteria
    agents:
      a  scripted  built in  executor, reviewer
    budgets    run.costUsd 20; at most 30 sessions a relay
    approvals  none of 0 will wait for a person by criticality; what changes protected paths will, too, which cannot be known ahead
    exit 1
    $ monoco run FEAT-0004 --without-criteria --dry-run
    would run on main, 3 at once:
      1  FEAT-0004  Write a file
    agents:
      a  scripted  built in  executor, reviewer
    budgets    run.costUsd 20; at most 30 sessions a relay
    approvals  none of 1 will wait for a person by criticality; what changes protected paths will, too, which cannot be known ahead"
  `);
  const json = await place.monoco("run", "--all", "--dry-run", "--json");
  const { order, refused, waiting, agents } = JSON.parse(json.stdout) as {
    [key in "order" | "refused" | "waiting" | "agents"]: { id: string; name: string; after: string[] }[];
  };
  expect(order.map(({ id, after }) => [id, after])).toEqual([
    ["FEAT-0003", []],
    ["FEAT-0002", []],
    ["FEAT-0001", ["FEAT-0002"]],
  ]);
  expect([refused, waiting].map((list) => list.map(({ id }) => id))).toEqual([
    ["FEAT-0006", "FEAT-0004"],
    ["FEAT-0005"],
  ]);
  expect(agents.map(({ name }) => name)).toEqual(["a"]);
  expect(await printOf(place)).toBe(before);
});

test("--dry-run goes by what relays have come to, and refuses by the rules of the run", async () => {
  const place = await openPlace(
    { executor: [works], reviewer: [approves] },
    { issues: ["FEAT-0001", "FEAT-0002"], settings: "gates: { medium: human }\n" },
  );
  await place.monoco("run", "FEAT-0001");
  const words = async (...args: string[]): Promise<string> => (await place.monoco("run", ...args)).stdout;
  expect(await words("FEAT-0001", "--dry-run")).toContain("goes on (blocked)");
  await place.monoco("issue", "review", "FEAT-0001", "--approve", "--no-run");
  await place.monoco("relay", "resume", "FEAT-0001");
  expect(await words("FEAT-0001", "--dry-run")).toContain("FEAT-0001  it is done");
  const nobody = await place.monoco("run", "--all", "--dry-run", "--set", "agents.a.script=gone.yaml");
  expect(nobody).toMatchObject({ exitCode: 1 });
  expect(nobody.stdout).toMatch(/^nothing would run on main[\s\S]*FEAT-0002  no agent for the executor/);
});

const noon = new Date(2026, 10, 23, 12, 0).getTime();
const minutes = (n: number): number => noon + n * 60_000;

it.each<[string, number | string]>([
  ["12:30", minutes(30)],
  ["7:30", minutes(19.5 * 60)],
  ["12:00", minutes(24 * 60)],
  ["8h", minutes(480)],
  ["1d2h3m", minutes(26 * 60 + 3)],
  ["90s", minutes(1.5)],
  [new Date(minutes(10)).toISOString(), minutes(10)],
  [new Date(noon).toISOString(), "over already"],
  ["0h", "over already"],
  ["25d", "more than 24 days"],
  ["24:00", "expected a time"],
  ["2026-11-24", "expected a time"],
  ["2026-11-24T99:00", "expected a time"],
  ["8", "expected a time"],
  ["", "expected a time"],
])("--until %s", (text, expected) => {
  if (typeof expected === "number") expect(untilTime(text, noon)).toBe(expected);
  else expect(() => untilTime(text, noon)).toThrow(expected);
});

it("a time that is none is refused before anything is done, in a dry run, too", async () => {
  const place = await openPlace({ executor: [works], reviewer: [approves] });
  for (const more of [[], ["--dry-run"]]) {
    const refused = await place.monoco("run", "--all", "--until", "soon", ...more);
    expect(refused).toMatchObject({ exitCode: 2, stdout: "" });
    expect(refused.stderr).toContain("--until soon: expected a time");
  }
  expect(place.read(".git/info/exclude")).not.toContain(".monoco");
});

test("after --until no session begins: the one that runs ends, and what is left is named", async () => {
  const atMs = Date.now() + 4_000;
  // Its session outlives the time, and is not the last that its issue needs.
  const outlives = { run: `while [ "$(date +%s%3N)" -lt ${atMs + 300} ]; do sleep 0.1; done` };
  const place = await openPlace(
    { executor: [[outlives]], reviewer: [approves] },
    { issues: ["FEAT-0001", "FEAT-0002"] },
  );
  const ran = await place.monoco("run", "--all", "-j", "1", "--until", new Date(atMs).toISOString());
  expect(ran.exitCode, ran.stdout + ran.stderr).toBe(75);
  expect(place.all("session.started", "FEAT-0001")).toHaveLength(1);
  expect(place.all("handoff.recorded", "FEAT-0001")).toHaveLength(1);
  expect(place.all("relay.opened", "FEAT-0002")).toEqual([]);
  expect(ran.stdout).toContain("the time of --until has come: monoco resume FEAT-0001 goes on");
  expect(ran.stdout.slice(ran.stdout.indexOf("not done:"))).toMatchInlineSnapshot(`
    "not done:
    FEAT-0001  Write a file · nobody runs it; session 1 handed over
               monoco resume FEAT-0001
    1          ready: FEAT-0002
               monoco run --all"
  `);
});

test("a run that is over before its time ends then, and its last lines name all that is not done", async () => {
  const place = await openPlace(
    { executor: [works], reviewer: [approves] },
    { issues: [], files: backlog, settings: "gates: { high: human }\n" },
  );
  const ran = await place.monoco("run", "--all", "--until", "8h");
  expect(ran.exitCode).toBe(2);
  expect(ran.stdout.slice(ran.stdout.indexOf("not done:"))).toMatchInlineSnapshot(`
    "not done:
    FEAT-0002  Write a file · submission 1 is approved by the Reviewer: a person has
               to approve, too (gates.high human)
               monoco issue review FEAT-0002
    FEAT-0006  Write a file · waits for FEAT-0404, which is not there
               monoco issue lint
    1          ready: FEAT-0004
               monoco run --all
    2          wait for others: FEAT-0001 (waits for FEAT-0002), FEAT-0005 (waits
               for FEAT-0004)
    1          put off: FEAT-0007"
  `);
});
