/** The driver of the Agent Client Protocol on a real CLI that has no adapter of its own: from an issue to a merge, and a conversation opened again. */
import { endingWords } from "../../src/core/reason/ending-rows.ts";
import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { hasBubblewrap } from "../../src/agents/sandbox.ts";
import type { ChatScript } from "../../src/probe/chat-model.ts";
import { eventsOf, processesOf } from "../../test/support/cli.ts";
import { makePlace } from "./adapter-place.ts";
import { kimi, kimiVendor as vendor } from "./kimi.ts";
import { idOf, of } from "./session.ts";
import { approved, endsOf, fillIn, half, issue, makeStoryPlace, shellTurn, whole } from "./story.ts";
import { dirOf } from "./subject.ts";
import { full, testRows } from "../../test/support/full.ts";

const test = full.skipIf(!dirOf(kimi));
const bash = (command: string, tokens = 20_000) => shellTurn(vendor, command, tokens);

testRows<["in" | "without"]>([["in"], ["without"]])(
  "%s a sandbox, from an issue to a merge: a session reaches its mark, one is killed, one stops too early and then submits, a verdict in words",
  async ([where], { skip }) => {
    skip(!dirOf(kimi) || (where === "in" && !hasBubblewrap()));
    const story: ChatScript = [
      {
        match: "You are session 1 of its relay",
        turns: [
          bash(half),
          { text: "I stop.", usage: { input_tokens: 130_000 } },
          bash(fillIn, 131_000),
          { text: "Handed over." },
        ],
      },
      {
        match: "You are session 2 of its relay",
        turns: [bash("kill -9 $PPID"), { text: "?" }],
      },
      {
        match: "You are session 3 of its relay",
        turns: [
          bash(whole, 30_000),
          { text: "All done!", usage: { input_tokens: 31_000, output_tokens: 10 } },
          bash("monoco check && monoco issue submit", 32_000),
          { text: "Submitted.", usage: { input_tokens: 33_000, output_tokens: 10 } },
        ],
      },
      {
        match: "You are the Reviewer",
        turns: [bash("npm test"), vendor.verdict(approved)],
      },
    ];
    // Kimi compacts by itself at 150,000 of its 200,000 tokens.
    const limits = "backoffSeconds: 0, contextMarks: [110000, 120000, 140000]";
    const place = await makeStoryPlace(vendor, story, limits);
    if (where === "in") rmSync(join(place.sandbox.folder, "home/.config/monoco"), { recursive: true });
    const ran = await place.monoco("run", issue);
    const events = eventsOf(place.project, issue);
    expect(endsOf(events), ran.stdout + ran.stderr + place.unmatched()).toEqual([
      [1, "context_limit"],
      [2, "failure"],
      [3, "submitted"],
      [4, "decided"],
    ]);
    expect(ran.exitCode).toBe(0);
    const [, second, third] = events.filter((event) => event.type === "session.ended");
    expect(endingWords(second?.evidence ?? []).join(" ")).toContain(
      "the agent ended in the middle of the conversation: SIGKILL",
    );
    // It tells its context once a turn, behind the turn's end, and its window.
    expect(third).toMatchObject({ contextTokens: 33_010, windowTokens: 200_000 });
    const tails = place.model.requests.map(({ tail }) => tail);
    // The self-check knows of the mark that the turn has reached, and it is told once: only session 3 is asked to go on.
    expect(tails.filter((tail) => tail.includes("WRAP UP NOW"))).toHaveLength(1);
    expect(tails.filter((tail) => tail.includes(vendor.refusal))).toHaveLength(1);
    // The self-check hears what was said: a Reviewer that has given its verdict is not asked for it.
    expect(tails.filter((tail) => tail.includes("Give your verdict"))).toEqual([]);
    const handoffs = events.flatMap((event) =>
      event.type === "handoff.recorded" ? [[event.session, event.source]] : [],
    );
    expect(handoffs).toEqual([
      [1, "completed"],
      [2, "generated"],
    ]);
    expect(await place.sandbox.git(place.project, "log", "--format=%s", "main")).toContain(
      `${issue}: Sum what is a number`,
    );
    expect(processesOf(place.sandbox.folder)).toEqual([]);
    const sessions = join(place.project, ".monoco/relays", issue, "sessions");
    const linesOf = (session: string): string[] =>
      readFileSync(join(sessions, session, "stream.jsonl"), "utf8")
        .trim()
        .split("\n");
    kimi.record("wrapped-up", linesOf("0001-executor"));
    kimi.record("submitted", linesOf("0003-executor"));
    kimi.record("verdict", linesOf("0004-reviewer"));
  },
);

test("a conversation is opened again, and what was said before is not told twice", async () => {
  const place = await makePlace(
    kimi,
    [{ text: "I was here." }, { text: "Once more." }, { text: "Enough." }],
    { match: "" },
  );
  // A self-check that lets it stop.
  const shared = { monoco: [process.execPath, "-e", ""] };
  const first = place.start(shared);
  await first.exit;
  const agentSessionId = idOf(first);
  const second = place.start({ ...shared, agentSessionId, resume: true, prompt: "go on" });
  await second.exit;
  kimi.record("resumed", second.lines);
  expect(of("message", second)).toEqual([{ type: "message", text: "Once more." }]);
  expect(
    place.model.requests
      .at(-1)
      ?.messages.map(({ text }) => text)
      .join("\n"),
  ).toContain("I was here.");
});
