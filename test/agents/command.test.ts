/** The `command` protocol: how monoco reads the lines that a program prints. */
import type { AgentSettings } from "../../src/agents/agent.ts";
import type { Verdict } from "../../src/core/review/verdict-schema.ts";
import { expect, test } from "vitest";
import type { AgentUpdate } from "../../src/core/session/update.ts";
import { command } from "../../src/agents/command.ts";

const finding = { id: "F1", severity: "major", title: "no test", evidence: { text: "0 tests" } } as const;

const verdict: Verdict = {
  verdict: "request_changes",
  criteria: [{ criterion: 1, result: "not_met", command: "npm test", exitCode: 1 }],
  probes: [{ command: "node cli.js --help", exitCode: 0, text: "usage" }],
  findings: [finding],
  trend: "stagnant",
  summary: "no",
};

test.for<[string, string, AgentUpdate[]]>([
  ["text is a message", "hello {there}", [{ type: "message", text: "hello {there}" }]],
  ["an empty line is nothing", "", []],
  ["a blank line is nothing", " \t ", []],
  ["message", '{"type":"message","text":"a\\nb"}', [{ type: "message", text: "a\nb" }]],
  ["session", '{"type":"session","id":"s-1"}', [{ type: "identified", agentSessionId: "s-1" }]],
  ["usage, the least of it", '{"type":"usage","contextTokens":5}', [{ type: "usage", contextTokens: 5 }]],
  [
    "usage, all of it",
    '{"type":"usage","contextTokens":5,"windowTokens":200000,"costUsd":0.25}',
    [{ type: "usage", contextTokens: 5, windowTokens: 200_000, costUsd: 0.25 }],
  ],
  ["a question", '{"type":"question","text":"Which port?"}', [{ type: "question", text: "Which port?" }]],
  ["limit without a time", '{"type":"limit","kind":"usage"}', [{ type: "limit", text: "usage limit" }]],
  [
    "limit with a time, of any zone",
    '{"type":"limit","kind":"usage","resetsAt":"2026-01-02T03:00:00+08:00"}',
    [
      {
        type: "limit",
        resetsAtMs: Date.UTC(2026, 0, 1, 19),
        text: "usage limit, resets at 2026-01-02T03:00:00+08:00",
      },
    ],
  ],
  [
    "a command that worked",
    '{"type":"command","command":"make","exitCode":0,"text":"ok"}',
    [{ type: "command", command: "make" }],
  ],
  [
    "a command that failed",
    '{"type":"command","command":"make","exitCode":2,"text":"no rule"}',
    [{ type: "command", command: "make", error: "no rule" }],
  ],
  [
    "a command that failed in silence",
    '{"type":"command","command":"make","exitCode":2}',
    [{ type: "command", command: "make", error: "exit 2" }],
  ],
  // TRAP 14
  [
    "limit with a time that cannot be read is a limit all the same",
    '{"type":"limit","kind":"usage","resetsAt":"at 3 pm"}',
    [{ type: "limit", text: "usage limit" }],
  ],
  [
    "an approval, the least of it",
    '{"type":"verdict","verdict":"approve"}',
    [{ type: "verdict", verdict: { verdict: "approve", criteria: [], probes: [], findings: [] } }],
  ],
  ["a verdict, all of it", JSON.stringify({ type: "verdict", ...verdict }), [{ type: "verdict", verdict }]],
  // TRAP 25
  [
    "a verdict that nobody knows is malformed, and none",
    '{"type":"verdict","verdict":"ok"}',
    [{ type: "verdict_malformed", text: expect.stringMatching(/^verdict: Invalid option/) }],
  ],
  [
    "a verdict without evidence is malformed",
    '{"type":"verdict","verdict":"approve","findings":[{"id":"F1","severity":"note","title":"t"}]}',
    [{ type: "verdict_malformed", text: expect.stringMatching(/^findings.0.evidence: /) }],
  ],
  [
    "a verdict in prose is prose",
    'The verdict: {"type":"verdict","verdict":"approve"}',
    [{ type: "message", text: 'The verdict: {"type":"verdict","verdict":"approve"}' }],
  ],
  [
    "a line of a type that nobody knows is a message",
    '{"type":"ended","ending":"completed"}',
    [{ type: "message", text: '{"type":"ended","ending":"completed"}' }],
  ],
  [
    "so is one of the wrong shape",
    '{"type":"usage","contextTokens":-1}',
    [{ type: "message", text: '{"type":"usage","contextTokens":-1}' }],
  ],
  ["so is broken JSON", '{"type":"usage"', [{ type: "message", text: '{"type":"usage"' }]],
  ["so is other JSON", "null", [{ type: "message", text: "null" }]],
  [
    "keys that nobody knows are passed over",
    '{"type":"session","id":"s","ending":"completed"}',
    [{ type: "identified", agentSessionId: "s" }],
  ],
])("%s", ([, line, expected]) => expect(command.dialogue("").read(line)).toEqual(expected));

test("a program is run with its arguments, the prompt on standard input, and its own environment", () => {
  const settings: AgentSettings = {
    kind: "command",
    run: ["./agent", "run"],
    args: ["--fast"],
    env: { A: "1" },
  };
  const request = {
    role: "executor",
    session: 1,
    sessionOfRole: 1,
    workspace: "/w",
    sessionDir: "/s",
    agentSessionId: "id",
  } as const;
  expect(
    command.launch({ ...request, prompt: "the prompt", resume: false, monoco: ["node", "cli.js"], settings }),
  ).toEqual({
    argv: ["./agent", "run", "--fast"],
    env: { A: "1" },
    files: [],
    stdin: "the prompt",
    keepStdinOpen: false,
  });
  expect(command.program(settings)).toEqual({ name: "./agent", install: "see agents: in monoco.yaml" });
});
