/** monoco run --remote on two machines of a real network, one of which is cut off. */
import { expect, onTestFinished, test } from "vitest";
import type { RelayEvent } from "../../src/core/journal/event.ts";
import { eventsOf } from "../support/cli.ts";
import type { Running } from "../support/cli.ts";
import { skipWithout } from "../support/namespaces.ts";
import { openNetwork } from "../support/network.ts";
import type { Host } from "../support/network.ts";
import { approves, run, submit } from "../support/place.ts";
import { openTwoClones } from "../support/two-clones.ts";
import type { Clone } from "../support/two-clones.ts";

/** The first Executor commits once it is cut off, and goes on working; any other one works and submits. */
const first = `
test -e "$FIFOS/been" && exit; touch "$FIFOS/been"; mkfifo "$FIFOS/there" "$FIFOS/cut" "$FIFOS/committed" 2> /dev/null
echo here > "$FIFOS/there"; cat "$FIFOS/cut"
echo mine > mine.txt; git add -A; git commit -qm mine
echo here > "$FIFOS/committed"; exec sleep 1000`;
const story = {
  executor: [[run(first), run("echo text > file.txt; git add -A; git commit -qm work"), submit]],
  reviewer: [approves],
};

const timeOf = ({ folder }: Clone, type: RelayEvent["type"]): number =>
  eventsOf(folder, "FEAT-0001").find((event) => event.type === type)!.atMs;

test("a machine that is cut off stops in time and merges nothing; another one takes over and merges; back, the first pushes nothing and keeps its work", async (context) => {
  skipWithout("a network namespace", context);
  const two = await openTwoClones(story, { settings: "remote: { leaseMinutes: 0.2 }\n" });
  const { a, b, there, place } = two;
  const [link, other] = await openNetwork(place.around, "bare.git", 2);
  const startIn = ({ folder }: Clone, { under }: Host, ...args: string[]): Running => {
    const ran = place.sandbox.start(args, { cwd: folder, under });
    onTestFinished(() => ran.kill("SIGKILL"));
    return ran;
  };
  await a.sh(`git remote set-url origin ${link!.url}`);
  await b.sh(`git remote set-url origin ${other!.url}`);
  const one = startIn(a, link!, "run", "FEAT-0001", "--remote");
  await place.heard("there");
  await link!.cut();
  await place.go("cut");
  await place.heard("committed");
  const next = startIn(b, other!, "run", "--all", "--remote");
  await expect.poll(() => a.all("session.ended"), { timeout: 60_000 }).toHaveLength(1);
  expect(await next).toMatchObject({ exitCode: 0 });
  expect(a.all("session.ended")).toMatchObject([
    { reason: "user_interrupt", evidence: [{ by: { rule: "lease_lost" } }], commits: 1 },
  ]);
  expect(timeOf(a, "session.ended")).toBeLessThan(timeOf(b, "session.started"));
  expect([a.all("merge.done").length, b.all("merge.done").length]).toEqual([0, 1]);
  const before = await there("git for-each-ref");
  await link!.mend();
  // A git whose connection was open as the link went down ends only now.
  expect(await one).toMatchObject({
    exitCode: 75,
    stderr: expect.stringContaining("origin took no push for") as string,
  });
  expect(await startIn(a, link!, "relay", "push", "FEAT-0001")).toMatchObject({ exitCode: 3 });
  expect(await there("git for-each-ref")).toBe(before);
  expect(await startIn(a, link!, "run", "FEAT-0001", "--remote")).toMatchObject({
    exitCode: 0,
    stdout: expect.stringContaining("FEAT-0001  is done: merged as") as string,
  });
  expect(await there("git log --first-parent --format=%s main")).toBe("FEAT-0001: Write a file\nBegin");
  expect(
    await a.sh(
      "git log --format=%s -1 $(git for-each-ref --format='%(refname)' 'refs/monoco/FEAT-0001/earlier/*/head-*')",
    ),
  ).toBe("mine");
});
