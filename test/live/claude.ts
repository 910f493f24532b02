/** What the live tests of Claude Code share: an environment of its own for the real CLI, and a session of our adapter in it. */
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { randomUUID } from "node:crypto";
import { delimiter, dirname, join } from "node:path";
import { execa } from "execa";
import { installedAgent } from "../../scripts/agents.ts";
import { claude } from "../../src/agents/claude.ts";
import type { AgentRequest, AgentUpdate, Launch } from "../../src/agents/agent.ts";

const installed = installedAgent("claude");

/** The folder with the pinned `claude`; undefined, and said loudly, where it is not installed. */
export const claudeDir = installed && dirname(installed);
if (!claudeDir)
  console.warn("SKIPPED: Claude Code is not installed here; run `npm run agents:install claude`");

/** Built from nothing: a home, a temp folder, a dummy key, loopback, and a PATH with claude, node and git. */
export function liveEnvironment(options: {
  home: string;
  modelUrl: string;
  claudeDir: string;
}): Record<string, string> {
  const temp = join(options.home, "tmp");
  mkdirSync(temp, { recursive: true });
  return {
    PATH: [options.claudeDir, dirname(process.execPath), ...gitFolders(), "/usr/bin", "/bin"].join(delimiter),
    HOME: options.home,
    TMPDIR: temp,
    LANG: "C.UTF-8",
    SHELL: "/bin/bash",
    ANTHROPIC_BASE_URL: options.modelUrl,
    ANTHROPIC_API_KEY: "dummy",
    DISABLE_TELEMETRY: "1",
    DISABLE_ERROR_REPORTING: "1",
    GIT_CONFIG_NOSYSTEM: "1",
    GIT_AUTHOR_NAME: "Live Test",
    GIT_AUTHOR_EMAIL: "live@example.invalid",
    GIT_COMMITTER_NAME: "Live Test",
    GIT_COMMITTER_EMAIL: "live@example.invalid",
  };
}

/** A subscription's dummy login in place of the key: the usage limit's headers mean nothing to a key. */
export function subscription(environment: Record<string, string>): Record<string, string> {
  const { ANTHROPIC_API_KEY: _, ...rest } = environment;
  return { ...rest, CLAUDE_CODE_OAUTH_TOKEN: "dummy-oauth-token" };
}

function gitFolders(): string[] {
  return (process.env["PATH"] ?? "").split(delimiter).filter((folder) => existsSync(join(folder, "git")));
}

export type LiveSession = {
  updates: AgentUpdate[];
  lines: string[];
  /** Waits for an update of this type to arrive, or for the end of the process. */
  until(type: AgentUpdate["type"]): Promise<void>;
  message(text: string): void;
  closeInput(): void;
  kill(signal: NodeJS.Signals): void;
  exit: Promise<{ exitCode: number | undefined; stderr: string }>;
};

/** Starts one session exactly as the adapter says. Input is closed at the first `ended`, like the runner does. */
export function startSession(options: {
  folder: string;
  environment: Record<string, string>;
  request?: Partial<AgentRequest>;
}): LiveSession {
  const request = requestIn(options.folder, options.request);
  const launch = claude.launch(request);
  mkdirSync(request.sessionDir, { recursive: true });
  for (const { path, text } of launch.files) writeFileSync(path, text);
  return follow(spawnIn(request.workspace, launch, options.environment));
}

function spawnIn(cwd: string, launch: Launch, environment: Record<string, string>) {
  const [program = "", ...args] = launch.argv;
  const env = { ...environment, ...launch.env };
  const child = execa(program, args, { cwd, env, extendEnv: false, stdin: "pipe", reject: false });
  child.stdin.write(launch.stdin);
  return child;
}

function requestIn(folder: string, request: Partial<AgentRequest> = {}): AgentRequest {
  return {
    role: "executor",
    session: 1,
    sessionOfRole: 1,
    prompt: "do the work",
    workspace: join(folder, "workspace"),
    sessionDir: join(folder, "session"),
    agentSessionId: randomUUID(),
    resume: false,
    monoco: ["/bin/sh", join(folder, "monoco program")],
    settings: { kind: "claude" },
    ...request,
  };
}

function follow(child: ReturnType<typeof spawnIn>): LiveSession {
  const { read, message } = claude.dialogue("");
  const updates: AgentUpdate[] = [];
  const lines: string[] = [];
  const waiting: Array<{ type: string; resolve(): void }> = [];
  const take = async (): Promise<void> => {
    for await (const line of child.iterable()) {
      lines.push(line);
      for (const update of read(line)) {
        updates.push(update);
        if (update.type === "ended") child.stdin.end();
        for (const { type, resolve } of waiting) if (type === update.type) resolve();
      }
    }
    for (const { resolve } of waiting) resolve();
  };
  const taken = take();
  return {
    updates,
    lines,
    until: (type) => new Promise((resolve) => waiting.push({ type, resolve })),
    message: (text) => void child.stdin.write(message(text) ?? ""),
    closeInput: () => void child.stdin.end(),
    kill: (signal) => void child.kill(signal),
    exit: (async () => {
      await taken.catch(() => {});
      const { exitCode, stderr } = await child;
      return { exitCode, stderr };
    })(),
  };
}
