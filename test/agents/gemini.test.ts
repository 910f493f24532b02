/** Gemini CLI's adapter: what a request becomes, and what recorded streams of the real CLI (0.61.0) say. */
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { AgentRequest } from "../../src/agents/agent.ts";
import type { AgentUpdate } from "../../src/core/session/update.ts";
import { gemini } from "../../src/agents/gemini/adapter.ts";

const recordedAtMs = Date.parse("2026-11-21T09:36:48.000Z");
const quotaError = {
  status: "error",
  error: {
    message: "[API Error: You exceeded your current quota, please check your plan and billing details.]",
  },
};
const uuid = "00000000-0000-4000-8000-000000000001";

const request: AgentRequest = {
  role: "executor",
  session: 1,
  sessionOfRole: 1,
  prompt: "the prompt\nline 2",
  workspace: "/workspace",
  sessionDir: "/relay/session 1",
  agentSessionId: uuid,
  resume: false,
  monoco: ["/opt/node", "/opt/cli.js"],
  settings: { kind: "gemini" },
};

describe("tokens", () => {
  const recorded = join(import.meta.dirname, "recorded", "gemini");

  test.for(readdirSync(recorded))("of %s: all that the CLI says at its end were counted", (name) => {
    const lines = readFileSync(join(recorded, name), "utf8").split("\n");
    const told = lines.flatMap((line) => {
      const [, total] = /"type":"result".*"total_tokens":(\d+)/.exec(line) ?? [];
      return total === undefined ? [] : [Number(total)];
    });
    const { read } = gemini.dialogue("");
    const counted = lines.flatMap(read).reduce((sum, update) => sum + newTokensOf(update), 0);
    if (told.length > 0) expect(counted).toBe(told[0]);
    else expect(counted > 0).toBe(lines.some((line) => /"type":"monoco_answer".*"total":[1-9]/.test(line)));
  });

  test("an answer that is told again when its tools have ended is counted once, another of the same size too", () => {
    const { read } = gemini.dialogue("");
    const answer = (id: string): string =>
      JSON.stringify({
        type: "monoco_answer",
        id,
        model: "gemini-2.5-pro",
        tokens: { total: 1_000, input: 900, cached: 600 },
      });
    const updates = ["a", "a", "b"].flatMap((id) => read(answer(id)));
    expect(updates).toMatchObject([
      { type: "usage", newTokens: 1_000, parts: { input: 300, cached: 600, output: 100 } },
      { type: "usage", newTokens: 1_000 },
    ]);
    expect(updates).toHaveLength(2);
  });
});

const newTokensOf = (update: AgentUpdate): number => (update.type === "usage" ? (update.newTokens ?? 0) : 0);

describe("a launch", () => {
  test.for<[string, Partial<AgentRequest>, string]>([
    ["a new session gets its id", {}, `--session-id ${uuid}`],
    ["a resumed one is opened again", { resume: true }, `--resume ${uuid}`],
    ["it streams JSON and never asks", {}, "gemini --output-format stream-json --yolo"],
    ["the model is pinned where one is set", { settings: { kind: "gemini", model: "m-1" } }, "--model m-1"],
    ["what is off is off by a policy", {}, "--admin-policy /relay/session 1/gemini-policy.toml"],
    ["arguments of one's own come last", { settings: { kind: "gemini", args: ["--debug"] } }, "--debug"],
    ["a Reviewer is not under the orders of the clone", { role: "reviewer" }, "--skip-trust"],
  ])("%s", ([, change, expected]) => {
    expect(gemini.launch({ ...request, ...change }).argv.join(" ")).toContain(expected);
  });

  test("the prompt comes on standard input, which is closed behind it", () => {
    expect(gemini.launch(request)).toMatchObject({ stdin: request.prompt, keepStdinOpen: false });
  });

  test("its settings bound the retries, switch compression off and call monoco's hooks, quoted for a shell", () => {
    const { files } = gemini.launch({ ...request, monoco: ["/opt/node", "/a b/it's/cli.js"] });
    const hook = (name: string) => [
      {
        hooks: [
          {
            type: "command",
            command: String.raw`/opt/node '/a b/it'\''s/cli.js' hook ${name}`,
            timeout: 30_000,
          },
        ],
      },
    ];
    expect(files[0]?.path).toBe("/relay/session 1/gemini-settings.json");
    expect(JSON.parse(files[0]?.text ?? "")).toMatchObject({
      general: { maxAttempts: 3 },
      model: { compressionThreshold: 1 },
      hooks: {
        SessionStart: hook("on-session-start"),
        AfterTool: hook("on-tool"),
        AfterAgent: hook("on-stop"),
      },
    });
  });

  test("the clone is trusted for an Executor, and its settings are read; a Reviewer's are not", () => {
    const launches = (["executor", "reviewer"] as const).map((role) => gemini.launch({ ...request, role }));
    expect(launches.map(({ env }) => env["GEMINI_CLI_TRUST_WORKSPACE"])).toEqual(["true", undefined]);
    const settings = launches.map(({ files }) => JSON.parse(files[0]?.text ?? "") as object);
    expect(settings[0]).not.toHaveProperty("skills");
    expect(settings[1]).toMatchObject({
      skills: { enabled: false },
      security: { folderTrust: { enabled: true } },
    });
  });
});

describe("a recorded stream", () => {
  test("of a working session is told whole", () => {
    const command = "echo one > one.txt && git add . && git commit -qm one";
    const updates = read("work");
    // Its own lines and those of its transcript come side by side.
    expect(updates.filter(({ type }) => type !== "usage" && type !== "command")).toEqual([
      { type: "hooks_proved" },
      {
        type: "identified",
        agentSessionId: expect.stringMatching(/^[0-9a-f-]{36}$/) as string,
        model: "gemini-2.5-pro",
      },
      { type: "message", text: "Committing." },
      { type: "tool", name: "run_shell_command", summary: command },
      { type: "result" },
      { type: "message", text: "Done." },
      { type: "ended", ending: "completed", evidence: "result success, finish reason stop" },
    ]);
    expect(updates.filter(({ type }) => type === "usage" || type === "command")).toEqual([
      usage(30_050),
      { type: "command", command: command.replace("&& git commit", "&&\n  git commit") },
      usage(31_050),
    ]);
  });

  test.for<[string, AgentUpdate & { type: "ended" }]>([
    ["unauthorized", ended("needs_login", "status 401")],
    ["key-not-valid", ended("needs_login", "API key not valid")],
    ["no-such-model", ended("needs_login", "models/gemini-9 is not found")],
    [
      "no-login",
      ended("needs_login", "without a result: When using Gemini API, you must specify the GEMINI_API_KEY"),
    ],
    [
      "never-logged-in",
      ended("needs_login", "without a result: Please set an Auth method in your ~/.gemini/settings.json"),
    ],
    ["busy-server", ended("outage", "status 429: scripted 429")],
    ["no-capacity", ended("outage", "No capacity available")],
    ["quota-with-time", ended("usage_limit", "Suggested retry after 4000s")],
    ["quota-retried", ended("usage_limit", "Suggested retry after 2s")],
    ["daily-quota", ended("usage_limit", "exhausted your daily quota")],
    ["quota-waited-for", ended("usage_limit", "reset after 3h12m9s")],
    ["server-error", ended("outage", "status 500")],
    ["context-exceeded", ended("context_limit", "exceeds the maximum number of tokens")],
    ["context-overflow", ended("context_limit", "without an answer, at 1048550 tokens")],
    ["connection-cut", ended("outage", "terminated")],
    ["answer-cut", ended("failure", "cut off at the most tokens")],
    ["answer-too-long", ended("failure", "exceeded the token limit")],
    ["refused-in-words", ended("failure", "stopped by a filter")],
    ["refused", ended("failure", "safety settings")],
    ["no-answer", ended("unknown", "without an answer, at 1050 tokens")],
    ["loop", ended("failure", "Loop detected")],
    ["max-turns", ended("budget", "max session turns")],
    ["terminated", ended("interrupted", "exit status 0 without a result")],
    ["killed", ended("interrupted", "signal SIGKILL")],
    ["driver-terminated", ended("interrupted", "exit status 0 without a result")],
    ["hang", ended("interrupted", "exit status 0 without a result")],
    ["stall", ended("interrupted", "exit status 0 without a result")],
    ["stalls", ended("failure", "one answer went silent again and again, for 606 s in all")],
    ["resume-unknown", ended("failure", "exit status 42")],
    ["orphan", ended("completed", "finish reason stop")],
    ["background", ended("completed", "finish reason stop")],
    ["path-outside", ended("completed", "finish reason stop")],
    ["denied-by-policy", ended("completed", "finish reason stop")],
    ["denied-by-hook", ended("completed", "finish reason stop")],
    ["nobody-to-ask", ended("completed", "finish reason stop")],
  ])("%s ends in its own way", ([name, expected]) => {
    const evidence = expect.stringContaining(expected.evidence) as string;
    expect(of("ended", read(name))).toEqual([{ ...expected, evidence }]);
  });

  test.for<[string, object[]]>([
    [
      "quota-with-time",
      [{ resetsAtMs: recordedAtMs + 4_000_000, text: "Quota exceeded.\nSuggested retry after 4000s." }],
    ],
    ["quota-waited-for", [{ resetsAtMs: recordedAtMs + 11_529_000 }]],
    ["daily-quota", [{ text: "You have exhausted your daily quota on this model." }]],
    ["busy-server", []],
    ["no-capacity", []],
  ])("%s: a limit has the time that was told, and a busy server is none", ([name, expected]) => {
    expect(of("limit", read(name))).toMatchObject(expected);
  });

  test("whose driver was killed tells no end", () => {
    expect(of("ended", read("driver-killed"))).toEqual([]);
  });

  // By its type: the words of the last two are nothing to go by.
  test.for<[string, string[]]>([
    ["denied-by-policy", ["run_shell_command"]],
    ["denied-by-hook", ["run_shell_command"]],
    ["nobody-to-ask", []],
    ["path-outside", []],
  ])("%s: a tool is denied by a policy or a hook that says so", ([name, tools]) => {
    expect(of("denied", read(name))).toEqual(tools.map((tool) => ({ type: "denied", tool })));
  });

  test("commands are told with their ends, though the CLI calls all of them a success", () => {
    expect(of("command", read("commands"))).toEqual([
      { type: "command", command: "echo fine" },
      { type: "command", command: "echo broken >&2; exit 3", error: "broken\nExit Code: 3" },
      { type: "command", command: "kill -KILL $$", error: "(empty)\nSignal: 9" },
      {
        type: "command",
        command: "echo $(true)",
        error: expect.stringMatching(/^Command injection detected/) as string,
      },
    ]);
  });

  test("a refused stop is no error, and the answer after it counts", () => {
    const updates = read("stop-refused");
    expect(of("message", updates)).toMatchObject([{ text: "I stop." }, { text: "For good." }]);
    expect(of("ended", updates)).toMatchObject([{ ending: "completed" }]);
  });

  test("hooks that were switched off are not proved (TRAP 4)", () => {
    expect(read("work")[0]).toEqual({ type: "hooks_proved" });
    expect(of("hooks_proved", read("hooks-off"))).toEqual([]);
  });

  test("a compression is told; one that is opened again is none", () => {
    expect(of("compacted", read("compaction")).length).toBeGreaterThan(0);
    expect(of("compacted", read("resume"))).toEqual([]);
  });

  test("a verdict is read from the answer", () => {
    const verdict = {
      verdict: "approve",
      criteria: [{ criterion: 1, result: "met", command: "npm test", exitCode: 0 }],
      probes: [],
      summary: "all criteria hold",
      findings: [],
    };
    expect(of("verdict", read("verdict"))).toEqual([{ type: "verdict", verdict }]);
  });
});

describe("a line", () => {
  test.for<[string, string, AgentUpdate[]]>([
    ["of text is a message", "hello there", [{ type: "message", text: "hello there" }]],
    ["of broken JSON is nothing", '{"type":"message","ro', []],
    ["that is empty is nothing", "", []],
    ["of a type unknown to us is nothing", '{"type":"from_the_future"}', []],
    ["of another shape is nothing", '{"type":"tool_use","tool_name":7}', []],
    ["null is nothing", "null", []],
    [
      "of a denial is nothing where nobody asked for the tool",
      '{"type":"tool_result","tool_id":"x","status":"error","error":{"type":"policy_violation"}}',
      [],
    ],
  ])("%s", ([, line, expected]) => expect(gemini.dialogue("").read(line)).toEqual(expected));

  test("an answer comes in pieces and is told whole", () => {
    const { read } = gemini.dialogue("");
    const piece = (content: string) => JSON.stringify({ type: "message", role: "assistant", content });
    expect([piece("One "), piece("answer."), tool].flatMap(read)).toEqual([
      { type: "message", text: "One answer." },
      { type: "tool", name: "run_shell_command", summary: `echo ${"x".repeat(194)}…` },
    ]);
  });

  test("a command whose end stands in two records is told once", () => {
    const { read } = gemini.dialogue("");
    const output = "<untrusted_context>\nOutput: (empty)\nProcess Group PGID: 1\n</untrusted_context>";
    const result = [{ functionResponse: { response: { output } } }];
    const commands = [{ id: "call-1", args: { command: "npm test" }, result }];
    const answer = JSON.stringify({ type: "monoco_answer", commands });
    expect([answer, answer].flatMap(read)).toEqual([{ type: "command", command: "npm test" }]);
  });

  test.for<[string, object, object, string]>([
    ["a result of a status unknown to us", { status: "from_the_future" }, {}, "unknown"],
    ["a result without a status", {}, {}, "unknown"],
    ["a success with another exit status", { status: "success" }, { exitCode: 1 }, "failure"],
    [
      "a success with a finish reason named like a property of every object",
      { status: "success" },
      { finish: "constructor" },
      "completed",
    ],
    ["an error without words", { status: "error" }, { exitCode: 1 }, "failure"],
    ["a plan's quota, for all that its words say of billing", quotaError, { exitCode: 173 }, "usage_limit"],
  ])("%s is judged by itself", ([, result, exit, ending]) => {
    const { read } = gemini.dialogue("");
    const lines = [
      { type: "message", role: "assistant", content: "Done." },
      { type: "result", ...result },
      { type: "monoco_exit", exitCode: 0, finish: "stop", ...exit },
    ];
    expect(lines.flatMap((line) => read(JSON.stringify(line))).at(-1)).toMatchObject({
      type: "ended",
      ending,
    });
  });

  test.for<[string, number | undefined]>([
    ["Please retry in 7.5s", 7_500],
    ["Please retry in 250ms.", 250],
    ["Your quota will reset after 3h12m9s.", 11_529_000],
    ["Suggested retry after 99999999999999s", undefined],
    ["Suggested retry after a while", undefined],
  ])("%j is a time", ([words, expected]) => {
    const { read } = gemini.dialogue("");
    const message = `[API Error: Quota exceeded. ${words}]\nrequest a quota increase`;
    const result = {
      type: "result",
      timestamp: new Date(recordedAtMs).toISOString(),
      status: "error",
      error: { message },
    };
    read(JSON.stringify(result));
    const [limit] = read(JSON.stringify({ type: "monoco_exit", exitCode: 173 }));
    const resetsAtMs = limit?.type === "limit" ? limit.resetsAtMs : NaN;
    expect(resetsAtMs).toBe(expected === undefined ? undefined : recordedAtMs + expected);
  });
});

test("an MCP server that failed to start is told; the CLI names none", () => {
  // Seen on 0.61.0.
  const stderr =
    "Ripgrep is not available. Falling back to GrepTool.\nMCP issues detected. Run /mcp list for status.\n";
  const line = (words: string): string => JSON.stringify({ type: "monoco_exit", exitCode: 0, stderr: words });
  const failed = { type: "server_failed", error: "MCP issues detected. Run /mcp list for status." };
  expect(gemini.dialogue("").read(line(stderr))).toContainEqual(failed);
  expect(of("server_failed", gemini.dialogue("").read(line("Ripgrep is not available.")))).toEqual([]);
});

const tool = JSON.stringify({
  type: "tool_use",
  tool_name: "run_shell_command",
  parameters: { description: "d", command: `echo\n${"x".repeat(500)}` },
});

function read(name: string): AgentUpdate[] {
  const path = join(import.meta.dirname, "recorded", "gemini", `${name}.jsonl`);
  return readFileSync(path, "utf8").split("\n").flatMap(gemini.dialogue("").read);
}

function of(type: AgentUpdate["type"], updates: AgentUpdate[]): AgentUpdate[] {
  return updates.filter((update) => update.type === type);
}

function ended(ending: (AgentUpdate & { type: "ended" })["ending"], evidence: string) {
  return { type: "ended" as const, ending, evidence };
}

/** An answer of 50 tokens, nothing of its prompt cached. */
function usage(contextTokens: number) {
  const parts = { input: contextTokens - 50, cached: 0, output: 50 };
  return { type: "usage", contextTokens, windowTokens: 1_048_576, newTokens: contextTokens, parts };
}
