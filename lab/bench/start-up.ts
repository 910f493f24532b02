/** How long a command takes that only looks: --version, the stop hook in a session, the status of three relays, a backlog's list. */
import { cpSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Live } from "../../src/core/session/live.ts";
import { cli } from "./playground.ts";
import type { Bench, Builds, Playground, RunOptions } from "./playground.ts";
import { measureInTurn } from "./rounds.ts";
import type { Contestants } from "./rounds.ts";
import { rowOf } from "./table.ts";
import type { Row } from "./table.ts";

const startUpNames = {
  floor: "node -e 0",
  version: "monoco --version",
  hook: "monoco hook on-stop",
  status: "monoco status",
  list: "monoco issue list, 1,000 issues",
  longList: "monoco issue list, 10,000 issues",
} as const;

/** Those that run often are held against the floor, the others in milliseconds. */
const aims: readonly [string, { aim?: number; aimOfRatio?: number }][] = [
  [startUpNames.version, { aimOfRatio: 1.1 }],
  [startUpNames.hook, { aimOfRatio: 1.3 }],
  [startUpNames.status, {}],
  [startUpNames.list, { aim: 300 }],
  [startUpNames.longList, { aim: 1_000 }],
];

export async function startUp({ playground, builds, rounds }: Bench): Promise<Row[]> {
  const measured = await measureInTurn(await contestantsOf(playground, builds), rounds);
  const { floor } = startUpNames;
  const nextTo = measured[floor]!;
  const rows = aims.flatMap(([name, aim]) =>
    Object.keys(builds).map((which) =>
      rowOf(name + which, "ms", measured[name + which]!, {
        beside: floor,
        nextTo,
        ...(which === "" ? aim : {}),
      }),
    ),
  );
  return [rowOf(floor, "ms", nextTo), ...rows];
}

async function contestantsOf(playground: Playground, builds: Builds): Promise<Contestants> {
  const node = process.execPath;
  const cwd = threeRelays(playground);
  const session = makeSession(playground);
  const backlog = await makeBacklog(playground, 1_000);
  const longBacklog = await makeBacklog(playground, 10_000);
  const env = { MONOCO_SESSION_DIR: session };
  const input = JSON.stringify({ hook_event_name: "Stop", stop_hook_active: false });
  const contestants: Record<string, () => Promise<number>> = {
    [startUpNames.floor]: async () => playground.time([node, "-e", "0"], { cwd }),
  };
  for (const [which, program] of Object.entries(builds)) {
    const timed = (args: string[], options: RunOptions) => async () =>
      playground.time([node, program, ...args], options);
    const hook = timed(["hook", "on-stop"], { cwd, env, input });
    Object.assign(contestants, {
      [startUpNames.version + which]: timed(["--version"], { cwd }),
      [startUpNames.hook + which]: () => {
        // It counts how often it has said no: each time is to be the first.
        rmSync(join(session, "outbox", "stops"), { force: true });
        return hook();
      },
      [startUpNames.status + which]: timed(["relay", "status"], { cwd }),
      [startUpNames.list + which]: timed(["issue", "list"], { cwd: backlog }),
      [startUpNames.longList + which]: timed(["issue", "list"], { cwd: longBacklog }),
    });
  }
  return contestants;
}

/** The demo's repository after its story, and its relay twice more. */
function threeRelays(playground: Playground): string {
  const demo = join(playground.folder, "demo");
  playground.time([process.execPath, cli, "demo", "--folder", demo], { cwd: playground.folder });
  const relays = join(demo, "project", ".monoco", "relays");
  for (const id of ["DEMO-0003", "DEMO-0004"]) {
    cpSync(join(relays, "DEMO-0001"), join(relays, id), { recursive: true });
  }
  return join(demo, "project");
}

/** Issues of 2 kB each, half of them closed. */
async function makeBacklog(playground: Playground, count: number): Promise<string> {
  const words = "The page shows what a person asked for, and says so where it cannot.\n";
  const text = (n: number): string => `---
id: FEAT-${String(n).padStart(5, "0")}
type: feature
title: Show page ${n} as people know it
status: ${n % 2 === 0 ? "closed" : "open"}
stage: ${n % 2 === 0 ? "done" : "draft"}
created_at: '2026-01-31T09:00:00Z'
priority: medium
dependencies: [${n > 5 && n % 4 === 0 ? `FEAT-${String(n - 5).padStart(5, "0")}` : ""}]
tags: [ui, '#pages']
---

## Objective

${words.repeat(20)}
## Acceptance Criteria

${`- [ ] ${words}`.repeat(4)}`;
  const files = Array.from({ length: count }, (_, n) => [
    `issues/FEAT-${String(n + 1).padStart(5, "0")}.md`,
    text(n + 1),
  ]);
  const root = playground.repository(`backlog-${count}`, Object.fromEntries(files) as Record<string, string>);
  // As where relays have run: what was read of issues is kept there.
  mkdirSync(join(root, ".monoco"));
  return root;
}

/** A session in the middle of its work: the hook reads live.json, the outbox, the issue and a template, and says no. */
function makeSession(playground: Playground): string {
  const folder = join(playground.folder, "session");
  const workspace = join(playground.folder, "workspace");
  const contractPath = "issues/FEAT-0001.md";
  mkdirSync(join(folder, "outbox"), { recursive: true });
  mkdirSync(join(workspace, "issues"), { recursive: true });
  writeFileSync(join(workspace, contractPath), "## Acceptance Criteria\n\n- [ ] It is quick\n");
  const live: Live = {
    v: 1,
    issue: "FEAT-0001",
    title: "A session",
    session: 1,
    role: "executor",
    language: "en",
    workspace,
    base: "main",
    branch: "monoco/FEAT-0001",
    contractPath,
    checks: [],
    checkMinutes: 10,
    handoffGiven: "",
    startedAtMs: Date.now(),
    deadlineMs: Date.now() + 1_800_000,
    sessionMinutes: 30,
    contextTokens: 50_000,
    windowTokens: 200_000,
    toolCalls: 12,
    verdictBySchema: false,
    stopBlocksMax: 8,
  };
  writeFileSync(join(folder, "live.json"), JSON.stringify(live));
  return folder;
}
