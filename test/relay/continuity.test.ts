/** `sessions: continue` with a program in the place of Claude Code, which records how it was started. */
import { inWords } from "../core/support/in-words.ts";
import { expect, it } from "vitest";
import { openPlace, works } from "../support/place.ts";
import { openStub as open } from "../support/claude-stub.ts";
import type { Turn } from "../support/claude-stub.ts";
import { full as test } from "../support/full.ts";

const openStub = (turns: readonly Turn[], settings = "sessions: continue\n"): ReturnType<typeof open> =>
  open(turns, `${settings}exit: { ask: false }\n`);

const half = "echo 1 >> half.txt; git add -A; git commit -qm half";
const done = "echo 1 > file.txt; git add -A; git commit -qm work; monoco issue submit > /dev/null";

test("the conversation is gone on with under its own id, and each session is charged its own share", async () => {
  const place = await openStub([
    { does: half, costUsd: 1 },
    { does: done, costUsd: 1.25 },
  ]);
  expect(await place.run("run", "FEAT-0001")).toMatchObject({ exitCode: 0 });
  const [first, second] = place.starts();
  const id = first!.split(" ")[1]!;
  expect([first, second]).toEqual([`--session-id ${id}`, `--resume ${id}`]);
  expect(place.all("session.started").map(inWords)).toMatchObject([
    { agentSessionId: id, because: "new relay" },
    {
      agentSessionId: id,
      continues: 1,
      because: "session 1 handed over; going on with the conversation of session 1",
    },
    { role: "reviewer" },
  ]);
  expect(place.all("session.ended").map(({ costUsd, tokens }) => [costUsd, tokens])).toEqual([
    [1, 1_050],
    [0.25, 1_050],
    [undefined, undefined],
  ]);
  const status = await place.run("relay", "status", "FEAT-0001", "--json");
  expect(JSON.parse(status.stdout)).toMatchObject({ costUsd: 1.25 });
});

// TRAP 10
test("a conversation that calls itself by another name than it was given is nobody's to go on with", async () => {
  const place = await openStub([
    { does: half, costUsd: 1, id: "11111111-1111-4111-8111-111111111111" },
    { does: done, costUsd: 1 },
  ]);
  expect(await place.run("run", "FEAT-0001")).toMatchObject({ exitCode: 0 });
  const ways = place.starts().map((start) => start.split(" ")[0]);
  expect(ways).toEqual(["--session-id", "--session-id"]);
  expect(place.starts().join()).not.toContain("11111111");
  expect(place.all("session.started").map(inWords)[1]).toMatchObject({
    because:
      "session 1 handed over; in a fresh conversation: whose conversation session 1 was is not certain",
  });
});

// TRAP 5
it("a conversation that is gone fails once, and the next session is fresh", async () => {
  const place = await openStub([
    { does: half, costUsd: 1 },
    { does: 'echo "No conversation found with session ID: $id" >&2; exit 1', costUsd: 0 },
    { does: done, costUsd: 1 },
  ]);
  expect(await place.run("run", "FEAT-0001")).toMatchObject({ exitCode: 0 });
  expect(place.starts().map((start) => start.split(" ")[0])).toEqual([
    "--session-id",
    "--resume",
    "--session-id",
  ]);
  expect(place.all("session.started").map(inWords)[2]).toMatchObject({
    because: expect.stringContaining("in a fresh conversation: session 2 ended: failure") as string,
  });
});

test("an agent that cannot go on begins afresh, and that is said; by default each session does", async () => {
  const story = { executor: [[{ write: { "a.txt": "1" } }], works], reviewer: [[{ verdict: "approve" }]] };
  const cannot = await openPlace(story, { settings: "sessions: continue\n" });
  expect(await cannot.monoco("run", "FEAT-0001")).toMatchObject({ exitCode: 0 });
  expect(cannot.all("session.started").map(inWords)[1]).toMatchObject({
    because: "session 1 handed over; in a fresh conversation: a cannot go on with one",
  });
  const place = await openStub(
    [
      { does: half, costUsd: 1 },
      { does: done, costUsd: 1 },
    ],
    "",
  );
  expect(await place.run("run", "FEAT-0001")).toMatchObject({ exitCode: 0 });
  expect(place.starts().map((start) => start.split(" ")[0])).toEqual(["--session-id", "--session-id"]);
  expect(place.all("session.started").map(inWords)[1]).toMatchObject({ because: "session 1 handed over" });
});
