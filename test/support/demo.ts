/** The demo's project, made by `monoco demo --set-up-only`, for tests that run its story in their own way. */
import { cpSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, expect } from "vitest";
import { fixture, openSandbox } from "./cli.ts";
import type { Sandbox } from "./cli.ts";

export const issue = "DEMO-0001";

/** The project's folder. With `guard`, each session proves that it is alone and writes to `agents.log` beside the project. */
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

async function useGuard(sandbox: Sandbox, project: string): Promise<void> {
  const path = join(project, "monoco.yaml");
  const program = fileURLToPath(new URL("../../dist/agents/scripted/program.js", import.meta.url));
  const argv = [
    process.execPath,
    fixture("guarded-agent.mjs"),
    randomUUID(),
    join(sandbox.folder, "agents.log"),
    program,
  ];
  const guarded = `{ kind: command, run: ${JSON.stringify([...argv, join(project, "story.yaml")])} }`;
  writeFileSync(path, readFileSync(path, "utf8").replace("{ kind: scripted, script: story.yaml }", guarded));
  await sandbox.git(project, "commit", "--quiet", "--all", "--message", "Guard the agent");
}
