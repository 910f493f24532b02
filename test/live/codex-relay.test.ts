/** The whole story with the real Codex, and the ends that a relay has to see to: real tools and hooks, a scripted model. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test as base } from "vitest";
import { eventsOf, processesOf } from "../support/cli.ts";
import { codexVendor as vendor, configToml } from "../../src/probe/codex-vendor.ts";
import { codexDir } from "./codex.ts";
import { usedUp } from "../../src/probe/responses-model.ts";
import type { ResponsesRequest, ResponsesTurn } from "../../src/probe/responses-model.ts";
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

const test = base.skipIf(!codexDir);

const bash = (command: string, tokens = 20_000) => shellTurn(vendor, command, tokens);

test("from an issue to a merge: context mark, kill, stop hook, submit, changes requested, approval", async () => {
  const place = await makeStoryPlace(vendor, storyOf(vendor));
  await expectStory(vendor, place);
  const config = join(place.sandbox.folder, "home", ".codex", "config.toml");
  expect(readFileSync(config, "utf8")).toBe(configToml(place.model.url));
});

test("a usage limit is a wait until its reset time, and a bad login a block: neither is retried", async () => {
  const resetsAtMs = Math.floor(Date.now() / 1000) * 1000 + 3_600_000;
  const limited = await makeStoryPlace(vendor, [{ match: "FEAT", turns: [usedUp(resetsAtMs)] }]);
  // At a terminal it would leave with 75; without one it waits, so it is interrupted here as soon as the limit is journaled.
  const running = limited.start("run", issue);
  await limited.until((text) => text.includes('"type":"limit.hit"'));
  running.kill("SIGINT");
  expect(await running).toMatchObject({ exitCode: 130 });
  expect(eventsOf(limited.project, issue).find((event) => event.type === "limit.hit")).toMatchObject({
    resetsAtMs,
    agent: "codex",
  });
  expect(limited.model.requests).toHaveLength(1);
  const status = await limited.monoco("relay", "status", issue, "--json");
  expect(JSON.parse(status.stdout)).toMatchObject({ waitingUntilMs: resetsAtMs, sessionsSpent: 0 });

  const denied = await makeStoryPlace(vendor, [{ match: "FEAT", turns: [{ status: 401 }] }]);
  const ran = await denied.monoco("run", issue);
  expect(ran.exitCode).toBe(4);
  expect(ran.stdout).toContain("needs_login");
  expect(ran.stdout).toContain("mend the login, credit or model of codex, then monoco relay resume");
});

type Row = { turns: ResponsesTurn[]; args?: string[]; reason: string; evidence: string };

const full = { code: "context_length_exceeded", message: "Your input exceeds the context window." };

test.for<[string, Row]>([
  [
    "a hang before the first header is silence",
    { turns: [{ silent: true }], reason: "silent", evidence: "no output for 0.1 minutes" },
  ],
  [
    "a TERM from outside is no completion",
    {
      turns: [bash("kill -TERM $PPID; sleep 600")],
      reason: "failure",
      evidence: "its process ended (exit status 0) before it had said how it ended",
    },
  ],
  [
    "an orphaned grandchild is gone with its session",
    {
      turns: [
        bash("setsid nohup sleep 600 >/dev/null 2>&1 & echo left it"),
        { text: "Done." },
        { text: "Yes." },
      ],
      reason: "completed_without_submit",
      evidence: "it ended by itself",
    },
  ],
  [
    "a command in the background neither keeps its session alive nor outlives it",
    {
      turns: [
        { tools: [{ name: "exec_command", input: { cmd: "sleep 600", yield_time_ms: 250 } }] },
        { text: "Done." },
        { text: "Yes." },
      ],
      reason: "completed_without_submit",
      evidence: "it ended by itself",
    },
  ],
  [
    "a server that fails is a failure",
    { turns: [{ status: 500 }], reason: "failure", evidence: "internalServerError" },
  ],
  [
    "a full context is one",
    { turns: [bash("true"), { failed: full }], reason: "context_limit", evidence: "contextWindowExceeded" },
  ],
  [
    "a cut stream is a failure",
    { turns: [{ cut: true }], reason: "failure", evidence: "stream disconnected before completion" },
  ],
  [
    "a stall in the stream is silence",
    { turns: [{ hang: true }], reason: "silent", evidence: "no output for 0.1 minutes" },
  ],
  [
    "an answer that is cut at its most tokens is a failure",
    {
      turns: [{ text: "cut off in the", incomplete: "max_output_tokens" }],
      reason: "failure",
      evidence: "reason: max_output_tokens",
    },
  ],
  [
    "a filtered answer is a failure",
    { turns: [{ incomplete: "content_filter" }], reason: "failure", evidence: "reason: content_filter" },
  ],
  [
    "a refusal is no submission",
    {
      turns: [{ refusal: "I cannot help with that." }, { refusal: "I still cannot." }],
      reason: "completed_without_submit",
      evidence: "neither submitted nor handed over",
    },
  ],
  [
    "a command that a person's own sandbox denies ends nothing, and is no submission",
    {
      turns: [
        bash("touch denied.txt && git add -A && git commit -qm Denied"),
        { text: "Denied." },
        { text: "Yes." },
      ],
      args: ["-c", 'sandbox_mode="read-only"'],
      reason: "completed_without_submit",
      evidence: "neither submitted nor handed over",
    },
  ],
])("%s", async ([, { turns, args = [], reason, evidence }]) => {
  const limits = "backoffSeconds: 0, sessionsMax: 1, silenceMinutes: 0.1";
  const player = {
    ...vendor,
    settings: { ...vendor.settings, args: [...(vendor.settings.args ?? []), ...args] },
  };
  const place = await makeStoryPlace(player, [{ match: "FEAT", turns }], limits);
  const ran = await place.monoco("run", issue);
  const events = eventsOf(place.project, issue);
  const end = events.find((event) => event.type === "session.ended");
  expect(end, ran.stdout + ran.stderr).toMatchObject({
    reason,
    evidence: expect.arrayContaining([expect.stringContaining(evidence) as string]) as string[],
  });
  expect(end?.durationMs).toBeLessThan(60_000);
  expect(events.some((event) => event.type === "handoff.recorded")).toBe(true);
  expect(processesOf(place.sandbox.folder)).toEqual([]);
});

/** Hands over when asked to. What comes before that came while the session was being ended. */
const lastWords = ({ tools, tail, messages }: ResponsesRequest): ResponsesTurn => {
  if (tools.length === 0) return { text: "A summary." };
  if (!messages.some(({ text }) => text.includes("Only hand over, now"))) return { silent: true };
  return tail.includes("Only hand over, now") ? bash(fillIn, 30_000) : { text: "Handed over." };
};

// TRAP 13
test.for<[string, { tokens: number; windowTokens?: number; limits: string; because: string }]>([
  [
    "ran into its stop mark",
    {
      tokens: 175_000,
      limits: "backoffSeconds: 0",
      because: "175010 tokens of context in use (68 % of 258400)",
    },
  ],
  [
    "compacted its context, because its window is smaller than somebody believes,",
    {
      tokens: 246_000,
      windowTokens: 1_000_000,
      limits: "backoffSeconds: 0, contextMarks: [900000, 900000, 900000]",
      because: "the agent compacted its own context",
    },
  ],
])("a session that %s is opened once more, only to write its handoff", async ([, row]) => {
  const script = [
    {
      match: "You are session 1 of its relay",
      turns: [bash(half), bash("true", row.tokens), ...Array.from({ length: 6 }, () => lastWords)],
    },
    {
      match: "You are session 2 of its relay",
      turns: [bash(`${whole}; monoco issue submit`), { text: "Submitted." }],
    },
    { match: "You are the Reviewer", turns: [vendor.verdict(approved)] },
  ];
  const settings = { ...vendor.settings, windowTokens: row.windowTokens };
  const place = await makeStoryPlace({ ...vendor, settings }, script, row.limits);
  const ran = await place.monoco("run", issue);
  const events = eventsOf(place.project, issue);
  expect(endsOf(events), ran.stdout + ran.stderr + place.unmatched()).toEqual([
    [1, "context_limit"],
    [2, "submitted"],
    [3, "decided"],
  ]);
  const [first] = events.filter((event) => event.type === "session.ended");
  expect(first?.evidence).toEqual([
    `stopped by monoco: ${row.because}; asked once more, it wrote its handoff`,
  ]);
  expect(events.find((event) => event.type === "handoff.recorded")).toMatchObject({
    session: 1,
    source: "completed",
  });
  // The same conversation, though its id is Codex's own.
  const asked = place.model.requests.filter(({ tail }) => tail.includes("Only hand over, now"));
  expect(asked[0]?.session).toBe(place.model.requests[0]?.session);
  expect(processesOf(place.sandbox.folder)).toEqual([]);
});
