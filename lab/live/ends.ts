/** What holds of a session's end, whichever agent it was: reason, evidence, time, handoff, what it left behind, and no process. */
import { endingWords } from "../../src/core/reason/ending-rows.ts";
import { becauseOf } from "../../src/core/reason/reason.ts";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { pinnedAgents } from "../../scripts/agents.ts";
import type { StopReason } from "../../src/index.ts";
import { repositoryPlaces } from "../../src/store/places.ts";
import { eventsOf, processesOf } from "../../test/support/cli.ts";
import type { Ran, Sandbox } from "../../test/support/cli.ts";
import type { Cell } from "./faults/fault.ts";

export type End = Omit<Cell, "turns">;

/** What `monoco run --once` says: try again later, a login is needed, or the next session can run. */
const exitCodes: Partial<Record<StopReason, number>> = {
  failure: 75,
  silent: 75,
  unknown: 75,
  usage_limit: 75,
  needs_login: 4,
  user_interrupt: 130,
};

type Place = { sandbox: Sandbox; project: string; issue: string; ran: Ran };

/** Of the relay's first and only session. */
export function expectEnd({ sandbox, project, issue, ran }: Place, end: End): void {
  const said = ran.stdout + ran.stderr;
  const events = eventsOf(project, issue);
  const [reason, ...parts] = end.ends;
  const [ended, ...more] = events.filter((event) => event.type === "session.ended");
  expect(ended, said).toMatchObject({ session: 1, reason });
  expect(more).toEqual([]);
  const evidence = endingWords(ended!.evidence).join("\n");
  expect(evidence).toMatch(new RegExp(parts.map(sourceOf).join("[^]*")));
  // TRAP 4
  if (end.hooksMissing !== "either")
    expect(evidence.includes("hooks were not seen"), evidence).toBe(end.hooksMissing === true);
  expect(ended!.denied).toEqual(end.denied);
  expect(ended!.durationMs).toBeLessThan((end.secondsMax ?? 60) * 1000);
  const started = events.find((event) => event.type === "session.started");
  if (end.uncontained) expect(started).toMatchObject({ containment: "process-group" });
  const limits = events.flatMap((event) => (event.type === "limit.hit" ? [event.resetsAtMs] : []));
  expect(limits).toHaveLength(reason === "usage_limit" ? 1 : 0);
  for (const resetsAtMs of limits) {
    if (end.resetsAtMs) expect(resetsAtMs).toBe(end.resetsAtMs);
    // What passed before the CLI gave up is not known.
    else expect(Math.abs(resetsAtMs - ended!.atMs - (end.resetsInMs ?? NaN))).toBeLessThan(60_000);
  }
  if (reason === "needs_login") expectNeedsPerson({ project, issue, ran });
  else expect(events.filter(({ type }) => type === "relay.blocked")).toEqual([]);
  expect(events.map(({ type }) => type)).not.toContain("submission.requested");
  // TRAP 12: no stop hook has run at most of these ends; the handoff is there all the same.
  expect(events.find((event) => event.type === "handoff.recorded")).toMatchObject({
    session: 1,
    source: "generated",
  });
  const session = join(project, ".monoco/relays", issue, "sessions/0001-executor");
  expect(readFileSync(join(session, "RALPH.md"), "utf8")).toContain(`- Stop reason: ${reason}`);
  const workspace = join(repositoryPlaces(project, sandbox.env).clones, issue);
  const made = Object.entries(end.made ?? {});
  for (const [name, words] of made) expect(readFileSync(join(workspace, name), "utf8")).toMatch(words);
  for (const name of end.missing ?? []) expect(existsSync(join(workspace, name)), name).toBe(false);
  // Who has worked is not put off.
  const worked = made.some(([name]) => !name.startsWith(".."));
  expect(ran.exitCode, said).toBe((worked ? undefined : exitCodes[reason]) ?? 1);
  // TRAP 7
  expect(processesOf(sandbox.folder)).toEqual([]);
}

function sourceOf(part: string | RegExp): string {
  return part instanceof RegExp
    ? `(?:${part.source})`
    : part.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);
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
function expectNeedsPerson({ project, issue, ran }: Omit<Place, "sandbox">): void {
  const events = eventsOf(project, issue);
  const agent = events.find((event) => event.type === "session.started")!.agent;
  const ended = events.find((event) => event.type === "session.ended");
  const [blocked, ...more] = events.filter((event) => event.type === "relay.blocked");
  expect(more).toEqual([]);
  expect(blocked && becauseOf(blocked.reason)).toBe(
    `${agent} needs a person: ${endingWords(ended?.evidence ?? [])[0]}`,
  );
  const hint =
    /^fix the login, credit or model of (\S+)(?: \((.+); to log in(?: with its `env`)?: (.+)\))?, then monoco resume (\S+)$/;
  const said = ran.stdout.split("hint: ").at(-1)?.trim() ?? "";
  const [, who, version = "", ...next] = hint.exec(said) ?? [];
  expect([who, ...next]).toEqual([agent, hasLogin(agent) ? logins[agent] : undefined, issue]);
  if (hasLogin(agent)) expect(version.split(" ")).toContain(pinnedAgents[agent].version);
  expect(ran.exitCode).toBe(4);
}
