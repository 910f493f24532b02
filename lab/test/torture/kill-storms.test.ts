/** A storm of `npm run torture -w lab` that does not come to its end is given up, with what it was waiting for. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { execa } from "execa";
import { expect, it, onTestFinished } from "vitest";
import { rage, stormOf } from "../../torture/kill-storms/storm.ts";
import { openPlace } from "../../torture/place/place.ts";
import { processesIn } from "../../torture/place/processes.ts";
import { within } from "../../torture/place/stall.ts";
import { full as test } from "../../../test/support/full.ts";

test(
  "two runs of one issue do not overlap in a storm, and nothing is lost",
  { timeout: 300_000 },
  async () => {
    expect(await rage(stormOf(3))).toMatchObject({ wrong: [] });
  },
);

test("nothing of a session is left when its runner is killed", { timeout: 300_000 }, async () => {
  expect(await rage({ ...stormOf(5), issues: 1 })).toMatchObject({ wrong: [] });
});

it("is told with its seed", async () => {
  const storm = { ...stormOf(7), issues: 1 };
  const { wrong } = await rage(storm, AbortSignal.abort());
  expect(wrong).toEqual([
    expect.stringMatching(/^seed 7: not finished: Error: given up, with FEAT-0001 at /),
  ]);
});

it("is told with the last event and the processes of a relay that stalls; they are killed, and none is begun", async () => {
  const place = await openPlace(["FEAT-0001"]);
  const { folder } = place.sandbox;
  onTestFinished(() => place.sandbox.dispose());
  const fifo = join(folder, "fifo");
  await execa("mkfifo", [fifo]);
  writeFileSync(join(folder, "agent.sh"), `#!/bin/sh\necho here > '${fifo}'\nread -r _ < '${fifo}'\n`);
  const patience = new AbortController();
  const running = place.start(["run", "FEAT-0001"], ["setsid", "--wait"]);
  const came = within(place, patience.signal, running);
  await execa("cat", [fifo]);
  patience.abort();
  await expect(came).rejects.toThrow(
    /^given up, with FEAT-0001 at session\.started; .*runner \(\w\) .* run FEAT-0001; .*session \(S\) .*agent\.sh/,
  );
  expect(processesIn(folder)).toEqual([]);
  expect(await running).toMatchObject({ signal: "SIGKILL" });
  expect(() => place.start(["run", "FEAT-0001"])).toThrow("the place is closed");
  place.open();
  expect(await place.start(["--version"])).toMatchObject({ exitCode: 0 });
});

it("is not given up where it ends in time", async () => {
  const place = await openPlace(["FEAT-0001"]);
  onTestFinished(() => place.sandbox.dispose());
  const patience = new AbortController();
  expect(await within(place, patience.signal, Promise.resolve("ended"))).toBe("ended");
  patience.abort();
  expect(await place.start(["--version"])).toMatchObject({ exitCode: 0 });
});
