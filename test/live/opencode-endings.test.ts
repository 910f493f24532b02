/** Every way in which a session of the real OpenCode ends: the stop reason, its evidence, and nothing left behind. */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test as base } from "vitest";
import { eventsOf, processesOf } from "../support/cli.ts";
import type { ChatTurn } from "../../src/probe/chat-model.ts";
import { opencodeHome, opencodeVendor as vendor } from "../../src/probe/opencode-vendor.ts";
import { expectEnd, leave, lookAtLeft, signalDriver, stays, untoldLimitMs, wasAlive } from "./ends.ts";
import type { End } from "./ends.ts";
import { cleanEnvironment } from "./environment.ts";
import { changeLine, opencodeDir } from "./opencode.ts";
import { keepRecording } from "./record.ts";
import { issue, makeStoryPlace, shellTurn } from "./story.ts";

const test = base.skipIf(!opencodeDir);

/** It starts in three seconds on a quiet machine, and in thirty on a busy one. */
const rowMs = 300_000;

const bash = (command: string, tokens = 20_000): ChatTurn => shellTurn(vendor, command, tokens);

type Row = End & {
  recording: string;
  turns: ChatTurn[];
  /** Requests that reached the model, at the most. */
  requests: number;
  env?: Record<string, string>;
  config?: object;
  /** On a machine where no namespace can be made. */
  uncontained?: true;
  /** In a request to the model. */
  told?: string;
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
      resetsInMs: 3_600_000,
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
      resetsInMs: untoldLimitMs,
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
      turns: [
        bash("touch denied.txt"),
        bash("echo yes > asked.txt"),
        { text: "It is denied." },
        { text: "It is." },
      ],
      reason: "completed_without_submit",
      evidence: "it ended by itself",
      requests: 4,
      config: { permission: { bash: { "*": "ask", "touch *": "deny" } } },
      told: "a rule which prevents you",
      denied: ["bash"],
      missing: ["denied.txt"],
      made: { "asked.txt": /^yes$/m },
    },
  ],
  [
    "a whole tool that is denied is not offered, which nothing tells apart from one that there is none of",
    {
      recording: "denied-whole",
      turns: [bash("touch denied.txt"), { text: "It is denied." }, { text: "It is." }],
      reason: "completed_without_submit",
      evidence: "it ended by itself",
      requests: 3,
      config: { permission: { bash: "deny" } },
      told: "unavailable tool",
      missing: ["denied.txt"],
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
  [
    "a driver that is told to stop from outside has failed, and takes its server and its tools along",
    {
      recording: "driver-terminated",
      turns: [bash(signalDriver("TERM"))],
      reason: "failure",
      evidence: "exit status 143",
      requests: 1,
      made: { "signalled.txt": /opencode-program/ },
    },
  ],
  ...[false, true].map((uncontained): [string, Row] => [
    `a driver that is killed takes its server and its tools along${uncontained ? ", also without a namespace" : ""}`, // TRAP 7
    {
      recording: "driver-killed",
      turns: [bash(signalDriver("KILL"))],
      reason: "failure",
      evidence: "killed by",
      requests: 1,
      made: { "signalled.txt": /opencode-program/ },
      ...(uncontained ? { uncontained } : {}),
    },
  ]),
  [
    "a command in the background that holds its tool's output ends with the tool, at its time-out", // TRAP 7
    {
      recording: "background",
      turns: [
        { tools: [{ name: "bash", input: { command: `${stays} &`, timeout: 3_000 } }] },
        bash(lookAtLeft),
        { text: "Done." },
        { text: "Yes." },
      ],
      reason: "completed_without_submit",
      evidence: "it ended by itself",
      requests: 4,
      made: { "left.pid": /^\d+\n$/ },
      missing: Object.keys(wasAlive),
    },
  ],
  [
    "a command in the background that holds nothing outlives its tool, but not its session", // TRAP 7
    {
      recording: "background-silent",
      turns: [
        bash(`${stays} > /dev/null 2>&1 & until [ -s left.pid ]; do sleep 0.1; done`),
        bash(lookAtLeft),
        { text: "Done." },
        { text: "Yes." },
      ],
      reason: "completed_without_submit",
      evidence: "it ended by itself",
      requests: 4,
      made: wasAlive,
    },
  ],
  [
    "a grandchild that left its session is gone with it", // TRAP 7
    {
      recording: "grandchild",
      turns: [bash(leave), bash(lookAtLeft), { text: "Done." }, { text: "Yes." }],
      reason: "completed_without_submit",
      evidence: "it ended by itself",
      requests: 4,
      made: wasAlive,
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
  const { sandbox, project, model } = place;
  expectEnd({ sandbox, project, issue, ran }, row);
  const stream = join(project, ".monoco", "relays", issue, "sessions", "0001-executor", "stream.jsonl");
  keepRecording("opencode", row.recording, {
    lines: readFileSync(stream, "utf8").trim().split("\n"),
    change: changeLine,
  });
  const events = eventsOf(project, issue);
  if (row.uncontained) {
    const started = events.find((event) => event.type === "session.started");
    expect(started).toMatchObject({ containment: "process-group" });
  }
  expect(model.requests.length).toBeLessThanOrEqual(row.requests);
  if (row.told) expect(model.requests.map(({ tail }) => tail).join("\n")).toContain(row.told);
  expect(events.filter(({ type }) => type === "session.ended")).toHaveLength(1);
  expect(processesOf(sandbox.folder)).toEqual([]);
});

/** A machine on which nothing can be put in a namespace: monoco holds the process group, and sweeps. */
function withoutNamespaces(home: string): Record<string, string> {
  const folder = join(home, "no-namespaces");
  mkdirSync(folder);
  writeFileSync(join(folder, "setpriv"), "#!/bin/sh\nexit 1\n", { mode: 0o755 });
  return { PATH: `${folder}:${cleanEnvironment(home, opencodeDir ?? "")["PATH"]}` };
}
