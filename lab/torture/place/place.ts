/** A repository with issues, each of which takes its agent two sessions, in a temp folder: what a programme disturbs, and then finishes. */
import { chmodSync, copyFileSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { openSandbox } from "../../../test/support/cli.ts";
import type { Ran, Running, Sandbox } from "../../../test/support/cli.ts";
import { initRepository } from "../../../test/support/repository.ts";

export type Place = {
  sandbox: Sandbox;
  project: string;
  issues: readonly string[];
  /** What the agents say of themselves, one line each. */
  agentsLog: string;
  /** Throws once the place is closed. */
  start(args: readonly string[], under?: readonly string[], env?: Readonly<Record<string, string>>): Running;
  /** Nothing more is to be started in it, until it is opened again. */
  close(): void;
  open(): void;
};

/** Commands of a shell: `before` the first commit, in the project; and `prelude`, in each clone, before its agent works. */
export type Strain = { before?: string; prelude?: string };

export type { Ran, Running };

const agent = fileURLToPath(new URL("agent.sh", import.meta.url));
export const textOf = (issue: string): string =>
  `---\nid: ${issue}\ntitle: Write a file\nstatus: open\nstage: draft\n---\n\n## Objective\n\nA file.\n\n## Acceptance Criteria\n\n- [ ] \`sh ${issue}.sh\` says two\n`;

/** Where an issue lies in the repository. */
export const pathOf = (issue: string): string => `issues/${issue}-write-a-file.md`;

/** `seconds`: how long the agent works before each step. */
export async function openPlace(
  issues: readonly string[],
  seconds = 0,
  { before = ":", prelude }: Strain = {},
): Promise<Place> {
  const sandbox = openSandbox();
  const project = join(sandbox.folder, "project");
  const agentsLog = join(sandbox.folder, "agents.log");
  const program = join(sandbox.folder, "agent.sh");
  writeFileSync(agentsLog, "");
  copyFileSync(agent, program);
  chmodSync(program, 0o755);
  const strained = prelude === undefined ? [] : ["/bin/sh", "-c", `${prelude}\nexec "$0" "$@"`];
  const run = [...strained, program, sandbox.folder, agentsLog, String(seconds)];
  for (const issue of issues) write(project, pathOf(issue), textOf(issue));
  write(
    project,
    "monoco.yaml",
    `agents: { a: { kind: command, run: ${JSON.stringify(run)} } }
roles: { executor: { agents: [a] }, reviewer: { agents: [a] } }
checks: ["true"]
limits: { backoffSeconds: 0 }
breaker: { coolDownMinutes: 0.05 }
`,
  );
  initRepository(project, { name: "P", email: "p@example.com" });
  await sandbox.sh(project, `${before}\ngit add -A && git commit -qm Begin`);
  let closed = false;
  return {
    sandbox,
    project,
    issues,
    agentsLog,
    start: (args, under = [], env = {}) => {
      if (closed) throw new Error("the place is closed");
      return sandbox.start(args, { cwd: project, under, env });
    },
    close: () => void (closed = true),
    open: () => void (closed = false),
  };
}

/** A clone of the repository, beside it: a place of its own, with the same issues and agents. */
export async function cloneOf(place: Place, name: string): Promise<Place> {
  const { sandbox, start } = place;
  const project = join(sandbox.folder, name);
  await sandbox.git(sandbox.folder, "clone", "--quiet", place.project, project);
  for (const key of ["user.name", "user.email"]) await sandbox.git(project, "config", key, "P");
  return {
    ...place,
    project,
    start: (args, under = [], env = {}) => start(args, ["env", "-C", project, ...under], env),
  };
}

function write(project: string, path: string, text: string): void {
  mkdirSync(dirname(join(project, path)), { recursive: true });
  writeFileSync(join(project, path), text);
}
