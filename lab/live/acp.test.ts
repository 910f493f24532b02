/** The driver of the Agent Client Protocol on a real CLI that has no adapter of its own: from an issue to a merge, and a conversation opened again. */
import { endingWords } from "../../src/core/reason/ending-rows.ts";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test as base } from "vitest";
import { acp } from "../../src/agents/acp/adapter.ts";
import type { ChatScript } from "../../src/probe/chat-model.ts";
import { eventsOf, processesOf } from "../../test/support/cli.ts";
import { bash } from "./acp-table.ts";
import { makePlace } from "./adapter-place.ts";
import { cleanEnvironment } from "./environment.ts";
import { kimiDir, kimiVendor as vendor, recordKimi } from "./kimi.ts";
import { approved, endsOf, fillIn, half, issue, makeStoryPlace, whole } from "./story.ts";
import { full } from "../../test/support/full.ts";

const it = base.skipIf(!kimiDir);
const test = full.skipIf(!kimiDir);

it("from an issue to a merge: a session reaches its mark, one is killed, one stops too early and then submits, a verdict in words", async () => {
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
  recordKimi("wrapped-up", linesOf("0001-executor"));
  recordKimi("submitted", linesOf("0003-executor"));
  recordKimi("verdict", linesOf("0004-reviewer"));
});

test("a conversation is opened again, and what was said before is not told twice", async () => {
  const environment = (home: string) => ({
    ...cleanEnvironment(home, kimiDir ?? ""),
    ...vendor.environment({ home, modelUrl: model.url }),
  });
  const model = await vendor.startModel([
    { match: "", turns: [{ text: "I was here." }, { text: "Once more." }, { text: "Enough." }] },
  ]);
  const place = await makePlace(acp, { model, environment });
  // A self-check that lets it stop.
  const shared = { settings: vendor.settings, monoco: [process.execPath, "-e", ""] };
  const first = place.start(shared);
  await first.exit;
  const agentSessionId = first.updates.find((update) => update.type === "identified")!.agentSessionId;
  const second = place.start({ ...shared, agentSessionId, resume: true, prompt: "go on" });
  await second.exit;
  recordKimi("resumed", second.lines);
  expect(second.updates.filter((update) => update.type === "message")).toEqual([
    { type: "message", text: "Once more." },
  ]);
  expect(
    model.requests
      .at(-1)
      ?.messages.map(({ text }) => text)
      .join("\n"),
  ).toContain("I was here.");
});
