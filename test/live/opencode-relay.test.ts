/** Whole relays with the real OpenCode: the story from an issue to a merge, and what becomes of each fault; a scripted model. */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test as base } from "vitest";
import { eventsOf, processesOf } from "../support/cli.ts";
import type { ChatTurn } from "../../src/probe/chat-model.ts";
import { opencodeHome, opencodeVendor as vendor } from "../../src/probe/opencode-vendor.ts";
import type { ModelRequest } from "../../src/probe/scripted-model.ts";
import { cleanEnvironment } from "./environment.ts";
import { changeLine, opencodeDir } from "./opencode.ts";
import { keepRecording } from "./record.ts";
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

const test = base.skipIf(!opencodeDir);

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
    expect(ends[1]?.evidence.join()).toContain("opencode ended by itself (SIGKILL)");
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
      evidence: [expect.stringContaining("it wrote its handoff") as string],
    });
    // The same conversation, under OpenCode's own id.
    const asked = place.model.requests.filter(({ tail }) => tail.includes("Only hand over, now"));
    expect(asked[0]?.session).toBe(place.model.requests[0]?.session);
    expect(processesOf(place.sandbox.folder)).toEqual([]);
  },
);

type Row = {
  recording: string;
  turns: ChatTurn[];
  reason: string;
  evidence: string;
  /** Requests that reached the model, at the most. */
  requests: number;
  env?: Record<string, string>;
  config?: object;
  /** On a machine where no namespace can be made. */
  uncontained?: true;
  secondsMax?: number;
  /** Seconds from the limit to its end. */
  resetsIn?: number;
};

/** OpenCode's own attempts, without their pauses. */
const soon = { "retry-after-ms": "10" };
const silence = { MONOCO_MODEL_SILENCE_MS: "5000" };
const failed = (code: string, message: string) => ({ error: { message, type: code, param: null, code } });
const usedUp = { type: "error", error: { type: "GoUsageLimitError" }, metadata: { limitName: "weekly" } };
const overdrawn = "You exceeded your current quota, please check your plan and billing details.";
const tooLong = "This model's maximum context length is 200000 tokens. However, your messages are longer.";

test.for<[string, Row]>([
  [
    "a wrong key needs a person, and is not tried again", // TRAP 15
    {
      recording: "unauthorized",
      turns: [{ status: 401, body: failed("invalid_api_key", "Incorrect API key provided.") }],
      reason: "needs_login",
      evidence: "APIError 401: Incorrect API key provided.",
      requests: 1,
    },
  ],
  [
    "an account without credit needs a person", // TRAP 15
    {
      recording: "no-credit",
      turns: [{ status: 429, headers: soon, body: failed("insufficient_quota", overdrawn) }],
      reason: "needs_login",
      evidence: `APIError 429: ${overdrawn}`,
      requests: 6,
    },
  ],
  [
    "a 429 that names its end is a limit until then, and not waited for in silence", // TRAP 14
    {
      recording: "limit-with-time",
      turns: [vendor.usedUp(Date.now() + 3_600_000)],
      reason: "usage_limit",
      evidence: "scripted 429",
      requests: 1,
      resetsIn: 3_600,
    },
  ],
  [
    "a used-up plan of OpenCode's own is told at once", // TRAP 14
    {
      recording: "plan-used-up",
      turns: [{ status: 429, headers: { "retry-after": "90" }, body: usedUp }],
      reason: "usage_limit",
      evidence: "weekly usage limit reached",
      requests: 1,
    },
  ],
  [
    "a 429 that names no end is a busy server's, after OpenCode's own attempts",
    {
      recording: "busy",
      turns: [{ status: 429, headers: soon }],
      reason: "failure",
      evidence: "APIError 429: scripted 429",
      requests: 6,
    },
  ],
  [
    "a broken server is a failure, after OpenCode's own attempts",
    {
      recording: "server-error",
      turns: [{ status: 500, headers: soon }],
      reason: "failure",
      evidence: "APIError 500: scripted 500",
      requests: 6,
    },
  ],
  [
    "an overloaded server is a failure, after OpenCode's own attempts",
    {
      recording: "overloaded",
      turns: [{ status: 503, headers: soon }],
      reason: "failure",
      evidence: "APIError 503: scripted 503",
      requests: 6,
    },
  ],
  [
    "a stream that is cut again and again is a failure, after a minute and a half",
    {
      recording: "connection-cut",
      turns: [{ cut: true }],
      reason: "failure",
      evidence: "Connection reset by server",
      requests: 6,
      secondsMax: 150,
    },
  ],
  [
    "a context that is too long is its limit, and never compacted", // TRAP 13
    {
      recording: "context-full",
      turns: [bash("echo one"), { status: 400, body: failed("context_length_exceeded", tooLong) }],
      reason: "context_limit",
      evidence: `ContextOverflowError: ${tooLong}`,
      requests: 2,
    },
  ],
  [
    "a model that never answers is given up",
    {
      recording: "never-answers",
      turns: [{ deaf: true }],
      reason: "failure",
      evidence: "the model has said nothing for",
      requests: 1,
      env: silence,
    },
  ],
  [
    "a stream that goes silent is given up",
    {
      recording: "silent-stream",
      turns: [{ hang: true }],
      reason: "failure",
      evidence: "the model has said nothing for",
      requests: 1,
      env: silence,
    },
  ],
  [
    "an answer that is cut off at the output limit is never taken for done", // TRAP 11
    {
      recording: "cut-answer",
      turns: [
        { text: "I beg", finish: "length" },
        { text: "I beg", finish: "length" },
      ],
      reason: "failure",
      evidence: "output limit (length)",
      requests: 2,
    },
  ],
  [
    "a refusal is a failure",
    {
      recording: "refusal",
      turns: [{ text: "I cannot", finish: "content_filter" }],
      reason: "failure",
      evidence: "ContentFilterError: The response was blocked",
      requests: 1,
    },
  ],
  [
    "what the person's own configuration denies is denied, what it would ask for is allowed, and the session goes on",
    {
      recording: "denied",
      turns: [bash("git push"), bash("touch asked.txt"), { text: "It is denied." }, { text: "It is." }],
      reason: "completed_without_submit",
      evidence: "it ended by itself",
      requests: 4,
      config: { permission: { bash: { "*": "ask", "git push*": "deny" } } },
    },
  ],
  [
    "a TERM from outside is no completion", // TRAP 11
    {
      recording: "terminated",
      turns: [bash("kill -TERM $PPID; sleep 60")],
      reason: "failure",
      evidence: "opencode ended by itself",
      requests: 1,
    },
  ],
  ...[false, true].map((uncontained): [string, Row] => [
    `a driver that is killed takes its server and its tools along${uncontained ? ", also without a namespace" : ""}`, // TRAP 7
    {
      recording: "driver-killed",
      turns: [bash("kill -9 $(awk '{ print $4 }' /proc/$PPID/stat); sleep 6000")],
      reason: "failure",
      evidence: "killed by",
      requests: 1,
      ...(uncontained ? { uncontained } : {}),
    },
  ]),
  [
    "a command in the background neither keeps its session alive nor outlives it", // TRAP 7
    {
      recording: "background",
      turns: [
        { tools: [{ name: "bash", input: { command: "sleep 6000 & echo left it", timeout: 3_000 } }] },
        { text: "Done." },
        { text: "Yes." },
      ],
      reason: "completed_without_submit",
      evidence: "it ended by itself",
      requests: 3,
    },
  ],
  [
    "a grandchild that left its session is gone with it", // TRAP 7
    {
      recording: "grandchild",
      turns: [
        bash("setsid nohup sleep 6000 >/dev/null 2>&1 & echo left it"),
        { text: "Done." },
        { text: "Yes." },
      ],
      reason: "completed_without_submit",
      evidence: "it ended by itself",
      requests: 3,
    },
  ],
])("%s", { timeout: rowMs }, async ([, row]) => {
  const environment: typeof vendor.environment = (options) => ({
    ...opencodeHome(options, row.config),
    ...(row.uncontained ? withoutNamespaces(options.home) : {}),
  });
  const settings = { ...vendor.settings, env: { ...vendor.settings.env, ...row.env } };
  const place = await makeStoryPlace(
    { ...vendor, settings, environment },
    [{ match: issue, turns: row.turns }],
    "backoffSeconds: 0, sessionsMax: 1",
  );
  const running = place.start("run", issue);
  // Without a terminal it would wait for the end of a limit.
  await place.until((text) => /"type":"(?:limit.hit|handoff.recorded)"/.test(text));
  if (row.reason === "usage_limit") running.kill("SIGINT");
  const ran = await running;
  const events = eventsOf(place.project, issue);
  const end = events.find((event) => event.type === "session.ended");
  expect(end, ran.stdout + ran.stderr).toMatchObject({
    reason: row.reason,
    evidence: expect.arrayContaining([expect.stringContaining(row.evidence) as string]) as string[],
  });
  if (row.resetsIn) {
    const limit = events.find((event) => event.type === "limit.hit");
    const asked = end!.atMs + row.resetsIn * 1000;
    expect(Math.abs((limit?.resetsAtMs ?? 0) - asked)).toBeLessThan(120_000);
  }
  const stream = join(place.project, ".monoco", "relays", issue, "sessions", "0001-executor", "stream.jsonl");
  keepRecording("opencode", row.recording, {
    lines: readFileSync(stream, "utf8").trim().split("\n"),
    change: changeLine,
  });
  if (row.uncontained) {
    const started = events.find((event) => event.type === "session.started");
    expect(started).toMatchObject({ containment: "process-group" });
  }
  expect(end?.durationMs).toBeLessThan((row.secondsMax ?? 60) * 1000);
  expect(events.some(({ type }) => type === "handoff.recorded")).toBe(true);
  expect(place.model.requests.length).toBeLessThanOrEqual(row.requests);
  expect(events.filter(({ type }) => type === "session.ended")).toHaveLength(1);
  expect(processesOf(place.sandbox.folder)).toEqual([]);
});

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
    expect(await running).toMatchObject({ exitCode: 130 });
    expect(Date.now() - stoppedAtMs).toBeLessThan(20_000);
    const events = eventsOf(place.project, issue);
    expect(endsOf(events)).toEqual([[1, "user_interrupt"]]);
    expect(events.some(({ type }) => type === "handoff.recorded")).toBe(true);
    expect(processesOf(place.sandbox.folder)).toEqual([]);
  },
);

/** A machine on which nothing can be put in a namespace: monoco holds the process group, and sweeps. */
function withoutNamespaces(home: string): Record<string, string> {
  const folder = join(home, "no-namespaces");
  mkdirSync(folder);
  writeFileSync(join(folder, "setpriv"), "#!/bin/sh\nexit 1\n", { mode: 0o755 });
  return { PATH: `${folder}:${cleanEnvironment(home, opencodeDir ?? "")["PATH"]}` };
}
