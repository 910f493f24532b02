/** A weekend of 40 issues on some machines that share it by one of the queues: what was merged, how often, and how long it took beside the ideal. */
import { setTimeout as sleep } from "node:timers/promises";
import { databaseVariable } from "../../src/core/lease/database.ts";
import type { Ran, Running } from "../../test/support/cli.ts";
import { endsOf } from "./backlog.ts";
import type { Planned } from "./backlog.ts";
import { idealSeconds } from "./ideal.ts";
import { openFleet } from "./place.ts";
import { waitsMs } from "./waits.ts";
import type { Fleet, Push, Session } from "./place.ts";

/** One machine with several slots; a clone for each worker, with leases on the remote; and those with PostgreSQL before them. */
export const adapters = ["local", "lease", "pg-boss"] as const;
export type Adapter = (typeof adapters)[number];

export type Weekend = {
  adapter: Adapter;
  workers: number;
  /** The merges on the base, in their order. */
  merged: string[];
  /** From the first command to the last event of a relay. */
  seconds: number;
  sessions: Session[];
  /** For each issue, how long it was ready and a worker was free before its first session, ms. */
  waits: number[];
  pushes: Push[];
  ran: Ran[];
  fleet: Fleet;
};

type Of = { adapter: Adapter; workers: number; database?: string };

/** Runs the backlog until each issue has come to its end, and leaves the place to look at. */
export async function playWeekend(backlog: readonly Planned[], of: Of): Promise<Weekend> {
  const { adapter, workers, database = "" } = of;
  const fleet = await openFleet(backlog, adapter === "local" ? 1 : workers);
  const env: Record<string, string> = database === "" ? {} : { [databaseVariable]: database };
  if (adapter === "pg-boss") await fleet.start(0, ["fleet", "migrate"], env);
  const beganMs = Date.now();
  const running = fleet.clones.map((_, machine) => fleet.start(machine, argsOf(of), env));
  const isOver = adapter === "pg-boss" ? await workersEnd(fleet, backlog, running) : undefined;
  const ran = await Promise.all(running);
  const events = fleet.events();
  const last = [...events.values()].flat(2).filter(({ type }) => isEnd(type));
  return {
    adapter,
    workers,
    merged: await fleet.merged(adapter === "local" ? fleet.clones[0] : fleet.bare),
    seconds: isOver === false ? Infinity : (Math.max(...last.map(({ atMs }) => atMs)) - beganMs) / 1_000,
    sessions: fleet.sessions(),
    waits: waitsMs(backlog, events, { workers, beganMs }),
    pushes: fleet.pushes(),
    ran,
    fleet,
  };
}

function argsOf({ adapter, workers }: Of): string[] {
  switch (adapter) {
    case "local":
      return ["run", "--all", "-j", `${workers}`];
    case "lease":
      return ["run", "--all", "--remote", "-j", "1"];
    case "pg-boss":
      return ["worker", "-j", "1"];
  }
}

const isEnd = (type: string): boolean => type === "merge.done" || type === "relay.blocked";

/** Stops the workers, which wait for more work, once nothing of the backlog is left to do. False: they ended before. */
async function workersEnd(
  fleet: Fleet,
  backlog: readonly Planned[],
  running: readonly Running[],
): Promise<boolean> {
  const wanted = [...endsOf(backlog)].filter(([, end]) => end !== "not begun").length;
  let ended = 0;
  for (const one of running) void one.then(() => (ended += 1));
  for (;;) {
    const over = [...fleet.events().values()].filter((journals) =>
      journals.some((events) => events.some(({ type }) => isEnd(type))),
    );
    if (over.length >= wanted || ended === running.length) break;
    await sleep(300);
  }
  const isOver = ended < running.length;
  for (const one of running) one.kill("SIGTERM");
  return isOver;
}

/** What the issues took: the agents' own time, and `overheadSeconds` of monoco's for each session. */
export function idealOf(
  backlog: readonly Planned[],
  { sessions, workers }: Pick<Weekend, "sessions" | "workers">,
  overheadSeconds: number,
): number {
  const ends = endsOf(backlog);
  const works = backlog.map(({ id, needs }) => ({ id, needs, stands: "open" as const }));
  const taskOf = (id: string): { seconds: number; isDone: boolean } => {
    const own = sessions.filter(({ issue }) => issue === id);
    return {
      seconds: own.reduce((sum, one) => sum + (one.endedMs - one.beganMs) / 1_000 + overheadSeconds, 0),
      isDone: ends.get(id) === "merged",
    };
  };
  return idealSeconds(works, taskOf, workers);
}

/** Monoco's own time for each session of one worker that never waits. */
export function overheadOf({ seconds, sessions }: Pick<Weekend, "seconds" | "sessions">): number {
  return (seconds - agentSeconds(sessions)) / sessions.length;
}

const agentSeconds = (sessions: readonly Session[]): number =>
  sessions.reduce((sum, { beganMs, endedMs }) => sum + (endedMs - beganMs) / 1_000, 0);

/** How the weekend differs from what it should have come to: nothing, if all is well. */
export function faultsOf(backlog: readonly Planned[], { merged, sessions, ran }: Weekend): string[] {
  const wanted = [...endsOf(backlog)].flatMap(([id, end]) => (end === "merged" ? [id] : []));
  const said = ran.map(({ stdout, stderr }) => stdout + stderr).join("\n");
  const isBroken = /(?:^|\n)(?:error|warning):/.test(said);
  return [
    ...wanted.filter((id) => !merged.includes(id)).map((id) => `${id} was not merged`),
    ...merged.filter((id, at) => merged.indexOf(id) !== at).map((id) => `${id} was merged again`),
    ...merged.filter((id) => !wanted.includes(id)).map((id) => `${id} was merged`),
    ...backlog.flatMap(({ id, needs }) =>
      needs
        .filter((other) => merged.includes(id) && merged.indexOf(other) > merged.indexOf(id))
        .map((other) => `${id} was merged before ${other}`),
    ),
    ...wasted(backlog, sessions),
    ...overlaps(sessions).map((id) => `${id} had two sessions at once`),
    ...(isBroken ? [said] : []),
  ];
}

/** How many sessions an issue takes: a hopeless one gets three, and two after pauses. */
const sessionsOf = { short: 2, long: 3, question: 1, hopeless: 5 };

function wasted(backlog: readonly Planned[], sessions: readonly Session[]): string[] {
  const ends = endsOf(backlog);
  return backlog.flatMap(({ id, kind }) => {
    const had = sessions.filter(({ issue }) => issue === id).length;
    const needed = ends.get(id) === "not begun" ? 0 : sessionsOf[kind];
    return had === needed ? [] : [`${id} (${kind}) had ${had} sessions instead of ${needed}`];
  });
}

/** The issues of which two sessions were at work at the same time. */
function overlaps(sessions: readonly Session[]): string[] {
  const inOrder = sessions.toSorted((one, other) => one.beganMs - other.beganMs);
  return inOrder.flatMap(({ issue, beganMs }, at) =>
    inOrder.slice(0, at).some((other) => other.issue === issue && other.endedMs > beganMs) ? [issue] : [],
  );
}
