/** monoco agent probe --live: the scoring, on programs in the model's place; a real model is never asked here. */
import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, it } from "vitest";
import { openSandbox } from "../support/cli.ts";
import type { Sandbox } from "../support/cli.ts";
import { full as test, testRows } from "../support/full.ts";

const opened: Sandbox[] = [];
afterEach(() => {
  for (const sandbox of opened.splice(0)) sandbox.dispose();
});

const say = (text: string): string => `printf '%s\\n' '${JSON.stringify({ type: "message", text })}'`;
const going = say("First task done.\n\nRALPH_STATUS:\nSTATUS: IN_PROGRESS\nEXIT_SIGNAL: false\n");
const over = say("All is done.\n\nRALPH_STATUS:\nSTATUS: COMPLETE\nEXIT_SIGNAL: true\n");
const commit = 'git add -A && git commit -qm "FEAT-0001 Write a file"';
const handOver = `monoco relay prepare >/dev/null
sed -i 's/^## Next steps.*/&\\n1. Write farewell.txt, then submit/' RALPH.md
monoco relay prepare`;
const submit = "monoco issue submit";

const obedient = {
  first: `echo hello > greeting.txt; ${commit}; ${handOver}; ${going}`,
  second: `echo goodbye > farewell.txt; ${commit}; ${submit}; ${over}`,
};

async function probeLive(sessions: { first: string; second: string }, ...flags: string[]) {
  const sandbox = openSandbox();
  opened.push(sandbox);
  const project = join(sandbox.folder, "project");
  const temporary = join(sandbox.folder, "tmp");
  mkdirSync(project);
  mkdirSync(temporary);
  const text = `#!/bin/sh\ncat >/dev/null\nif [ "$MONOCO_SESSION" = 1 ]; then\n${sessions.first}\nelse\n${sessions.second}\nfi\n`;
  writeFileSync(join(project, "agent.sh"), text, { mode: 0o755 });
  writeFileSync(join(project, "monoco.yaml"), "agents: { mine: { kind: command, run: [./agent.sh] } }\n");
  await sandbox.sh(project, "git init -q -b main .");
  const ran = await sandbox.monoco(["agent", "probe", "mine", "--live", ...flags], {
    cwd: project,
    env: { TMPDIR: temporary },
  });
  return { ...ran, left: readdirSync(temporary).filter((name) => name !== "node-compile-cache") };
}

const questions = [
  "left a valid RALPH.md",
  "ended its answers with the status block",
  "did not say done too early",
  "went on without redoing",
  "submitted when it was done",
];

testRows<[string, { first: string; second: string }, boolean[]]>([
  ["one that does as it is told gets all", obedient, [true, true, true, true, true]],
  [
    "one that leaves without a handoff and without the block",
    { ...obedient, first: `echo hello > greeting.txt; ${commit}` },
    [false, false, true, true, true],
  ],
  [
    "one that submits half of the work is not asked further",
    { ...obedient, first: `echo hello > greeting.txt; ${commit}; ${submit}; ${over}` },
    [false, false, false, false, false],
  ],
  [
    "one that says that it is done, and hands over",
    { ...obedient, first: obedient.first.replace(going, over) },
    [true, true, false, true, true],
  ],
  [
    "one that does the first task once more",
    { ...obedient, second: `echo hello >> greeting.txt; ${obedient.second}` },
    [true, true, true, false, true],
  ],
  [
    "one that never ends its work",
    { ...obedient, second: `echo goodbye > farewell.txt; ${commit}; ${going}` },
    [true, true, true, true, false],
  ],
])("%s", async ([, sessions, answers]) => {
  const ran = await probeLive(sessions, "--json");
  expect(ran, ran.stderr).toMatchObject({ exitCode: 0, left: [] });
  const report = JSON.parse(ran.stdout) as { answers: { question: string; yes: boolean }[] };
  expect(
    report.answers.map(({ question, yes }) => [question, yes]),
    ran.stdout + ran.stderr,
  ).toEqual(questions.map((question, index) => [question, answers[index]]));
  expect(report).toMatchObject({ agent: "mine", of: 5, score: answers.filter(Boolean).length });
});

test("one whose plan is used up cannot be asked", async () => {
  const limited = `echo '{"type":"limit","kind":"usage","resetsAt":"2999-01-01T00:00:00Z"}'; exit 1`;
  const ran = await probeLive({ first: limited, second: limited });
  expect(ran).toMatchObject({ exitCode: 4, stdout: "", left: [] });
  expect(ran.stderr).toContain("mine could not be asked: usage_limit");
});

it("one that is not installed is told of once, with how to install it", async () => {
  const sandbox = openSandbox();
  opened.push(sandbox);
  await sandbox.sh(sandbox.folder, "git init -q project");
  // Its session is a process of its own, and says on this one's standard error why it did not begin.
  const ran = await sandbox.start(["agent", "probe", "codex", "--live"], {
    cwd: join(sandbox.folder, "project"),
  });
  expect(ran).toMatchObject({ exitCode: 4, stdout: "" });
  expect(ran.stderr.match(/^error: /gm)).toHaveLength(1);
  expect(ran.stderr).toContain("npm install -g @openai/codex");
});

testRows<[string, string[], string]>([
  ["--live without an agent", ["--live"], "which agent?"],
  ["--model without --live", ["claude", "--model", "m"], "--model belongs to --live"],
])("%s is refused", async ([, words, message]) => {
  const sandbox = openSandbox();
  opened.push(sandbox);
  const ran = await sandbox.monoco(["agent", "probe", ...words]);
  expect(ran).toMatchObject({ exitCode: 2, stdout: "" });
  expect(ran.stderr).toContain(message);
});
