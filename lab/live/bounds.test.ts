/** A session whose model fails for ever ends in bounded time as shipped: neither monoco's settings nor the CLI's own are made less patient. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test, vi } from "vitest";
import type { TestContext } from "vitest";
import type { Turn } from "../../src/probe/scripted-model.ts";
import { ofFull } from "../../test/support/full.ts";
import { claude } from "./claude.ts";
import { codex } from "./codex.ts";
import type { Cell } from "./faults/fault.ts";
import { meet } from "./faults/meet.ts";
import { gemini } from "./gemini.ts";
import { startFailing } from "./openai-model.ts";
import { opencode } from "./opencode.ts";
import { dirOf } from "./subject.ts";
import type { Homes, Subject } from "./subject.ts";

// Most of it is waiting; OpenCode, which waits longest, begins.
vi.setConfig({ maxConcurrency: 12, testTimeout: 300_000 });

type End = Omit<Cell, "turns" | "config">;
type Shipped = { dir: string | undefined; run(turn: Turn, end: End, context: TestContext): Promise<void> };

function shipped<T extends Turn, Config>(
  subject: Subject<T, Config>,
  setup: Partial<Cell<T, Config>> = {},
): Shipped {
  return {
    dir: dirOf(subject),
    run: (turn, end, context) =>
      meet(subject, { fault: "", cell: { turns: [turn as T], ...end, ...setup } }, context),
  };
}

/** Codex with its built-in provider, at another address: OpenAI's API cannot be had here. */
const builtIn: Subject = {
  ...codex,
  start: ([conversation]) => startFailing(conversation!.turns[0] as Turn),
  environment: ({ home, modelUrl }: Homes) => {
    const folder = join(home, ".codex");
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, "config.toml"), `openai_base_url = "${modelUrl}"\n`);
    writeFileSync(join(folder, "auth.json"), JSON.stringify({ OPENAI_API_KEY: "dummy" }));
    return { CODEX_HOME: folder };
  },
};

const subjects = {
  // Its settings look nothing up in the network.
  opencode: shipped(opencode),
  claude: shipped(claude, { login: "subscription" }),
  /** With a provider of the person's own. */
  codex: shipped(codex, { config: {} }),
  "codex-openai": shipped(builtIn),
  gemini: shipped(gemini, { agent: { model: undefined } }),
};

/** What the model does, for ever. */
const faults: Record<string, Turn> = {
  deaf: { deaf: true },
  hang: { hang: true },
  429: { status: 429 },
  500: { status: 500 },
  cut: { cut: true },
  refused: {},
};

type Row = readonly [subject: keyof typeof subjects, fault: keyof typeof faults, end: End];

/** Tried to the end. docs/agents.md has how long the other faults last. */
const failures = (
  [
    ["opencode", "429", "APIError 429: scripted 429", 6],
    ["opencode", "500", "APIError 500: scripted 500", 6],
    ["claude", "429", "terminal_reason api_error, status 429", 6],
    ["claude", "500", "terminal_reason api_error, status 500", 6],
    ["claude", "cut", "api_error connection_failed", 6],
    ["codex", "429", "responseTooManyFailedAttempts 429: exceeded retry limit", 1],
    ["codex", "500", "internalServerError", 30],
    ["codex", "cut", "stream disconnected before completion", 6],
    ["codex", "refused", "httpConnectionFailed", 0],
    ["codex-openai", "429", "responseTooManyFailedAttempts 429: exceeded retry limit", 2],
    ["codex-openai", "500", "internalServerError", 37],
    ["codex-openai", "cut", "stream disconnected before completion", 13],
    ["gemini", "429", "status 429", 3],
    ["gemini", "500", "status 500", 3],
    ["gemini", "cut", "terminated", 1],
  ] as const
).map(([subject, fault, evidence, asked]): Row => {
  // Measured on a quiet machine: up to 33 s, OpenCode 90 s.
  const secondsMax = subject === "opencode" ? 150 : 75;
  const unreachable = fault === "refused" ? { unreachable: true as const } : {};
  return [subject, fault, { ends: ["failure", evidence], asked, secondsMax, ...unreachable }];
});

/** Whatever a CLI would do by itself: it has begun to wait, and monoco's patience ends first. */
const silences = (["opencode", "claude", "codex", "gemini"] as const).flatMap((subject) =>
  (["deaf", "hang"] as const).map((fault): Row => {
    const limits = { silenceMinutes: 0.75 };
    return [
      subject,
      fault,
      { ends: ["silent", "no output for 0.75 minutes"], asked: 1, secondsMax: 120, limits },
    ];
  }),
);

for (const [subject, fault, end] of [...failures, ...silences]) {
  const { dir, run } = subjects[subject];
  const options = fault === "cut" ? {} : ofFull;
  test
    .skipIf(!dir)
    .concurrent(`${subject}, ${fault}: ${end.ends[0]}`, options, (context) =>
      run(faults[fault]!, end, context),
    );
}
