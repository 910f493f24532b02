/** The scripted agent as a real process: each step of its script does what it says. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { execa } from "execa";
import { expect, test } from "vitest";
import { stringify } from "yaml";
import type { AgentRequest } from "../../src/agents/agent.ts";
import type { AgentUpdate } from "../../src/core/session/update.ts";
import { scripted } from "../../src/agents/scripted/adapter.ts";
import { temporaryFolder } from "../support/repository.ts";

const finding = { id: "F1", severity: "major", title: "it fails" };
const met = { criterion: 1, result: "met", command: "true", exitCode: 0 } as const;
const probe = { command: "node cli.js", exitCode: 2 } as const;
const said = (text: string): AgentUpdate => ({ type: "message", text });
/** A command, its output, and what it failed with. */
const ran = (command: string, output: string, error?: string): AgentUpdate[] => [
  said(output === "" ? `$ ${command}` : `$ ${command}\n${output}`),
  { type: "command", command, ...(error === undefined ? {} : { error }) },
];

test.for<[string, object[], { updates: object[]; exitCode?: number; signal?: string }]>([
  ["says", [{ say: "hello 世界" }], { updates: [said("hello 世界")] }],
  [
    "reports its usage",
    [{ usage: { contextTokens: 7, windowTokens: 100, costUsd: 0.5 } }],
    { updates: [{ type: "usage", contextTokens: 7, windowTokens: 100, costUsd: 0.5 }] },
  ],
  [
    "runs a command in its workspace and tells the output",
    [{ run: "cat given.txt; echo err >&2" }],
    { updates: ran("cat given.txt; echo err >&2", "given\nerr") },
  ],
  [
    "goes on when a command fails",
    [{ run: "exit 3" }, { say: "on" }],
    { updates: [...ran("exit 3", "", ""), said("on")] },
  ],
  ["sleeps", [{ sleep: 0.01 }, { say: "awake" }], { updates: [said("awake")] }],
  ["ends with an exit status", [{ exit: 7 }, { say: "never" }], { updates: [], exitCode: 7 }],
  ["ends by a signal", [{ kill: "SIGKILL" }, { say: "never" }], { updates: [], signal: "SIGKILL" }],
  ["ends by TERM", [{ kill: "SIGTERM" }, { say: "never" }], { updates: [], signal: "SIGTERM" }],
  [
    "gives a verdict, and ends",
    [{ verdict: "approve", criteria: [met], probes: [probe], summary: "good" }, { say: "never" }],
    {
      updates: [
        {
          type: "verdict",
          verdict: { verdict: "approve", criteria: [met], probes: [probe], findings: [], summary: "good" },
        },
      ],
    },
  ],
  [
    "gives a verdict with findings as scripted",
    [{ verdict: "request_changes", findings: [finding] }],
    {
      updates: [
        {
          type: "verdict",
          verdict: {
            verdict: "request_changes",
            criteria: [],
            probes: [],
            findings: [{ ...finding, evidence: { text: "as scripted" } }],
          },
        },
      ],
    },
  ],
  [
    "gives a verdict where a command fails, with its output as evidence",
    [{ verdict: "request_changes", unless: "echo 0 tests; exit 4", findings: [finding] }, { say: "never" }],
    {
      updates: [
        ...ran("echo 0 tests; exit 4", "0 tests", "0 tests"),
        {
          type: "verdict",
          verdict: {
            verdict: "request_changes",
            criteria: [],
            probes: [],
            findings: [
              { ...finding, evidence: { command: "echo 0 tests; exit 4", exitCode: 4, text: "0 tests" } },
            ],
          },
        },
      ],
    },
  ],
  [
    "takes the next step where that command succeeds",
    [
      { verdict: "request_changes", unless: "true", findings: [finding] },
      { verdict: "approve", evidence: "echo fine" },
    ],
    {
      updates: [
        ...ran("true", ""),
        ...ran("echo fine", "fine"),
        {
          type: "verdict",
          verdict: {
            verdict: "approve",
            criteria: [],
            probes: [{ command: "echo fine", exitCode: 0, text: "fine" }],
            findings: [],
          },
        },
      ],
    },
  ],
])("%s", async ([, steps, { updates, exitCode = 0, signal }]) => {
  const session = await run({ executor: [steps], reviewer: [[]] });
  expect(session.updates).toEqual([
    { type: "identified", agentSessionId: expect.stringMatching(/^scripted-executor-1-\d+$/) },
    ...updates,
  ]);
  expect({ exitCode: session.exitCode, signal: session.signal }).toEqual({
    exitCode: signal ? undefined : exitCode,
    signal,
  });
});

test("writes files, in folders that it makes, in its workspace", async () => {
  const { workspace } = await run({
    executor: [[{ write: { "src/a b/新.txt": "one\n", "given.txt": "two\n" } }]],
    reviewer: [[]],
  });
  expect([
    readFileSync(join(workspace, "src/a b/新.txt"), "utf8"),
    readFileSync(join(workspace, "given.txt"), "utf8"),
  ]).toEqual(["one\n", "two\n"]);
});

test.for<[string, Partial<AgentRequest>, string]>([
  ["the first session of a role takes the first script", { sessionOfRole: 1 }, "first"],
  ["the second takes the second", { sessionOfRole: 2 }, "second"],
  ["the last script repeats", { sessionOfRole: 9 }, "second"],
  ["a Reviewer has scripts of its own", { role: "reviewer", sessionOfRole: 1 }, "review"],
])("%s", async ([, request, expected]) => {
  const script = { executor: [[{ say: "first" }], [{ say: "second" }]], reviewer: [[{ say: "review" }]] };
  expect((await run(script, request)).updates.at(-1)).toEqual(said(expected));
});

test.for<[string, object, string]>([
  [
    "a step that nobody knows",
    { executor: [[{ say: "hi" }, { dance: true }]], reviewer: [[]] },
    "executor, session 1, step 2: unknown or incomplete step",
  ],
  ["a role without a session", { executor: [], reviewer: [[]] }, "executor: it must have at least 1 entry"],
  ["a role that is missing", { executor: [[]] }, "reviewer: is missing"],
  [
    "a role of one session's steps",
    { executor: [{ say: "hi" }], reviewer: [[]] },
    "executor, session 1: it must be a list",
  ],
  ["nothing in it", [], "expected a map with executor: and reviewer:"],
])(
  "a script with %s is refused before anything is done, with its place and a remedy",
  async ([, script, says]) => {
    const { updates, exitCode, stderr, path } = await run(script);
    expect([updates, exitCode]).toEqual([[], 2]);
    expect(stderr).toMatch(/^error: .*\nhint: a script has executor: and reviewer:[^\n]*$/);
    expect(stderr).toContain(`error: ${path}: ${says}\n`);
  },
);

/** One session, exactly as the adapter launches it; the prompt is larger than a pipe. */
async function run(script: object, request: Partial<AgentRequest> = {}) {
  const workspace = temporaryFolder();
  const path = join(temporaryFolder(), "script.yaml");
  writeFileSync(path, stringify(script));
  writeFileSync(join(workspace, "given.txt"), "given\n");
  const launch = scripted.launch({
    role: "executor",
    session: 1,
    sessionOfRole: 1,
    prompt: "the prompt ".repeat(20_000),
    workspace,
    sessionDir: workspace,
    agentSessionId: "id",
    resume: false,
    monoco: [process.execPath, "cli.js"],
    settings: { kind: "scripted", script: path },
    ...request,
  });
  const [program = "", ...args] = launch.argv;
  const done = await execa(program, args, { cwd: workspace, input: launch.stdin, reject: false });
  const updates = done.stdout.split("\n").flatMap(scripted.dialogue("").read);
  return { path, workspace, updates, exitCode: done.exitCode, signal: done.signal, stderr: done.stderr };
}
