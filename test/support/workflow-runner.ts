/**
 * Runs a workflow of GitHub on this machine: jobs by their needs, conditions, matrix and concurrency, and their steps as real
 * processes. Each job has a machine of its own: a folder with a home, which is thrown away with all its processes when the job
 * ends or is cut. `actions/checkout` is a real clone; what a hosted image brings (sudo, apt-get, npm, gh) is a stand-in.
 */
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { execa } from "execa";
import { parse } from "yaml";
import { attempt } from "../../src/core/error/attempt.ts";
import { removeTree } from "../../src/git/folders.ts";
import { cliPath } from "./cli.ts";
import { evaluate, filled, isTruthy, textOf } from "./workflow-expressions.ts";
import type { Contexts } from "./workflow-expressions.ts";

type Step = {
  name?: string;
  id?: string;
  uses?: string;
  with?: Record<string, unknown>;
  run?: string;
  env?: Record<string, string>;
};
type Job = {
  needs?: string[];
  if?: string;
  outputs?: Record<string, string>;
  strategy?: { matrix: string };
  concurrency?: { group: string };
  steps: Step[];
};

/** `log`: what its steps have printed. `cut`: its machine was thrown away before its end. */
export type JobRan = {
  job: string;
  matrix: Record<string, unknown>;
  result: "success" | "failure" | "cut" | "skipped";
  log: string;
};

export type Hosted = {
  /** The folder below which machines are made. */
  folder: string;
  /** What the repository is cloned from. */
  remote: string;
  /** A folder of programs that every machine has, as the stand-in for gh, and their variables. */
  env: Readonly<Record<string, string>>;
  secrets?: Readonly<Record<string, string>>;
  /** Replaces a text of the workflow, as its limit in minutes. */
  change?: (workflow: string) => string;
};

export type Event = {
  name: string;
  payload?: object;
  inputs?: Readonly<Record<string, string>>;
  /** How long a job's machine lives, in ms; undefined for its whole work. */
  cutMs?: (job: string) => number | undefined;
};

/** Runs the workflow for one event, and returns its jobs in the order of their ends. */
export async function runWorkflow(host: Hosted, text: string, event: Event): Promise<JobRan[]> {
  const { jobs } = parse((host.change ?? String)(text)) as { jobs: Record<string, Job> };
  const ran: JobRan[] = [];
  const needs: Record<string, { result: string; outputs: Record<string, unknown> }> = {};
  for (const [name, job] of Object.entries(jobs)) {
    const github = {
      event_name: event.name,
      event: event.payload ?? {},
      token: "the-token-of-the-run",
      ref_name: "main",
    };
    const around = { github, inputs: event.inputs ?? {}, secrets: host.secrets ?? {}, needs };
    const before = (job.needs ?? []).map((one) => needs[one]!.result);
    const state = {
      cancelled: () => false,
      always: () => true,
      success: () => before.every((one) => one === "success"),
    };
    const condition = job.if?.replace(/^\s*\$\{\{|\}\}\s*$/g, "");
    const begins = condition === undefined ? state.success() : isTruthy(evaluate(condition, around, state));
    const isChecked = /\b(?:cancelled|always|success)\(\)/.test(condition ?? "");
    if (!begins || (!isChecked && !state.success())) {
      needs[name] = { result: "skipped", outputs: {} };
      ran.push({ job: name, matrix: {}, result: "skipped", log: "" });
      continue;
    }
    const rows = job.strategy
      ? (filled(job.strategy.matrix, around) as { include: Record<string, unknown>[] }).include
      : [{}];
    const ended = await Promise.all(
      rows.map(async (matrix) => {
        const contexts = { ...around, matrix };
        const group = job.concurrency && textOf(filled(job.concurrency.group, contexts));
        return inTurn(group, () => runJob(host, { name, job, contexts, event }));
      }),
    );
    ran.push(...ended.map((one) => one.ran));
    const worst = ended.find((one) => one.ran.result !== "success")?.ran.result ?? "success";
    needs[name] = { result: worst, outputs: ended[0]?.outputs ?? {} };
  }
  return ran;
}

const groups = new Map<string, Promise<unknown>>();

/** One job of a concurrency group at a time, over all workflows of this process. */
export async function inTurn<T>(group: string | undefined, act: () => Promise<T>): Promise<T> {
  if (group === undefined) return act();
  const before = groups.get(group) ?? Promise.resolve();
  const now = before.then(act, act);
  groups.set(group, now);
  return now;
}

async function runJob(
  host: Hosted,
  { name, job, contexts, event }: { name: string; job: Job; contexts: Contexts; event: Event },
): Promise<{ ran: JobRan; outputs: Record<string, unknown> }> {
  const folder = mkdtempSync(join(host.folder, "machine-"));
  const machine = makeMachine(host, folder);
  Object.assign(machine.env, {
    GITHUB_ACTIONS: "true",
    GITHUB_ENV: machine.envFile,
    GITHUB_OUTPUT: machine.output,
    GITHUB_EVENT_PATH: join(folder, "event"),
    GITHUB_EVENT_NAME: event.name,
    GITHUB_WORKSPACE: machine.workspace,
    GITHUB_REPOSITORY: "owner/name",
    RUNNER_TEMP: join(folder, "temp"),
  });
  writeFileSync(join(folder, "event"), JSON.stringify(event.payload ?? {}));
  const matrix = contexts["matrix"] as Record<string, unknown>;
  const ran: JobRan = { job: name, matrix, result: "success", log: "" };
  const steps: Record<string, { outputs: Record<string, string> }> = {};
  const cut = new AbortController();
  const cutMs = event.cutMs?.(name);
  const timer = cutMs === undefined ? undefined : setTimeout(() => cut.abort(), cutMs);
  try {
    for (const step of job.steps) {
      if (cut.signal.aborted) break;
      const ended = await runStep(step, { ...contexts, steps }, { host, machine, cut: cut.signal });
      ran.log += ended.log;
      if (step.id !== undefined) steps[step.id] = { outputs: pairsIn(machine.output) };
      if (!cut.signal.aborted && ended.exitCode !== 0) ran.result = "failure";
      if (ran.result !== "success") break;
    }
    if (cut.signal.aborted) ran.result = "cut";
    const outputs = Object.entries(job.outputs ?? {}).map(([key, text]) => [
      key,
      filled(text, { ...contexts, steps }),
    ]);
    return { ran, outputs: Object.fromEntries(outputs) as Record<string, unknown> };
  } finally {
    clearTimeout(timer);
    await throwAway(folder);
  }
}

export type Machine = {
  folder: string;
  workspace: string;
  env: Record<string, string>;
  envFile: string;
  output: string;
};

/** What a hosted image has: each of these does nothing but to keep what it was asked, since this machine has it all. */
const standIns = ["apt-get", "sysctl", "npm"];

export function makeMachine({ env }: Pick<Hosted, "env">, folder: string): Machine {
  const at = (path: string): string => join(folder, path);
  for (const path of ["home", "bin", "work", "temp", "state"]) mkdirSync(at(path), { recursive: true });
  const program = (name: string, text: string): void => {
    writeFileSync(at(`bin/${name}`), `#!/bin/sh\n${text}\n`);
    chmodSync(at(`bin/${name}`), 0o755);
  };
  for (const name of standIns) program(name, `echo "${name} $*" >> '${at("asked.log")}'`);
  program("sudo", 'exec "$@"');
  program("monoco", `exec '${process.execPath}' '${cliPath}' "$@"`);
  symlinkSync(process.execPath, at("bin/node"));
  for (const name of ["env", "output"]) writeFileSync(at(name), "");
  return {
    folder,
    workspace: at("work"),
    envFile: at("env"),
    output: at("output"),
    env: {
      LANG: "C.UTF-8",
      ...env,
      PATH: `${at("bin")}:${env["PATH"] ?? process.env["PATH"] ?? ""}`,
      HOME: at("home"),
      XDG_STATE_HOME: at("state"),
      GIT_CONFIG_NOSYSTEM: "1",
      CI: "true",
    },
  };
}

async function runStep(
  step: Step,
  contexts: Contexts,
  { host, machine, cut }: { host: Hosted; machine: Machine; cut: AbortSignal },
): Promise<{ exitCode: number | undefined; log: string }> {
  const env = { ...machine.env, ...pairsIn(machine.envFile) };
  for (const [name, text] of Object.entries(step.env ?? {})) env[name] = textOf(filled(text, contexts));
  const script = step.uses === undefined ? (step.run ?? "") : actionOf(step, host, contexts);
  // What a step is made of is known before it runs: no value of an expression becomes a command.
  if (step.uses === undefined && script.includes("${{"))
    throw new Error(`an expression in a script: ${script}`);
  return runOn(machine, script, { env, cut });
}

/** A script on a machine, in one shell that ends with its first command that fails. */
export async function runOn(
  machine: Machine,
  script: string,
  { env, cut }: { env: Record<string, string>; cut?: AbortSignal },
): Promise<{ exitCode: number | undefined; log: string }> {
  const child = execa("bash", ["--noprofile", "--norc", "-e", "-o", "pipefail", "-c", script], {
    cwd: machine.workspace,
    env,
    extendEnv: false,
    stdin: "ignore",
    all: true,
    reject: false,
    detached: true,
  });
  const end = (): void => killAll(machine.folder, child.pid);
  cut?.addEventListener("abort", end);
  const { all, exitCode } = await child;
  cut?.removeEventListener("abort", end);
  return { exitCode, log: `${all}\n` };
}

/** The commands that do what the action does. */
function actionOf({ uses = "", with: given = {} }: Step, { remote }: Hosted, contexts: Contexts): string {
  if (uses.startsWith("actions/setup-node@")) return "node --version";
  if (!uses.startsWith("actions/checkout@")) throw new Error(`unknown action ${uses}`);
  const depth = Number(given["fetch-depth"] ?? 1);
  const ref = textOf(filled(textOf(given["ref"] ?? "main"), contexts));
  const what =
    depth === 0
      ? "'+refs/heads/*:refs/remotes/origin/*'"
      : `--depth=${depth} '+refs/heads/${ref}:refs/remotes/origin/${ref}'`;
  const url = "https://github.com/owner/name";
  return `git init -q . && git config url.'file://${remote}'.insteadOf ${url} && git remote add origin ${url} && git fetch -q --no-tags origin ${what} && git checkout -q --force -B '${ref}' 'refs/remotes/origin/${ref}'`;
}

function pairsIn(path: string): Record<string, string> {
  const lines = readFileSync(path, "utf8")
    .split("\n")
    .filter((line) => line.includes("="));
  return Object.fromEntries(lines.map((line) => [line.split("=", 1)[0]!, line.slice(line.indexOf("=") + 1)]));
}

/** A machine ends: SIGKILL to the group of its step, and to what has left that group. */
function killAll(folder: string, pid: number | undefined): void {
  if (pid !== undefined) attempt(() => process.kill(-pid, "SIGKILL"), false);
  for (const one of livingOn(folder)) attempt(() => process.kill(one, "SIGKILL"), false);
}

function livingOn(folder: string): number[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .filter((pid) =>
      attempt(
        () =>
          !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, "utf8")) &&
          readFileSync(`/proc/${pid}/environ`, "utf8").includes(`${folder}/`),
        false,
      ),
    )
    .map(Number);
}

/** A machine ends, with all that runs on it and all that is there. */
export async function throwAway(folder: string): Promise<void> {
  for (let left = livingOn(folder); left.length > 0; left = livingOn(folder)) {
    killAll(folder, undefined);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  removeTree(folder);
}
