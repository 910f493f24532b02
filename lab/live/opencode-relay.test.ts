/** Whole relays with the real OpenCode: the story from an issue to a merge, and Ctrl-C; a scripted model. */
import { endingWords } from "../../src/core/reason/ending-rows.ts";
import { expect } from "vitest";
import { eventsOf, processesOf } from "../../test/support/cli.ts";
import type { ChatTurn } from "../../src/probe/chat-model.ts";
import { opencodeVendor as vendor } from "../../src/probe/opencode-vendor.ts";
import type { ModelRequest } from "../../src/probe/scripted-model.ts";
import { expectEnd } from "./ends.ts";
import { opencodeDir } from "./opencode.ts";
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
import { full } from "../../test/support/full.ts";

const test = full.skipIf(!opencodeDir);

/** It starts in three seconds on a quiet machine, and in thirty on a busy one. */
const storyMs = 900_000;
const rowMs = 300_000;

const bash = (command: string, tokens = 20_000): ChatTurn => shellTurn(vendor, command, tokens);

test(
  "from an issue to a merge: context mark, kill, self-check, submit, changes requested, approval",
  { timeout: storyMs },
  async () => {
    const place = await makeStoryPlace(vendor, storyOf(vendor));
    await expectStory(vendor, place);
    const ends = eventsOf(place.project, issue).filter((event) => event.type === "session.ended");
    expect(ends[0]).toMatchObject({ windowTokens: 200_000, costUsd: expect.any(Number) as number });
    expect(endingWords(ends[1]?.evidence ?? []).join()).toContain("opencode ended by itself (SIGKILL)");
  },
);

/** Hands over when asked to. What comes before that came while the session was being ended. */
const lastWords = ({ tail, messages }: ModelRequest): ChatTurn => {
  if (!messages.some(({ text }) => text.includes("Only hand over, now"))) return { deaf: true };
  return tail.includes("Only hand over, now") ? bash(fillIn, 30_000) : { text: "Handed over." };
};

test(
  "a session that ran into its stop mark is opened once more, only to write its handoff",
  { timeout: storyMs },
  async () => {
    const place = await makeStoryPlace(vendor, [
      {
        match: "You are session 1 of its relay",
        turns: [bash(half), bash("true", 175_000), ...Array.from({ length: 4 }, () => lastWords)],
      },
      {
        match: "You are session 2 of its relay",
        turns: [bash(`${whole}; monoco issue submit`), { text: "Submitted." }],
      },
      { match: "You are the Reviewer", turns: [vendor.verdict(approved)] },
    ]);
    const ran = await place.monoco("run", issue);
    expect(ran, ran.stdout + ran.stderr).toMatchObject({ exitCode: 0 });
    const events = eventsOf(place.project, issue);
    expect(events.find((event) => event.type === "session.ended")).toMatchObject({
      reason: "context_limit",
      evidence: [expect.objectContaining({ rule: "stopped", handoff: true }) as object],
    });
    // The same conversation, under OpenCode's own id.
    const asked = place.model.requests.filter(({ tail }) => tail.includes("Only hand over, now"));
    expect(asked[0]?.session).toBe(place.model.requests[0]?.session);
    expect(processesOf(place.sandbox.folder)).toEqual([]);
  },
);

// TRAP 8
test(
  "Ctrl-C ends it in the middle of its work, with a handoff and nothing left",
  { timeout: rowMs },
  async () => {
    const place = await makeStoryPlace(vendor, [{ match: issue, turns: [bash("echo > here; sleep 6000")] }]);
    const running = place.start("run", issue);
    const asked = () => place.model.requests.length;
    await expect.poll(asked, { timeout: rowMs }).toBe(1);
    const stoppedAtMs = Date.now();
    running.kill("SIGINT");
    const ran = await running;
    expect(ran).toMatchObject({ exitCode: 130 });
    expect(Date.now() - stoppedAtMs).toBeLessThan(20_000);
    const { sandbox, project } = place;
    expectEnd(
      { sandbox, project, issue, ran },
      {
        reason: "user_interrupt",
        evidence: "stopped by monoco: interrupted (Ctrl-C)",
        secondsMax: rowMs / 1000,
      },
    );
    expect(endsOf(eventsOf(project, issue))).toEqual([[1, "user_interrupt"]]);
    expect(processesOf(sandbox.folder)).toEqual([]);
  },
);
