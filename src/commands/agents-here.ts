/** The agents as they are here: where their programs lie, in which version, and what a probe has found of them. */
import { execFile } from "node:child_process";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, isAbsolute, join, resolve } from "node:path";
import type { Agent, AgentKind, AgentSettings } from "../agents/agent.ts";
import { scrubbedEnvironment } from "../agents/environment.ts";
import { agents } from "../agents/registry.ts";
import { plainLine } from "../core/plain.ts";
import { withFindings } from "../core/probe.ts";
import { knownProbe } from "../store/probes.ts";

/** The adapters, with what was found of the programs that are installed here in place of what is declared. */
export function agentsHere(): Record<AgentKind, Agent> {
  const asFound = Object.entries(agents).map(([kind, agent]) => {
    const program = agent.program({ kind: agent.kind });
    const path = program && findProgram(program.name, process.cwd());
    const known = path === undefined ? undefined : knownProbe(process.env, kind, path);
    return [
      kind,
      known ? { ...agent, capabilities: withFindings(agent.capabilities, known.findings) } : agent,
    ];
  });
  return { ...agents, ...(Object.fromEntries(asFound) as Partial<Record<AgentKind, Agent>>) };
}

/** As the runner finds it: a relative path is the repository's (`root`), any other name the PATH's. */
export function findProgram(program: string, root: string): string | undefined {
  if (program.includes("/")) {
    const path = isAbsolute(program) ? program : resolve(root, program);
    return existsSync(path) ? path : undefined;
  }
  const folders = (process.env["PATH"] ?? "").split(delimiter).filter((folder) => isAbsolute(folder));
  return folders.map((folder) => join(folder, program)).find((path) => program !== "" && existsSync(path));
}

/** The version of an agent's program; null where it is not there, or does not say. */
export async function versionHere(entry: AgentSettings, root: string): Promise<string | null> {
  const path = findProgram(agents[entry.kind].program(entry)?.name ?? "", root);
  return path === undefined ? null : versionOf(path, entry);
}

/** What `--version` prints first, in the environment that the agent gets in a session. */
export async function versionOf(path: string, { kind, env }: AgentSettings): Promise<string | null> {
  const home = agents[kind].program({ kind })?.home;
  const temporary = home === undefined ? undefined : mkdtempSync(join(tmpdir(), "monoco-version-"));
  const environment = scrubbedEnvironment(process.env, {
    names: agents[kind].passEnv,
    binFolder: dirname(path),
    own: { ...env, ...(home === undefined || temporary === undefined ? {} : { [home]: temporary }) },
  });
  const said = await new Promise<string>((resolve) => {
    const options = { env: environment, timeout: 20_000, killSignal: "SIGKILL" } as const;
    const child = execFile(path, ["--version"], options, (error, stdout) => resolve(error ? "" : stdout));
    child.stdin?.end();
  });
  if (temporary !== undefined) rmSync(temporary, { recursive: true, force: true });
  const first = said.trim().split("\n")[0] ?? "";
  return first === "" ? null : plainLine(first, 60);
}
