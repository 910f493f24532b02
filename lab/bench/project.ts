/** A repository whose sessions are all played by one program, the relays that run in it, and what its agents noted. */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { beside } from "./playground.ts";
import type { Playground } from "./playground.ts";
import { spreadOf } from "./rounds.ts";

export type Project = { root: string; log: string };

export const issueName = (n: number): string => `FEAT-${String(n).padStart(4, "0")}`;

export const issueText = (n: number): string => `---
id: ${issueName(n)}
type: feature
title: Count the sessions
status: open
stage: draft
---

## Objective

A line for each session.

## Acceptance Criteria

- [ ] There are lines
`;

let projects = 0;

type Options = {
  /** Sessions of a relay. */
  sessions: number;
  issues?: number;
  /** The agent's program and words; the instant agent where none is given. */
  agent?: (log: string) => string[];
  /** A sandbox may write the log. */
  sandbox?: "auto" | "none";
  /** The repository that has the commits before. */
  history?: string;
};

export function makeProject(playground: Playground, options: Options): Project {
  const { sessions, issues = 1, agent = instant(), sandbox = "none", history } = options;
  const name = `project-${++projects}`;
  const log = join(playground.folder, name, "log", "agents.log");
  mkdirSync(dirname(log), { recursive: true });
  writeFileSync(log, "");
  const files = Array.from({ length: issues }, (_, n) => [`issues/${issueName(n + 1)}.md`, issueText(n + 1)]);
  const settings = `agents:
  instant: { kind: command, run: ${JSON.stringify(agent(log))} }
roles:
  executor: { agents: [instant] }
  reviewer: { agents: [instant] }
limits: { sessionsMax: ${sessions}, sessionsPerHour: 10000 }
sandbox: ${sandbox}
sandboxWrite: ['${dirname(log)}', '${log}']
`;
  const root = playground.repository(
    `${name}/repository`,
    { ...(Object.fromEntries(files) as Record<string, string>), "monoco.yaml": settings },
    history,
  );
  return { root, log };
}

/** The agent that commits a line and hands over, after `seconds` if given. */
export const instant =
  (...seconds: string[]) =>
  (log: string): string[] => ["bash", beside("agent.sh"), log, ...seconds];

export type Ran = { ms: number; beganAtMs: number; peakMb: number };

/** Runs monoco until all sessions are spent and a person is needed (exit status 1) or to its merge (0). */
export function runMonoco(
  playground: Playground,
  program: string,
  args: readonly string[],
  { root, log }: Project,
  exitCode: 0 | 1 = 1,
): Ran {
  writeFileSync(log, "");
  const [peak, start] = [join(root, "../peak"), join(root, "../start")];
  const env = { NODE_OPTIONS: `--import=${beside("peak.mjs")}`, BENCH_PEAK: peak };
  const timed = ["bash", "-c", 'echo "$EPOCHREALTIME" >"$0"; exec "$@"', start];
  playground.time([...timed, process.execPath, program, ...args], { cwd: root, env, exitCode });
  const ended = Date.now();
  const beganAtMs = Number(readFileSync(start, "utf8")) * 1_000;
  return {
    ms: ended - beganAtMs,
    beganAtMs,
    peakMb: Number(readFileSync(peak, "utf8")),
  };
}

type Note = { began: number; ended: number };

/** When each session's agent began and ended, in the order of their ends. */
export function notes(log: string, sessions: number): Note[] {
  const lines = readFileSync(log, "utf8").trimEnd().split("\n");
  if (lines.length !== sessions) throw new Error(`${log}: ${lines.length} sessions instead of ${sessions}`);
  return lines.map((line) => {
    const [began, ended] = line.split(" ").map((seconds) => Number(seconds) * 1_000);
    return { began: began!, ended: ended! };
  });
}

/** From each agent's end to the next one's start. */
export function changes(log: string, sessions: number): number[] {
  const noted = notes(log, sessions);
  return noted.slice(1).map(({ began }, index) => began - noted[index]!.ended);
}

export const medianChange = (log: string, sessions: number): number =>
  spreadOf(changes(log, sessions)).median;
