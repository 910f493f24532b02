/** Claude Code's adapter: what a request becomes, and what recorded streams of the real CLI (2.1.329) say. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { claude } from "../../src/agents/claude/adapter.ts";
import type { AgentRequest } from "../../src/agents/agent.ts";
import type { AgentUpdate } from "../../src/core/session/update.ts";

describe("a launch", () => {
  test("is pure: the same request is the same launch", () => {
    expect(claude.launch(request)).toEqual(claude.launch(request));
  });

  test("has the prompt on standard input, as a first user message, and never in argv", () => {
    const { argv, stdin, keepStdinOpen } = claude.launch(request);
    expect(argv.join(" ")).not.toContain("the prompt");
    const [first = "", second = ""] = stdin.split("\n");
    expect(JSON.parse(first)).toEqual({
      type: "user",
      message: { role: "user", content: [{ type: "text", text: "the prompt\nline 2" }] },
    });
    expect(JSON.parse(second)).toMatchObject({ request: { subtype: "get_context_usage" } });
    expect([stdin.endsWith("\n"), keepStdinOpen]).toEqual([true, true]);
  });

  test.for<[string, Partial<AgentRequest>, string]>([
    ["a new session gets its id", {}, `--session-id ${uuid()}`],
    ["a resumed one is opened again", { resume: true }, `--resume ${uuid()}`],
    ["it streams JSON both ways", {}, "--input-format stream-json --output-format stream-json --verbose"],
    ["it never asks a person", {}, "--permission-mode dontAsk --allowedTools Bash,"],
    ["the model is pinned where one is set", { settings: { kind: "claude", model: "m-1" } }, "--model m-1"],
    [
      "arguments of one's own come last",
      { settings: { kind: "claude", args: ["--max-turns", "9"] } },
      "--max-turns 9",
    ],
    [
      "a Reviewer is not under the orders of the clone",
      { role: "reviewer" },
      "--setting-sources user --json-schema {",
    ],
  ])("%s", ([, change, expected]) => {
    expect(claude.launch({ ...request, ...change }).argv.join(" ")).toContain(expected);
  });

  test("an Executor is asked for no verdict, and reads the project's own settings", () => {
    expect(claude.launch(request).argv).not.toContain("--json-schema");
    expect(claude.launch(request).argv).not.toContain("--setting-sources");
  });

  test("the verdict's schema is draft 7, the only one that the CLI takes", () => {
    const argv = claude.launch({ ...request, role: "reviewer" }).argv;
    const schema = z.looseObject({}).parse(JSON.parse(argv[argv.indexOf("--json-schema") + 1] ?? ""));
    expect(schema).toMatchObject({
      $schema: "http://json-schema.org/draft-07/schema#",
      required: ["verdict", "criteria", "probes"],
    });
  });

  test("its settings file switches compaction off and calls monoco's hooks, quoted for a shell", () => {
    const { argv, files } = claude.launch({ ...request, monoco: ["/opt/node", "/a b/it's/cli.js"] });
    expect(files.map(({ path }) => path)).toEqual(["/relay/session 1/claude-settings.json"]);
    expect(argv[argv.indexOf("--settings") + 1]).toBe(files[0]?.path);
    const program = String.raw`/opt/node '/a b/it'\''s/cli.js' hook`;
    const start = `${program} on-session-start && echo monoco-hooks-loaded >&2`;
    expect(JSON.parse(files[0]?.text ?? "")).toEqual({
      autoCompactEnabled: false,
      hooks: {
        SessionStart: [{ hooks: [{ type: "command", command: start, timeout: 30 }] }],
        Stop: [{ hooks: [{ type: "command", command: `${program} on-stop`, timeout: 30 }] }],
      },
    });
  });

  test("its environment is quiet and bounded, and a person's settings win", () => {
    const { env } = claude.launch({
      ...request,
      settings: { kind: "claude", env: { API_TIMEOUT_MS: "7", X: "1" } },
    });
    expect(env).toMatchObject({ CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1", API_TIMEOUT_MS: "7", X: "1" });
  });
});

test("a message is one line, whatever is in it", () => {
  expect(claude.dialogue("").message('a "b"\nc')).toBe(
    '{"type":"user","message":{"role":"user","content":[{"type":"text","text":"a \\"b\\"\\nc"}]}}\n',
  );
});

describe("a recorded stream", () => {
  const farMs = Date.UTC(2099, 11, 1);

  test("of a working session is told whole", () => {
    const windowTokens = 1_000_000;
    const command = "echo one > one.txt && git add . && git commit -qm one";
    expect(read("work")).toEqual([
      { type: "hooks_proved" },
      {
        type: "identified",
        agentSessionId: expect.stringMatching(/^[0-9a-f-]{36}$/),
        model: "claude-opus-5-5",
      },
      { type: "usage", contextTokens: expect.any(Number), windowTokens },
      { type: "usage", contextTokens: 31_005, newTokens: 31_006 },
      { type: "message", text: "Committing." },
      { type: "tool", name: "Bash", summary: command },
      { type: "command", command: expect.stringMatching(/^echo one .*&&\n +git commit -qm one$/) as string },
      { type: "usage", contextTokens: 32_005, newTokens: 32_006 },
      { type: "message", text: "Done." },
      {
        type: "usage",
        contextTokens: 32_005,
        newTokens: expect.any(Number),
        windowTokens,
        costUsd: expect.any(Number),
      },
      { type: "ended", ending: "completed", evidence: "terminal_reason completed" },
    ]);
  });

  test.for<[string, AgentUpdate & { type: "ended" }]>([
    ["unauthorized", ended("needs_login", "status 401")],
    ["not-logged-in", ended("needs_login", "Not logged in")],
    ["model-missing", ended("needs_login", "the selected model (claude-x)")],
    ["no-credit", ended("needs_login", "Credit balance is too low")],
    ["usage-limit", ended("usage_limit", "usage_limit_reached")],
    ["spending-limit", ended("usage_limit", "You have reached your specified API usage limits")],
    ["busy-server", ended("outage", "not your usage limit")],
    ["server-error", ended("outage", "status 500")],
    ["connection-cut", ended("outage", "connection_failed")],
    ["silent-stream", ended("failure", "stream_idle_timeout")],
    ["answer-cut-once", ended("completed", "terminal_reason completed")],
    ["answer-cut", ended("failure", "max_output_tokens")],
    ["refusal-once", ended("completed", "terminal_reason completed, safety_stops 1")],
    ["refusal", ended("failure", "terminal_reason api_error, stop_reason refusal, safety_stops 2")],
    ["denied-by-rule", ended("completed", "terminal_reason completed")],
    ["denied-by-hook", ended("completed", "terminal_reason completed")],
    ["context-full", ended("context_limit", "blocking_limit")],
    ["prompt-too-long", ended("context_limit", "prompt_too_long")],
    ["request-too-large", ended("context_limit", "image_error")],
    ["prompt-refused", ended("unknown", "not on a Sunday")],
    ["max-turns", ended("budget", "max_turns")],
    ["max-budget", ended("budget", "budget_exhausted")],
    ["stop-hook-prevents", ended("completed", "stop_hook_prevented")],
    ["hook-stops", ended("completed", "hook_stopped")],
    ["interrupt", ended("interrupted", "terminal_reason aborted_tools")],
    ["resume-unknown", ended("failure", "No conversation found")],
    ["verdict-malformed", ended("failure", "structured_output_retry_exhausted")],
    ["verdict-missing", ended("completed", "terminal_reason completed")],
  ])("%s ends in its own way", ([name, expected]) => {
    expect(endings(read(name))).toEqual([
      { ...expected, evidence: expect.stringContaining(expected.evidence) },
    ]);
  });

  test.for([["denied-by-rule"], ["denied-by-hook"]])("%s: a tool that is denied is told once", ([name]) => {
    expect(of("denied", read(name!))).toEqual([{ type: "denied", tool: "Bash" }]);
  });

  test("what a rule denies is told before the result, which may never come", () => {
    const types = read("denied-by-rule").map(({ type }) => type);
    expect(types.indexOf("denied")).toBeLessThan(types.lastIndexOf("message"));
  });

  test("a session with a task in the background ends with its second result, and is identified once", () => {
    const updates = read("background");
    expect(endings(updates).map(({ ending }) => ending)).toEqual(["completed", "needs_login"]);
    expect(of("identified", updates)).toHaveLength(1);
  });

  test.for<[string, object[]]>([
    ["usage-limit", [{ type: "limit", resetsAtMs: farMs, text: "the five hour limit is used up" }]],
    [
      "spending-limit",
      [
        {
          type: "limit",
          resetsAtMs: farMs,
          text: expect.stringContaining("specified API usage"),
        },
      ],
    ],
    ["busy-server", []],
    ["limit-warning", []],
  ])("%s: only a limit that is used up is a limit", ([name, expected]) => {
    expect(of("limit", read(name))).toEqual(expected);
  });

  test("each compaction is told, and the end after them", () => {
    expect(of("compacted", read("compaction")).length).toBeGreaterThan(1);
    expect(endings(read("compaction"))).toMatchObject([{ ending: "context_limit" }]);
  });

  test("a subagent's context and words are not the session's", () => {
    const updates = read("subagent");
    const usage = of("usage", updates).map((update) => update.type === "usage" && update.contextTokens);
    // The first is of the window, before any answer.
    expect(usage.slice(1)).toEqual([21_005, 22_005, 22_005]);
    expect(of("message", updates)).toEqual([{ type: "message", text: "Done." }]);
  });

  test("a verdict comes from the structured output", () => {
    const evidence = { command: "npm test", exitCode: 1, text: "0 tests" };
    const criteria = [{ criterion: 1, result: "not_met", command: "npm test", exitCode: 1 }];
    const findings = [{ id: "F1", severity: "major", title: "no test", evidence }];
    const verdict = { verdict: "request_changes", criteria, probes: [], findings, summary: "not yet" };
    expect(of("verdict", read("verdict"))).toEqual([{ type: "verdict", verdict }]);
  });

  test("a verdict that never got its shape is malformed; one that never came is neither", () => {
    expect(of("verdict_malformed", read("verdict-malformed"))).toMatchObject([
      { text: expect.stringContaining("must be equal to one of the allowed values") },
    ]);
    expect(read("verdict-missing").filter(({ type }) => type.startsWith("verdict"))).toEqual([]);
  });
});

describe("a line", () => {
  const result = { type: "result", is_error: false, terminal_reason: "completed" };

  test.for<[string, string, AgentUpdate[]]>([
    ["of text is a message", "hello there", [{ type: "message", text: "hello there" }]],
    ["of broken JSON is nothing", '{"type":"assistant","mess', []],
    ["that is empty is nothing", "", []],
    ["of a type unknown to us is nothing", '{"type":"from_the_future","session_id":"x"}', []],
    ["of another shape is nothing", '{"type":"assistant","message":"?"}', []],
    ["that is no object is nothing", "[1,2]", []],
    ["null is nothing", "null", []],
  ])("%s", ([, line, expected]) => expect(claude.dialogue("").read(line)).toEqual(expected));

  test.for<[string, object, string]>([
    ["an end with a reason unknown to us", { ...result, terminal_reason: "from_the_future" }, "unknown"],
    ["an end without any reason", { type: "result" }, "unknown"],
    ["an end that is completed and an error", { ...result, is_error: true }, "failure"],
    ["an end whose fields have other types", { type: "result", is_error: 1, terminal_reason: 2 }, "unknown"],
    [
      "an end named like a property of every object",
      { ...result, terminal_reason: "constructor" },
      "unknown",
    ],
    ["success in `subtype` alone", { type: "result", subtype: "success", result: "done" }, "unknown"],
  ])("%s is never taken for done", ([, line, ending]) => {
    expect(claude.dialogue("").read(JSON.stringify(line))).toMatchObject([{ type: "ended", ending }]);
  });

  test("each tool that the end tells as denied is told once", () => {
    const denials = ["Write", "Bash", "Write"].map((tool_name) => ({ tool_name }));
    const { read } = claude.dialogue("");
    expect(of("denied", read(JSON.stringify({ ...result, permission_denials: denials })))).toEqual([
      { type: "denied", tool: "Write" },
      { type: "denied", tool: "Bash" },
    ]);
  });

  test("structured output of another shape is a malformed verdict, and the end is still told", () => {
    const line = { ...result, structured_output: { verdict: "maybe" } };
    expect(claude.dialogue("").read(JSON.stringify(line))).toMatchObject([
      { type: "verdict_malformed", text: expect.stringContaining("verdict") },
      { type: "ended", ending: "completed" },
    ]);
  });

  test.for<[string, object, number]>([
    ["ours", { exit_code: 0, stderr: "monoco-hooks-loaded\n" }, 1],
    ["a person's own", { exit_code: 0, stderr: "" }, 0],
    ["ours, failed", { exit_code: 1, stderr: "monoco-hooks-loaded\n" }, 0],
    ["another hook", { exit_code: 0, stderr: "monoco-hooks-loaded\n", hook_event: "Stop" }, 0],
  ])("a SessionStart hook proves the settings only when it is ours: %s", ([, fields, proofs]) => {
    const line = { type: "system", subtype: "hook_response", hook_event: "SessionStart", ...fields };
    expect(of("hooks_proved", claude.dialogue("").read(JSON.stringify(line)))).toHaveLength(proofs);
  });

  test("a long tool input becomes one short line", () => {
    const input = { command: `echo\n${"x".repeat(500)}` };
    const message = { model: "m", content: [{ type: "tool_use", name: "Bash", input }] };
    const updates = claude
      .dialogue("")
      .read(JSON.stringify({ type: "assistant", parent_tool_use_id: null, message }));
    expect(updates).toEqual([{ type: "tool", name: "Bash", summary: `echo ${"x".repeat(194)}…` }]);
  });
});

test("an MCP server that failed to start is told once, with the session's id", () => {
  const { read } = claude.dialogue("");
  // Seen on 2.1.332.
  const line =
    '{"type":"system","subtype":"init","session_id":"1","mcp_servers":[{"name":"dead","status":"failed","source":"user"},{"name":"well","status":"connected"},{"name":"asks","status":"needs-auth"}]}';
  const told = { type: "server_failed", server: "dead" };
  expect(read(line)).toEqual([{ type: "identified", agentSessionId: "1" }, told]);
  // `init` arrives with every turn.
  expect(read(line)).toEqual([]);
});

const request: AgentRequest = {
  role: "executor",
  session: 1,
  sessionOfRole: 1,
  prompt: "the prompt\nline 2",
  workspace: "/workspace",
  sessionDir: "/relay/session 1",
  agentSessionId: uuid(),
  resume: false,
  monoco: ["/opt/node", "/opt/cli.js"],
  settings: { kind: "claude" },
};

function uuid(): string {
  return "00000000-0000-4000-8000-000000000001";
}

function read(name: string): AgentUpdate[] {
  const path = join(import.meta.dirname, "recorded", "claude", `${name}.jsonl`);
  return readFileSync(path, "utf8").split("\n").flatMap(claude.dialogue("").read);
}

function of(type: AgentUpdate["type"], updates: AgentUpdate[]): AgentUpdate[] {
  return updates.filter((update) => update.type === type);
}

function endings(updates: AgentUpdate[]) {
  return updates.filter((update) => update.type === "ended");
}

function ended(ending: (AgentUpdate & { type: "ended" })["ending"], evidence: string) {
  return { type: "ended" as const, ending, evidence };
}
