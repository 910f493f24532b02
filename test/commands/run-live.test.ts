/** monoco run --all is live: a relay that waits holds no slot, and what people do meanwhile is taken up. */
import { PassThrough } from "node:stream";
import { expect, it } from "vitest";
import { main } from "../../src/main.ts";
import { approves, issuePath, issueText, openPlace, run, say, submit, waitFor } from "../support/place.ts";
import type { Place } from "../support/place.ts";
import { full as test } from "../support/full.ts";

const work = [run('echo done > "$MONOCO_ISSUE.txt" && git add -A && git commit -qm work'), submit];
/** The agent of these issues dies, in each of its sessions. */
const dies = (issues: string): object =>
  run(`case "$MONOCO_ISSUE" in ${issues}) kill -9 $PPID; sleep 9 ;; esac`);
const hour = { backoffSeconds: 3_600 };

function issues(ids: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(ids).map(([id, more]) => [issuePath(id), issueText(id, more)]));
}

const isMerged = (place: Place, id: string): boolean => place.all("merge.done", id).length > 0;
const merged = async (place: Place, ...ids: string[]): Promise<void> =>
  expect.poll(() => ids.filter((id) => !isMerged(place, id)), { timeout: 200_000 }).toEqual([]);
const startsOf = (place: Place, id: string): number[] =>
  place.events(id).flatMap(({ type, atMs }) => (type === "session.started" ? [atMs] : []));

// TRAP 68
test("four urgent issues whose agents die do not keep six ready ones from being merged by four slots", async () => {
  const urgent = ["FEAT-0001", "FEAT-0002", "FEAT-0003", "FEAT-0004"];
  const ready = ["FEAT-0005", "FEAT-0006", "FEAT-0007", "FEAT-0008", "FEAT-0009", "FEAT-0010"];
  const place = await openPlace(
    { executor: [[dies("FEAT-000[1-4]"), ...work]], reviewer: [approves] },
    {
      issues: [],
      limits: hour,
      files: issues({
        ...Object.fromEntries(urgent.map((id) => [id, "priority: urgent\n"])),
        ...Object.fromEntries(ready.map((id) => [id, ""])),
      }),
    },
  );
  const running = place.start("run", "--all", "-j", "4");
  await merged(place, ...ready);
  expect(urgent.map((id) => startsOf(place, id).length)).toEqual([1, 1, 1, 1]);
  running.kill("SIGINT");
  expect(await running).toMatchObject({ exitCode: 130 });
}, 240_000);

test("a relay that gave its slot back comes back when its time has come", async () => {
  const place = await openPlace(
    { executor: [[dies("FEAT-0001")], work], reviewer: [approves] },
    {
      issues: [],
      limits: { backoffSeconds: 2 },
      files: issues({ "FEAT-0001": "priority: urgent\n", "FEAT-0002": "" }),
    },
  );
  const ran = await place.monoco("run", "--all", "-j", "1");
  expect(ran.exitCode, ran.stdout + ran.stderr).toBe(0);
  const [first = 0, second = 0] = startsOf(place, "FEAT-0001");
  const [other = 0] = startsOf(place, "FEAT-0002");
  expect(other).toBeGreaterThan(first);
  expect(other).toBeLessThan(second);
  expect(second - first).toBeGreaterThanOrEqual(2_000);
}, 120_000);

test("an issue that is committed on the base while a run goes on is taken up by it", async () => {
  const place = await openPlace(
    { executor: [[dies("FEAT-0001"), ...work]], reviewer: [approves] },
    { limits: hour },
  );
  const running = place.start("run", "--all", "-j", "1");
  await expect.poll(() => place.all("session.ended").length, { timeout: 60_000 }).toBe(1);
  place.write(issuePath("FEAT-0002"), issueText("FEAT-0002"));
  await place.sh("git add -A && git commit -qm 'One more'");
  await merged(place, "FEAT-0002");
  running.kill("SIGINT");
  expect(await running).toMatchObject({ exitCode: 130 });
}, 240_000);

it("an answer to a question is taken up by the run that left the relay", async () => {
  const asks = run('test "$MONOCO_ISSUE" = FEAT-0001 || monoco relay ask "Which port?"');
  const place = await openPlace(
    {
      executor: [
        [dies("FEAT-0001"), asks],
        [dies("FEAT-0001"), ...work],
      ],
      reviewer: [approves],
    },
    { issues: ["FEAT-0001", "FEAT-0002"], limits: { ...hour, questionsMax: 1 } },
  );
  const running = place.start("run", "--all", "-j", "2");
  await expect.poll(() => place.all("relay.blocked", "FEAT-0002").length, { timeout: 60_000 }).toBe(1);
  expect(await place.monoco("relay", "answer", "FEAT-0002", "8080")).toMatchObject({ exitCode: 0 });
  await merged(place, "FEAT-0002");
  running.kill("SIGINT");
  expect(await running).toMatchObject({ exitCode: 130 });
}, 240_000);

test("an approval is taken up by the run that left the relay, and what needs the issue is begun", async () => {
  const place = await openPlace(
    { executor: [[dies("FEAT-0001"), ...work]], reviewer: [approves] },
    {
      issues: [],
      limits: hour,
      settings: "gates: { high: human }\n",
      files: issues({
        "FEAT-0001": "",
        "FEAT-0002": "criticality: high\n",
        "FEAT-0003": "dependencies: [FEAT-0002]\n",
      }),
    },
  );
  const running = place.start("run", "--all", "-j", "2");
  await expect.poll(() => place.all("relay.blocked", "FEAT-0002").length, { timeout: 60_000 }).toBe(1);
  expect(place.events("FEAT-0003")).toEqual([]);
  expect(await place.monoco("issue", "review", "FEAT-0002", "--approve", "--no-run")).toMatchObject({
    exitCode: 0,
  });
  await merged(place, "FEAT-0002", "FEAT-0003");
  running.kill("SIGINT");
  expect(await running).toMatchObject({ exitCode: 130 });
}, 240_000);

test("a relay that is resumed in another terminal is run there, and what needs its issue is begun by the run that left it", async () => {
  const asks = run('test "$MONOCO_ISSUE" != FEAT-0002 || monoco relay ask "Which port?"');
  const place = await openPlace(
    {
      executor: [
        [dies("FEAT-0001"), asks],
        [dies("FEAT-0001"), ...work],
      ],
      reviewer: [approves],
    },
    {
      issues: ["FEAT-0001", "FEAT-0002"],
      limits: { ...hour, questionsMax: 1 },
      files: issues({ "FEAT-0003": "dependencies: [FEAT-0002]\n" }),
    },
  );
  const running = place.start("run", "--all", "-j", "2");
  await expect.poll(() => place.all("relay.blocked", "FEAT-0002").length, { timeout: 60_000 }).toBe(1);
  // Its runner lets it go a moment after the block is journaled.
  await expect
    .poll(async () => (await place.monoco("relay", "status", "FEAT-0002", "--json")).stdout, {
      timeout: 30_000,
    })
    .toMatch(/"runner": ?"none"/);
  const other = await place.monoco("relay", "resume", "FEAT-0002");
  expect(other, other.stdout + other.stderr).toMatchObject({ exitCode: 0 });
  await merged(place, "FEAT-0003");
  expect(place.all("relay.resumed", "FEAT-0002")).toHaveLength(1);
  running.kill("SIGINT");
  const ran = await running;
  expect(ran).toMatchObject({ exitCode: 130 });
  expect(ran.stderr).not.toContain("another monoco");
}, 240_000);

test("a relay that waits may be run by another process meanwhile: that is no error", async () => {
  const place = await openPlace(
    { executor: [[dies("FEAT-0001"), say("begun"), waitFor("go"), ...work]], reviewer: [approves] },
    { issues: ["FEAT-0001", "FEAT-0002"], limits: hour },
  );
  const running = place.start("run", "--all", "-j", "1");
  await place.heard("begun");
  const other = place.start("relay", "resume", "FEAT-0001");
  await expect
    .poll(async () => (await place.monoco("relay", "status", "FEAT-0001", "--json")).stdout, {
      timeout: 30_000,
    })
    .toMatch(/"runner": ?"alive"/);
  await place.go("go");
  await merged(place, "FEAT-0002");
  other.kill("SIGINT");
  await other;
  running.kill("SIGINT");
  const ran = await running;
  expect(ran).toMatchObject({ exitCode: 130 });
  expect(ran.stderr).not.toContain("another monoco");
}, 240_000);

test("where no session can start, the rest of the backlog is not opened for nothing", async () => {
  const place = await openPlace(
    { executor: [[{ outage: "at capacity" }]], reviewer: [approves] },
    { issues: ["FEAT-0001", "FEAT-0002", "FEAT-0003"], limits: hour },
  );
  const running = place.start("run", "--all", "-j", "1");
  await expect.poll(() => place.all("agent.suspended", "FEAT-0002").length, { timeout: 60_000 }).toBe(1);
  // One of the two has the slot again, and waits there.
  const isHeld = async (issue: string): Promise<boolean> =>
    /"runner": ?"alive"/.test((await place.monoco("relay", "status", issue, "--json")).stdout);
  await expect
    .poll(async () => (await isHeld("FEAT-0001")) || (await isHeld("FEAT-0002")), { timeout: 30_000 })
    .toBe(true);
  expect(place.events("FEAT-0003")).toEqual([]);
  running.kill("SIGINT");
  expect(await running).toMatchObject({ exitCode: 130 });
}, 240_000);

test("--watch waits for work when all is done, takes a new issue up, and ends with Ctrl-C", async () => {
  const place = await openPlace({ executor: [work], reviewer: [approves] });
  expect(await place.monoco("run", "FEAT-0001", "--watch")).toMatchObject({
    exitCode: 2,
    stdout: "",
    stderr: expect.stringContaining("it needs --all") as string,
  });
  let printed = "";
  let stop = (): void => undefined;
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  stdout.on("data", (text: Buffer) => (printed += text.toString()));
  const ran = main(["run", "--all", "--watch", "-j", "2"], {
    cwd: place.project,
    env: place.sandbox.env,
    stdin: new PassThrough(),
    stdout,
    stderr,
    onStop: (listener) => {
      stop = listener;
      return () => undefined;
    },
  });
  const idle = async (times: number): Promise<void> =>
    expect
      .poll(() => printed.match(/waits for work: an issue on main/g)?.length, { timeout: 60_000 })
      .toBe(times);
  await idle(1);
  expect(isMerged(place, "FEAT-0001")).toBe(true);
  place.write(issuePath("FEAT-0002"), issueText("FEAT-0002"));
  await place.sh(`git add issues && git commit -qm "One more"`);
  await idle(2);
  expect(isMerged(place, "FEAT-0002")).toBe(true);
  stop();
  expect(await ran).toBe(130);
});
