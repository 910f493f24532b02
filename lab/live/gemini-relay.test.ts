/** The whole story with the real Gemini CLI: a repository with an npm dependency, real tools and hooks, a scripted model. */
import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { eventsOf, processesOf } from "../../test/support/cli.ts";
import { geminiVendor as vendor } from "../../src/probe/gemini-vendor.ts";
import { geminiDir } from "./gemini.ts";
import {
  approved,
  endsOf,
  expectStory,
  fillIn,
  half,
  issue,
  makeStoryPlace,
  shellTurn,
  storyOf,
  whole,
} from "./story.ts";
import type { StoryPlace } from "./story.ts";
import { full } from "../../test/support/full.ts";

const test = full.skipIf(!geminiDir);
const shell = (command: string, tokens: number) => shellTurn(vendor, command, tokens);

test("from an issue to a merge: context mark, kill, stop hook, submit, changes requested, approval", async () => {
  const place = await makeStoryPlace(vendor, storyOf(vendor));
  await expectStory(vendor, place);
});

test("a session hears of its first mark; that ran into its stop mark, it is opened once more, only to write its handoff", async () => {
  const place = await makeStoryPlace(vendor, [
    {
      match: "You are session 1 of its relay",
      turns: [
        shell(half, 121_000),
        shell("sleep 1", 122_000),
        shell("sleep 600", 175_000),
        shell(fillIn, 176_000),
        { text: "Handed over." },
      ],
    },
    {
      match: "You are session 2 of its relay",
      turns: [shell(`${whole}; monoco issue submit`, 20_000), { text: "Submitted." }],
    },
    { match: "You are the Reviewer", turns: [vendor.verdict(approved)] },
  ]);
  const ran = await place.monoco("run", issue);
  const events = eventsOf(place.project, issue);
  expect(endsOf(events), ran.stdout + ran.stderr + place.unmatched()).toEqual([
    [1, "context_limit"],
    [2, "submitted"],
    [3, "decided"],
  ]);
  const handoff = events.find((event) => event.type === "handoff.recorded");
  expect(handoff).toMatchObject({ session: 1, source: "completed" });
  const told = place.model.requests.map((request) => request.tail).join("\n");
  expect(told).toMatch(/context in use[^]*Plan to wrap up[^]*Only hand over, now/);
  expect(processesOf(place.sandbox.folder)).toEqual([]);
});

test("a person's stop reaches it with the next tool, and it hands over before it ends", async () => {
  const place = await makeStoryPlace(vendor, [
    {
      match: "You are session 1 of its relay",
      turns: [
        shell("touch begun; while [ ! -e go ]; do sleep 0.1; done", 20_000),
        shell(fillIn, 21_000),
        { text: "Handed over." },
      ],
    },
  ]);
  const running = place.start("run", issue);
  const workspace = () => workspaceOf(place);
  await expect.poll(() => readdirSync(workspace()), { timeout: 60_000 }).toContain("begun");
  expect(await place.monoco("relay", "stop", issue)).toMatchObject({ exitCode: 0 });
  await place.until((text) => text.includes('"type":"relay.paused"'));
  writeFileSync(join(workspace(), "go"), "");
  await running;
  const events = eventsOf(place.project, issue);
  expect(endsOf(events)).toEqual([[1, "user_interrupt"]]);
  expect(place.model.requests[1]?.tail).toContain("a person asked this session to stop");
  expect(events.find((event) => event.type === "handoff.recorded")).toMatchObject({ source: "agent" });
});

/** The Executor's clone, once it is there. */
function workspaceOf({ sandbox }: StoryPlace): string {
  const state = join(sandbox.folder, "state", "monoco");
  return join(state, readdirSync(state)[0] ?? "", issue);
}
