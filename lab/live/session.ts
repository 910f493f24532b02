/** One session of a real agent CLI, driven by our adapter in a folder of its own. */
import { mkdirSync, writeFileSync } from "node:fs";
import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { execa } from "execa";
import type { Agent, AgentRequest, Dialogue, Launch, AgentUpdate } from "../../src/index.ts";

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

/**
 * Starts one session exactly as the adapter says. Replies are written and input is closed at the first `ended`, like the
 * runner does.
 */
export function startLiveSession(
  agent: Agent,
  options: { folder: string; environment: Record<string, string>; request?: Partial<AgentRequest> },
): LiveSession {
  const request = requestIn(agent, options.folder, options.request);
  const launch = agent.launch(request);
  mkdirSync(request.sessionDir, { recursive: true });
  for (const { path, text } of launch.files) writeFileSync(path, text);
  return follow(spawnIn(request.workspace, launch, options.environment), agent.dialogue(request.prompt));
}

function spawnIn(cwd: string, launch: Launch, environment: Record<string, string>) {
  const [program = "", ...args] = launch.argv;
  const env = { ...environment, ...launch.env };
  const child = execa(program, args, { cwd, env, extendEnv: false, stdin: "pipe", reject: false });
  child.stdin.write(launch.stdin);
  if (!launch.keepStdinOpen) child.stdin.end();
  return child;
}

function requestIn({ kind }: Agent, folder: string, request: Partial<AgentRequest> = {}): AgentRequest {
  return {
    role: "executor",
    session: 1,
    sessionOfRole: 1,
    prompt: "do the work",
    workspace: join(folder, "workspace"),
    sessionDir: join(folder, "session"),
    agentSessionId: randomUUID(),
    resume: false,
    monoco: ["/bin/false"],
    settings: { kind },
    ...request,
  };
}

function follow(child: ReturnType<typeof spawnIn>, { read, message }: Dialogue): LiveSession {
  const updates: AgentUpdate[] = [];
  const lines: string[] = [];
  const waiting: Array<{ type: string; resolve(): void }> = [];
  const take = async (): Promise<void> => {
    for await (const line of child.iterable()) {
      lines.push(line);
      for (const update of read(line)) {
        updates.push(update);
        if (update.type === "reply") child.stdin.write(update.text);
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

export function types({ updates }: LiveSession): Set<string> {
  return new Set(updates.map(({ type }) => type));
}

export function of<Type extends AgentUpdate["type"]>(type: Type, { updates }: LiveSession) {
  return updates.filter((update): update is AgentUpdate & { type: Type } => update.type === type);
}

export function endings(session: LiveSession): string[] {
  return of("ended", session).map(({ ending }) => ending);
}

/** The id of its conversation. */
export function idOf(session: LiveSession): string {
  return of("identified", session)[0]?.agentSessionId ?? "";
}
