/** What lies between the end of one session's agent and the start of the next, as the agents noted it themselves. */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { beside } from "./playground.ts";
import type { Builds, Playground } from "./playground.ts";
import type { Contestants } from "./rounds.ts";
import { spreadOf } from "./rounds.ts";

export const changeNames = {
  bash: "bash loop",
  node: "bare Node loop",
  monoco: "monoco run",
  sandboxed: "monoco run in the sandbox",
} as const;

const issue = "FEAT-0001";
const issueText = `---
id: ${issue}
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

/** Figures of a run of monoco beside the change of sessions. */
export type RunFigures = { firstAgentMs: number[]; peakMb: number[] };

/** Each measures, in a repository made anew, the median change of `sessions` sessions in a row. */
export function sessionChange(
  playground: Playground,
  { sessions, figures, builds }: { sessions: number; figures: Record<string, RunFigures>; builds: Builds },
): Contestants {
  let repositories = 0;
  const prepare = (sandbox: "auto" | "none" = "none"): { root: string; log: string } => {
    const name = `change-${++repositories}`;
    // In the sandbox the agent may write there by a setting; of a word of its command line that is a file it may not.
    const log = join(playground.folder, `${name}-log`, "agents.log");
    mkdirSync(dirname(log));
    const agent = JSON.stringify(["bash", beside("agent.sh"), log]);
    const root = playground.repository(`${name}/repository`, {
      "monoco.yaml": `sandbox: ${sandbox}\nsandboxWrite: ['${dirname(log)}', '${log}']\nagents:\n  instant: { kind: command, run: ${agent} }\nroles:\n  executor: { agents: [instant] }\n  reviewer: { agents: [instant] }\nlimits: { sessionsMax: ${sessions} }\n`,
      [`issues/${issue}.md`]: issueText,
    });
    return { root, log };
  };
  const prompt = join(playground.folder, "prompt.md");
  writeFileSync(prompt, issueText.repeat(20));
  const loop = async (program: readonly string[]): Promise<number> => {
    const { root, log } = prepare();
    const argv = [...program, beside("agent.sh"), log, String(sessions), prompt];
    playground.time(argv, { cwd: root, env: { MONOCO_ISSUE: issue } });
    return changes(log, sessions).median;
  };
  const relay = async (which: string, program: string, sandbox: "auto" | "none"): Promise<number> => {
    const { root, log } = prepare(sandbox);
    const peak = join(root, "..", "peak");
    const env = { NODE_OPTIONS: `--import=${beside("peak.mjs")}`, BENCH_PEAK: peak };
    const began = Date.now();
    // The sessions are spent then, and a person is needed: exit status 1.
    playground.time([process.execPath, program, "run", issue], { cwd: root, env, exitCode: 1 });
    if (sandbox === "none") {
      figures[which]!.firstAgentMs.push(notes(log, sessions)[0]!.began - began);
      figures[which]!.peakMb.push(Number(readFileSync(peak, "utf8")));
    }
    return changes(log, sessions).median;
  };
  const { monoco, sandboxed } = changeNames;
  const relays = Object.entries(builds).flatMap(([which, program]): [string, () => Promise<number>][] => [
    [monoco + which, () => relay(which, program, "none")],
    [sandboxed + which, () => relay(which, program, "auto")],
  ]);
  return {
    [changeNames.bash]: () => loop(["bash", beside("loop.sh")]),
    [changeNames.node]: () => loop([process.execPath, beside("loop.ts")]),
    ...Object.fromEntries(relays),
  };
}

type Note = { began: number; ended: number };

function notes(log: string, sessions: number): Note[] {
  const lines = readFileSync(log, "utf8").trimEnd().split("\n");
  if (lines.length !== sessions) throw new Error(`${log}: ${lines.length} sessions instead of ${sessions}`);
  return lines.map((line) => {
    const [began, ended] = line.split(" ").map((seconds) => Number(seconds) * 1_000);
    return { began: began!, ended: ended! };
  });
}

function changes(log: string, sessions: number): ReturnType<typeof spreadOf> {
  const noted = notes(log, sessions);
  return spreadOf(noted.slice(1).map(({ began }, index) => began - noted[index]!.ended));
}
