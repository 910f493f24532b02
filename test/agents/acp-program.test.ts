/** The driver of the Agent Client Protocol, with a stand-in for the agent: what it tells of a turn, of its end, and what it goes on with. */
import { existsSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { execa } from "execa";
import { expect, test as base } from "vitest";
import { acp } from "../../src/agents/acp/adapter.ts";
import type { AgentRequest } from "../../src/agents/agent.ts";
import type { AgentUpdate } from "../../src/core/session/update.ts";
import { fixture } from "../support/cli.ts";
import { ofFull } from "../support/full.ts";

const test = base.concurrent;

const says = { say: "Done." };
const stops = { stop: "end_turn" };
const begun = [{ type: "identified", agentSessionId: "s-1" }, { type: "hooks_proved" }];
const done = { type: "message", text: "Done." };
const usage = (used: number) => ({ update: { sessionUpdate: "usage_update", used, size: 200_000 } });

test.for<[string, object[]]>([
  ["", []],
  [", also where one was told in its middle", [usage(100_000)]],
])(
  "the context that is told behind a turn's end is told before the self-check is asked%s",
  async ([, before]) => {
    const late = { afterMs: 400, look: "asked", ...usage(150_000) };
    const monoco = `if (process.argv[3] === "on-stop") (await import("node:fs")).writeFileSync("asked", "");`;
    const { updates, kept } = await run([[says, ...before, stops, late]], { monoco });
    expect(kept).toContainEqual({ look: false });
    expect(updates.slice(-2)).toEqual([
      { type: "usage", contextTokens: 150_000, windowTokens: 200_000 },
      ended("completed", "stop reason end_turn"),
    ]);
  },
);

test("a mark that comes as a message and as the self-check's answer is told once", async () => {
  const wrapUp = "WRAP UP NOW";
  // The relay tells it when it has read the context; the self-check answers after that.
  const monoco = `import { existsSync } from "node:fs";
if (process.argv[3] === "on-stop" && !existsSync("asked")) {
  (await import("node:fs")).writeFileSync("asked", "");
  while (!existsSync("told")) await new Promise((resolve) => setTimeout(resolve, 10));
  process.stdout.write(JSON.stringify({ decision: "block", reason: "${wrapUp}" }));
}`;
  const { prompts, updates } = await run(
    [
      [says, stops, usage(150_000)],
      [{ say: "Wrapped up." }, stops],
    ],
    {
      monoco,
      onUpdate: (update, { write, workspace }) => {
        if (update.type !== "usage") return;
        write(`${wrapUp}\n`);
        writeFileSync(join(workspace, "told"), "");
      },
    },
  );
  expect(prompts).toEqual(["the prompt", wrapUp]);
  expect(updates.at(-1)).toEqual(ended("completed", "stop reason end_turn"));
});

test(
  "what is said to it in a turn waits for the turn's end, and comes before the self-check",
  ofFull,
  async () => {
    const tool = { update: { sessionUpdate: "tool_call", toolCallId: "c-1", title: "ls", kind: "execute" } };
    const { prompts } = await run([[tool, { afterMs: 300, ...says }, stops]], {
      monoco: 'if (process.argv[3] === "on-stop") throw new Error("asked");',
      onUpdate: (update, { write }) => update.type === "tool" && write("Use TypeScript."),
    });
    expect(prompts).toEqual(["the prompt", "Use TypeScript."]);
  },
);

// TRAP 11, TRAP 14, TRAP 15
test.for<[string, object[], AgentUpdate[]]>([
  [
    "an answer cut at its most tokens",
    [says, { stop: "max_tokens" }],
    [done as AgentUpdate, ended("failure", "max_tokens")],
  ],
  ["all its requests used up", [{ stop: "max_turn_requests" }], [ended("budget", "max_turn_requests")]],
  ["a refusal", [{ stop: "refusal" }], [ended("failure", "refusal")]],
  ["a turn that was cancelled", [{ stop: "cancelled" }], [ended("interrupted", "cancelled")]],
  ["an end without a word: unknown, never done", [stops], [ended("unknown", "without a word")]],
  [
    "a login that is needed",
    [{ error: { code: -32_000, message: "Log in" } }],
    [ended("needs_login", "Log in")],
  ],
  ["a 401 behind it", [{ error: { code: 401, message: "bad key" } }], [ended("needs_login", "bad key")]],
  [
    "a 429 behind it",
    [{ error: { code: 429, message: "used up" } }],
    [{ type: "limit", text: expect.stringContaining("used up") as string }, ended("usage_limit", "used up")],
  ],
  ["another error", [{ error: { code: -32_603, message: "broken" } }], [ended("failure", "broken")]],
  [
    "an agent that exits",
    [says, { exit: 3 }],
    [done as AgentUpdate, ended("failure", "in the middle of the conversation: exit 3")],
  ],
  ["an agent that is killed", [{ signal: "SIGKILL" }], [ended("failure", "SIGKILL")]],
])("ends by %s", ofFull, async ([, steps, expected]) => {
  const { updates } = await run([steps]);
  expect(updates).toEqual([...begun, ...expected]);
});

const [key, other] = ["own-key", "other-key"].map((id) => ({ id, name: id }));
const byVariable = (name: string) => ({ ...key, type: "env_var", vars: [{ name }] });
const terminal = { id: "login", name: "Log in", type: "terminal" };
const refused = { error: { code: -32_603, message: "no such key" } };

test.for<[string, object, string[], string?]>([
  ["by the only method that the agent does itself", { authMethods: [terminal, key] }, ["own-key"]],
  ["by a method whose variables are set", { authMethods: [other, byVariable("PATH")] }, ["own-key"]],
  ["by none whose variables are not", { authMethods: [byVariable("NO_SUCH_KEY")] }, [], "Log in"],
  ["by none of several", { authMethods: [key, other] }, [], "Log in"],
  ["by none that needs a terminal", { authMethods: [terminal] }, [], "Log in"],
  ["in vain", { authMethods: [key], answer: refused }, ["own-key"], 'its login "own-key": no such key'],
])("an agent that asks for a login is logged in %s", async ([, login, asked, words]) => {
  const { updates, kept } = await run([[says, stops]], { login });
  expect(kept.flatMap((entry) => ("authenticate" in entry ? [entry.authenticate] : []))).toEqual(asked);
  expect(updates).toEqual(
    words === undefined
      ? [...begun, done, ended("completed", "stop reason end_turn")]
      : [ended("needs_login", words)],
  );
});

test("an agent that is not there could not be started", async () => {
  const { updates } = await run([], { program: ["/nowhere/agent"] });
  expect(updates).toEqual([ended("failure", "/nowhere/agent could not be started")]);
});

test.for<[string, string[], object]>([
  [
    "once, if that can be chosen",
    ["reject_once", "allow_always", "allow_once"],
    { outcome: "selected", optionId: "allow_once" },
  ],
  [
    "for good, if only that can be",
    ["reject_once", "allow_always"],
    { outcome: "selected", optionId: "allow_always" },
  ],
  ["not where it cannot be", ["reject_once"], { outcome: "cancelled" }],
])("a permission is given %s", ofFull, async ([, kinds, outcome]) => {
  const options = kinds.map((kind) => ({ optionId: kind, kind, name: kind }));
  const { kept } = await run([[{ options }, { afterMs: 100, ...says }, stops]]);
  expect(kept).toContainEqual({ outcome });
});

test("what is played back of an opened conversation is not told again", ofFull, async () => {
  const { updates } = await run([[says, stops]], { request: { resume: true } });
  expect(updates).toEqual([
    { type: "identified", agentSessionId: acpSession },
    { type: "hooks_proved" },
    done,
    ended("completed", "stop reason end_turn"),
  ]);
});

test("a command is told with what it printed where it failed", async () => {
  const call = {
    sessionUpdate: "tool_call",
    toolCallId: "c-1",
    title: "Bash",
    rawInput: { command: "false" },
  };
  const failed = { sessionUpdate: "tool_call_update", toolCallId: "c-1", status: "failed", content: [] };
  const { updates } = await run([[{ update: call }, { update: failed }, says, stops]]);
  expect(updates.slice(2)).toEqual([
    { type: "tool", name: "tool", summary: "Bash" },
    { type: "command", command: "false", error: "[]" },
    done,
    ended("completed", "stop reason end_turn"),
  ]);
});

// TRAP 13
test("a compaction is asked to be told, and told when it is done", ofFull, async () => {
  const compaction = (compactionId: string, ...states: string[]) =>
    states.map((status) => ({ update: { sessionUpdate: "compaction_update", compactionId, status } }));
  const { updates } = await run([
    [
      ...compaction("a", "in_progress", "failed"),
      ...compaction("b", "in_progress", "completed"),
      says,
      stops,
    ],
  ]);
  expect(updates.slice(2)).toEqual([{ type: "compacted" }, done, ended("completed", "stop reason end_turn")]);
});

test("garbage, half a line and updates of another age between its lines end nothing", async () => {
  const raw = 'garbage\n\u0000\u00ff{"half": \n';
  const { updates } = await run([[{ raw }, { update: { sessionUpdate: "from_the_future" } }, says, stops]]);
  expect(updates).toEqual([...begun, done, ended("completed", "stop reason end_turn")]);
});

const acpSession = "00000000-0000-4000-8000-000000000001";

type Told = { write(text: string): void; workspace: string };

/** A driver from its first line to its end. */
async function run(
  turns: readonly object[][],
  options: {
    request?: Partial<AgentRequest>;
    program?: string[];
    /** Stands for monoco: a module. Without it, a self-check lets the agent stop. */
    monoco?: string;
    /** The logins that the agent offers, and its answer to one. */
    login?: object;
    onUpdate?(update: AgentUpdate, told: Told): unknown;
  } = {},
) {
  const workspace = realpathSync(mkdtempSync(join(tmpdir(), "monoco-test-")));
  const log = join(workspace, "log");
  const monoco = join(workspace, "monoco.mjs");
  writeFileSync(monoco, options.monoco ?? "");
  const launch = acp.launch({
    role: "executor",
    session: 1,
    sessionOfRole: 1,
    prompt: "the prompt",
    workspace,
    sessionDir: workspace,
    agentSessionId: acpSession,
    resume: false,
    monoco: [process.execPath, monoco],
    settings: { kind: "acp", run: options.program ?? [process.execPath, fixture("acp.mjs")] },
    ...options.request,
  });
  const [program = "", ...args] = launch.argv;
  const child = execa(program, args, {
    cwd: workspace,
    env: {
      PATH: dirname(process.execPath),
      FAKE_ACP: JSON.stringify(turns),
      FAKE_ACP_LOG: log,
      FAKE_ACP_LOGIN: JSON.stringify(options.login ?? {}),
    },
    extendEnv: false,
    stdin: "pipe",
    reject: false,
  });
  child.stdin.write(launch.stdin);
  const { read, message } = acp.dialogue("");
  const told = { write: (text: string) => void child.stdin.write(message(text)!), workspace };
  const updates: AgentUpdate[] = [];
  for await (const line of child.iterable()) {
    for (const update of read(line)) {
      updates.push(update);
      options.onUpdate?.(update, told);
    }
  }
  await child;
  const kept = (existsSync(log) ? readFileSync(log, "utf8").trim().split("\n") : []).map(
    (line) => JSON.parse(line) as { prompt?: string },
  );
  rmSync(workspace, { recursive: true, force: true });
  return { updates, kept, prompts: kept.flatMap(({ prompt }) => prompt ?? []) };
}

function ended(ending: (AgentUpdate & { type: "ended" })["ending"], evidence: string): AgentUpdate {
  return { type: "ended", ending, evidence: expect.stringContaining(evidence) as string };
}
