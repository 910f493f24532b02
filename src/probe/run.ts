/** One session of a real CLI with a scripted model: driven by its adapter, in a home and a workspace of its own. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { spawnChild } from "../agents/child.ts";
import type { Child, Exit } from "../agents/child.ts";
import { scrubbedEnvironment } from "../agents/environment.ts";
import type { Agent } from "../agents/agent.ts";
import type { AgentUpdate } from "../core/session/update.ts";
import { streamBytesMax } from "../core/limits.ts";
import type { Live } from "../core/session/live.ts";
import type { ModelRequest, ModelScript } from "./scripted-model.ts";
import type { Vendor } from "./vendor.ts";

/** The settings that all runs of one CLI share. Paths are absolute. */
export type Bench = {
  agent: Agent;
  vendor: Vendor;
  /** A temp folder for home, workspace (a git repository) and sessions. */
  folder: string;
  /** The folder of the CLI's program, and the rest of the PATH. */
  binFolder: string;
  path: string;
  /** `[node, cli]`: the hooks are the real ones. */
  monoco: readonly string[];
};

export type RunPlan = {
  /** From 1; also the name of the run's folder. */
  number: number;
  role: "executor" | "reviewer";
  prompt: string;
  script: ModelScript;
  agentSessionId: string;
  resume?: boolean;
  /** Additional facts for the hooks. */
  live?: Partial<Live>;
  /** Runs during the session. An error fails the run. */
  during?(session: RunningProbe): Promise<void>;
};

export type RunningProbe = {
  workspace: string;
  updates: readonly AgentUpdate[];
  ended: Promise<unknown>;
  /** Gives the agent a message now; returns false if it takes none. */
  tell(text: string): boolean;
  /** Changes the facts for the hooks. */
  setLive(live: Partial<Live>): void;
  /** Sends a signal to the agent's process group. */
  signal(signal: "SIGTERM" | "SIGKILL"): void;
};

export type ProbeRun = {
  updates: readonly AgentUpdate[];
  requests: readonly ModelRequest[];
  exit: Exit;
  stderrTail: string;
  /** The session did not end in time, and was killed. */
  late: boolean;
  /** From the signal of `during` to the end of the process, ms; undefined without a signal. */
  msToDie?: number;
};

/** OpenCode's first start takes 20 s on a slow machine. */
const runMsMax = 120_000;

export async function runProbe(bench: Bench, plan: RunPlan): Promise<ProbeRun> {
  const model = await bench.vendor.startModel(plan.script);
  const session = startSession(bench, plan, model.url);
  const { child, updates } = session;
  let late = false;
  const timer = setTimeout(() => {
    late = true;
    void child.stop(2_000);
  }, runMsMax);
  let signalledAt: number | undefined;
  const signal: RunningProbe["signal"] = (name) => {
    signalledAt ??= performance.now();
    try {
      if (child.identity) process.kill(-child.identity.pid, name);
    } catch {
      // The process has just ended by itself.
    }
  };
  try {
    const [diedAt] = await Promise.all([
      child.exited.then(() => performance.now()),
      plan.during?.({ ...session, ended: child.exited, signal }),
    ]);
    const msToDie = signalledAt === undefined ? {} : { msToDie: diedAt - signalledAt };
    const exit = await child.exited;
    return { updates, requests: model.requests, exit, stderrTail: child.stderrTail(), late, ...msToDie };
  } finally {
    clearTimeout(timer);
    await child.stop(0);
    await model.close();
  }
}

type Started = Pick<RunningProbe, "workspace" | "updates" | "tell" | "setLive"> & { child: Child };

/** The CLI's process, driven by its adapter. */
function startSession(bench: Bench, plan: RunPlan, modelUrl: string): Started {
  const { agent, vendor, folder, monoco } = bench;
  const { number, role, prompt, agentSessionId, resume = false } = plan;
  const workspace = join(folder, "workspace");
  const sessionDir = join(folder, "sessions", String(number));
  mkdirSync(join(sessionDir, "outbox"), { recursive: true });
  const live = { ...liveOf(bench, plan, workspace), ...plan.live };
  const setLive = (more: Partial<Live>): void =>
    writeFileSync(join(sessionDir, "live.json"), JSON.stringify(Object.assign(live, more)));
  setLive({});
  const { settings } = vendor;
  const asked = { role, session: number, sessionOfRole: 1, prompt, agentSessionId, resume };
  const launch = agent.launch({ ...asked, workspace, sessionDir, monoco, settings });
  for (const file of launch.files) writeFileSync(file.path, file.text);
  const dialogue = agent.dialogue(prompt);
  const updates: AgentUpdate[] = [];
  const child = spawnChild({
    argv: launch.argv,
    cwd: workspace,
    env: environmentOf(bench, { modelUrl, own: launch.env, sessionDir, role }),
    stdin: launch.stdin,
    keepStdinOpen: launch.keepStdinOpen,
    marker: `MONOCO_SESSION_DIR=${sessionDir}`,
    // No namespace: the run measures how the CLI itself dies.
    containment: "process-group",
    stdoutFile: join(sessionDir, "stream.jsonl"),
    stderrFile: join(sessionDir, "stderr.log"),
    bytesMax: streamBytesMax,
    onLine: (line) => {
      for (const update of dialogue.read(line)) {
        updates.push(update);
        if (update.type === "reply") child.write(update.text);
        if (update.type === "tool") setLive({ toolCalls: live.toolCalls + 1 });
        if (update.type === "ended") child.endInput();
      }
    },
  });
  const tell = (text: string): boolean => {
    const line = dialogue.message(text);
    if (line !== undefined) child.write(line);
    return line !== undefined;
  };
  return { workspace, updates, child, tell, setLive };
}

/** Built from scratch: without the person's home, login and settings. */
function environmentOf(
  { vendor, folder, binFolder, path }: Bench,
  session: { modelUrl: string; own: Readonly<Record<string, string>>; sessionDir: string; role: string },
): Record<string, string> {
  const home = join(folder, "home");
  const temporary = join(folder, "tmp");
  mkdirSync(home, { recursive: true });
  mkdirSync(temporary, { recursive: true });
  const git = { NAME: "Probe", EMAIL: "probe@localhost" };
  const identity = Object.entries(git).flatMap(([name, value]) => [
    [`GIT_AUTHOR_${name}`, value],
    [`GIT_COMMITTER_${name}`, value],
  ]);
  return scrubbedEnvironment(
    { PATH: path, LANG: "C.UTF-8", SHELL: "/bin/sh" },
    {
      names: [],
      binFolder,
      own: {
        HOME: home,
        TMPDIR: temporary,
        GIT_CONFIG_NOSYSTEM: "1",
        ...Object.fromEntries(identity),
        ...vendor.environment({ home, modelUrl: session.modelUrl }),
        ...session.own,
        MONOCO_ROLE: session.role,
        MONOCO_SESSION_DIR: session.sessionDir,
      },
    },
  );
}

/** The facts for the hooks: an issue with work left, and room for it. */
function liveOf(bench: Bench, plan: RunPlan, workspace: string): Live {
  const nowMs = Date.now();
  return {
    v: 1,
    issue: "FEAT-0001",
    title: "Be probed",
    session: plan.number,
    role: plan.role,
    language: "en",
    workspace,
    base: "main",
    branch: "monoco/FEAT-0001",
    contractPath: "issue.md",
    checks: [],
    checkMinutes: 1,
    handoffGiven: "",
    startedAtMs: nowMs,
    deadlineMs: nowMs + runMsMax,
    sessionMinutes: 2,
    toolCalls: 0,
    verdictBySchema: bench.agent.capabilities.verdictBySchema,
    stopBlocksMax: 1,
  };
}
