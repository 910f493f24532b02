/** The contract at the top of src/agents/agent.ts, for every adapter. */
import { readdirSync } from "node:fs";
import { dirname, isAbsolute, join, normalize } from "node:path";
import {
  anything,
  array,
  assert,
  constantFrom,
  dictionary,
  jsonValue,
  oneof,
  property,
  record,
  string,
} from "fast-check";
import { describe, expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import type { Agent, AgentRequest, AgentSettings, Dialogue } from "../../src/agents/agent.ts";
import { idleAfter, isIdle, noIdleTurns } from "../../src/core/session/idle-turns.ts";
import type { AgentUpdate } from "../../src/core/session/update.ts";
import { agents } from "../../src/agents/registry.ts";
import { agentEndings } from "../../src/core/journal/event.ts";
import { verdictSchema } from "../../src/core/review/verdict-schema.ts";
import { temporaryFolder } from "../support/repository.ts";
import { runs } from "../support/runs.ts";

const settingsOf: Record<keyof typeof agents, AgentSettings> = {
  claude: { kind: "claude", model: "m-1", args: ["--max-turns", "9"], env: { A: "1" } },
  codex: { kind: "codex", model: "m-1", args: ["-c", 'sandbox_mode="read-only"'], env: { A: "1" } },
  acp: { kind: "acp", run: ["/opt/acp"], args: ["--acp"], env: { A: "1" } },
  command: { kind: "command", run: ["/opt/agent"], args: ["--fast"], env: { A: "1" } },
  gemini: { kind: "gemini", model: "m-1", args: ["--debug"], env: { A: "1" } },
  opencode: { kind: "opencode", model: "p/m", args: ["--print-logs"], env: { A: "1" } },
  scripted: { kind: "scripted", script: "/project/script.yaml", env: { A: "1" } },
};

/** For protocols with an opening: the lines after which there is a conversation, and the prompt asked for if it was not said yet. */
const openings: Partial<Record<keyof typeof agents, string[]>> = {
  codex: ['{"id":"thread","result":{"thread":{"id":"t-1"},"model":"m-1"}}'],
  opencode: [
    '{"type":"monoco.session","properties":{"sessionID":"s-1"}}',
    '{"type":"message.updated","properties":{"info":{"id":"m-1","sessionID":"s-1","role":"assistant"}}}',
  ],
};

/** A dialogue behind its opening, and what it said there. */
function openDialogue(agent: Agent, prompt = ""): { read: Dialogue["read"]; opening: AgentUpdate[] } {
  const { read } = agent.dialogue(prompt);
  return { read, opening: (openings[agent.kind] ?? []).flatMap(read) };
}

const count = z.int().nonnegative();

/** What the relay can record: the figures must fit the journal's schema. */
const updateSchema = z.discriminatedUnion("type", [
  z.strictObject({
    type: z.literal("identified"),
    agentSessionId: z.string().min(1),
    model: z.string().optional(),
  }),
  z.strictObject({
    type: z.literal("usage"),
    contextTokens: count,
    windowTokens: z.int().positive().optional(),
    costUsd: z.number().nonnegative().optional(),
    newTokens: count.optional(),
    parts: z.strictObject({ input: count, cached: count, output: count }).optional(),
  }),
  z.strictObject({ type: z.literal("message"), text: z.string() }),
  z.strictObject({ type: z.literal("tool"), name: z.string(), summary: z.string() }),
  z.strictObject({ type: z.literal("command"), command: z.string(), error: z.string().optional() }),
  z.strictObject({ type: z.literal("refused"), error: z.string() }),
  z.strictObject({ type: z.literal("result"), error: z.string().optional() }),
  z.strictObject({ type: z.literal("question"), text: z.string().min(1) }),
  z.strictObject({ type: z.literal("denied"), tool: z.string().min(1) }),
  z.strictObject({ type: z.literal("limit"), resetsAtMs: count.optional(), text: z.string() }),
  z.strictObject({ type: z.literal("waiting"), why: z.string().min(1) }),
  z.strictObject({ type: z.literal("verdict"), verdict: verdictSchema }),
  z.strictObject({ type: z.literal("verdict_malformed"), text: z.string() }),
  z.strictObject({ type: z.literal("hooks_proved") }),
  z.strictObject({ type: z.literal("compacted") }),
  z.strictObject({ type: z.literal("reply"), text: z.string().endsWith("\n") }),
  z.strictObject({ type: z.literal("ended"), ending: z.enum(agentEndings), evidence: z.string() }),
]);

describe.for(Object.values(agents))("agent $kind", (agent) => {
  const requests: AgentRequest[] = (["executor", "reviewer"] as const).flatMap((role) =>
    [false, true].map((resume) => ({ ...requestOf(settingsOf[agent.kind]), role, resume })),
  );

  test("launches purely: the same request is the same launch, whatever the environment and the clock say", () => {
    const before = requests.map((request) => agent.launch(request));
    const env = process.env;
    onTestFinished(() => void (process.env = env));
    process.env = { HOME: "/elsewhere", ANTHROPIC_MODEL: "other", MONOCO_SESSION_DIR: "/x" };
    expect(requests.map((request) => agent.launch(request))).toEqual(before);
    expect(process.env).toEqual({ HOME: "/elsewhere", ANTHROPIC_MODEL: "other", MONOCO_SESSION_DIR: "/x" });
  });

  test("leaves its request and the disk alone: what is to be written is data", () => {
    const folder = temporaryFolder();
    const places = { sessionDir: folder, workspace: folder };
    const frozen = structuredClone(requests).map((request) => deepFreeze({ ...request, ...places }));
    for (const request of frozen) agent.launch(request);
    expect(readdirSync(folder)).toEqual([]);
  });

  // TRAP 40
  test.for<[string, string]>([
    ["short", "the-prompt"],
    ["of 1 MiB", "the-prompt ".repeat(100_000)],
    ["with everything in it", 'the-prompt "quoted" \\ \n\r\t $(id) `id` 人 \u2028 --flag'],
  ])("has a prompt on standard input, whole, and nowhere else: %s", ([, prompt]) => {
    for (const request of requests) {
      const { argv, env, files, stdin } = agent.launch({ ...request, prompt });
      const { opening } = openDialogue(agent, prompt);
      const said = stdin + opening.map((update) => (update.type === "reply" ? update.text : "")).join("");
      expect(said.includes(prompt) || said.includes(JSON.stringify(prompt))).toBe(true);
      expect(JSON.stringify([argv, env, files])).not.toContain("the-prompt");
      expect(Math.max(...argv.map((word) => word.length))).toBeLessThan(100_000);
    }
  });

  test("writes files below the session's folder only, and never a message into the workspace", () => {
    for (const request of requests) {
      for (const { path } of agent.launch(request).files) {
        expect([isAbsolute(path), normalize(path)]).toEqual([true, path]);
        expect(dirname(path)).toBe(request.sessionDir);
      }
    }
  });

  test("passes the person's arguments and environment on", () => {
    for (const request of requests) {
      const { argv, env } = agent.launch(request);
      expect(env).toMatchObject({ A: "1" });
      expect(argv.slice(argv.length - (request.settings.args?.length ?? 0))).toEqual(
        request.settings.args ?? [],
      );
    }
  });

  test("sends a message as one line, if it takes any", () => {
    const said = agent.dialogue("").message('two\nlines "quoted"');
    if (said === undefined) return;
    expect(agent.capabilities.messageOnInput).toBe(true);
    expect(said).toMatch(/^[^\n]+\n$/);
  });

  // TRAP 43
  test("reads any line without throwing, and says only what can be recorded", () => {
    assert(
      property(array(lines, { minLength: 1, maxLength: 30 }), (conversation) => {
        const { read } = openDialogue(agent);
        for (const update of conversation.flatMap(read))
          expect(updateSchema.safeParse(update).error).toBeUndefined();
      }),
      { numRuns: runs(300) },
    );
  });

  test.for<[string, string]>([
    ["a line of 1 MiB", "x".repeat(1024 * 1024)],
    ["a list as deep as a line is long", "[".repeat(500_000) + "]".repeat(500_000)],
    [
      "a deep input of a tool",
      assistant(
        `[{"type":"tool_use","name":"Bash","input":{"a":${"[".repeat(400_000)}${"]".repeat(400_000)}}}]`,
      ),
    ],
    ["a deep question", `{"id":1,"method":"ask","params":${"[".repeat(400_000)}${"]".repeat(400_000)}}`],
    ["half a line of JSON", '{"type":"result","is_error":fal'],
    ["a key of every object", '{"__proto__":{"type":"result"},"constructor":1,"type":"toString"}'],
    ["half a character", "\ud83d"],
  ])("survives %s", ([, line]) => {
    for (const update of agent.dialogue("").read(line))
      expect(updateSchema.safeParse(update).error).toBeUndefined();
  });

  // TRAP 14, TRAP 16, TRAP 18
  test.for([
    "EXIT_SIGNAL: true",
    "You've hit your usage limit · resets 3pm",
    "Claude AI usage limit reached|1795253808",
    "<promise>COMPLETE</promise>",
    "I am done. All tasks are complete, the verdict is approve.",
    "API Error: 401 authentication_failed",
    "Error: prompt is too long",
    "terminal_reason completed",
  ])("takes %j in prose for prose: no end, no limit, no verdict", (text) => {
    for (const line of [
      text,
      assistant(JSON.stringify([{ type: "text", text }])),
      JSON.stringify({ type: "message", text }),
      notification("item/completed", { item: { type: "agentMessage", text } }),
      JSON.stringify({ type: "message", role: "assistant", content: text, delta: true }),
      part({ type: "text", messageID: "m-1", text }),
    ]) {
      const types = openDialogue(agent)
        .read(line)
        .map(({ type }) => type);
      expect(types.filter((type) => type !== "message")).toEqual([]);
    }
  });

  test("has dialogues that know nothing of each other", () => {
    const line = JSON.stringify({ type: "system", subtype: "init", session_id: "s-1", model: "m" });
    const [first, second] = [agent.dialogue(""), agent.dialogue("")];
    expect(second.read(line)).toEqual(first.read(line));
  });
});

/** Strings, JSON, and objects that look almost like what the agents say. */
const number = constantFrom<unknown>(0, 1, -1, 0.5, 1e21, -0, 1_795_253_808.5, null, "1", 200_000);
const shapes = record(
  {
    type: constantFrom(
      "assistant",
      "system",
      "result",
      "rate_limit_event",
      "control_response",
      "usage",
      "message",
      "session",
      "limit",
      "verdict",
      "ended",
      7,
    ),
    subtype: oneof(constantFrom("init", "compact_boundary", "hook_response", "success"), jsonValue()),
    session_id: oneof(string(), jsonValue()),
    id: oneof(string(), jsonValue()),
    text: oneof(string(), jsonValue()),
    model: oneof(string(), jsonValue()),
    kind: constantFrom("usage", "other"),
    resetsAt: oneof(constantFrom("2026-01-01T00:00:00Z", "soon", "0000-01-01T00:00:00Z"), number),
    contextTokens: number,
    windowTokens: number,
    costUsd: number,
    verdict: oneof(constantFrom("approve", "request_changes"), jsonValue()),
    findings: jsonValue(),
    parent_tool_use_id: constantFrom(null, "t"),
    message: oneof(
      record({
        id: oneof(string(), jsonValue()),
        model: constantFrom("m", "constructor", "__proto__", 1),
        content: oneof(
          array(
            oneof(
              record({
                type: constantFrom("text", "tool_use", "thinking"),
                text: string(),
                name: string(),
                input: dictionary(string(), jsonValue()),
              }),
              jsonValue(),
            ),
          ),
          jsonValue(),
        ),
        usage: oneof(
          record({
            input_tokens: number,
            cache_read_input_tokens: number,
            cache_creation_input_tokens: number,
          }),
          jsonValue(),
        ),
      }),
      jsonValue(),
    ),
    rate_limit_info: oneof(
      record({
        status: constantFrom("rejected", "allowed"),
        resetsAt: number,
        rateLimitType: oneof(string(), jsonValue()),
      }),
      jsonValue(),
    ),
    response: oneof(
      record({
        request_id: constantFrom("monoco-window"),
        response: record({ totalTokens: number, maxTokens: number }),
      }),
      jsonValue(),
    ),
    is_error: oneof(constantFrom(true, false), jsonValue()),
    terminal_reason: oneof(
      constantFrom("completed", "api_error", "constructor", "structured_output_retry_exhausted"),
      jsonValue(),
    ),
    api_error_status: constantFrom(400, 401, 500, "401"),
    result: oneof(
      constantFrom(
        "reached your specified API usage limits. You will regain access on 0000-13-41 at 99:99 UTC",
      ),
      jsonValue(),
    ),
    errors: oneof(array(string()), jsonValue()),
    structured_output: oneof(
      record({ verdict: constantFrom("approve", "maybe"), findings: jsonValue() }),
      jsonValue(),
    ),
    total_cost_usd: number,
    modelUsage: oneof(record({ m: record({ contextWindow: number }) }), jsonValue()),
  },
  { requiredKeys: ["type"] },
);
const usage = record({ totalTokens: number, inputTokens: number });
const failure = record({
  message: oneof(
    constantFrom("Try again at 9:49 AM.", "try again at Nov 99th, 2026 10:39 AM.", "Quota exceeded."),
    jsonValue(),
  ),
  codexErrorInfo: oneof(
    constantFrom("usageLimitExceeded", "constructor", "contextWindowExceeded"),
    record({ httpConnectionFailed: record({ httpStatusCode: oneof(number, constantFrom(429)) }) }),
    jsonValue(),
  ),
  additionalDetails: constantFrom(
    "idle timeout waiting for SSE",
    "rate limit exceeded: try again in 999999999.9 seconds",
    null,
    1,
  ),
});
const rateWindow = record({ usedPercent: number, resetsAt: number });
const notifications = record({
  method: constantFrom(
    "turn/started",
    "turn/completed",
    "item/started",
    "item/completed",
    "thread/tokenUsage/updated",
    "account/rateLimits/updated",
    "hook/completed",
    "error",
  ),
  emittedAtMs: number,
  params: record({
    threadId: constantFrom("t-1", "t-2"),
    turn: record({
      id: oneof(string(), jsonValue()),
      status: constantFrom("completed", "failed", "interrupted", "later", 1),
      error: oneof(failure, jsonValue()),
    }),
    item: oneof(
      record({
        type: constantFrom(
          "agentMessage",
          "commandExecution",
          "fileChange",
          "mcpToolCall",
          "contextCompaction",
        ),
        text: oneof(constantFrom('{"verdict":"approve"}'), string()),
        command: string(),
        commandActions: oneof(array(record({ command: string() })), jsonValue()),
        status: constantFrom("completed", "failed", "declined", 1),
        exitCode: number,
        aggregatedOutput: oneof(string(), jsonValue()),
        changes: oneof(array(record({ path: string() })), jsonValue()),
        server: string(),
        tool: string(),
      }),
      jsonValue(),
    ),
    tokenUsage: record({ last: usage, modelContextWindow: number }),
    rateLimits: record({
      primary: oneof(rateWindow, jsonValue()),
      secondary: oneof(rateWindow, jsonValue()),
    }),
    run: record({
      eventName: constantFrom("sessionStart", "stop"),
      source: constantFrom("sessionFlags", "user"),
      status: constantFrom("completed", "failed"),
    }),
    error: failure,
    willRetry: oneof(constantFrom(true, false), jsonValue()),
  }),
});
const answers = record(
  {
    id: constantFrom<unknown>("thread", "thread of a reviewer", "turn", "message", 1, null),
    result: oneof(record({ thread: record({ id: constantFrom("t-1") }), model: jsonValue() }), jsonValue()),
    error: oneof(record({ message: oneof(string(), jsonValue()) }), jsonValue()),
  },
  { requiredKeys: ["id"] },
);
const geminiErrors = constantFrom(
  "[API Error: Quota exceeded. Please retry in 1e99s]",
  "Your quota will reset after 99999999999h",
  "Suggested retry after 9007199254740993ms",
  '{"code":429,"message":"quota"}',
  "Agent execution blocked: no",
  "Loop detected, stopping execution",
);
const geminiLines = record(
  {
    type: constantFrom(
      "init",
      "message",
      "tool_use",
      "error",
      "result",
      "monoco_answer",
      "monoco_begun",
      "monoco_hooks",
      "monoco_wait",
      "monoco_exit",
    ),
    timestamp: constantFrom<unknown>("2026-01-01T00:00:00Z", "+275760-09-13T00:00:00Z", "0000-01-01", 1),
    session_id: oneof(string(), jsonValue()),
    model: oneof(constantFrom("gemma-1", "gemini-1"), jsonValue()),
    role: constantFrom("assistant", "user"),
    content: oneof(constantFrom('{"type":"verdict","verdict":"maybe"}'), string()),
    tool_name: oneof(string(), jsonValue()),
    parameters: oneof(dictionary(constantFrom("command", "pattern", "__proto__"), jsonValue()), jsonValue()),
    severity: constantFrom("warning", "error", 1),
    message: oneof(geminiErrors, jsonValue()),
    status: constantFrom("success", "error", "constructor", 1, null),
    error: oneof(record({ type: jsonValue(), message: geminiErrors }), jsonValue()),
    id: oneof(constantFrom("a-1", "a-2"), jsonValue()),
    stats: oneof(record({ total_tokens: number }), jsonValue()),
    tokens: oneof(record({ total: number, input: number, cached: number }), jsonValue()),
    commands: oneof(
      array(
        record({
          id: constantFrom("c-1", "c-2"),
          args: record({ command: string() }),
          result: oneof(
            array(record({ functionResponse: record({ response: record({ output: string() }) }) })),
            jsonValue(),
          ),
        }),
      ),
      jsonValue(),
    ),
    text: geminiErrors,
    atMs: number,
    waitMs: number,
    exitCode: constantFrom<unknown>(0, 41, 53, 130, 144, 173, -1, 0.5, null),
    signal: constantFrom("SIGKILL", null, 1),
    finish: constantFrom("stop", "length", "constructor", null),
    stderr: oneof(string(), jsonValue()),
  },
  { requiredKeys: ["type"] },
);
const state = record({
  status: constantFrom("running", "completed", "error", "pending", 1),
  input: oneof(dictionary(string(), jsonValue()), record({ command: string() }), jsonValue()),
  output: oneof(string(), jsonValue()),
  error: oneof(string(), jsonValue()),
  metadata: oneof(record({ exit: number }), jsonValue()),
});
const sessionError = record({
  name: oneof(constantFrom("APIError", "ContextOverflowError", "constructor"), jsonValue()),
  data: oneof(
    record({
      message: oneof(string(), jsonValue()),
      statusCode: constantFrom(401, 429, 500, "429"),
      responseBody: oneof(constantFrom('{"code":"insufficient_quota"}'), jsonValue()),
      responseHeaders: oneof(
        record({ "retry-after": constantFrom("1", "soon", "-1", "1e99", "Fri, 15 Jan 2027 08:00:00 GMT") }),
        record({ "x-ratelimit-reset": constantFrom("1795253808000", "1", "1e99", "x") }),
        jsonValue(),
      ),
    }),
    jsonValue(),
  ),
});
const events = record({
  type: constantFrom(
    "message.updated",
    "message.part.updated",
    "session.status",
    "session.error",
    "session.idle",
    "session.compacted",
    "permission.asked",
    "monoco.hooks",
    "monoco.session",
    "monoco.window",
    "monoco.stopped",
    "monoco.failed",
    "monoco.alive",
  ),
  atMs: number,
  properties: record({
    sessionID: constantFrom("s-1", "s-2", 1),
    id: oneof(string(), jsonValue()),
    info: record({
      id: string(),
      sessionID: constantFrom("s-1", "s-2"),
      role: constantFrom("assistant", "user"),
    }),
    part: record({
      type: constantFrom("text", "tool", "step-finish", "reasoning"),
      sessionID: constantFrom("s-1", "s-2"),
      messageID: constantFrom("m-1", "m-2"),
      text: oneof(constantFrom('{"type":"verdict","verdict":"approve"}', '{"type":"verdict"'), string()),
      tool: oneof(constantFrom("bash", "read"), string()),
      state,
      reason: oneof(constantFrom("stop", "tool-calls", "length"), jsonValue()),
      tokens: oneof(record({ total: number }), jsonValue()),
      cost: number,
    }),
    status: oneof(
      record({
        type: constantFrom("retry", "busy"),
        attempt: number,
        message: oneof(string(), jsonValue()),
        next: number,
        action: oneof(record({ reason: constantFrom("account_rate_limit", "other") }), jsonValue()),
      }),
      jsonValue(),
    ),
    error: oneof(sessionError, jsonValue()),
    windowTokens: number,
    costUsd: number,
    why: constantFrom("failure", "needs_login", "other"),
    message: oneof(string(), jsonValue()),
  }),
});
test.for<[kind: keyof typeof agents, figures: (at: number) => string, word: (at: number) => string]>([
  ["claude", (at) => answerOf(at, ""), (at) => answerOf(at, '{"type":"text","text":"On I go."}')],
  [
    "codex",
    () =>
      notification("thread/tokenUsage/updated", {
        tokenUsage: { last: { totalTokens: 9, inputTokens: 8, outputTokens: 1 } },
      }),
    () => notification("item/completed", { item: { type: "agentMessage", text: "On I go." } }),
  ],
  [
    "gemini",
    (at) => `{"type":"monoco_answer","id":"${at}","tokens":{"input":8,"total":9},"commands":[]}`,
    () => '{"type":"message","role":"assistant","content":"On I go.","delta":true}\n{"type":"result"}',
  ],
  [
    "opencode",
    () => part({ type: "step-finish", reason: "unknown", tokens: { total: 9 } }),
    () => part({ type: "text", messageID: "m-1", text: "On I go." }),
  ],
])(
  "%s: answers of the model without a word or a tool are turns that come to nothing; with a word they are not",
  ([kind, figures, word]) => {
    const { capabilities } = agents[kind];
    const isIdleAfter = (...parts: ((at: number) => string)[]): boolean => {
      const { read } = openDialogue(agents[kind]);
      const updates = Array.from({ length: 31 }, (_, at) =>
        parts.flatMap((one) => one(at).split("\n").flatMap(read)),
      ).flat();
      const of = { nowMs: 1, keep: 31, tellsTurns: capabilities.tellsTurns };
      const idle = updates.reduce((before, update) => idleAfter(before, update, of), noIdleTurns);
      return isIdle(idle, 1, 30);
    };
    expect([isIdleAfter(figures), isIdleAfter(figures, word)]).toEqual([true, false]);
  },
);

const lines = oneof(
  { weight: 1, arbitrary: string({ unit: "binary" }) },
  { weight: 1, arbitrary: anything().map((value) => JSON.stringify(value) ?? "undefined") },
  { weight: 6, arbitrary: shapes.map((value) => JSON.stringify(value)) },
  { weight: 6, arbitrary: notifications.map((value) => JSON.stringify(value)) },
  { weight: 1, arbitrary: answers.map((value) => JSON.stringify(value)) },
  { weight: 6, arbitrary: geminiLines.map((value) => JSON.stringify(value)) },
  { weight: 6, arbitrary: events.map((value) => JSON.stringify(value)) },
);

function requestOf(settings: AgentSettings): AgentRequest {
  return {
    role: "executor",
    session: 1,
    sessionOfRole: 1,
    prompt: "the prompt",
    workspace: "/state/FEAT-0001",
    sessionDir: join("/project/.monoco/relays/FEAT-0001/sessions/0001-executor"),
    agentSessionId: "00000000-0000-4000-8000-000000000001",
    resume: false,
    monoco: ["/opt/node", "/opt/cli.js"],
    settings,
  };
}

/** Of Claude Code, with an id by which its figures count once. */
function answerOf(at: number, content: string): string {
  const usage = { input_tokens: 8, output_tokens: 1 };
  return `{"type":"assistant","message":{"id":"${at}","model":"m","usage":${JSON.stringify(usage)},"content":[${content}]}}`;
}

function assistant(content: string): string {
  return `{"type":"assistant","parent_tool_use_id":null,"message":{"model":"m","content":${content}}}`;
}

function notification(method: string, params: object): string {
  return JSON.stringify({ method, params: { threadId: "t-1", turnId: "u-1", ...params } });
}

function part(fields: object): string {
  const properties = { part: { sessionID: "s-1", ...fields } };
  return JSON.stringify({ type: "message.part.updated", properties });
}

function deepFreeze<T extends object>(value: T): T {
  for (const each of Object.values(value)) if (typeof each === "object" && each !== null) deepFreeze(each);
  return Object.freeze(value);
}
