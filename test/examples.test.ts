/** The programs and the policy of examples/, run as a reader would run them. The agent in shell is run by docs.test.ts. */
import { copyFileSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { execa, execaSync } from "execa";
import { expect, onTestFinished, test } from "vitest";
import { eventsOf, openSandbox } from "./support/cli.ts";
import { issuePath, issueText } from "./support/place.ts";

const examples = join(import.meta.dirname, "..", "examples");
const hasPython = execaSync("python3", ["--version"], { reject: false }).exitCode === 0;

/** A repository with some of the examples and these files, committed. */
async function projectWith(copied: string[], files: Record<string, string>) {
  const sandbox = openSandbox();
  onTestFinished(() => sandbox.dispose());
  const project = join(sandbox.folder, "project");
  mkdirSync(join(project, "issues"), { recursive: true });
  for (const name of copied) copyFileSync(join(examples, name), join(project, name));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(project, name), text);
  await sandbox.sh(project, "git init -q -b main . && git add -A && git commit -qm Begin");
  return { sandbox, project };
}

test.skipIf(!hasPython)(
  "agent.py hands over when it is asked to wrap up, and gets its work approved",
  async () => {
    const { sandbox, project } = await projectWith(["agent.py"], {
      "monoco.yaml": `agents: { mine: { kind: command, run: ["./agent.py"] } }
roles: { executor: { agents: [mine] }, reviewer: { agents: [mine] } }
checks: ["test -s work.log"]
limits: { contextMarks: [100, 2000, 1000000] }
`,
      [issuePath("FEAT-0001")]: issueText("FEAT-0001"),
    });
    const ran = await sandbox.monoco(["run", "FEAT-0001"], { cwd: project });
    expect(ran, ran.stdout).toMatchObject({ exitCode: 0, stderr: "" });
    const events = eventsOf(project, "FEAT-0001");
    const endings = events.flatMap((event) => (event.type === "session.ended" ? [event.reason] : []));
    // How many steps a session does depends on when it hears of the mark.
    expect(endings.slice(0, -2)).toContain("context_limit");
    expect(endings.slice(-2)).toEqual(["submitted", "decided"]);
    const handoffs = events.flatMap((event) => (event.type === "handoff.recorded" ? [event] : []));
    expect(handoffs[0]?.source).toMatch(/agent|completed/);
    expect(handoffs[0]?.text).toContain("Write the steps from");
  },
);

test("loop.ts runs a program until the check passes", async () => {
  const { sandbox, project } = await projectWith(["loop.ts"], {
    "PROMPT.md": "Write work.txt.\n",
    "agent.sh": `#!/bin/sh
echo "line $MONOCO_SESSION" >> work.txt && git add -A && git commit -qm "Add a line"
echo "<promise>COMPLETE</promise>"
`,
  });
  await sandbox.sh(project, "chmod +x agent.sh && git commit -qam 'Make it executable'");
  const args = [join(examples, "loop.ts"), "PROMPT.md", 'test "$(wc -l < work.txt)" -ge 2', "./agent.sh"];
  const { stdout, exitCode } = await execa(process.execPath, args, {
    cwd: project,
    env: sandbox.env,
    extendEnv: false,
    reject: false,
  });
  expect(stdout.split("\n")).toEqual([
    "session 1: completed_without_submit, 1 commits",
    "session 2: completed_without_submit, 1 commits",
    expect.stringMatching(/^done \(.*\), on branch monoco\/LOOP-0001$/),
  ]);
  expect(exitCode).toBe(0);
});

test("patient.yaml is a policy that monoco.yaml can extend", async () => {
  const { sandbox, project } = await projectWith(["patient.yaml"], {
    "monoco.yaml": "extends: patient.yaml\n",
  });
  const { stdout } = await sandbox.monoco(["config", "show", "--json"], { cwd: project });
  const shown = JSON.parse(stdout) as { key: string; value: unknown; where?: string }[];
  const value = Object.fromEntries(shown.map(({ key, value }) => [key, value]));
  expect(value).toMatchObject({
    "limits.stalledMax": 5,
    "limits.sessionsMax": 50,
    "breaker.coolDownMinutes": 10,
  });
});

test("examples/README.md names every example", () => {
  const text = readFileSync(join(examples, "README.md"), "utf8");
  for (const name of readdirSync(examples).filter((one) => one !== "README.md"))
    expect(text).toContain(`(${name})`);
});
