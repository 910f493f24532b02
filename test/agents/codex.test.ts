/** Codex's adapter: what a request becomes, and what recorded streams of the real CLI (0.169.0) say. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { codex } from "../../src/agents/codex/adapter.ts";
import { proposalJsonSchema } from "../../src/core/prompt/proposal-schema.ts";
import { verdictFormat } from "../../src/agents/codex/verdict.ts";
import type { AgentRequest } from "../../src/agents/agent.ts";
import type { AgentUpdate } from "../../src/core/session/update.ts";

describe("a launch", () => {
  test("opens the app server: who speaks, then the thread, in the folder that the process stands in", () => {
    const { argv, stdin, keepStdinOpen, files } = codex.launch(request);
    expect(argv.slice(0, 2)).toEqual(["codex", "app-server"]);
    expect(linesOf(stdin)).toEqual([
      {
        id: "initialize",
        method: "initialize",
        params: {
          clientInfo: { name: "monoco", title: "monoco", version: "0" },
          capabilities: {
            experimentalApi: false,
            requestAttestation: false,
            optOutNotificationMethods: expect.arrayContaining(["item/agentMessage/delta"]) as string[],
          },
        },
      },
      { method: "initialized" },
      { id: "thread", method: "thread/start", params: {} },
    ]);
    expect([keepStdinOpen, files]).toEqual([true, []]);
  });

  test("opens a conversation again without its turns: a long one would be longer than a line may be", () => {
    const { stdin } = codex.launch({ ...request, resume: true });
    expect(linesOf(stdin).at(-1)).toEqual({
      id: "thread",
      method: "thread/resume",
      params: { threadId: uuid, excludeTurns: true },
    });
  });

  test.for<[string, Partial<AgentRequest>, string]>([
    ["it never asks a person", {}, '-c approval_policy="never"'],
    ["it has no sandbox of its own", {}, '-c sandbox_mode="danger-full-access"'],
    ["it gives up on a network that is not there", {}, "-c features.unbounded_connection_retries=false"],
    ["a message throws no answer away", {}, "-c features.instant_interrupt=false"],
    ["it keeps the session's PATH", {}, "-c allow_login_shell=false"],
    [
      "the model is pinned where one is set",
      { settings: { kind: "codex", model: 'm"1' } },
      '-c model="m\\"1"',
    ],
    [
      "arguments of one's own come last, and win",
      { settings: { kind: "codex", args: ["-c", 'sandbox_mode="read-only"'] } },
      ' -c sandbox_mode="read-only"',
    ],
    [
      "a Reviewer is not under the orders of the clone",
      { role: "reviewer" },
      '-c projects={"/workspace"={trust_level="untrusted"}} -c skills.include_instructions=false',
    ],
  ])("%s", ([, change, expected]) => {
    expect(codex.launch({ ...request, ...change }).argv.join(" ")).toContain(expected);
  });

  test("an Executor reads what the project tells it", () => {
    expect(codex.launch(request).argv.join(" ")).not.toMatch(/untrusted|include_instructions/);
  });

  test("calls monoco's hooks, quoted for a shell, with the trust that Codex wants for exactly these", () => {
    const { argv } = codex.launch({ ...request, monoco: ["/opt/node", "/a b/it's/cli.js"] });
    // The hashes are those with which Codex 0.169.0 lists both as trusted.
    expect(argv.find((word) => word.startsWith("hooks="))).toBe(
      String.raw`hooks={SessionStart=[{hooks=[{type="command",command="/opt/node '/a b/it'\\''s/cli.js' hook on-session-start",timeout=30}]}],` +
        String.raw`Stop=[{hooks=[{type="command",command="/opt/node '/a b/it'\\''s/cli.js' hook on-stop",timeout=30}]}],` +
        `state={"/<session-flags>/config.toml:session_start:0:0"={trusted_hash="sha256:4c6bfcbcdb2683769bb18818566ddac535818f4a82f90382981d66c9ce0ac04f"},` +
        `"/<session-flags>/config.toml:stop:0:0"={trusted_hash="sha256:08407603b5a6c56f5ceeb62333689053f8a3a4991ab7e6d1b0c0e7f85becd67b"}}}`,
    );
  });
});

describe("the conversation", () => {
  test("begins its turn with the prompt when the thread is there; a Reviewer's has a schema, and one that proposes an issue", () => {
    expect(replies(codex.dialogue("the prompt").read(thread("thread")))).toEqual([
      {
        id: "turn",
        method: "turn/start",
        params: { threadId: "t-1", input: [{ type: "text", text: "the prompt" }] },
      },
    ]);
    expect(replies(codex.dialogue("the prompt").read(thread(reviewersThread())))).toMatchObject([
      { params: { outputSchema: verdictFormat() } },
    ]);
    const { stdin } = codex.launch({ ...request, answer: "proposal" });
    const { id } = JSON.parse(stdin.trim().split("\n").at(-1)!) as { id: string };
    expect(replies(codex.dialogue("the prompt").read(thread(id)))).toMatchObject([
      { params: { outputSchema: proposalJsonSchema() } },
    ]);
  });

  test("gives a message to the turn that runs, and keeps one that came before it", () => {
    const { read, message } = codex.dialogue("");
    read(thread("thread"));
    expect(message("early")).toBeUndefined();
    const steering = (text: string) => ({
      id: "message",
      method: "turn/steer",
      params: { threadId: "t-1", expectedTurnId: "u-1", input: [{ type: "text", text }] },
    });
    expect(replies(read(said("turn/started", { turn: { id: "u-1" } })))).toEqual([steering("early")]);
    expect(linesOf(message('a "b"\nc') ?? "")).toEqual([steering('a "b"\nc')]);
    read(said("turn/completed", { turn: { id: "u-1", status: "completed" } }));
    expect(message("late")).toBeUndefined();
  });

  test("a message that came too late is no end; any other refusal is", () => {
    const { read } = codex.dialogue("");
    const refused = (id: string) =>
      JSON.stringify({ id, error: { code: -32600, message: "no active turn" } });
    expect(read(refused("message"))).toEqual([]);
    expect(read(refused("turn"))).toEqual([ended("failure", "turn: no active turn")]);
  });

  test("answers each question that it is asked: nobody is there", () => {
    const lines = recorded("question").split("\n");
    const answers = replies(lines.flatMap(codex.dialogue("").read)).filter((reply) => "error" in reply);
    expect(answers).toEqual([
      { id: 0, error: { code: -32601, message: expect.stringContaining("nobody is there") as string } },
    ]);
  });

  test.for<[string, string]>([
    ["question", "shell"],
    ["question-of-a-patch", "apply_patch"],
    ["denied", "shell"],
  ])("%s: what it asks for leave to do is denied to it", ([name, tool]) => {
    expect(of("denied", read(name))).toEqual([{ type: "denied", tool }]);
  });

  // TRAP 21
  test("what it asks in words is told, for a person to answer later", () => {
    const asked = {
      questions: [
        { id: "q", question: "Which port?" },
        { id: "r", question: "Why?" },
      ],
    };
    const line = JSON.stringify({ id: 7, method: "item/tool/requestUserInput", params: asked });
    expect(codex.dialogue("").read(line)).toEqual([
      { type: "question", text: "Which port?\nWhy?" },
      { type: "reply", text: expect.stringContaining('"id":7') as string },
    ]);
  });

  test("the verdict's schema is strict: each property required, none beside them, what may be left out may be null", () => {
    const text = { type: "string" };
    const maybe = { type: ["string", "null"] };
    const whole = { type: "integer" };
    const maybeWhole = { type: ["integer", "null"] };
    const object = (properties: object) => ({
      type: "object",
      properties,
      required: Object.keys(properties),
      additionalProperties: false,
    });
    expect(verdictFormat()).toEqual(
      object({
        verdict: { type: "string", enum: ["approve", "request_changes"] },
        criteria: {
          type: "array",
          items: object({
            criterion: whole,
            result: { type: "string", enum: ["met", "not_met", "not_verifiable"] },
            command: maybe,
            exitCode: maybeWhole,
            file: maybe,
            line: maybeWhole,
            text: maybe,
          }),
        },
        probes: { type: "array", items: object({ command: text, exitCode: whole, text: maybe }) },
        findings: {
          type: ["array", "null"],
          items: object({
            id: text,
            severity: { type: "string", enum: ["blocker", "major", "minor", "note"] },
            title: text,
            criterion: maybeWhole,
            file: maybe,
            line: maybeWhole,
            evidence: object({ command: maybe, exitCode: maybeWhole, text }),
          }),
        },
        answers: { type: ["array", "null"], items: object({ id: text, text }) },
        trend: { type: ["string", "null"], enum: ["converging", "stagnant", "diverging", null] },
        summary: maybe,
      }),
    );
  });
});

describe("a recorded stream", () => {
  test("of a working session is told whole", () => {
    expect(read("work")).toEqual([
      {
        type: "identified",
        agentSessionId: expect.stringMatching(/^[0-9a-f-]{36}$/),
        model: "scripted-model",
      },
      { type: "reply", text: expect.stringContaining("turn/start") as string },
      { type: "hooks_proved" },
      { type: "message", text: "Committing." },
      { type: "tool", name: "shell", summary: "echo one > one.txt && git add . && git commit -qm one" },
      { type: "command", command: "echo one > one.txt && git add . &&\n  git commit -qm one" },
      {
        type: "usage",
        contextTokens: 30_050,
        newTokens: 30_050,
        parts: parts(30_000),
        windowTokens: 258_400,
      },
      { type: "message", text: "Done." },
      { type: "usage", contextTokens: 1_050, newTokens: 1_050, parts: parts(1_000), windowTokens: 258_400 },
      ended("completed", "its turn completed"),
    ]);
  });

  test.for<[string, AgentUpdate & { type: "ended" }]>([
    ["busy", ended("outage", "responseTooManyFailedAttempts 429: exceeded retry limit")],
    ["busy-for-a-second", ended("completed", "its turn completed")],
    ["busy-for-minutes", ended("usage_limit", "rate limit exceeded: Rate limit reached on tokens per min")],
    ["usage-limit", ended("usage_limit", "usageLimitExceeded: You’ve hit your usage limit")],
    ["usage-limit-in-words", ended("usage_limit", "usageLimitExceeded: You’ve hit your usage limit")],
    ["usage-limit-some-day", ended("usage_limit", "usageLimitExceeded: You’ve hit your usage limit")],
    ["usage-limit-without-time", ended("usage_limit", "try again later")],
    // TRAP 15
    ["no-credit", ended("needs_login", "Quota exceeded")],
    ["unauthorized", ended("needs_login", "httpConnectionFailed 401: unexpected status 401")],
    ["forbidden", ended("needs_login", "httpConnectionFailed 403")],
    ["no-key", ended("needs_login", "other: Missing environment variable: `OPENAI_API_KEY`")],
    ["not-logged-in", ended("needs_login", "httpConnectionFailed 401: unexpected status 401")],
    ["server-error", ended("outage", "internalServerError")],
    ["overloaded", ended("outage", "serverOverloaded")],
    ["bad-request", ended("failure", "other: ")],
    ["no-such-model", ended("needs_login", "modelNotFound")],
    ["no-server", ended("outage", "httpConnectionFailed: Connection failed")],
    ["connection-cut", ended("outage", "stream disconnected before completion")],
    ["silent-stream", ended("failure", "idle timeout waiting for SSE, 2 times in a row")],
    ["silent-websocket", ended("failure", "idle timeout waiting for websocket, 2 times in a row")],
    ["context-full", ended("context_limit", "contextWindowExceeded")],
    ["context-full-in-stream", ended("context_limit", "contextWindowExceeded")],
    ["cut-answer", ended("failure", "reason: max_output_tokens")],
    ["filtered", ended("failure", "reason: content_filter")],
    ["refusal", ended("completed", "its turn completed")],
    ["resume", ended("completed", "its turn completed")],
    ["resume-unknown", ended("failure", "thread: no rollout found")],
    ["broken-settings", ended("failure", "thread: failed to load configuration")],
    ["verdict-malformed", ended("completed", "its turn completed")],
    ["subagent", ended("completed", "its turn completed")],
    ["question", ended("completed", "its turn completed")],
    ["question-of-a-patch", ended("completed", "its turn completed")],
    ["denied", ended("completed", "its turn completed")],
    ["orphan", ended("completed", "its turn completed")],
    ["background", ended("completed", "its turn completed")],
  ])("%s ends in its own way", ([name, expected]) => {
    expect(of("ended", read(name))).toEqual([
      { ...expected, evidence: expect.stringContaining(expected.evidence) as string },
    ]);
  });

  // TRAP 11
  test.for<[string, AgentUpdate["type"][]]>([
    ["never-answers", ["identified", "reply", "hooks_proved"]],
    ["busy-in-silence", ["identified", "reply", "hooks_proved"]],
    ["stall", ["identified", "reply", "hooks_proved"]],
    ["terminated", ["identified", "reply", "hooks_proved", "message", "tool"]],
    ["killed", ["identified", "reply", "hooks_proved", "message", "tool"]],
  ])("%s: what was ended from outside, or has to be, tells no end", ([name, types]) => {
    expect(read(name).map(({ type }) => type)).toEqual(types);
  });

  test("a command in the background that goes on is none that has ended", () => {
    expect(of("tool", read("background"))).toHaveLength(2);
    expect(of("command", read("background"))).toEqual([
      { type: "command", command: expect.stringMatching(/^until \[ -s left\.pid \]/) as string },
    ]);
  });

  // TRAP 14
  test.for<[string, object[]]>([
    ["usage-limit", [{ resetsAtMs: 1_795_257_408_000 }]],
    [
      "usage-limit-in-words",
      [{ resetsAtMs: Date.parse(`${new Date(recordedAtMs()).toDateString()} 16:54`) }],
    ],
    ["usage-limit-some-day", [{ resetsAtMs: new Date(2026, 11, 21, 16, 54).getTime() }]],
    ["usage-limit-without-time", [{}]],
    ["no-credit", []],
    ["busy", []],
    ["overloaded", []],
  ])("%s: only a limit that is used up is a limit, until the time that it names", ([name, expected]) => {
    const text = expect.stringContaining("hit your usage limit") as string;
    expect(of("limit", read(name))).toEqual(expected.map((limit) => ({ type: "limit", text, ...limit })));
  });

  test("a wait of minutes that it tells is a limit until then", () => {
    expect(of("limit", read("busy-for-minutes"))).toEqual([
      {
        type: "limit",
        text: expect.stringMatching(/^rate limit exceeded: .* try again in 600\.5s\.$/) as string,
        resetsAtMs: recordedAtMs() + 600_500,
      },
    ]);
  });

  test("a wait that it does not tell the length of is no end yet", () => {
    expect(read("busy-until-untold").at(-1)).toEqual({
      type: "waiting",
      why: "responseStreamDisconnected 429: exceeded retry limit, last status: 429 Too Many Requests",
    });
  });

  test("shell commands are told as the model wrote them, and what they failed of", () => {
    expect(of("command", read("commands"))).toEqual([
      { type: "command", command: 'echo "it\'s" fine' },
      { type: "command", command: "echo broken >&2; exit 3", error: "exit status 3\nbroken\n" },
    ]);
  });

  test("Codex's own estimates are no measurement", () => {
    const tokens = (name: string) => of("usage", read(name)).map((usage) => ({ ...usage }));
    expect(tokens("context-full")).toEqual([
      { type: "usage", contextTokens: 1_050, newTokens: 1_050, parts: parts(1_000), windowTokens: 258_400 },
    ]);
    expect(tokens("context-full-in-stream")).toEqual([]);
  });

  test("a compaction is told when it begins", () => {
    expect(of("compacted", read("compaction"))).toHaveLength(1);
    expect(of("ended", read("compaction"))).toEqual([]);
  });

  test("a refused stop goes on in the same turn", () => {
    expect(of("message", read("stop-refused"))).toMatchObject([{ text: "I stop." }, { text: "Now really." }]);
    expect(of("ended", read("stop-refused"))).toHaveLength(1);
  });

  test("a subagent's words, context and end are not the session's", () => {
    const updates = read("subagent");
    expect(recorded("subagent").match(/"turn\/completed"/g)).toHaveLength(2);
    expect(of("message", updates)).toMatchObject([{ text: "Waiting." }, { text: "The end." }]);
    expect(of("usage", updates)).toHaveLength(3);
  });

  // TRAP 25
  test("a verdict is the last answer of a Reviewer's turn; another shape is malformed, a failed turn has none", () => {
    const verdict = {
      verdict: "approve",
      criteria: [{ criterion: 1, result: "met", command: "npm test", exitCode: 0 }],
      probes: [],
      findings: [],
      summary: "all criteria hold",
    };
    expect(verdicts(read("verdict"))).toEqual([{ type: "verdict", verdict }]);
    expect(verdicts(read("verdict-malformed"))).toMatchObject([
      { type: "verdict_malformed", text: expect.stringContaining("invalid JSON") as string },
    ]);
    const asExecutor = recorded("verdict").replace(reviewersThread(), "thread");
    expect(verdicts(asExecutor.split("\n").flatMap(codex.dialogue("").read))).toEqual([]);
    const failed = recorded("verdict").replace(
      '"itemsView":"summary","status":"completed"',
      '"status":"failed"',
    );
    expect(verdicts(failed.split("\n").flatMap(codex.dialogue("").read))).toEqual([]);
  });
});

describe("a line", () => {
  test.for<[string, string]>([
    ["of text", "hello there"],
    ["of broken JSON", '{"method":"turn/comple'],
    ["that is empty", ""],
    ["of a method unknown to us", said("from/theFuture", {})],
    ["of another shape", said("item/completed", { item: "?" })],
    ["of an item unknown to us", said("item/completed", { item: { type: "fromTheFuture", text: "x" } })],
    ["that is no object", "[1,2]"],
    ["null", "null"],
  ])("%s is nothing", ([, line]) => expect(inThread(line)).toEqual([]));

  test.for<[string, object, string]>([
    ["an end with a status unknown to us", { status: "fromTheFuture" }, "unknown"],
    ["an end without any status", {}, "unknown"],
    ["an end whose status has another type", { status: 1 }, "unknown"],
    ["an interrupted turn", { status: "interrupted" }, "interrupted"],
    ["a failure without an error", { status: "failed", error: null }, "failure"],
    ["a failure of a kind unknown to us", failed("fromTheFuture"), "failure"],
    ["a failure named like a property of every object", failed("constructor"), "failure"],
    ["a failure without a kind", failed(null), "failure"],
    ["a spent budget", failed("sessionBudgetExceeded"), "budget"],
    ["a login that has run out", failed("unauthorized"), "needs_login"],
    [
      "an account that has not paid",
      failed({ httpConnectionFailed: { httpStatusCode: 402 } }),
      "needs_login",
    ],
    ["a connection without a status", failed({ httpConnectionFailed: { httpStatusCode: null } }), "outage"],
  ])("%s is never taken for done", ([, turn, ending]) => {
    const line = said("turn/completed", { turn: { id: "u-1", ...turn } });
    expect(inThread(line)).toMatchObject([{ type: "ended", ending }]);
  });

  test.for<[string, object, number]>([
    ["ours", {}, 1],
    ["a person's own", { source: "user" }, 0],
    ["ours, failed", { status: "failed" }, 0],
    ["another hook", { eventName: "stop" }, 0],
  ])("a SessionStart hook proves the settings only when it is ours: %s", ([, change, proofs]) => {
    const run = { eventName: "sessionStart", source: "sessionFlags", status: "completed", ...change };
    expect(of("hooks_proved", inThread(said("hook/completed", { run })))).toHaveLength(proofs);
  });

  test("a stream that was silent once and then went on is not given up", () => {
    const { read } = codex.dialogue("");
    read(thread("thread"));
    const silent = said("error", {
      willRetry: true,
      error: { message: "Reconnecting... 1/5", additionalDetails: "idle timeout waiting for SSE" },
    });
    const worked = said("item/completed", { item: { type: "agentMessage", text: "Working." } });
    expect(of("ended", [silent, worked, silent].flatMap(read))).toEqual([]);
    expect(of("ended", read(silent))).toHaveLength(1);
  });

  // Of a websocket the first failure is not told.
  test.for<[string, string, number, number]>([
    ["a silence that was not told is one, where the time says so", "2/5", 600, 1],
    ["a connection that was lost, which was not told, is none", "2/5", 305, 0],
    ["a long answer before the first silence is none", "1/5", 900, 0],
  ])("%s", ([, attempt, seconds, ends]) => {
    const { read } = codex.dialogue("");
    read(thread("thread"));
    read(said("turn/started", { turn: { id: "u-1", status: "inProgress" } }, 1_000));
    const error = {
      message: `Reconnecting... ${attempt}`,
      additionalDetails: "idle timeout waiting for websocket",
    };
    const silent = (atMs: number) => read(said("error", { willRetry: true, error }, atMs));
    expect(of("ended", silent(1_000 + seconds * 1000))).toHaveLength(ends);
    if (ends === 0) expect(of("ended", silent(1_000 + seconds * 2000))).toHaveLength(1);
  });

  test.for<[string, string, ("limit" | "ended")[]]>([
    ["of a minute and a half", "rate limit exceeded: Please try again in 90s.", []],
    ["of more", "rate limit exceeded: Please try again in 90.001s.", ["limit", "ended"]],
    ["in a line of their own", "rate limit exceeded: Busy.\nTry again in 100 seconds", ["limit", "ended"]],
    ["in thousandths", "rate limit exceeded: try again in 5000ms", []],
    ["that Codex does not read either", "rate limit exceeded: Please try again in 7m12s.", []],
    ["of another error", "stream error: try again in 600s", []],
  ])("words on a wait %s: only minutes of a rate limit are a limit", ([, additionalDetails, types]) => {
    const error = { message: "Reconnecting... 1/5", additionalDetails };
    expect(inThread(said("error", { willRetry: true, error })).map(({ type }) => type)).toEqual(types);
    expect(inThread(said("error", { willRetry: false, error }))).toEqual([]);
  });

  test("a limit is over when all of its used-up windows are, whichever line told them", () => {
    const { read } = codex.dialogue("");
    read(thread("thread"));
    const windows = (rateLimits: object) =>
      JSON.stringify({ method: "account/rateLimits/updated", params: { rateLimits } });
    read(
      windows({
        primary: { usedPercent: 100, resetsAt: 1_000 },
        secondary: { usedPercent: 99, resetsAt: 9_000 },
      }),
    );
    read(windows({ primary: null, secondary: null }));
    const end = said("turn/completed", { turn: { id: "u-1", ...failed("usageLimitExceeded") } });
    expect(read(end)).toMatchObject([{ type: "limit", resetsAtMs: 1_000_000 }, { type: "ended" }]);
    read(windows({ secondary: { usedPercent: 100, resetsAt: 9_000 } }));
    expect(read(end)).toMatchObject([{ type: "limit", resetsAtMs: 9_000_000 }, { type: "ended" }]);
  });

  test.for<[string, object, object]>([
    [
      "a changed file",
      { type: "fileChange", changes: [{ path: "/w/a" }, { path: "/w/b" }] },
      { name: "apply_patch", summary: "/w/a /w/b" },
    ],
    [
      "a tool of a server",
      { type: "mcpToolCall", server: "docs", tool: "find" },
      { name: "docs.find", summary: "" },
    ],
    ["a search", { type: "webSearch", query: "tar flags" }, { name: "web_search", summary: "tar flags" }],
    [
      "a long command",
      { type: "commandExecution", command: `echo\n${"x".repeat(500)}` },
      { name: "shell", summary: `echo ${"x".repeat(195)}` },
    ],
  ])("%s is one short line", ([, item, expected]) => {
    expect(inThread(said("item/started", { item }))).toEqual([{ type: "tool", ...expected }]);
  });
});

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
  settings: { kind: "codex" },
};

function recordedAtMs(): number {
  return 1_795_253_808_000;
}

const lineSchema = z.looseObject({ id: z.union([z.string(), z.number()]).optional() });

function linesOf(text: string): z.infer<typeof lineSchema>[] {
  return text
    .trim()
    .split("\n")
    .map((line) => lineSchema.parse(JSON.parse(line)));
}

function replies(updates: AgentUpdate[]): object[] {
  return updates.flatMap((update) => (update.type === "reply" ? linesOf(update.text) : []));
}

/** The id of the request that a Reviewer's session begins with. */
function reviewersThread(): string {
  const { stdin } = codex.launch({ ...request, role: "reviewer" });
  return String(linesOf(stdin).at(-1)?.id);
}

function thread(id: string): string {
  return JSON.stringify({ id, result: { thread: { id: "t-1" }, model: "m-1" } });
}

function said(method: string, params: object, emittedAtMs?: number): string {
  return JSON.stringify({ method, params: { threadId: "t-1", ...params }, emittedAtMs });
}

function failed(codexErrorInfo: unknown): object {
  return { status: "failed", error: { message: "words", codexErrorInfo } };
}

test("an MCP server that failed to start is told, with the error, also before the thread's own answer", () => {
  // Seen on 0.171.0, in both orders.
  const line = (status: string, error: string | null): string =>
    said("mcpServer/startupStatus/updated", { name: "dead", status, error, failureReason: null });
  const why = "MCP startup failed: No such file or directory (os error 2)";
  expect(inThread(line("starting", null))).toEqual([]);
  const failure = line("failed", `MCP client for \`dead\` failed to start: ${why}`);
  const told = [{ type: "server_failed", server: "dead", error: why }];
  expect(inThread(failure)).toEqual(told);
  expect(codex.dialogue("").read(failure)).toEqual(told);
});

function inThread(line: string): AgentUpdate[] {
  const { read } = codex.dialogue("");
  read(thread("thread"));
  return read(line);
}

function recorded(name: string): string {
  return readFileSync(join(import.meta.dirname, "recorded", "codex", `${name}.jsonl`), "utf8");
}

function read(name: string): AgentUpdate[] {
  return recorded(name).split("\n").flatMap(codex.dialogue("").read);
}

function of(type: AgentUpdate["type"], updates: AgentUpdate[]): AgentUpdate[] {
  return updates.filter((update) => update.type === type);
}

function verdicts(updates: AgentUpdate[]): AgentUpdate[] {
  return updates.filter(({ type }) => type.startsWith("verdict"));
}

function ended(ending: (AgentUpdate & { type: "ended" })["ending"], evidence: string) {
  return { type: "ended" as const, ending, evidence };
}

function parts(input: number) {
  return { input, cached: 0, output: 50 };
}
