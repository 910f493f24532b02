/** Waiting for limits, in real relays on a clock of the test's own: nothing sleeps. */
import { becauseOf } from "../../src/core/reason/reason.ts";
import { expect, it } from "vitest";
import { timelineOf } from "../support/clock.ts";
import { approves, openPlace, run, works } from "../support/place.ts";
import { approvalProgram } from "../support/verdict.ts";
import { full as test } from "../support/full.ts";

const hour = 3_600_000;

test("a relay that has used its hour up waits until there is room, in the journal with its numbers, and goes on to the merge", async () => {
  const place = await openPlace(
    { executor: [[run("echo 1 > a.txt")], works], reviewer: [approves] },
    { limits: { sessionsPerHour: 2 } },
  );
  const time = timelineOf(place);
  expect(await time.run("FEAT-0001")).toMatchObject({ end: "rest", rest: { phase: "done" } });
  const [first, , third] = place.events().filter((event) => event.type === "session.started");
  const [limited, ...more] = place.all("rate.limited");
  expect(more).toEqual([]);
  expect(limited).toMatchObject({
    reason: { rule: "sessions_per_hour", used: 2, max: 2 },
    untilMs: first!.atMs + hour,
  });
  expect(third!.atMs).toBeGreaterThanOrEqual(first!.atMs + hour);
  expect(time.waits).toMatchObject([{ untilMs: first!.atMs + hour, because: becauseOf(limited!.reason) }]);
});

test("the sessions of another relay fill the hour, too, and their tokens theirs", async () => {
  const place = await openPlace(
    {
      executor: [[{ usage: { contextTokens: 500, tokens: 6_000 } }, ...works]],
      reviewer: [[{ usage: { contextTokens: 400 } }, ...approves]],
    },
    { issues: ["FEAT-0001", "FEAT-0002"], limits: { tokensPerHour: 6_400 } },
  );
  const time = timelineOf(place);
  expect(await time.run("FEAT-0001")).toMatchObject({ rest: { phase: "done" } });
  // The Reviewer told its context only: that counts.
  expect(place.all("session.ended").map(({ tokens }) => tokens)).toEqual([6_000, undefined]);
  expect(place.all("rate.limited")).toEqual([]);
  time.pass(60_000);
  expect(await time.run("FEAT-0002", { wait: () => false })).toMatchObject({
    end: "later",
    reason: { rule: "tokens_per_hour", used: 6_400, max: 6_400 },
  });
  const ended = place.events("FEAT-0001").find((event) => event.type === "session.ended");
  expect(place.all("rate.limited", "FEAT-0002")).toMatchObject([{ untilMs: ended!.atMs + hour }]);
  const status = await place.monoco("relay", "status", "FEAT-0002", "--json");
  expect(JSON.parse(status.stdout)).toMatchObject({ next: "wait", waitingUntilMs: ended!.atMs + hour });
  expect((await place.monoco("relay", "log", "FEAT-0002")).stdout).toContain("rate.limited  waits until ");
});

// TRAP 14
it("a usage limit is waited for until its reset time and a little longer by chance, then the work goes on", async () => {
  const resetsAt = new Date(Date.now() + 2 * hour);
  const place = await openPlace({ executor: [works], reviewer: [approves] });
  // A scripted agent has no words for a limit: the program is one of the test's own.
  place.write(
    "tired.sh",
    `#!/bin/sh\ncat > /dev/null\nif [ "$MONOCO_ROLE" = reviewer ]; then ${approvalProgram}; exit; fi\nif [ "$MONOCO_SESSION" = 1 ]; then echo '{"type":"limit","kind":"usage","resetsAt":"${resetsAt.toISOString()}"}'; exit 0; fi\necho 1 > file.txt; git add -A; git commit -qm work; monoco issue submit\n`,
  );
  await place.sh(
    "chmod +x tired.sh && sed -i 's/{ kind: scripted.*/{ kind: command, run: [.\\/tired.sh] } }/' monoco.yaml && git add -A && git commit -qm Tired",
  );
  const time = timelineOf(place);
  expect(await time.run("FEAT-0001", { jitter: 1 })).toMatchObject({ rest: { phase: "done" } });
  const [limited, next] = place.events().filter((event) => event.type === "session.started");
  expect(place.all("session.ended")[0]).toMatchObject({ reason: "usage_limit", exitCode: 0 });
  expect(limited!.atMs).toBeLessThan(resetsAt.getTime());
  expect(next!.atMs).toBeGreaterThanOrEqual(resetsAt.getTime() + 29_000);
  expect(next!.atMs).toBeLessThan(resetsAt.getTime() + 60_000);
});

it.each([
  { waits: "breaker", rule: "breaker_open", limits: { stalledMax: 1 }, first: [run("true")] },
  { waits: "back-off", rule: "back_off", limits: { backoffSeconds: 3_600 }, first: [{ exit: 1 }] },
])("while its $waits holds a relay back, a person's resume lets one session try now", async (row) => {
  const place = await openPlace(
    { executor: [row.first, works], reviewer: [approves] },
    { limits: row.limits },
  );
  const time = timelineOf(place);
  const later = { end: "later", reason: { rule: row.rule } };
  expect(await time.run("FEAT-0001", { wait: () => false })).toMatchObject(later);
  // A run that does not name it as resumed leaves it waiting.
  expect(await time.run("FEAT-0001", { wait: () => false })).toMatchObject(later);
  await place.monoco("say", "FEAT-0001", "Write file.txt");
  expect(await place.monoco("resume", "FEAT-0001")).toMatchObject({ exitCode: 0 });
  expect(place.all("session.started").map(({ session }) => session)).toEqual([1, 2, 3]);
  expect(place.all("merge.done")).toHaveLength(1);
});
