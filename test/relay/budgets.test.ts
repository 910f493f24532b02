/** Budgets in real relays: what is spent asks a person, and no session is ended while it writes its handoff. */
import { becauseOf } from "../../src/core/reason/reason.ts";
import { describe, expect, it } from "vitest";
import { approves, commit, meetTheOther, openPlace, run, submit, works } from "../support/place.ts";
import { full as test } from "../support/full.ts";

const uses = (costUsd: number): object => ({ usage: { contextTokens: 10, costUsd } });
const toldToWrapUp = { await: "wrap_up" };
const handsOver = { handoff: { next: ["Write file.txt"] } };
const hangs = { sleep: 600 };

describe("a session near the end of its budget", () => {
  const settings = "budgets: { session: { costUsd: 2 } }\n";

  test("is told to wrap up, hands over, and the next one goes on", async () => {
    const first = [uses(1.2), uses(1.7), toldToWrapUp, handsOver];
    const place = await openPlace({ executor: [first, works], reviewer: [approves] }, { settings });
    expect(await place.monoco("run", "FEAT-0001")).toMatchObject({ exitCode: 0 });
    expect(
      place.all("usage.measured").map(({ mark, reason }) => [mark, reason && becauseOf(reason)]),
    ).toEqual([
      ["plan", "$1.20 of its budget of $2.00 used"],
      ["wrap_up", "$1.70 of its budget of $2.00 used"],
    ]);
    expect(place.all("session.ended")[0]).toMatchObject({
      reason: "budget",
      costUsd: 1.7,
      evidence: [
        { rule: "wrapped_up", by: { rule: "budget_mark", unit: "costUsd", used: 1.7, max: 2 } },
        { rule: "handoff_found" },
      ],
    });
    expect(place.all("handoff.recorded")[0]).toMatchObject({ source: "completed" });
  });

  test("is ended at its end, and monoco writes the handoff", async () => {
    const first = [run("echo half > half.txt"), uses(2.5), hangs];
    const place = await openPlace({ executor: [first, works], reviewer: [approves] }, { settings });
    expect(await place.monoco("run", "FEAT-0001")).toMatchObject({ exitCode: 0 });
    expect(place.all("session.ended")[0]).toMatchObject({
      reason: "budget",
      evidence: [{ rule: "stopped", by: { rule: "budget_mark", unit: "costUsd", used: 2.5, max: 2 } }],
    });
    expect(place.all("handoff.recorded")[0]).toMatchObject({ source: "generated" });
  });

  test("is not ended in the middle of its handoff", async () => {
    const first = [run("monoco relay prepare"), uses(2.5), toldToWrapUp, handsOver];
    const place = await openPlace({ executor: [first, works], reviewer: [approves] }, { settings });
    expect(await place.monoco("run", "FEAT-0001")).toMatchObject({ exitCode: 0 });
    expect(place.all("session.ended")[0]).toMatchObject({ signal: null, exitCode: 0 });
    expect(place.all("handoff.recorded")[0]).toMatchObject({
      source: "completed",
      text: expect.stringContaining("1. Write file.txt") as string,
    });
  });
});

it("a relay that has spent its budget asks, with the figures; only a greater one lets it go on", async () => {
  const place = await openPlace(
    { executor: [[run("echo 1 > a.txt"), uses(3)], works], reviewer: [approves] },
    { settings: "budgets: { relay: { costUsd: 5 } }\n" },
  );
  const ran = await place.monoco("run", "FEAT-0001");
  expect(ran).toMatchObject({ exitCode: 1 });
  expect(ran.stdout).toContain(
    "blocked: the relay has used $3.00 of $5.00, and a session takes about $3.00 (budgets.relay.costUsd)",
  );
  expect(ran.stdout).toContain(
    "hint: raise budgets.relay.costUsd in monoco.yaml:4, then monoco resume FEAT-0001",
  );
  expect(place.all("session.started")).toHaveLength(1);
  expect(place.all("handoff.recorded")).toHaveLength(1);

  expect(await place.monoco("relay", "resume", "FEAT-0001")).toMatchObject({ exitCode: 1 });
  expect(place.all("session.started")).toHaveLength(1);
  const status = await place.monoco("relay", "status", "FEAT-0001");
  expect(status.stdout).toContain("budget    relay: $3.00 of $5.00 (budgets.relay.costUsd)");

  place.write("monoco.yaml", place.read("monoco.yaml").replace("costUsd: 5", "costUsd: 50"));
  await place.sh("git commit -qam More");
  expect(await place.monoco("relay", "resume", "FEAT-0001")).toMatchObject({ exitCode: 0 });
});

test("what two relays of one run start together stays within its budget", async () => {
  const work = [meetTheOther, run("echo $MONOCO_ISSUE > $MONOCO_ISSUE.txt"), commit, submit];
  const place = await openPlace(
    { executor: [work], reviewer: [approves] },
    { issues: ["FEAT-0001", "FEAT-0002"], settings: "budgets: { run: { sessions: 3 } }\n" },
  );
  expect(await place.monoco("run", "FEAT-0001", "FEAT-0002", "-j", "2")).toMatchObject({ exitCode: 1 });
  const started = ["FEAT-0001", "FEAT-0002"].flatMap((issue) => place.all("session.started", issue));
  expect(started).toHaveLength(3);
  expect(new Set(started.map(({ run: id }) => id)).size).toBe(1);
  // The next run has a budget of its own.
  expect(await place.monoco("run", "FEAT-0001", "FEAT-0002")).toMatchObject({ exitCode: 0 });
});
