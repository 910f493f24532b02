/** The agents on this machine: the places and versions of their programs, and the findings of probes. */
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { delimiter, dirname, isAbsolute, join, resolve } from "node:path";
import type { Agent, AgentKind, AgentSettings } from "../agents/agent.ts";
import { isOnPath, scrubbedEnvironment } from "../agents/environment.ts";
import { agents } from "../agents/registry.ts";
import { plainLine } from "../core/text/sanitize.ts";
import { withFindings } from "../core/session/probe.ts";
import type { Version } from "../core/session/version.ts";
import { knownProbe } from "../store/probes.ts";
import { makeTemporary } from "./temporary.ts";
import { io } from "../io/io.ts";
import { needPipes } from "../io/need-pipes.ts";

/** The adapters. The findings of a probe of the installed program replace an adapter's declarations. */
export function agentsHere(): Record<AgentKind, Agent> {
  const asFound = Object.entries(agents).map(([kind, agent]) => {
    const program = agent.program({ kind: agent.kind });
    const path = program && findProgram(program.name, io().cwd);
    const probe = path === undefined ? undefined : knownProbe(io().env, kind, path);
    return [
      kind,
      probe ? { ...agent, capabilities: withFindings(agent.capabilities, probe.findings) } : agent,
    ];
  });
  return { ...agents, ...(Object.fromEntries(asFound) as Partial<Record<AgentKind, Agent>>) };
}

/** Whether hooks, cron and the like find monoco: npm puts folders of its own on the PATH of what it runs. */
export function isFoundByOthers(): boolean {
  const folders = (io().env["PATH"] ?? "")
    .split(delimiter)
    .filter((folder) => !folder.endsWith("/node_modules/.bin"));
  return isOnPath("monoco", folders.join(delimiter));
}

/** Finds a program as the runner does: a relative path in the repository (`root`), any other name on the PATH. */
export function findProgram(program: string, root: string): string | undefined {
  if (program.includes("/")) {
    const path = isAbsolute(program) ? program : resolve(root, program);
    return existsSync(path) ? path : undefined;
  }
  const folders = (io().env["PATH"] ?? "").split(delimiter).filter((folder) => isAbsolute(folder));
  return folders.map((folder) => join(folder, program)).find((path) => program !== "" && existsSync(path));
}

/** The version of an agent's program. */
export async function versionHere(entry: AgentSettings, root: string): Promise<Version> {
  const path = findProgram(agents[entry.kind].program(entry)?.name ?? "", root);
  return path === undefined ? { said: null } : versionOf(path, entry);
}

/** The first line that `--version` prints, in the environment that the agent gets in a session. */
export async function versionOf(
  path: string,
  { kind, env }: AgentSettings,
  secondsMax = versionSeconds,
): Promise<Version> {
  const home = agents[kind].program({ kind })?.home;
  const temporary = home === undefined ? undefined : makeTemporary("version");
  const environment = scrubbedEnvironment(io().env, {
    names: agents[kind].passEnv,
    binFolder: dirname(path),
    own: { ...env, ...(home === undefined || temporary === undefined ? {} : { [home]: temporary.folder }) },
  });
  const said = await outputOf(path, environment, secondsMax * 1_000);
  temporary?.remove();
  if (said === undefined) return { said: null, waitedSeconds: secondsMax };
  const first = said.trim().split("\n")[0] ?? "";
  return { said: first === "" ? null : plainLine(first, 60) };
}

/** For `--version`: the slowest measured, OpenCode's first, took 19 s. */
const versionSeconds = 20;
/** From a program's end to the end of the processes that still hold its output, ms. */
const closeMs = 500;

/** The output of `--version`: "" if it fails, undefined after `msMax`. Kills every process that is left. */
function outputOf(path: string, env: Record<string, string>, msMax: number): Promise<string | undefined> {
  return new Promise((resolve) => {
    needPipes();
    const child = spawn(path, ["--version"], { env, stdio: ["ignore", "pipe", "ignore"], detached: true });
    let text = "";
    let ended = false;
    const end = (answer: string | undefined): void => {
      // Kills once only: later the pid may be another process's.
      if (ended) return;
      ended = true;
      clearTimeout(timer);
      child.stdout.destroy();
      try {
        if (child.pid !== undefined) process.kill(-child.pid, "SIGKILL");
      } catch {
        // No process is left.
      }
      resolve(answer);
    };
    const timer = setTimeout(() => end(undefined), msMax);
    child.stdout.setEncoding("utf8").on("data", (chunk: string) => {
      text = (text + chunk).slice(0, 1_000);
    });
    child.once("error", () => end(""));
    child.once("close", (exitCode) => end(exitCode === 0 ? text : ""));
    child.once("exit", (exitCode) => setTimeout(() => end(exitCode === 0 ? text : ""), closeMs).unref());
  });
}
