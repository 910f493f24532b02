/** Every way in which the real Claude Code ends, as `monoco run` records it: reason, evidence, handoff, and no process left. */
import { endingWords } from "../../src/core/reason/ending-rows.ts";
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { randomUUID } from "node:crypto";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test as base } from "vitest";
import { classify } from "../../src/index.ts";
import type { AgentRequest, RelayEvent, StopReason } from "../../src/index.ts";
import type { Outcome } from "../../src/core/session/outcome.ts";
import { nothingSeen, see } from "../../src/core/session/observations.ts";
import { repositoryPlaces } from "../../src/store/places.ts";
import { eventsOf, openSandbox, processesOf } from "../../test/support/cli.ts";
import { writeFiles } from "../../test/support/repository.ts";
import { claude } from "../../src/agents/claude/adapter.ts";
import { claudeDir, liveEnvironment, recordClaude, signalClaude, subscription } from "./claude.ts";
import { expectNeedsPerson, leave, lookAtLeft, wasAlive } from "./ends.ts";
import { startMessages, usageLimitHeaders } from "../../src/probe/messages-model.ts";
import type { MessagesTurn } from "../../src/probe/messages-model.ts";
import type { Conversation, ModelRequest, ModelServer, Turn } from "../../src/probe/scripted-model.ts";
import { startLiveSession } from "./session.ts";
import type { LiveSession } from "./session.ts";
import { full, testRows } from "../../test/support/full.ts";

const it = base.skipIf(!claudeDir);
const test = full.skipIf(!claudeDir);
const issue = "FEAT-0001";

/** The stop hook refuses once; who stops again is let go. */
const stops: readonly Turn[] = [{ text: "I stop." }, { text: "I stop." }, { text: "I stop." }];

/** A window so large that monoco's own marks are never reached: what ends the session is the CLI. */
const farAway = 2_000_000;
const farAwayMarks = { contextMarks: [1_800_000, 1_900_000, 1_950_000] };

type Turns = Conversation<MessagesTurn>["turns"];

type Row = {
  title: string;
  turns: Turns;
  /** `agents.claude` of monoco.yaml, but for its kind. */
  agent?: { env?: Record<string, string>; args?: string[]; model?: string; windowTokens?: number };
  limits?: object;
  /** Claude Code's settings in the project. */
  project?: object;
  login?: "none" | "subscription";
  /** Where the model is looked for, if not at the scripted one. */
  url?: string;
  ends: StopReason;
  /** Parts of the evidence, in this order. */
  evidence: ReadonlyArray<string | RegExp>;
  /** Whether the evidence says so; "either" where it depends on who is quicker. */
  hooksMissing?: true | "either";
  resetsAtMs?: number;
  /** How often the model was asked. */
  requests?: number;
  /** Tools that were denied. */
  denied?: string[];
  /** Files of its workspace, and what they say. */
  made?: Record<string, RegExp>;
  /** Its stream is kept for the offline suite, by this name. */
  recording?: string;
};

/** Far below what the CLI takes without monoco's limits (180 to 722 s), far above what it takes here. */
const secondsMax = 60;

/** What `monoco run --once` says: try again later, a login is needed, or the next session can run. */
const exitCodes: Partial<Record<StopReason, number>> = {
  failure: 75,
  silent: 75,
  unknown: 75,
  usage_limit: 75,
  needs_login: 4,
};

describe("a session", () => {
  const table = (rows: readonly Row[]): void =>
    testRows(
      rows.map((row) => [row.title, row] as const),
      undefined,
      it.concurrent,
    )("%s", async ([, row], { onTestFinished, expect }) => {
      const { ran, project, sandbox, model } = await runOnce(row, onTestFinished);
      const said = ran.stdout + ran.stderr;
      const events = eventsOf(project, issue);
      const ended = events.find((event) => event.type === "session.ended");
      expect(ended, said).toMatchObject({ session: 1, reason: row.ends });
      expect(ended!.denied).toEqual(row.denied);
      const evidence = endingWords(ended!.evidence).join("\n");
      expect(evidence).toMatch(new RegExp(row.evidence.map(sourceOf).join("[^]*")));
      if (row.hooksMissing !== "either")
        expect(evidence.includes("hooks were not seen to be loaded")).toBe(row.hooksMissing === true);
      expect(ended!.durationMs).toBeLessThan(secondsMax * 1000);
      if (row.requests !== undefined) expect(model.requests).toHaveLength(row.requests);
      expect(limitsIn(events)).toEqual(row.resetsAtMs === undefined ? [] : [row.resetsAtMs]);
      if (row.ends === "needs_login") expectNeedsPerson({ project, issue, ran });
      else expect(events.filter(({ type }) => type === "relay.blocked")).toEqual([]);
      // TRAP 12: no stop hook has run at most of these ends; the handoff is there all the same.
      expect(events.find((event) => event.type === "handoff.recorded")).toMatchObject({
        session: 1,
        source: "generated",
      });
      const session = join(project, ".monoco/relays", issue, "sessions/0001-executor");
      const archived = readFileSync(join(session, "RALPH.md"), "utf8");
      expect(archived).toContain(`- Stop reason: ${row.ends}`);
      const workspace = join(repositoryPlaces(project, sandbox.env).clones, issue);
      for (const [name, words] of Object.entries(row.made ?? {}))
        expect(readFileSync(join(workspace, name), "utf8")).toMatch(words);
      const stream = readFileSync(join(session, "stream.jsonl"), "utf8");
      if (row.recording) recordClaude(row.recording, stream.trim().split("\n"));
      expect(ran.exitCode, said).toBe(exitCodes[row.ends] ?? 1);
      // TRAP 7
      expect(processesOf(sandbox.folder)).toEqual([]);
    });

  describe("that ends by itself", () => {
    table([
      {
        title: "and did not submit has completed, and no more",
        turns: stops,
        ends: "completed_without_submit",
        evidence: ["neither submitted nor handed over", "terminal_reason completed"],
      },
      {
        title: "leaves nothing behind that it started on its own",
        turns: [bash(leave), bash(lookAtLeft), ...stops],
        made: wasAlive,
        ends: "completed_without_submit",
        evidence: ["terminal_reason completed"],
      },
      {
        title: "because the project's stop hook says so",
        turns: stops,
        project: hook("Stop", `echo '{"continue":false,"stopReason":"enough"}'`),
        ends: "completed_without_submit",
        evidence: ["terminal_reason stop_hook_prevented"],
        requests: 1,
        recording: "stop-hook-prevents",
      },
      {
        title: "because a hook of the project's stops it after a tool",
        turns: [bash("true"), ...stops],
        project: hook("PostToolUse", `echo '{"continue":false,"stopReason":"enough"}'`),
        ends: "completed_without_submit",
        evidence: ["terminal_reason hook_stopped"],
        requests: 1,
        recording: "hook-stops",
      },
      {
        title: "because a hook of the project's refuses its prompt, is unknown and not done",
        turns: stops,
        project: hook("UserPromptSubmit", `echo '{"decision":"block","reason":"not on a Sunday"}'`),
        ends: "unknown",
        evidence: ["terminal_reason (none)", "not on a Sunday"],
        requests: 0,
        recording: "prompt-refused",
      },
      {
        title: "at its turns is out of budget",
        turns: [bash("true"), bash("true"), bash("true")],
        agent: { args: ["--max-turns", "2"] },
        ends: "budget",
        evidence: ["terminal_reason max_turns", "Reached maximum number of turns (2)"],
        recording: "max-turns",
      },
      {
        title: "at its dollars is out of budget",
        turns: [bash("true", 300_000), ...stops],
        agent: { args: ["--max-budget-usd", "1"], windowTokens: farAway },
        limits: farAwayMarks,
        ends: "budget",
        evidence: ["terminal_reason budget_exhausted", "Reached maximum budget ($1)"],
        recording: "max-budget",
      },
    ]);
  });

  // TRAP 11
  describe("with a task in the background", () => {
    const background = { CLAUDE_CODE_DISABLE_BACKGROUND_TASKS: "" };
    const inBackground = { run_in_background: true };
    table([
      {
        title: "ends with its second result, not with the first",
        turns: [
          bash("for i in 1; do sleep 3; done", 1000, inBackground),
          { text: "It runs." },
          { text: "I wait." },
          { status: 403 },
        ],
        agent: { env: background },
        ends: "needs_login",
        evidence: ["terminal_reason api_error", "status 403"],
        requests: 4,
        recording: "background",
      },
      {
        title: "that never ends is not waited for",
        turns: [bash("for i in 1; do sleep 300; done", 1000, inBackground), ...stops],
        agent: { env: background },
        limits: { silenceMinutes: 0.1 },
        ends: "silent",
        evidence: ["no output for 0.1 minutes"],
      },
      {
        title: "is refused one where monoco's settings are in force",
        turns: [
          bash("for i in 1; do sleep 300; done", 1000, inBackground),
          ({ tail }) => (/unexpected parameter.*run_in_background/.test(tail) ? stops[0]! : { status: 418 }),
          ...stops,
        ],
        ends: "completed_without_submit",
        evidence: ["terminal_reason completed"],
      },
    ]);
  });

  describe("whose model does not finish its answer", () => {
    const cut = { text: "Half an ans", finish: "max_tokens" } as const;
    const refused = { text: "I cannot", finish: "refusal" } as const;
    table([
      {
        title: "at its most tokens, is asked to go on, and goes on",
        turns: [cut, cut, cut, ...stops],
        ends: "completed_without_submit",
        evidence: ["terminal_reason completed"],
        requests: 5,
        recording: "answer-cut-once",
      },
      {
        title: "at its most tokens, again and again, has failed",
        turns: [cut],
        ends: "failure",
        evidence: ["terminal_reason api_error, api_error max_output_tokens", "CLAUDE_CODE_MAX_OUTPUT_TOKENS"],
        requests: 4,
        recording: "answer-cut",
      },
      {
        title: "since its safeguards withhold it, is asked to go on without, and goes on",
        turns: [refused, ...stops],
        ends: "completed_without_submit",
        evidence: ["terminal_reason completed, safety_stops 1"],
        requests: 3,
        recording: "refusal-once",
      },
      {
        title: "since its safeguards withhold it, and the next one too, has failed",
        turns: [bash("true"), refused],
        ends: "failure",
        evidence: ["terminal_reason api_error, stop_reason refusal, safety_stops 2", "safeguards flagged"],
        requests: 3,
        recording: "refusal",
      },
    ]);
  });

  describe("to which a tool is denied, goes on without it and tells it:", () => {
    const deny = { permissions: { deny: ["Bash(touch:*)"] } };
    const answer = { permissionDecision: "deny", permissionDecisionReason: "not here" };
    const answered = { hookSpecificOutput: { hookEventName: "PreToolUse", ...answer } };
    table([
      {
        title: "by a rule of the project's",
        turns: [bash("touch one"), bash("touch two"), ...stops],
        project: deny,
        ends: "completed_without_submit",
        evidence: ["terminal_reason completed"],
        requests: 4,
        denied: ["Bash"],
        recording: "denied-by-rule",
      },
      {
        title: "by a hook of the project's",
        turns: [bash("touch one"), ...stops],
        project: hook("PreToolUse", `echo '${JSON.stringify(answered)}'`),
        ends: "completed_without_submit",
        evidence: ["terminal_reason completed"],
        requests: 3,
        denied: ["Bash"],
        recording: "denied-by-hook",
      },
      {
        title: "since nobody is there who could allow it",
        turns: [write(".claude/settings.json"), ...stops],
        ends: "completed_without_submit",
        evidence: ["terminal_reason completed"],
        requests: 3,
        denied: ["Write"],
      },
      {
        title: "also where it is killed before its result",
        turns: [bash("touch one"), signalled("SIGTERM")],
        project: deny,
        ends: "failure",
        evidence: ["exit status 143 (killed by signal 15)"],
        denied: ["Bash"],
      },
    ]);
  });

  describe("whose context is full", () => {
    table([
      {
        title: "in the eyes of the API",
        turns: [bash("true"), refusal("prompt is too long: 210342 tokens > 200000 maximum")],
        ends: "context_limit",
        evidence: ["terminal_reason prompt_too_long, status 400"],
        requests: 2,
        recording: "prompt-too-long",
      },
      {
        title: "in the eyes of the CLI",
        turns: [bash("true", 985_000), ...stops],
        agent: { windowTokens: farAway },
        limits: farAwayMarks,
        ends: "context_limit",
        evidence: ["terminal_reason blocking_limit"],
        requests: 1,
        recording: "context-full",
      },
      {
        title: "in one leap past all marks, has no room for last words either",
        turns: [bash("true", 985_000), ...stops],
        ends: "context_limit",
        evidence: ["stopped by monoco: 985000 tokens of context in use", "asked once more, it left none"],
      },
      {
        // TRAP 13
        title: "and was compacted, where the project's settings won over ours",
        turns: [bash("true"), bash("true"), bash("true"), bash("true", 970_000), ...stops, ...stops],
        agent: { windowTokens: farAway, args: ["--settings", '{"autoCompactEnabled":true}'] },
        limits: farAwayMarks,
        ends: "context_limit",
        evidence: ["stopped by monoco: the agent compacted its own context"],
        hooksMissing: true,
      },
      {
        title: "with more than the API takes at once",
        turns: [{ status: 413, body: apiError("request_too_large", "Request exceeds the maximum size") }],
        ends: "context_limit",
        evidence: ["terminal_reason image_error, status 413"],
        recording: "request-too-large",
      },
      {
        title: "and cannot be opened again for its handoff, ends all the same",
        turns: [bash("for i in 1; do sleep 60; done", 175_000), ...stops],
        agent: { args: ["--no-session-persistence"] },
        ends: "context_limit",
        evidence: ["stopped by monoco: 175000 tokens of context in use", "asked once more, it left none"],
        requests: 1,
      },
    ]);
  });

  // TRAP 11: all of these call themselves `subtype: "success"`.
  describe("whose API fails", () => {
    const once = { CLAUDE_CODE_MAX_RETRIES: "1" };
    table([
      {
        title: "because it is busy, again and again, has failed",
        turns: [{ status: 429 }],
        agent: { env: { CLAUDE_CODE_MAX_RETRIES: "2" } },
        ends: "failure",
        evidence: ["terminal_reason api_error, status 429"],
        requests: 3,
      },
      {
        title: "because it is busy for minutes, has failed at once",
        turns: [{ status: 429, headers: { "retry-after": "300" } }],
        ends: "failure",
        evidence: ["terminal_reason api_error, status 429"],
        requests: 1,
      },
      {
        // TRAP 14
        title: "because it is busy, says a subscription's server, is not at its usage limit",
        turns: [{ status: 429 }],
        agent: { env: once },
        login: "subscription",
        ends: "failure",
        evidence: ["status 429", "not your usage limit"],
        recording: "busy-server",
      },
      {
        title: "with an error of the server's has failed",
        turns: [{ status: 500 }],
        agent: { env: once },
        ends: "failure",
        evidence: ["terminal_reason api_error, status 500"],
        requests: 2,
        recording: "server-error",
      },
      {
        title: "because it is overloaded has failed",
        turns: [{ status: 529 }],
        ends: "failure",
        evidence: ["terminal_reason api_error, status 529", "Overloaded"],
      },
      {
        title: "in the middle of an answer because it is overloaded has failed",
        turns: [{ overloaded: true }],
        agent: { env: once },
        ends: "failure",
        evidence: ["terminal_reason api_error, status 529, API Error: Overloaded"],
      },
      {
        title: "because nobody listens there has failed",
        turns: [],
        agent: { env: once },
        url: "http://127.0.0.1:1",
        ends: "failure",
        evidence: ["api_error connection_failed", "ECONNREFUSED"],
        requests: 0,
      },
      {
        title: "because the connection is cut has failed",
        turns: [{ cut: true }],
        agent: { env: once },
        ends: "failure",
        evidence: ["api_error connection_failed"],
        recording: "connection-cut",
      },
      {
        title: "with an error that nobody knows has failed",
        turns: [refusal("messages.3: something odd")],
        ends: "failure",
        evidence: ["status 400", "something odd"],
      },
      {
        title: "because it takes the request and never answers, is given up",
        turns: [{ deaf: true }],
        agent: { env: { API_TIMEOUT_MS: "3000", CLAUDE_CODE_MAX_RETRIES: "1" } },
        ends: "failure",
        evidence: ["terminal_reason api_error", "Request timed out"],
        requests: 2,
      },
      {
        title: "because it falls silent in the middle of an answer, is given up",
        turns: [{ hang: true }],
        agent: { env: { CLAUDE_BYTE_STREAM_IDLE_TIMEOUT_MS: "10000" } },
        ends: "failure",
        evidence: ["api_error stream_idle_timeout"],
        requests: 1,
        recording: "silent-stream",
      },
      {
        title: "because it never answers, is silent where monoco's patience ends first",
        turns: [{ deaf: true }],
        limits: { silenceMinutes: 0.05 },
        ends: "silent",
        evidence: ["no output for 0.05 minutes"],
      },
      {
        title: "because it falls silent, is silent where monoco's patience ends first",
        turns: [{ hang: true }],
        limits: { silenceMinutes: 0.05 },
        ends: "silent",
        evidence: ["no output for 0.05 minutes"],
      },
    ]);
  });

  // TRAP 15
  describe("that only a person can help", () => {
    table([
      {
        title: "has a key that is no good, and gives up within monoco's limits",
        turns: [{ status: 401, body: apiError("authentication_error", "invalid x-api-key") }],
        ends: "needs_login",
        evidence: ["terminal_reason api_error, status 401", "Invalid API key"],
        recording: "unauthorized",
      },
      {
        title: "has no key",
        turns: [],
        login: "none",
        ends: "needs_login",
        evidence: ["Not logged in"],
        requests: 0,
        recording: "not-logged-in",
      },
      {
        title: "may not do what it asks",
        turns: [{ status: 403, body: apiError("permission_error", "not allowed") }],
        ends: "needs_login",
        evidence: ["terminal_reason api_error, status 403"],
        requests: 1,
      },
      {
        title: "has a model that does not exist",
        turns: [{ status: 404, body: apiError("not_found_error", "model: claude-x") }],
        agent: { model: "claude-x" },
        ends: "needs_login",
        evidence: ["terminal_reason api_error, status 404", "the selected model (claude-x)"],
        recording: "model-missing",
      },
      {
        title: "has no credit left",
        turns: [refusal("Your credit balance is too low to access the Anthropic API.")],
        ends: "needs_login",
        evidence: ["terminal_reason api_error, status 400, Credit balance is too low"],
        requests: 1,
        recording: "no-credit",
      },
      {
        title: "has no credit left, which is not hidden by hooks that were not loaded",
        turns: [refusal("Your credit balance is too low to access the Anthropic API.")],
        project: { disableAllHooks: true },
        ends: "needs_login",
        evidence: ["Credit balance is too low"],
        hooksMissing: true,
      },
    ]);
  });

  // TRAP 14
  describe("at its usage limit", () => {
    const farMs = Date.UTC(2099, 11, 1);
    table([
      {
        title: "of a subscription",
        turns: [{ status: 429, headers: usageLimitHeaders(farMs) }],
        login: "subscription",
        ends: "usage_limit",
        evidence: ["the five hour limit is used up", "api_error usage_limit_reached, status 429"],
        resetsAtMs: farMs,
        requests: 1,
        recording: "usage-limit",
      },
      {
        title: "of a key",
        turns: [
          refusal(
            "You have reached your specified API usage limits. You will regain access on 2099-12-01 at 00:00 UTC.",
          ),
        ],
        ends: "usage_limit",
        evidence: ["You have reached your specified API usage limits"],
        resetsAtMs: farMs,
        recording: "spending-limit",
      },
    ]);
  });

  describe("that a signal ends", () => {
    const loop = "for i in 1; do sleep 60; done";
    /** In its home: in its workspace that would be work, and who has worked is not put off. */
    const leaveAtHome = `(cd; ${leave}; ${lookAtLeft})`;
    const wasAliveAtHome = { "../../../../home/left.alive": wasAlive["left.alive"] };
    table([
      {
        title: "INT in the middle of a tool, exits with 0 and has failed", // TRAP 11
        turns: [bash(`kill -INT $PPID; ${loop}`)],
        ends: "failure",
        evidence: ["interrupted from outside: terminal_reason aborted_tools"],
        recording: "interrupt",
      },
      {
        title: "INT in the middle of an answer, exits with 0 and has failed",
        turns: [signalled("SIGINT")],
        ends: "failure",
        // On a busy machine it is gone before its last line.
        evidence: [
          /interrupted from outside: terminal_reason aborted_streaming|before it had said how it ended/,
        ],
      },
      {
        title: "INT before its first turn, exits with 0 and without a word, has failed",
        turns: stops,
        project: hook("SessionStart", "kill -INT $CLAUDE_PID"),
        ends: "failure",
        evidence: ["exit status 0", "before it had said how it ended"],
        hooksMissing: "either",
        requests: 0,
      },
      {
        title: "TERM in the middle of a tool, has failed, and the tool is gone",
        turns: [bash(`${leaveAtHome}; kill -TERM $PPID; ${loop}`)],
        made: wasAliveAtHome,
        ends: "failure",
        evidence: ["exit status 143 (killed by signal 15)"],
      },
      {
        title: "TERM in the middle of an answer, has failed",
        turns: [signalled("SIGTERM")],
        ends: "failure",
        evidence: ["exit status 143 (killed by signal 15)"],
      },
      {
        title: "HUP, has failed",
        turns: [bash(`kill -HUP $PPID; ${loop}`)],
        ends: "failure",
        evidence: ["exit status 129 (killed by signal 1)"],
      },
      {
        title: "KILL, has failed, and the tool that it leaves alive is gone", // TRAP 7
        turns: [bash(`${leaveAtHome}; kill -KILL $PPID; ${loop}`)],
        made: wasAliveAtHome,
        ends: "failure",
        evidence: ["exit status 137 (killed by signal 9)"],
      },
    ]);
  });

  // TRAP 4
  describe("without monoco's hooks says so:", () => {
    table([
      {
        title: "the project has switched all hooks off",
        turns: stops,
        project: { disableAllHooks: true },
        ends: "completed_without_submit",
        evidence: ["terminal_reason completed"],
        hooksMissing: true,
        requests: 1,
      },
      {
        title: "settings of a wrong shape were dropped whole",
        turns: stops,
        // A hook that is not ours proves nothing.
        project: hook("SessionStart", "true"),
        agent: { args: ["--settings", '{"permissions":{"allow":"Bash"}}'] },
        ends: "completed_without_submit",
        evidence: ["terminal_reason completed"],
        hooksMissing: true,
        requests: 1,
      },
      {
        title: "the CLI refused its command line",
        turns: stops,
        agent: { args: ["--no-such-flag"] },
        ends: "failure",
        evidence: ["exit status 1", "stderr: error: unknown option '--no-such-flag'"],
        hooksMissing: true,
        requests: 0,
      },
    ]);
  });
});

describe("a process of Claude Code", () => {
  test("that is to open an unknown conversation fails, and says so", async ({ onTestFinished }) => {
    const place = await adapterIn([], onTestFinished);
    const session = place.start({ resume: true });
    expect(await outcomeOf(session)).toEqual({
      reason: "failure",
      evidence: [
        expect.stringContaining("No conversation found with session ID"),
        expect.stringContaining("stderr: No conversation found"),
      ],
    });
    expect(place.model.requests).toEqual([]);
    recordClaude("resume-unknown", session.lines);
  });

  test("whose session's id is in use fails at once, with words on standard error only", async ({
    onTestFinished,
  }) => {
    const place = await adapterIn([{ text: "One." }], onTestFinished);
    const agentSessionId = randomUUID();
    await place.start({ agentSessionId }).exit;
    expect(await outcomeOf(place.start({ agentSessionId }))).toEqual({
      reason: "failure",
      evidence: ["exit status 1", expect.stringMatching(/^stderr: .*already in use/)],
    });
  });

  test("that compacts again and again has reached its context limit", async ({ onTestFinished }) => {
    const turns = Array.from({ length: 40 }, (_, index) => (request: ModelRequest): Turn => {
      const asked = request.messages.at(-1)?.text ?? "";
      return asked.includes("TEXT ONLY") ? { text: "A summary." } : bash("true", index < 3 ? 1000 : 970_000);
    });
    const place = await adapterIn(turns, onTestFinished);
    const session = place.start({
      settings: { kind: "claude", args: ["--settings", '{"autoCompactEnabled":true}'] },
    });
    expect(await outcomeOf(session)).toEqual({
      reason: "context_limit",
      evidence: [expect.stringContaining("terminal_reason rapid_refill_breaker, api_error autocompact")],
    });
    expect(session.updates.filter(({ type }) => type === "compacted").length).toBeGreaterThan(1);
    recordClaude("compaction", session.lines);
  });
});

/** What the relay would record of a session that nobody stopped. */
async function outcomeOf(session: LiveSession): Promise<Outcome> {
  const { exitCode = null, stderr } = await session.exit;
  const seen = session.updates.reduce(see, nothingSeen());
  return classify({
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
}

/** A workspace without a relay: only the adapter and the CLI. */
async function adapterIn(turns: Turns, onTestFinished: Finish) {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "monoco-test-")));
  mkdirSync(join(folder, "workspace"));
  const model = await startMessages([{ match: "do the work", turns }]);
  onTestFinished(async () => {
    await model.close();
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  });
  const environment = liveEnvironment({ home: join(folder, "home"), modelUrl: model.url });
  const start = (request: Partial<AgentRequest>): LiveSession =>
    startLiveSession(claude, { folder, environment, request });
  return { model, start };
}

type Finish = (dispose: () => Promise<void>) => void;

/** A project of its own, in which `monoco run --once` runs to its end. */
async function runOnce(row: Row, onTestFinished: Finish) {
  const sandbox = openSandbox();
  const model = await startMessages([{ match: issue, turns: row.turns }]);
  const project = join(sandbox.folder, "project");
  writeFiles(project, {
    // JSON is YAML.
    "monoco.yaml": JSON.stringify({
      agents: { claude: { kind: "claude", ...row.agent } },
      limits: row.limits,
      exit: { ask: false },
    }),
    [`issues/${issue}-a.md`]: `---\nid: ${issue}\ntitle: A\nstatus: open\nstage: draft\n---\n\n## Objective\n\nA.\n\n## Acceptance Criteria\n\n- [ ] a\n`,
    ...(row.project ? { ".claude/settings.json": JSON.stringify(row.project) } : {}),
  });
  await sandbox.sh(project, "git init -q -b main . && git add -A && git commit -qm Begin");
  const env = { ...sandbox.env, ...loginOf(row, join(sandbox.folder, "home"), model) };
  const running = sandbox.start(["run", issue, "--once"], { cwd: project, env });
  onTestFinished(async () => {
    running.kill("SIGTERM");
    await running;
    await model.close();
    sandbox.dispose();
  });
  return { ran: await running, project, sandbox, model };
}

function loginOf({ login, url }: Row, home: string, model: ModelServer): Record<string, string> {
  const environment = liveEnvironment({ home, modelUrl: url ?? model.url });
  if (login === "subscription") return subscription(environment);
  const { ANTHROPIC_API_KEY: _, ...withoutKey } = environment;
  return login === "none" ? withoutKey : environment;
}

function sourceOf(part: string | RegExp): string {
  return part instanceof RegExp
    ? `(?:${part.source})`
    : part.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);
}

function limitsIn(events: readonly RelayEvent[]): number[] {
  return events.flatMap((event) => (event.type === "limit.hit" ? [event.resetsAtMs] : []));
}

function bash(command: string, tokens = 1000, more: object = {}): Turn {
  return {
    text: "Working.",
    tools: [{ name: "Bash", input: { command, description: "work", ...more } }],
    usage: { input_tokens: tokens },
  };
}

/** In the workspace, which the CLI names in its prompt. */
function write(path: string) {
  return ({ system, messages }: ModelRequest): Turn => {
    const words = [system, ...messages.map(({ text }) => text)].join("\n");
    const folder = /working directory: (.+)/i.exec(words)?.[1]?.trim() ?? "no folder";
    return { tools: [{ name: "Write", input: { file_path: join(folder, path), content: "{}" } }] };
  };
}

/** Signals the CLI as soon as it waits for this answer, which never comes. */
function signalled(signal: NodeJS.Signals) {
  return ({ session }: ModelRequest): Turn => {
    signalClaude(session, signal);
    return { hang: true };
  };
}

function refusal(message: string): Turn {
  return { status: 400, body: apiError("invalid_request_error", message) };
}

function apiError(type: string, message: string) {
  return { type: "error", error: { type, message } };
}

/** Settings of Claude Code with one hook. */
function hook(event: string, command: string) {
  return { hooks: { [event]: [{ hooks: [{ type: "command", command }] }] } };
}
