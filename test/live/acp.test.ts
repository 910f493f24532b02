/** The driver of the Agent Client Protocol on a real CLI that has no adapter of its own: from an issue to a merge, and how it ends. */
import { expect, test as base } from "vitest";
import { acp } from "../../src/agents/acp.ts";
import type { ChatTurn } from "../../src/probe/chat-model.ts";
import { eventsOf, processesOf } from "../support/cli.ts";
import { makePlace } from "./adapter-place.ts";
import { cleanEnvironment } from "./environment.ts";
import { kimiDir, kimiVendor as vendor } from "./kimi.ts";
import { approved, endsOf, half, issue, makeStoryPlace, shellTurn, whole } from "./story.ts";

const test = base.skipIf(!kimiDir);
const bash = (command: string, tokens = 20_000) => shellTurn(vendor, command, tokens);

test("from an issue to a merge: a session that is killed, one that stops too early and then submits, a verdict in words", async () => {
  const place = await makeStoryPlace(vendor, [
    {
      match: "You are session 1 of its relay",
      turns: [bash(half), bash("kill -9 $PPID"), { text: "?" }],
    },
    {
      match: "You are session 2 of its relay",
      turns: [
        bash(whole, 30_000),
        { text: "All done!", usage: { input_tokens: 31_000, output_tokens: 10 } },
        bash("monoco check && monoco issue submit", 32_000),
        { text: "Submitted." },
      ],
    },
    {
      match: "You are the Reviewer",
      turns: [bash("npm test"), vendor.verdict(approved)],
    },
  ]);
  const ran = await place.monoco("run", issue);
  const events = eventsOf(place.project, issue);
  expect(endsOf(events), ran.stdout + ran.stderr + place.unmatched()).toEqual([
    [1, "failure"],
    [2, "submitted"],
    [3, "decided"],
  ]);
  expect(ran.exitCode).toBe(0);
  const [first, second] = events.filter((event) => event.type === "session.ended");
  expect(first?.evidence.join(" ")).toContain("the agent ended in the middle of the conversation: SIGKILL");
  // It tells its context once a turn, and its window.
  expect(second).toMatchObject({ contextTokens: expect.any(Number) as number });
  expect(place.model.requests.filter(({ tail }) => tail.includes(vendor.refusal))).toHaveLength(1);
  // The self-check hears what was said: a Reviewer that has given its verdict is not asked for it.
  expect(place.model.requests.filter(({ tail }) => tail.includes("Give your verdict"))).toEqual([]);
  expect(events.findLast((event) => event.type === "handoff.recorded")).toMatchObject({
    source: "generated",
  });
  expect(await place.sandbox.git(place.project, "log", "--format=%s", "main")).toContain(
    `${issue}: Sum what is a number`,
  );
  expect(processesOf(place.sandbox.folder)).toEqual([]);
});

type Row = { turns: ChatTurn[]; reason: string; evidence: string };

test.for<[string, Row]>([
  [
    "a login that is refused needs a person",
    { turns: [{ status: 401 }], reason: "needs_login", evidence: "401" },
  ],
  [
    "a model that is not there ends its turn without a word: unknown, never done",
    { turns: [{ status: 404 }], reason: "unknown", evidence: "end_turn without a word" },
  ],
  [
    "a plan that is used up, told in the same way: unknown, never done",
    { turns: [vendor.usedUp(0)], reason: "unknown", evidence: "end_turn without a word" },
  ],
  [
    "a busy server is tried again in silence, and our watchdog ends it",
    { turns: [{ status: 429 }], reason: "silent", evidence: "no output for 0.2 minutes" },
  ],
  [
    "a hang before the first header is silence",
    { turns: [{ deaf: true }], reason: "silent", evidence: "no output for 0.2 minutes" },
  ],
  [
    "a stall in the stream is silence",
    { turns: [{ hang: true }], reason: "silent", evidence: "no output for 0.2 minutes" },
  ],
  [
    "a content filter is a failure",
    { turns: [{ text: "Half", finish: "content_filter" }], reason: "failure", evidence: "refusal" },
  ],
  [
    "a TERM from outside is a failure",
    {
      turns: [bash("kill -TERM $PPID; sleep 60")],
      reason: "failure",
      evidence: "the agent ended in the middle",
    },
  ],
  [
    "an orphaned grandchild is gone with its session",
    {
      turns: [
        bash("setsid nohup sleep 600 >/dev/null 2>&1 & echo left it"),
        ...Array.from({ length: 3 }, () => ({ text: "Done." })),
      ],
      reason: "completed_without_submit",
      evidence: "it ended by itself",
    },
  ],
])("%s", async ([, { turns, reason, evidence }]) => {
  const limits = "backoffSeconds: 0, sessionsMax: 1, silenceMinutes: 0.2";
  const place = await makeStoryPlace(vendor, [{ match: "FEAT", turns }], limits);
  const ran = await place.monoco("run", issue);
  const events = eventsOf(place.project, issue);
  const end = events.find((event) => event.type === "session.ended");
  expect(end, ran.stdout + ran.stderr).toMatchObject({
    reason,
    evidence: expect.arrayContaining([expect.stringContaining(evidence) as string]) as string[],
  });
  expect(end?.durationMs).toBeLessThan(60_000);
  expect(events.some((event) => event.type === "submission.requested")).toBe(false);
  expect(processesOf(place.sandbox.folder)).toEqual([]);
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
