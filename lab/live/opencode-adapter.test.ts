/** What only the adapter to OpenCode does with the real CLI: its conversations, its verdict in words, its subagents. */
import { readFileSync, realpathSync } from "node:fs";
import { join } from "node:path";
import { expect, test as base, vi } from "vitest";
import type { ChatTurn } from "../../src/probe/chat-model.ts";
import { full } from "../../test/support/full.ts";
import { makePlace } from "./adapter-place.ts";
import type { Place } from "./adapter-place.ts";
import { opencode } from "./opencode.ts";
import { endings, idOf, of } from "./session.ts";
import type { LiveSession } from "./session.ts";
import { dirOf } from "./subject.ts";

const it = base.skipIf(!dirOf(opencode));
const test = full.skipIf(!dirOf(opencode));

/** It starts in three seconds on a quiet machine, and in forty on a busy one. */
vi.setConfig({ testTimeout: 600_000 });

it("a conversation is opened again, under its id with what was said and spent; nowhere else", async () => {
  const place = await makePlace(opencode, [{ text: "First." }, { text: "Second." }]);
  const first = place.start();
  await first.exit;
  const agentSessionId = idOf(first);
  const again = place.start({ agentSessionId, resume: true, prompt: "only write RALPH.md" });
  await again.exit;
  expect(place.model.requests[1]).toMatchObject({
    session: agentSessionId,
    tail: expect.stringContaining("RALPH.md") as string,
  });
  expect(place.model.requests[1]?.messages.some(({ text }) => text === "First.")).toBe(true);
  expect(idOf(again)).toBe(agentSessionId);
  expect(costOf(again)).toBeCloseTo(2 * costOf(first));

  const elsewhere = place.start({ agentSessionId, resume: true, workspace: join(place.folder, "home") });
  await elsewhere.exit;
  expect(elsewhere.updates.at(-1)).toEqual({
    type: "ended",
    ending: "failure",
    evidence: `${agentSessionId} is of ${realpathSync(place.workspace)}`,
  });
});

test("a conversation whose server was killed in the middle of a tool is opened again", async () => {
  const place = await makePlace(opencode, [bash("kill -9 $PPID; sleep 60"), { text: "Second." }]);
  const first = place.start();
  await first.exit;
  expect(first.updates.at(-1)).toEqual({
    type: "ended",
    ending: "failure",
    evidence: "opencode ended by itself (SIGKILL)",
  });
  const agentSessionId = idOf(first);
  const again = place.start({ agentSessionId, resume: true, prompt: "only write RALPH.md" });
  await again.exit;
  expect(endings(again)).toEqual(["completed"]);
  expect(place.model.requests[1]).toMatchObject({ session: agentSessionId });
  expect(place.model.requests[1]?.messages.map(({ text }) => text).join()).toContain("interrupted");
});

it("a Reviewer's verdict is read from its words, one of the wrong shape is asked for again", async () => {
  const place = await makePlace(
    opencode,
    [
      { text: '{"type":"verdict","verdict":"looks good"}' },
      { text: 'So:\n\n```json\n{\n  "type": "verdict",\n  "verdict": "approve"\n}\n```' },
    ],
    { blockOnce: "Give your verdict before you stop." },
  );
  const session = place.start({ role: "reviewer" });
  await session.exit;
  opencode.record("verdict", session.lines);
  const verdicts = session.updates.filter(({ type }) => type.startsWith("verdict"));
  expect(verdicts).toEqual([
    { type: "verdict_malformed", text: expect.stringContaining("verdict") as string },
    { type: "verdict", verdict: { verdict: "approve", criteria: [], probes: [], findings: [] } },
  ]);
  // A verdict that is there is not asked for.
  expect(place.hooks()).toEqual(["on-session-start", "on-stop"]);
});

test("runs unattended: works outside of its folder, repeats itself, and has no tool to ask a person with", async () => {
  const place: Place = await makePlace(opencode, [
    (request) => ({
      tools: [tool("write", { filePath: join(place.folder, "outside.txt"), content: request.tools.join() })],
    }),
    bash("false"),
    bash("false"),
    bash("false"),
    bash("false"),
    { text: "Done." },
  ]);
  const session = place.start();
  await session.exit;
  const tools = readFileSync(join(place.folder, "outside.txt"), "utf8").split(",");
  expect([tools.includes("bash"), tools.includes("question")]).toEqual([true, false]);
  expect(session.updates.filter(({ type }) => type === "command")).toHaveLength(4);
  expect(endings(session)).toEqual(["completed"]);
  expect(place.folder).toMatch(/ .*'/);
});

test("a subagent's context and words are not the session's, what it spends is", async () => {
  const task = tool("task", { description: "help", prompt: "help out", subagent_type: "general" });
  const help = [bash("echo helping", 90_000), { text: "Helped.", usage: { input_tokens: 91_000 } }];
  const place = await makePlace(opencode, [{ tools: [task] }, { text: "Done." }], {
    others: [{ match: "help out", turns: help }],
  });
  const session = place.start();
  await session.exit;
  opencode.record("subagent", session.lines);
  expect(session.updates.filter(({ type }) => type === "message")).toEqual([
    { type: "message", text: "Done." },
  ]);
  const usages = session.updates.flatMap((update) =>
    update.type === "usage" ? [[update.contextTokens, update.newTokens]] : [],
  );
  // Its tokens are counted with the step that called it, which ends after it.
  expect(usages).toEqual([
    [1_050, 90_050 + 91_050 + 1_050],
    [1_050, 1_050],
  ]);
  expect(costOf(session)).toBeGreaterThan(0.18);
});

test("a compaction is seen, where a person's environment turns it on", async () => {
  const place = await makePlace(opencode, [
    bash("true", 195_000),
    { text: "A summary." },
    { text: "Done." },
    { text: "Done." },
  ]);
  const session = place.start({ settings: { kind: "opencode", env: { OPENCODE_CONFIG_CONTENT: "{}" } } });
  await session.until("compacted");
  session.closeInput();
  await session.exit;
  opencode.record("compaction", session.lines);
  expect(session.updates.map(({ type }) => type)).toContain("compacted");
});

function tool(name: string, input: Record<string, unknown>) {
  return { name, input };
}

function bash(command: string, tokens = 1_000): ChatTurn {
  return { tools: [tool("bash", { command, description: "work" })], usage: { input_tokens: tokens } };
}

function costOf(session: LiveSession): number {
  return of("usage", session).at(-1)?.costUsd ?? 0;
}
