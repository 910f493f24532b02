/** What is not the agent's doing: a vendor's outage is waited for, or worked around; a dead runner is nobody's fault. */
import { expect, it } from "vitest";
import { timelineOf } from "../support/clock.ts";
import { approves, openPlace, say, waitFor, works } from "../support/place.ts";
import { full as test } from "../support/full.ts";

const busy = [{ outage: "serverOverloaded: Selected model is at capacity" }];

// TRAP 59
test("a server that is busy four times is backed off from, each time longer, and the work is merged: no breaker opens", async () => {
  const place = await openPlace({
    executor: [busy, busy, busy, busy, works],
    reviewer: [busy, busy, approves],
  });
  const time = timelineOf(place);
  expect(await time.run("FEAT-0001")).toMatchObject({ rest: { phase: "done" } });
  expect(place.all("breaker.changed")).toEqual([]);
  expect(place.all("session.ended")[0]).toMatchObject({
    reason: "failure",
    cause: "outage",
    evidence: ["serverOverloaded: Selected model is at capacity"],
  });
  expect(time.waits.map(({ because }) => because)).toEqual([
    "outage of a",
    "outage of a, 2 times in a row",
    "outage of a, 3 times in a row",
    "outage of a, 4 times in a row",
    "outage of a",
    "outage of a, 2 times in a row",
  ]);
});

it("an outage is told to the other relays, which do not try the account either", async () => {
  const place = await openPlace(
    { executor: [busy, works], reviewer: [approves] },
    { issues: ["FEAT-0001", "FEAT-0002"], limits: { backoffSeconds: 60 } },
  );
  const time = timelineOf(place);
  expect(await time.run("FEAT-0001", { wait: () => false })).toMatchObject({ end: "later" });
  expect(await time.run("FEAT-0002", { wait: () => false })).toMatchObject({
    end: "later",
    reason: { rule: "outage", agent: "a" },
  });
  expect(place.all("session.started", "FEAT-0002")).toEqual([]);
});

test("SIGKILL of monoco in three sessions opens no breaker: the fourth goes on at once", async () => {
  const stands = [say("begun"), waitFor("never")];
  const place = await openPlace(
    { executor: [stands, stands, stands, works], reviewer: [approves] },
    { limits: { backoffSeconds: 3_600 } },
  );
  for (let death = 1; death <= 3; death += 1) {
    const run = place.start("run", "FEAT-0001");
    await place.heard("begun");
    run.kill("SIGKILL");
    await run;
  }
  const ran = await place.monoco("run", "FEAT-0001");
  expect(ran.exitCode, ran.stdout + ran.stderr).toBe(0);
  const causes = place.all("session.ended").map(({ cause }) => cause);
  expect(causes.slice(0, 4)).toEqual(["runner_died", "runner_died", "runner_died", undefined]);
  expect(place.all("breaker.changed")).toEqual([]);
});
