/** What holds of a session's end, whichever agent it was: reason, evidence, time, handoff, what it left behind, and no process. */
import { endingWords } from "../../src/core/reason/ending-rows.ts";
import { becauseOf } from "../../src/core/reason/reason.ts";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { pinnedAgents } from "../../scripts/agents.ts";
import type { StopReason } from "../../src/index.ts";
import { repositoryPlaces } from "../../src/store/places.ts";
import { eventsOf, processesOf } from "../../test/support/cli.ts";
import type { Ran, Sandbox } from "../../test/support/cli.ts";

export type End = {
  reason: StopReason;
  evidence: string | RegExp;
  /** From its end to that of its limit; every usage limit has one. */
  resetsInMs?: number;
  /** Tools that were denied, as far as the agent tells. */
  denied?: string[];
  /** Files of its workspace, and what they say. */
  made?: Record<string, RegExp>;
  /** Paths from its workspace at which nothing is. */
  missing?: string[];
  /** On a machine where no namespace can be made. */
  uncontained?: true;
  secondsMax?: number;
};

/** The settings' own: what a limit that names no end is given. */
export const untoldLimitMs = 60 * 60_000;

type Place = { sandbox: Sandbox; project: string; issue: string; ran: Ran };

/** Of the relay's first session. */
export function expectEnd({ sandbox, project, issue, ran }: Place, end: End): void {
  const events = eventsOf(project, issue);
  const ended = events.find((event) => event.type === "session.ended");
  expect(ended, ran.stdout + ran.stderr).toMatchObject({ session: 1, reason: end.reason });
  expect(endingWords(ended!.evidence).join("\n")).toMatch(end.evidence);
  expect(ended!.denied).toEqual(end.denied);
  expect(ended!.durationMs).toBeLessThan((end.secondsMax ?? 60) * 1000);
  const started = events.find((event) => event.type === "session.started");
  if (end.uncontained) expect(started).toMatchObject({ containment: "process-group" });
  const limits = events.flatMap((event) => (event.type === "limit.hit" ? [event.resetsAtMs] : []));
  expect(limits).toHaveLength(end.reason === "usage_limit" ? 1 : 0);
  if (end.reason === "needs_login") expectNeedsPerson({ project, issue, ran });
  // What passed before the CLI gave up is not known.
  for (const resetsAtMs of limits)
    expect(Math.abs(resetsAtMs - ended!.atMs - (end.resetsInMs ?? NaN))).toBeLessThan(60_000);
  // TRAP 12: no stop hook has run at most of these ends; the handoff is there all the same.
  expect(events.find((event) => event.type === "handoff.recorded")).toMatchObject({
    session: 1,
    source: "generated",
  });
  const session = join(project, ".monoco/relays", issue, "sessions/0001-executor");
  expect(readFileSync(join(session, "RALPH.md"), "utf8")).toContain(`- Stop reason: ${end.reason}`);
  const workspace = join(repositoryPlaces(project, sandbox.env).clones, issue);
  for (const [name, words] of Object.entries(end.made ?? {}))
    expect(readFileSync(join(workspace, name), "utf8")).toMatch(words);
  for (const name of end.missing ?? []) expect(existsSync(join(workspace, name)), name).toBe(false);
  // TRAP 7
  expect([join(project, ".monoco"), workspace].flatMap(processesOf)).toEqual([]);
}

const logins = {
  claude: "claude auth login",
  codex: "codex login",
  gemini: "gemini, once by hand",
  opencode: "opencode auth login",
};

function hasLogin(agent: string): agent is keyof typeof logins {
  return Object.hasOwn(logins, agent);
}

/**
 * The relay is blocked since its first session needs a person, who is told whose program in which version, and how to log in, where
 * monoco knows that.
 */
export function expectNeedsPerson({ project, issue, ran }: Omit<Place, "sandbox">): void {
  const events = eventsOf(project, issue);
  const agent = events.find((event) => event.type === "session.started")!.agent;
  const ended = events.find((event) => event.type === "session.ended");
  const [blocked, ...more] = events.filter((event) => event.type === "relay.blocked");
  expect(more).toEqual([]);
  expect(blocked && becauseOf(blocked.reason)).toBe(
    `${agent} needs a person: ${endingWords(ended?.evidence ?? [])[0]}`,
  );
  const hint =
    /^fix the login, credit or model of (\S+)(?: \((.+); to log in(?: with its `env`)?: (.+)\))?, then monoco relay resume (\S+)$/;
  const said = ran.stdout.split("hint: ").at(-1)?.trim() ?? "";
  const [, who, version = "", ...next] = hint.exec(said) ?? [];
  expect([who, ...next]).toEqual([agent, hasLogin(agent) ? logins[agent] : undefined, issue]);
  if (hasLogin(agent)) expect(version.split(" ")).toContain(pinnedAgents[agent].version);
  expect(ran.exitCode).toBe(4);
}

/** Lives until it is ended, and has said so. */
export const stays = "sh -c 'echo $$ > left.pid; exec sleep 6000'";
/** Goes on when it has left its session, and lives. */
export const leave = `setsid nohup ${stays} > /dev/null 2>&1 & until [ -s left.pid ]; do sleep 0.1; done`;
/** For a later tool: keeps what was left if that is alive. */
export const lookAtLeft = "read pid < left.pid && kill -0 $pid && cp left.pid left.alive";
export const wasAlive = { "left.alive": /^\d+\n$/ };

/** The PATH of a machine on which nothing can be put in a namespace: monoco holds the process group, and sweeps. */
export function withoutNamespaces(home: string, path: string): string {
  const folder = join(home, "no-namespaces");
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "setpriv"), "#!/bin/sh\nexit 1\n", { mode: 0o755 });
  return `${folder}:${path}`;
}

/** Signals the driver, the parent of the agent that runs this, and keeps the driver's command line. */
export function signalDriver(signal: "TERM" | "KILL"): string {
  const find = `read _ _ _ driver _ < /proc/$PPID/stat`;
  return `${find}; tr '\\0' ' ' < /proc/$driver/cmdline > signalled.txt; kill -${signal} $driver; sleep 6000`;
}
