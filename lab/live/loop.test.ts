/** monoco loop with the real Claude Code: its stop hook says the prompt again, and lets go whoever has given the promise. */
import { join } from "node:path";
import { expect, test as base } from "vitest";
import { startMessages } from "../../src/probe/messages-model.ts";
import type { Turn } from "../../src/probe/scripted-model.ts";
import { eventsOf, openSandbox, processesOf } from "../../test/support/cli.ts";
import { writeFiles } from "../../test/support/repository.ts";
import { claude } from "./claude.ts";
import { dirOf, environmentOf } from "./subject.ts";

const test = base.skipIf(!dirOf(claude));

const prompt = "# Two lines\n\nWrite work.txt, in two lines, one a session.";
const adds: Turn = {
  text: "Working.",
  tools: [
    {
      name: "Bash",
      input: {
        command: "echo line >> work.txt && git add -A && git commit -qm line",
        description: "work",
      },
    },
  ],
  usage: { input_tokens: 1000 },
};

test("gives the prompt to fresh sessions, reminds within one, and ends by the promise and the check", async ({
  onTestFinished,
}) => {
  const sandbox = openSandbox();
  const model = await startMessages([
    {
      match: "You are session 1 of a loop",
      turns: [{ text: "I stop." }, adds, { text: "I stop." }, { text: "I stop." }],
    },
    {
      match: "You are session 2 of a loop",
      turns: [adds, { text: "Both lines are there.\n\n<promise>COMPLETE</promise>" }],
    },
  ]);
  const project = join(sandbox.folder, "project");
  writeFiles(project, { "PROMPT.md": `${prompt}\n` });
  await sandbox.sh(project, "git init -q -b main . && git add -A && git commit -qm Begin");
  const env = {
    ...sandbox.env,
    ...environmentOf(claude, { home: join(sandbox.folder, "home"), modelUrl: model.url }),
  };
  const verify = 'test "$(wc -l < work.txt)" -eq 2';
  const running = sandbox.start(["loop", "PROMPT.md", "--verify", verify], { cwd: project, env });
  onTestFinished(async () => {
    running.kill("SIGTERM");
    await running;
    await model.close();
    sandbox.dispose();
  });
  const ran = await running;
  expect(ran, ran.stdout + ran.stderr).toMatchObject({ exitCode: 0 });
  const { requests } = model;
  expect(requests.map(({ conversation, turn }) => [conversation, turn])).toEqual([
    ...[0, 1, 2, 3].map((turn) => [0, turn]),
    ...[0, 1].map((turn) => [1, turn]),
  ]);
  // The hook's reason: the prompt, then what is missing.
  expect(requests[1]!.tail).toContain(prompt);
  expect(requests[1]!.tail).toContain(`- <promise>COMPLETE</promise>\n- \`${verify}\``);
  const events = eventsOf(project, "LOOP-0001");
  expect(events.flatMap((event) => (event.type === "session.ended" ? [event.reason] : []))).toEqual([
    "completed_without_submit",
    "completed_without_submit",
  ]);
  expect(events.at(-1)).toMatchObject({ type: "relay.finished", submission: 1 });
  expect(await sandbox.git(project, "show", "monoco/LOOP-0001:work.txt")).toBe("line\nline");
  expect(processesOf(sandbox.folder)).toEqual([]);
});
