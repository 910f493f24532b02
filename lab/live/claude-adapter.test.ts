/** What only the adapter to Claude Code does with the real CLI: its schema, its subagents, its limits, its ids. */
import { existsSync } from "node:fs";
import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { expect, test as base } from "vitest";
import { endingWords } from "../../src/core/reason/ending-rows.ts";
import { nothingSeen, see } from "../../src/core/session/observations.ts";
import { classify } from "../../src/index.ts";
import type { ModelRequest, Turn } from "../../src/probe/scripted-model.ts";
import { full } from "../../test/support/full.ts";
import { makePlace } from "./adapter-place.ts";
import type { Place } from "./adapter-place.ts";
import { claude } from "./claude.ts";
import { endings, of, types } from "./session.ts";
import type { LiveSession } from "./session.ts";
import { dirOf } from "./subject.ts";

const it = base.skipIf(!dirOf(claude));
const test = full.skipIf(!dirOf(claude));

test("tells the size of its window before its first answer", async () => {
  const place = await makePlace(claude, [{ text: "Done.", delayMs: 1500 }]);
  const session = place.start();
  await session.until("usage");
  expect(session.updates).toContainEqual(
    expect.objectContaining({
      type: "usage",
      contextTokens: expect.any(Number),
      windowTokens: 1_000_000,
    }),
  );
  expect(types(session)).not.toContain("ended");
  await session.exit;
});

test("runs unattended: writes outside of its folder, and the hooks' paths may have any characters", async () => {
  const place: Place = await makePlace(claude, [
    (request) => ({
      tools: [
        { name: "Write", input: { file_path: join(place.folder, "outside.txt"), content: request.model } },
      ],
    }),
    { text: "Done." },
  ]);
  await place.start().exit;
  expect(existsSync(join(place.folder, "outside.txt"))).toBe(true);
  expect(place.folder).toMatch(/ .*'/);
});

it("a conversation is opened again, under the same id and with what was said", async () => {
  const place = await makePlace(claude, [{ text: "First." }, { text: "Second." }]);
  const agentSessionId = randomUUID();
  await place.start({ agentSessionId }).exit;
  const again = place.start({ agentSessionId, resume: true, prompt: "only write RALPH.md" });
  await again.exit;
  expect(place.model.requests[1]).toMatchObject({
    session: agentSessionId,
    tail: expect.stringContaining("RALPH.md"),
  });
  expect(place.model.requests[1]?.messages.some(({ text }) => text === "First.")).toBe(true);
  expect(again.updates).toContainEqual({ type: "identified", agentSessionId, model: expect.any(String) });
});

it("a Reviewer's verdict arrives by schema, with evidence; what lacks it is sent back to the model first", async () => {
  const evidence = { command: "npm test", exitCode: 1, text: "0 tests" };
  const verdict = {
    verdict: "request_changes",
    criteria: [{ criterion: 1, result: "not_met", command: "npm test", exitCode: 1 }],
    probes: [],
    findings: [{ id: "F1", severity: "major", title: "no test", evidence }],
    summary: "not yet",
  };
  const place = await makePlace(claude, [
    { tools: [{ name: "StructuredOutput", input: { ...verdict, verdict: "looks good" } }] },
    { tools: [{ name: "StructuredOutput", input: { verdict: "approve" } }] },
    { tools: [{ name: "StructuredOutput", input: verdict }] },
  ]);
  const session = place.start({ role: "reviewer" });
  expect(await session.exit).toMatchObject({ exitCode: 0 });
  claude.record("verdict", session.lines);
  const [, shape, lacking] = place.model.requests.map(({ tail }) => tail);
  expect(shape).toContain("does not match required schema");
  expect(lacking).toMatch(/does not match required schema[^]*criteria/);
  expect(session.updates).toContainEqual({ type: "verdict", verdict });
});

test("a Reviewer whose verdict never takes its shape has failed", async () => {
  const maybe = { tools: [{ name: "StructuredOutput", input: { verdict: "maybe" } }] };
  const place = await makePlace(
    claude,
    Array.from({ length: 10 }, () => maybe),
  );
  const session = place.start({ role: "reviewer" });
  await session.exit;
  claude.record("verdict-malformed", session.lines);
  expect(endings(session)).toEqual(["failure"]);
  expect(session.updates).toContainEqual(
    expect.objectContaining({
      type: "verdict_malformed",
      text: expect.stringContaining("one of the allowed values") as string,
    }),
  );
});

test("a Reviewer that gives no verdict is reminded of it, and may still give none", async () => {
  const place = await makePlace(claude, [{ text: "Looks fine to me." }, { text: "I said so." }]);
  const session = place.start({ role: "reviewer" });
  await session.exit;
  claude.record("verdict-missing", session.lines);
  expect(place.model.requests[1]?.tail).toContain("You MUST call the StructuredOutput tool");
  expect(endings(session)).toEqual(["completed"]);
  expect([...types(session)].filter((type) => type.startsWith("verdict"))).toEqual([]);
});

test("the context and the words of a subagent, where a person's settings allow one, are not the session's", async () => {
  const task = { description: "look", prompt: "Look.", subagent_type: "general-purpose" };
  const place = await makePlace(claude, [
    { tools: [{ name: "Agent", input: task }], usage: usageOf(20_000) },
    { text: "I look.", tools: [bash("echo sub")], usage: usageOf(99_000) },
    { text: "I looked.", usage: usageOf(99_500) },
    { text: "Done.", usage: usageOf(21_000) },
  ]);
  const args = ["--tools", "Bash,Agent", "--allowedTools", "Bash,Agent"];
  const session = place.start({ settings: { kind: "claude", args } });
  await session.exit;
  claude.record("subagent", session.lines);
  expect(place.model.requests).toHaveLength(4);
  const said = of("message", session).map(({ text }) => text);
  expect(said).toEqual(["Done."]);
  const tokens = of("usage", session).map(({ contextTokens }) => contextTokens);
  expect(tokens.slice(1)).toEqual([21_005, 22_005, 22_005]);
});

test("a limit that is near is no limit", async () => {
  const place = await makePlace(
    claude,
    [{ text: "Done.", headers: nearLimitHeaders(Date.UTC(2099, 11, 1)) }],
    { login: "subscription" },
  );
  const session = place.start();
  await session.exit;
  claude.record("limit-warning", session.lines);
  expect(session.lines.join("\n")).toContain('"status":"allowed_warning"');
  expect(types(session)).not.toContain("limit");
  expect(endings(session)).toEqual(["completed"]);
});

test("a process whose session's id is in use fails at once, with words on standard error only", async () => {
  const place = await makePlace(claude, [{ text: "One." }]);
  const agentSessionId = randomUUID();
  await place.start({ agentSessionId }).exit;
  expect(await outcomeOf(place.start({ agentSessionId }))).toMatch(
    /^failure: exit status 1\nstderr: .*already in use/,
  );
});

test("a process that compacts again and again has reached its context limit", async () => {
  const turns = Array.from({ length: 40 }, (_, index) => (request: ModelRequest): Turn => {
    const asked = request.messages.at(-1)?.text ?? "";
    if (asked.includes("TEXT ONLY")) return { text: "A summary." };
    return { tools: [bash("true")], usage: { input_tokens: index < 3 ? 1000 : 970_000 } };
  });
  const place = await makePlace(claude, turns);
  const session = place.start({
    settings: { kind: "claude", args: ["--settings", '{"autoCompactEnabled":true}'] },
  });
  expect(await outcomeOf(session)).toMatch(
    /^context_limit: .*terminal_reason rapid_refill_breaker, api_error autocompact/,
  );
  expect(of("compacted", session).length).toBeGreaterThan(1);
  claude.record("compaction", session.lines);
});
function usageOf(cache_read_input_tokens: number) {
  return { input_tokens: 5, cache_read_input_tokens, cache_creation_input_tokens: 1000 };
}

function bash(command: string) {
  return { name: "Bash", input: { command } };
}

/** A subscription's limit that is used to 92 %. */
function nearLimitHeaders(resetsAtMs: number): Record<string, string> {
  const reset = String(Math.floor(resetsAtMs / 1000));
  return {
    "anthropic-ratelimit-unified-status": "allowed_warning",
    "anthropic-ratelimit-unified-reset": reset,
    "anthropic-ratelimit-unified-representative-claim": "five_hour",
    "anthropic-ratelimit-unified-5h-status": "allowed_warning",
    "anthropic-ratelimit-unified-5h-reset": reset,
    "anthropic-ratelimit-unified-5h-utilization": "0.92",
    "anthropic-ratelimit-unified-5h-surpassed-threshold": "0.9",
  };
}

/** What the relay would record of a session that nobody stopped. */
async function outcomeOf(session: LiveSession): Promise<string> {
  const { exitCode = null, stderr } = await session.exit;
  const seen = session.updates.reduce(see, nothingSeen());
  const { reason, evidence } = classify({
    role: "executor",
    submitted: false,
    handedOver: false,
    verdict: "none",
    agent: seen.agent,
    limitText: seen.limit?.text,
    compacted: seen.compacted,
    cutShort: !seen.agent,
    exitCode,
    signal: null,
    stderrTail: stderr,
  });
  return `${reason}: ${endingWords(evidence).join("\n")}`;
}
