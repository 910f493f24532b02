/** The first hour, played: every command is a line of README.md or docs/tutorial.md, from an empty home to a merged issue. */
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { openMachine } from "./machine.ts";
import type { Machine, Shell } from "./machine.ts";
import { kinds } from "./kinds.ts";
import type { Kind } from "./kinds.ts";

const root = join(import.meta.dirname, "../..");

export type Step = { line: string; seconds: number };
export type Road = { name: string; steps: Step[]; merged: string };
/** `missing`: kinds whose tool this machine does not have. */
export type FirstHour = { node: string; tooOld?: string; roads: Road[]; missing: string[] };

const install = "npm install -g ./monoco-0.1.0.tgz";
/** The clone brings a Node. */
const link = "npm ci && npm run link";
const commitAll = 'git add monoco.yaml issues AGENTS.md && git commit -m "Add FEAT-0001"';

/** Both roads begin behind the installation, in the folder of a project. */
const ownIssue = [
  "monoco init",
  'monoco issue create "Add a login page"',
  "${EDITOR:-vi} monoco.yaml",
  "${EDITOR:-vi} issues/FEAT-0001-*.md",
  "monoco issue lint",
  commitAll,
  "monoco run FEAT-0001",
  "git log --first-parent -1",
];
const shortRoad = [
  "monoco init",
  "${EDITOR:-vi} monoco.yaml",
  'git add monoco.yaml issues AGENTS.md && git commit -m "Set up monoco"',
  'monoco run "Fix the login page" --yes',
  "git log --first-parent -1",
];

/** `node` is the one that the machine has. Throws where a command is not documented, or does not end with 0. */
export function playFirstHour(node: string, shell: Shell): FirstHour {
  const machine = openMachine(node, shell);
  try {
    const version = execFileSync(node, ["--version"], { encoding: "utf8" }).trim();
    const begin = [step(machine, install, machine.clone)];
    const first = machine.run("monoco --version", machine.folder);
    const tooOld = first.exitCode === 2 ? first.output : undefined;
    if (tooOld === undefined && first.exitCode !== 0) throw new Error(first.output);
    if (tooOld !== undefined) {
      followHint(machine, tooOld);
      machine.run("npm uninstall -g monoco", machine.folder);
      begin.splice(0, 1, step(machine, link, machine.clone));
    }
    const play = (name: string, lines: readonly string[], kind: Kind): Road => {
      const project = machine.makeProject(name, kind);
      const steps = lines.map((line) => step(machine, line, project));
      return { name, steps: [...begin, ...steps], merged: mergedIn(project) };
    };
    const own = play("an issue of your own", ownIssue, kinds["npm"]!);
    const there = Object.entries(kinds).filter(([, { tool }]) => machine.has(tool));
    return {
      node: version,
      ...(tooOld === undefined ? {} : { tooOld }),
      roads: [own, ...there.map(([name, kind]) => play(name, shortRoad, kind))],
      missing: Object.keys(kinds).filter((name) => there.every(([one]) => one !== name)),
    };
  } finally {
    machine.dispose();
  }
}

/** What monoco says on a Node that is too old works as it stands. */
function followHint(machine: Machine, said: string): void {
  const [, command = "false"] = /^hint: .*: (npx .*)$/m.exec(said) ?? [];
  const { exitCode, output } = machine.run(command, machine.folder);
  if (exitCode !== 0) throw new Error(`${said}${command}: exit status ${exitCode}\n${output}`);
}

function step(machine: Machine, line: string, cwd: string): Step {
  if (!documented().has(line)) throw new Error(`not in README.md or docs/tutorial.md: ${line}`);
  const { exitCode, output, seconds } = machine.run(line, cwd);
  if (exitCode !== 0) throw new Error(`${line}: exit status ${exitCode}\n${output}`);
  return { line, seconds };
}

/** The lines of their shell blocks. */
function documented(): Set<string> {
  const texts = ["README.md", "docs/tutorial.md"].map((name) => readFileSync(join(root, name), "utf8"));
  const blocks = texts.flatMap((text) =>
    [...text.matchAll(/^```sh\n([\s\S]*?)^```/gm)].map(([, block]) => block!),
  );
  return new Set(blocks.flatMap((block) => block.split("\n")));
}

/** The commit on the base that closed the issue, with the page in it. */
function mergedIn(project: string): string {
  const sh = (script: string): string =>
    execFileSync("/bin/sh", ["-c", script], { cwd: project, encoding: "utf8" }).trim();
  const state = sh("git status --porcelain; grep -h '^status:' issues/*.md");
  const changed = sh("git diff --name-only HEAD^ HEAD").split("\n");
  if (state !== "status: closed" || changed.filter((path) => !path.startsWith("issues/")).length !== 2)
    throw new Error(`not merged in ${project}:\n${state}\n${changed.join("\n")}`);
  return sh("git log --first-parent -1 --format=%s");
}
