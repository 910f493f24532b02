/** The demo's project, made by `monoco demo --set-up-only`, for tests that run its story in their own way. */
import { cpSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, expect } from "vitest";
import { fixture, openSandbox } from "./cli.ts";
import type { Sandbox } from "./cli.ts";

export const issue = "DEMO-0001";

/** The project's folder. With `guard`, each session proves that it is alone and writes to `agents.log` beside the project, and checks are cheap. */
export async function makeDemo(
  sandbox: Sandbox,
  options: { guard: boolean } = { guard: false },
): Promise<string> {
  const folder = join(sandbox.folder, "demo");
  cpSync(await (template ??= makeTemplate()), folder, { recursive: true });
  const project = join(folder, "project");
  if (options.guard) await useGuard(sandbox, project);
  return project;
}

let template: Promise<string> | undefined;
const sandboxes: Sandbox[] = [];
afterAll(() => {
  for (const sandbox of sandboxes) sandbox.dispose();
});

/** Made once a test file, and copied: a start of monoco for each test would take longer than many tests. */
async function makeTemplate(): Promise<string> {
  const sandbox = openSandbox();
  sandboxes.push(sandbox);
  const folder = join(sandbox.folder, "demo");
  mkdirSync(folder);
  const made = await sandbox.monoco(["demo", "--set-up-only", "--folder", folder]);
  expect(made).toMatchObject({ exitCode: 0 });
  return folder;
}

/** `sh test.sh strict` is green where the story is told to its end, `sh test.sh` from its first session on. */
const shellTest = `if [ "$1" = strict ]; then grep -q "not a duration" duration.js; else grep -q 3600 duration.js; fi\n`;

/** The story as it is, but for its checks, which start no node: they run again and again. */
async function useGuard(sandbox: Sandbox, project: string): Promise<void> {
  const program = fileURLToPath(new URL("../../dist/agents/scripted/program.js", import.meta.url));
  const [lock, log] = ["agents.lock", "agents.log"].map((name) => join(sandbox.folder, name));
  const story = join(project, "story.yaml");
  const argv = [fixture("guarded-agent.sh"), lock, log, process.execPath, program, story];
  writeFileSync(join(project, "test.sh"), shellTest);
  edit(
    story,
    ["- run: node --test", "- run: sh test.sh"],
    [/unless: >-\n( {8}.*\n)+/, "unless: sh test.sh strict\n"],
    // Its stand-in for evidence tells the base from the submission, as the shell test does not: that one reads a text.
    [/ *evidence:\n( {8}.*\n)+/, ""],
  );
  edit(
    join(project, "monoco.yaml"),
    ['checks: ["node --test"]', 'checks: ["sh test.sh"]'],
    ["{ kind: scripted, script: story.yaml }", `{ kind: command, run: ${JSON.stringify(argv)} }`],
  );
  await sandbox.sh(project, "git add --all && git commit --quiet --message 'Guard the agent'");
}

function edit(path: string, ...changes: [string | RegExp, string][]): void {
  let text = readFileSync(path, "utf8");
  for (const [from, to] of changes) {
    const edited = text.replace(from, () => to);
    expect(edited, `${from} in ${path}`).not.toBe(text);
    text = edited;
  }
  writeFileSync(path, text);
}
