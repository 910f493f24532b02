/** A person's repository with issues and scripted agents, in a temp folder that is gone after its test; agents and test meet at FIFOs. */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { execa } from "execa";
import { expect, onTestFinished } from "vitest";
import type { EventOf, RelayEvent } from "../../src/core/journal/event.ts";
import { eventsOf, openSandbox, processesOf } from "./cli.ts";
import type { Ran, Running, Sandbox } from "./cli.ts";
import { initRepository } from "./repository.ts";

/** By role, the steps of each session; the last session repeats. */
export type Story = { executor: unknown[][]; reviewer: unknown[][] };

export type Place = {
  sandbox: Sandbox;
  /** The main worktree; its name has a blank and Chinese in it. */
  project: string;
  /** The temp folder around it. */
  around: string;
  monoco(...args: string[]): Promise<Ran>;
  /** The same, while it runs; what is still alive when the test is over is killed. */
  start(...args: string[]): Running;
  git(...args: string[]): Promise<string>;
  /** A shell command in the main worktree. */
  sh(command: string): Promise<string>;
  read(path: string): string;
  write(path: string, text: string): void;
  events(issue?: string): RelayEvent[];
  /** All events of one type. */
  all<T extends RelayEvent["type"]>(type: T, issue?: string): EventOf<T>[];
  /** Waits until an agent says so by `say(name)`. */
  heard(name: string): Promise<void>;
  /** Lets an agent go that stands at `waitFor(name)`. */
  go(name: string): Promise<void>;
};

export const issueText = (id: string, more = ""): string =>
  `---\nid: ${id}\ntitle: Write a file\nstatus: open\nstage: draft\n${more}---\n\n## Objective\n\nA file.\n\n## Acceptance Criteria\n\n- [ ] the file is there\n`;

export const issuePath = (id: string): string => `issues/${id}-write-a-file.md`;

export async function openPlace(
  story: Story,
  options: {
    issues?: string[];
    files?: Record<string, string>;
    limits?: object;
    settings?: string;
    /** Monoco's own default is in force. */
    sandbox?: "default";
  } = {},
): Promise<Place> {
  const sandbox = openSandbox(options);
  const project = join(sandbox.folder, "a project, 项目");
  const fifos = join(sandbox.folder, "fifos");
  mkdirSync(fifos);
  const over = new AbortController();
  const runs: Running[] = [];
  onTestFinished(async () => {
    over.abort();
    for (const run of runs) run.kill("SIGKILL");
    await Promise.all(runs);
    await expect.poll(() => processesOf(sandbox.folder), { timeout: 20_000 }).toEqual([]);
    sandbox.dispose();
  });
  const write = (path: string, text: string): void => {
    mkdirSync(dirname(join(project, path)), { recursive: true });
    writeFileSync(join(project, path), text);
  };
  for (const id of options.issues ?? ["FEAT-0001"]) write(issuePath(id), issueText(id));
  for (const [path, text] of Object.entries(options.files ?? {})) write(path, text);
  // JSON is YAML.
  write("story.yaml", JSON.stringify(story));
  const env = JSON.stringify({ PERSON: project, FIFOS: fifos });
  write(
    "monoco.yaml",
    `agents: { a: { kind: scripted, script: story.yaml, env: ${env} } }
roles: { executor: { agents: [a] }, reviewer: { agents: [a] } }
limits: ${JSON.stringify({ backoffSeconds: 0, ...options.limits })}
${options.settings ?? ""}`,
  );
  const sh = (command: string): Promise<string> => sandbox.sh(project, command);
  initRepository(project, { name: "P", email: "p@example.com" });
  await sh("git add -A && git commit -qm Begin");
  const events = (issue = "FEAT-0001"): RelayEvent[] => eventsOf(project, issue);
  /** Opening a FIFO waits for the other side: a shell does that, which can be ended. */
  const meet = async (command: string, name: string): Promise<void> => {
    await execa("/bin/sh", ["-c", `mkfifo "$1" 2> /dev/null; ${command}`, "sh", join(fifos, name)], {
      cancelSignal: over.signal,
    });
  };
  return {
    sandbox,
    project,
    around: sandbox.folder,
    monoco: (...args) => sandbox.monoco(args, { cwd: project }),
    start: (...args) => {
      const run = sandbox.start(args, { cwd: project });
      runs.push(run);
      return run;
    },
    git: (...args) => sandbox.git(project, ...args),
    sh,
    read: (path) => readFileSync(join(project, path), "utf8"),
    write,
    events,
    all: <T extends RelayEvent["type"]>(type: T, issue?: string) =>
      events(issue).filter((event): event is Extract<RelayEvent, { type: T }> => event.type === type),
    heard: (name) => meet('read -r _ < "$1"', name),
    go: (name) => meet('echo go > "$1"', name),
  };
}

const fifo = (name: string): string => `f="$FIFOS/${name}"; mkfifo "$f" 2> /dev/null`;

/** A step that tells the test where its agent is. */
export const say = (name: string): object => ({ run: `${fifo(name)}; echo here > "$f"` });
/** A step that stands still until the test says go. */
export const waitFor = (name: string): object => ({ run: `${fifo(name)}; cat "$f"` });
/** A step at which the agents of FEAT-0001 and FEAT-0002 wait for each other. */
export const meetTheOther = {
  run: `${fifo("one")}; g="$FIFOS/two"; mkfifo "$g" 2> /dev/null; if [ "$MONOCO_ISSUE" = FEAT-0001 ]; then echo here > "$f"; cat "$g"; else cat "$f"; echo here > "$g"; fi`,
};

export const run = (command: string): object => ({ run: command });
export const commit = run("git add -A && git commit -qm work");
export const submit = { submit: true };
export const approves = [{ verdict: "approve" }];
/** Writes `file.txt`, commits and submits. */
export const works = [{ write: { "file.txt": "text\n" } }, commit, submit];
