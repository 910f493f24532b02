/** A real repository whose agents are programs of fixtures/bin, one for each role, and what became of a run of it. */
import { chmodSync, copyFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterAll, expect } from "vitest";
import { probeContainment } from "../../src/agents/containment.ts";
import type { Containment } from "../../src/agents/containment.ts";
import type { RelayEvent } from "../../src/core/journal/event.ts";
import { eventsOf, fixture, openSandbox, processesOf } from "./cli.ts";
import type { Ran, Running, Sandbox } from "./cli.ts";
import { initRepository } from "./repository.ts";

const sandboxes: Sandbox[] = [];
afterAll(() => {
  for (const sandbox of sandboxes) sandbox.dispose();
});

export const issue = "FEAT-0001";
export const issuePath = `issues/${issue}-write-a-file.md`;
const contract = `---
id: ${issue}
title: Write a file
status: open
stage: draft
checks: ["test -f file.txt"]
---

## Objective

A file.

## Acceptance Criteria

- [ ] file.txt is there
- [ ] it holds a word

## Technical Tasks

- [ ] Think
- [ ] Write
`;

/** Who plays: programs of fixtures/bin with their arguments, or `[…]` as it stands in monoco.yaml. */
export type Cast = {
  executor: string;
  reviewer: string;
  limits?: string;
  checks?: string;
  containment?: Containment;
  /** `allows:` of the contract. */
  allows?: string;
  /** More lines of monoco.yaml, and more files of the first commit. */
  settings?: string;
  texts?: Record<string, string>;
};

export type Place = {
  sandbox: Sandbox;
  project: string;
  /** The commit that main began at. */
  base: string;
  start(env?: Record<string, string>): Running;
  monoco(...args: string[]): Promise<Ran>;
};

/** A real repository whose agents are the cast; `files` are committed with it. */
export async function stage(cast: Cast, files: Record<string, string> = {}): Promise<Place> {
  const sandbox = openSandbox();
  sandboxes.push(sandbox);
  const project = join(sandbox.folder, "project");
  mkdirSync(join(project, "issues"), { recursive: true });
  writeFileSync(
    join(project, issuePath),
    cast.allows ? contract.replace("checks:", `allows: ${cast.allows}\nchecks:`) : contract,
  );
  writeFileSync(join(project, "monoco.yaml"), settingsOf(cast));
  for (const [name, text] of Object.entries(cast.texts ?? {})) {
    mkdirSync(dirname(join(project, name)), { recursive: true });
    writeFileSync(join(project, name), text);
  }
  for (const [name, program] of Object.entries(files)) copyFileSync(bin(program), join(project, name));
  initRepository(project, { name: "P", email: "p@example.com" });
  await sandbox.sh(
    project,
    "git add -A && git commit -qm Begin && git branch other $(git commit-tree -p HEAD -m other $(git hash-object -t tree -w /dev/null))",
  );
  const env = cast.containment === "process-group" ? withoutNamespaces(sandbox) : {};
  return {
    sandbox,
    project,
    base: await sandbox.git(project, "rev-parse", "main"),
    start: (own) => sandbox.start(["run", issue], { cwd: project, env: { ...env, ...own } }),
    monoco: (...args) => sandbox.monoco(args, { cwd: project, env }),
  };
}

const bin = (name: string): string => fixture(`bin/${name}`);

function settingsOf({ executor, reviewer, limits = "", checks = "[]", settings = "" }: Cast): string {
  const agent = (play: string): string => {
    const [program = "", ...rest] = play.split(" ");
    return `{ kind: command, run: ${play.startsWith("[") ? play : JSON.stringify([bin(program), ...rest])} }`;
  };
  return `agents:
  liar: ${agent(executor)}
  judge: ${agent(reviewer)}
roles: { executor: { agents: [liar] }, reviewer: { agents: [judge] } }
checks: ${checks}
breaker: { reopen: manual }
limits: { backoffSeconds: 0, stalledMax: 2, ${limits.includes("reviewRoundsMax") ? "" : "reviewRoundsMax: 2, "}${limits} }
${settings}
`;
}

/** A PATH on which the namespace's wrapper fails, as it does where the machine forbids it. */
function withoutNamespaces(sandbox: Sandbox): Record<string, string> {
  const folder = join(sandbox.folder, "no-namespaces");
  mkdirSync(folder);
  writeFileSync(join(folder, "setpriv"), "#!/bin/sh\nexit 1\n");
  chmodSync(join(folder, "setpriv"), 0o755);
  return { PATH: `${folder}:${sandbox.env["PATH"]}` };
}

type Of<T extends RelayEvent["type"]> = Extract<RelayEvent, { type: T }>;

export function told<T extends RelayEvent["type"]>(place: Place, type: T): Of<T>[] {
  return eventsOf(place.project, issue).filter((event): event is Of<T> => event.type === type);
}

/** How each session ended: `executor timeout`. */
export function endings(place: Place): string[] {
  const roles = new Map(told(place, "session.started").map(({ session, role }) => [session, role]));
  return told(place, "session.ended").map(({ session, reason }) => `${roles.get(session)} ${reason}`);
}

export const times = (count: number, ...endings: string[]): string[] =>
  Array.from({ length: count }, () => endings).flat();

/** Nothing of theirs is on the base, and nobody but a Reviewer's process has given a verdict. */
export async function expectNothingMerged(place: Place): Promise<void> {
  const { sandbox, project, base } = place;
  expect(told(place, "review.decided").map(({ by, verdict }) => `${verdict} by ${by}`)).not.toContainEqual(
    expect.stringMatching(/^approve|by person$/),
  );
  expect(told(place, "merge.prepared")).toEqual([]);
  expect(await sandbox.git(project, "rev-parse", "main")).toBe(base);
  expect(await sandbox.git(project, "status", "--porcelain")).toBe("");
  expect(readFileSync(join(project, issuePath), "utf8")).toBe(contract);
}

export async function expectNobodyLeft(
  place: Place,
  containment: Containment = probeContainment(),
): Promise<void> {
  expect(processesOf(place.sandbox.folder)).toEqual([]);
  const { stdout } = await place.monoco("relay", "status", issue);
  expect(stdout).toContain(`sandbox   none; process tree held by ${containment}`);
}

export type Row = {
  cast: Cast;
  endings: string[];
  /** What the relay is blocked for: the run ends with exit code 1. */
  blocked: string;
  also?(place: Place, ran: Ran): unknown;
};

export async function play({ cast, also, ...expected }: Row): Promise<void> {
  const place = await stage(cast);
  const ran = await place.start();
  expect(endings(place), ran.stdout + ran.stderr).toEqual(expected.endings);
  expect(ran).toMatchObject({ exitCode: 1, stderr: "" });
  expect(ran.stdout).toContain(`blocked: ${expected.blocked}`);
  expect(ran.stdout).toContain(`monoco resume ${issue}`);
  await expectNobodyLeft(place, cast.containment);
  await expectNothingMerged(place);
  await also?.(place, ran);
}
