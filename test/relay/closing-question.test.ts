/** A session that ends without a word on how it stands is asked once more, in its own conversation. */
import { inWords } from "../core/support/in-words.ts";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { openStub } from "../support/claude-stub.ts";
import type { Turn } from "../support/claude-stub.ts";
import { full as test } from "../support/full.ts";

const half = "echo 1 >> half.txt; git add -A; git commit -qm half";
const submits = "echo 1 > file.txt; git add -A; git commit -qm work; monoco issue submit > /dev/null";
const answers = (value: object): Turn => ({ costUsd: 2, says: JSON.stringify(value) });
const prompts = (place: Awaited<ReturnType<typeof openStub>>, session: string): string =>
  readFileSync(join(place.project, ".monoco/relays/FEAT-0001/sessions", session, "prompt.md"), "utf8");

it("its yes puts the work up for review, and what the turn cost is the session's", async () => {
  const place = await openStub([{ does: half, costUsd: 1 }, answers({ done: true, remaining: [] })]);
  expect(await place.run("run", "FEAT-0001")).toMatchObject({ exitCode: 0 });
  const id = place.starts()[0]!.split(" ")[1]!;
  expect(place.starts()).toEqual([`--session-id ${id}`, `--resume ${id}`]);
  const [ended] = place.all("session.ended");
  expect(ended).toMatchObject({ closing: { done: true, remaining: [] }, costUsd: 2, outputChars: 12 });
  expect(place.all("signal.scored").map(inWords)).toMatchObject([
    { finished: true, because: "asked once more, it answered that it is done" },
  ]);
  expect(place.all("submission.requested")).toMatchObject([{ by: "monoco", session: 1 }]);
});

test("its no goes into the handoff, and a claim with something left is told with why it did not count", async () => {
  const place = await openStub([
    { does: half, costUsd: 1 },
    answers({ done: true, remaining: ["the error path"], question: "", blockedBy: "no network" }),
    { does: submits, costUsd: 1 },
  ]);
  expect(await place.run("run", "FEAT-0001")).toMatchObject({ exitCode: 0 });
  expect(place.all("submission.requested")).toMatchObject([{ by: "executor", session: 2 }]);
  const [handoff] = place.all("handoff.recorded");
  expect(handoff!.text).toContain("the error path");
  const prompt = prompts(place, "0002-executor");
  expect(prompt).toContain("## Session 1 said that it was done, and that did not count");
  expect(prompt).toContain("remaining: the error path, blocked by: no network");
});

test("its question is asked", async () => {
  const place = await openStub([
    { does: half, costUsd: 1 },
    answers({ done: false, remaining: [], question: "Tabs or blanks?" }),
  ]);
  expect(await place.run("run", "FEAT-0001", "--once")).toMatchObject({ exitCode: 1 });
  expect(place.all("session.ended")).toMatchObject([{ reason: "question" }]);
  expect(place.all("question.asked")).toMatchObject([{ text: "Tabs or blanks?" }]);
});

test("a structured yes and the promise are asked, and the answer counts", async () => {
  const block = "RALPH_STATUS:\nSTATUS: complete\nEXIT_SIGNAL: true";
  const says = `I implemented it. All tests pass.\n\n<promise>COMPLETE</promise>\n\n${block}`;
  const place = await openStub([
    { does: half, costUsd: 1, says },
    answers({ done: false, remaining: ["the error path"] }),
    { does: submits, costUsd: 1 },
  ]);
  expect(await place.run("run", "FEAT-0001")).toMatchObject({ exitCode: 0 });
  expect(place.all("signal.scored").map(inWords)).toMatchObject([
    {
      exitSignal: true,
      promise: true,
      finished: false,
      because: "asked once more, it answered that it is not done (remaining: the error path)",
    },
  ]);
  expect(place.all("submission.requested")).toMatchObject([{ by: "executor", session: 2 }]);
});

test("nobody is asked who said no, or under exit.ask: false", async () => {
  const says = "RALPH_STATUS:\nSTATUS: in_progress\nEXIT_SIGNAL: false";
  const outright = await openStub([
    { does: half, costUsd: 1, says },
    { does: submits, costUsd: 1 },
  ]);
  expect(await outright.run("run", "FEAT-0001")).toMatchObject({ exitCode: 0 });
  const off = await openStub(
    [
      { does: half, costUsd: 1 },
      { does: submits, costUsd: 1 },
    ],
    "exit: { ask: false }\n",
  );
  expect(await off.run("run", "FEAT-0001")).toMatchObject({ exitCode: 0 });
  for (const place of [outright, off])
    expect(place.starts().map((start) => start.split(" ")[0])).toEqual(["--session-id", "--session-id"]);
});
