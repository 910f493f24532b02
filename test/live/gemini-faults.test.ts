/** Every way in which a session of Gemini CLI can end, with the real one: the stop reason, its evidence, and nothing left behind. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { StopReason } from "../../src/core/event.ts";
import { eventsOf, openSandbox, processesOf } from "../support/cli.ts";
import type { Sandbox } from "../support/cli.ts";
import { errorOf, startGemini } from "../../src/probe/gemini-model.ts";
import type { GeminiTurn } from "../../src/probe/gemini-model.ts";
import type { ModelServer } from "../../src/probe/scripted-model.ts";
import { geminiDir, geminiEnvironment, recordGemini } from "./gemini.ts";

type Row = {
  /** Also the name of the recorded stream. */
  name: string;
  turns: readonly GeminiTurn[];
  reason: StopReason;
  /** In the evidence. */
  says: string | RegExp;
  /** Milliseconds from its end to the reset that the limit names, with the wait that was over meanwhile. */
  resetsInMs?: number;
  /** The project's own settings of the CLI. */
  settings?: object;
  /** In the evidence, where its hooks cannot be proved (TRAP 4). */
  hooksOff?: true;
};

const rpc = (type: string, fields: object) => ({
  "@type": `type.googleapis.com/google.rpc.${type}`,
  ...fields,
});
const retryIn = (retryDelay: string) => rpc("RetryInfo", { retryDelay });
const quota = (quotaId: string) => rpc("QuotaFailure", { violations: [{ quotaId }] });
const cloudCode = (reason: string) => rpc("ErrorInfo", { reason, domain: "cloudcode-pa.googleapis.com" });
const shell = (command: string, more: { tokens?: number; is_background?: true } = {}): GeminiTurn => {
  const { tokens = 20_000, ...input } = more;
  return {
    tools: [{ name: "run_shell_command", input: { command, description: "work", ...input } }],
    usage: { input_tokens: tokens },
  };
};
/** What stops too early is asked to go on, twice, before it may. */
const thrice = (turn: GeminiTurn): GeminiTurn[] => [turn, turn, turn];

const rows: readonly Row[] = [
  {
    name: "unauthorized",
    turns: [{ status: 401, body: errorOf(401, "API key not valid.") }],
    reason: "needs_login",
    says: "status 401",
  },
  {
    name: "key-not-valid",
    turns: [{ status: 400, body: errorOf(400, "API key not valid. Please pass a valid API key.") }],
    reason: "needs_login",
    says: "API key not valid",
  },
  {
    name: "no-such-model",
    turns: [{ status: 404, body: errorOf(404, "models/gemini-9 is not found for API version v1beta.") }],
    reason: "needs_login",
    says: "models/gemini-9 is not found",
  },
  { name: "busy-server", turns: [{ status: 429 }], reason: "failure", says: "status 429" },
  {
    name: "no-capacity",
    turns: [
      {
        status: 429,
        body: errorOf(429, "No capacity available for model", [cloudCode("MODEL_CAPACITY_EXHAUSTED")]),
      },
    ],
    reason: "failure",
    says: "No capacity available",
  },
  {
    name: "quota-with-time",
    turns: [{ status: 429, body: errorOf(429, "Quota exceeded.", [retryIn("4000s")]) }],
    reason: "usage_limit",
    says: "Suggested retry after 4000s",
    resetsInMs: 4_000_000,
  },
  {
    name: "quota-retried",
    turns: [{ status: 429, body: errorOf(429, "Quota exceeded.", [retryIn("2s")]) }],
    reason: "usage_limit",
    says: "Suggested retry after 2s",
    resetsInMs: 2_000,
  },
  {
    name: "daily-quota",
    turns: [
      {
        status: 429,
        body: errorOf(429, "Quota exceeded.", [quota("GenerateRequestsPerDay"), retryIn("20s")]),
      },
    ],
    reason: "usage_limit",
    says: "exhausted your daily quota",
  },
  {
    name: "quota-waited-for",
    turns: [
      {
        status: 429,
        body: errorOf(
          429,
          "You have exhausted your capacity on this model. Your quota will reset after 3h12m9s.",
          [cloudCode("QUOTA_EXHAUSTED"), retryIn("11529s")],
        ),
      },
    ],
    reason: "usage_limit",
    says: "Your quota will reset after 3h12m9s",
    resetsInMs: 11_529_000,
  },
  { name: "server-error", turns: [{ status: 500 }], reason: "failure", says: "status 500" },
  {
    name: "context-exceeded",
    turns: [
      shell("true"),
      {
        status: 400,
        body: errorOf(
          400,
          "The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).",
        ),
      },
    ],
    reason: "context_limit",
    says: "exceeds the maximum number of tokens",
  },
  {
    name: "context-overflow",
    turns: [shell("yes x | head -c 20000", { tokens: 1_048_500 }), { text: "Never." }],
    reason: "context_limit",
    says: "stopped without an answer, at 1048550 tokens",
  },
  { name: "connection-cut", turns: [{ cut: true }], reason: "failure", says: "terminated" },
  { name: "hang", turns: [{ deaf: true }], reason: "silent", says: "no output" },
  { name: "stall", turns: [{ hang: true }], reason: "silent", says: "no output" },
  {
    name: "answer-cut",
    turns: thrice({ text: "It is cut off te", finish: "MAX_TOKENS" }),
    reason: "failure",
    says: "cut off at the most tokens",
  },
  {
    name: "answer-too-long",
    turns: thrice({ text: "", finish: "MAX_TOKENS" }),
    reason: "failure",
    says: "exceeded the token limit",
  },
  {
    name: "refused-in-words",
    turns: thrice({ text: "I cannot", finish: "SAFETY" }),
    reason: "failure",
    says: "stopped by a filter",
  },
  {
    name: "refused",
    turns: thrice({ text: "", finish: "SAFETY" }),
    reason: "failure",
    says: "safety settings",
  },
  {
    name: "loop",
    turns: Array.from({ length: 20 }, () => shell("echo same")),
    reason: "failure",
    says: "Loop detected",
  },
  {
    name: "max-turns",
    settings: { model: { maxSessionTurns: 1 } },
    turns: [shell("true"), { text: "Never." }],
    reason: "budget",
    says: "max session turns",
  },
  {
    name: "denied",
    turns: [
      { tools: [{ name: "write_file", input: { file_path: "../outside.txt", content: "x" } }] },
      ...thrice({ text: "Then not." }),
    ],
    reason: "completed_without_submit",
    says: "neither submitted nor handed over",
  },
  {
    name: "hooks-off",
    settings: { hooksConfig: { enabled: false } },
    turns: [{ text: "Done." }],
    reason: "completed_without_submit",
    says: "neither submitted nor handed over",
    hooksOff: true,
  },
  {
    name: "terminated",
    turns: [shell("kill -TERM $PPID; sleep 60")],
    reason: "failure",
    says: "interrupted from outside",
  },
  {
    name: "killed",
    turns: [shell("kill -KILL $PPID; sleep 60")],
    reason: "failure",
    says: "SIGKILL",
  },
  {
    name: "orphan",
    turns: [shell("setsid nohup sleep 600 >/dev/null 2>&1 & echo begun"), ...thrice({ text: "Done." })],
    reason: "completed_without_submit",
    says: "neither submitted nor handed over",
  },
  {
    name: "background",
    turns: [shell("sleep 600", { is_background: true }), ...thrice({ text: "Done." })],
    reason: "completed_without_submit",
    says: "neither submitted nor handed over",
  },
];

const issue = "FEAT-0001";

describe.skipIf(!geminiDir)("a session", () => {
  let sandbox: Sandbox;
  let model: ModelServer;
  let env: Record<string, string>;

  beforeAll(async () => {
    sandbox = openSandbox();
    model = await startGemini(rows.map(({ name, turns }) => ({ match: `Meet ${name}\n`, turns })));
    const live = geminiEnvironment({ home: join(sandbox.folder, "home"), modelUrl: model.url });
    env = { ...sandbox.env, ...live };
  });

  afterAll(async () => {
    await model.close();
    sandbox.dispose();
  });

  test.concurrent.for(rows.map((row) => [row.name, row] as const))(
    "%s",
    { timeout: 300_000 },
    async ([name, row], { expect }) => {
      const project = await makeProject(sandbox, row);
      const relay = join(project, ".monoco", "relays", issue);
      const running = sandbox.start(["run", issue], { cwd: project, env });
      if (row.reason === "usage_limit") {
        await journaled(join(relay, "journal.jsonl"), "limit.hit");
        running.kill("SIGINT");
      }
      const ran = await running;
      const events = eventsOf(project, issue);
      const ended = events.find((event) => event.type === "session.ended");
      expect(ended, ran.stdout + ran.stderr).toMatchObject({ reason: row.reason });
      expect(ended?.evidence.join("\n")).toMatch(row.says);
      expect(ended?.durationMs).toBeLessThan(120_000);
      expect(events.some((event) => event.type === "handoff.recorded")).toBe(true);
      expect(JSON.stringify(ended).includes("hooks were not seen")).toBe(row.hooksOff === true);
      const limit = events.find((event) => event.type === "limit.hit");
      const resetsInMs = (limit?.resetsAtMs ?? NaN) - (ended?.atMs ?? 0);
      if (row.resetsInMs) expect(Math.abs(row.resetsInMs - resetsInMs)).toBeLessThan(60_000);
      expect(processesOf(relay)).toEqual([]);
      const stream = readFileSync(join(relay, "sessions", "0001-executor", "stream.jsonl"), "utf8");
      recordGemini(name, stream.split("\n"));
    },
  );
});

/** One of its own: a used-up account is used up for all relays of a repository. */
async function makeProject(sandbox: Sandbox, row: Row): Promise<string> {
  const { name } = row;
  const project = join(sandbox.folder, name);
  mkdirSync(join(project, "issues"), { recursive: true });
  writeFileSync(join(project, "monoco.yaml"), settings);
  if (row.settings) {
    mkdirSync(join(project, ".gemini"));
    writeFileSync(join(project, ".gemini", "settings.json"), JSON.stringify(row.settings));
  }
  const text = `---\nid: ${issue}\ntitle: Meet ${name}\nstatus: open\nstage: draft\n---\n\n## Objective\n\nSurvive it.\n\n## Acceptance Criteria\n\n- [ ] it is survived${", and what comes after it".repeat(20)}\n`;
  writeFileSync(join(project, "issues", `${issue}-meet.md`), text);
  await sandbox.sh(project, "git init -q -b main . && git add -A && git commit -qm Begin");
  return project;
}

async function journaled(journal: string, type: string): Promise<void> {
  const told = () => existsSync(journal) && readFileSync(journal, "utf8").includes(`"type":"${type}"`);
  await expect.poll(told, { timeout: 120_000 }).toBe(true);
}

const settings = `agents:
  gemini: { kind: gemini, model: gemini-2.5-pro }
roles: { executor: { agents: [gemini] }, reviewer: { agents: [gemini] } }
limits: { sessionsMax: 1, backoffSeconds: 0, silenceMinutes: 0.5, contextMarks: [2000000, 2000000, 2000000] }
`;
