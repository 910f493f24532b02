/** Where an adapter meets its real CLI: a folder with a repository, a home, a scripted model, and a program that stands for monoco. */
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { execa } from "execa";
import { onTestFinished } from "vitest";
import type { Agent, AgentRequest } from "../../src/index.ts";
import { startLiveSession } from "./session.ts";
import type { LiveSession } from "./session.ts";

type Closing = { close(): Promise<void> };

export type Place<Model extends Closing> = {
  folder: string;
  workspace: string;
  environment: Record<string, string>;
  model: Model;
  start(request?: Partial<AgentRequest>, environment?: Record<string, string>): LiveSession;
  /** The hooks that were called, in order. */
  hooks(): string[];
};

/** All of it is gone after the test. `blockOnce`: the stop hook refuses once, with these words. */
export async function makePlace<Model extends Closing>(
  agent: Agent,
  options: {
    model: Model;
    environment: (home: string) => Record<string, string>;
    blockOnce?: string;
  },
): Promise<Place<Model>> {
  const { model } = options;
  const folder = mkdtempSync(join(tmpdir(), "monoco live's "));
  const workspace = join(folder, "workspace");
  mkdirSync(workspace);
  writeMonoco(join(folder, "monoco program"), options.blockOnce);
  const environment = options.environment(join(folder, "home"));
  await git(workspace, "init", "-q");
  await execa("git", ["commit", "-q", "--allow-empty", "-m", "base"], { cwd: workspace, env: environment });
  onTestFinished(async () => {
    await model.close();
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  });
  const log = join(folder, "hooks.log");
  return {
    folder,
    workspace,
    environment,
    model,
    start: (request = {}, other = environment) =>
      startLiveSession(agent, { folder, environment: other, request }),
    hooks: () => (existsSync(log) ? readFileSync(log, "utf8").trim().split("\n") : []),
  };
}

function writeMonoco(path: string, blockOnce: string | undefined): void {
  const answer = blockOnce ? JSON.stringify({ decision: "block", reason: blockOnce }) : "";
  const text = `#!/bin/sh
payload=$(cat)
echo "$2" >> "\${0%/*}/hooks.log"
case "$2 $payload" in
  on-stop*'"stop_hook_active":false'*) echo '${answer}' ;;
esac
`;
  writeFileSync(path, text);
  chmodSync(path, 0o755);
}

export async function git(cwd: string, ...words: string[]): Promise<string> {
  return (await execa("git", words, { cwd })).stdout;
}
