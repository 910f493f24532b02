/** The tools that are compared, as data: what npm installs, what each needs in its repository and home, how it is started. */
import { issueText } from "../bench/project.ts";
import { beside, cli } from "../bench/playground.ts";

export type Peer = {
  name: string;
  /** What npm installs, with exact versions. */
  install: readonly string[];
  /** What it is made for, in a few words. */
  purpose: string;
  /** Files of its repository, for that many sessions. */
  files: (sessions: number) => Readonly<Record<string, string>>;
  home?: Readonly<Record<string, string>>;
  /** A folder of what npm installed that is copied into the repository. */
  copy?: string;
  /** The command of one run, where `modules` is the folder that npm filled, and `trial` the one with the agent. */
  argv: (at: { modules: string; sessions: number; trial: string }) => string[];
  /** What the agent answers at the end of a session, and where it claims that all is done. As in a JSON string. */
  answer: string;
  allDone?: string;
};

const node = process.execPath;
const numbers = (count: number): number[] => Array.from({ length: count }, (_, index) => index + 1);
const json = (value: unknown): string => JSON.stringify(value, null, 2);

const issue = issueText(1);

const loop = (name: string, program: readonly string[]): Peer => ({
  name,
  install: [],
  purpose: "the least that a loop costs; it keeps nothing",
  files: () => ({}),
  argv: ({ sessions, trial }) => [
    ...program,
    `${trial}/bin/claude`,
    "stream-json",
    String(sessions),
    "README.md",
  ],
  answer: "Added a line.",
});

export const floors: readonly Peer[] = [
  loop("bash loop", ["bash", beside("loop.sh")]),
  loop("bare Node loop", [node, beside("loop.ts")]),
];

export const monoco: Peer = {
  name: "monoco",
  install: [],
  purpose: "a relay for one issue: sessions hand over, a Reviewer decides, git merges",
  files: (sessions) => ({
    "issues/FEAT-0001.md": issue,
    "monoco.yaml": `sandbox: none\nlimits: { sessionsMax: ${sessions} }\n`,
  }),
  argv: () => [node, cli, "run", "FEAT-0001"],
  answer: "Added a line.",
};

export const peers: readonly Peer[] = [
  {
    name: "ralphy-cli",
    install: ["ralphy-cli@4.7.2"],
    purpose: "a list of tasks, one session each, many agents, pull requests",
    files: (sessions) => ({
      "PRD.md": `## Tasks\n\n${numbers(sessions)
        .map((n) => `- [ ] add line ${n}\n`)
        .join("")}`,
    }),
    // The program that its bin.js starts and waits for: so the runner is one process.
    argv: ({ modules }) => [`${modules}/ralphy-cli/dist/ralphy-linux-x64`, "--fast", "--prd", "PRD.md"],
    answer: "Added a line.",
  },
  {
    name: "ralph-tui",
    install: ["ralph-tui@0.11.0", "bun@1.4.5"],
    purpose: "a terminal interface over stories and trackers, one session a story",
    files: (sessions) => ({
      "prd.json": json({
        name: "lines",
        branchName: "main",
        userStories: numbers(sessions).map((n) => ({
          id: `US-${n}`,
          title: `Add line ${n}`,
          description: "One more line.",
          acceptanceCriteria: ["There is one more line"],
          priority: n,
          passes: false,
        })),
      }),
    }),
    argv: ({ modules, sessions }) => [
      `${modules}/@oven/bun-linux-x64/bin/bun`,
      `${modules}/ralph-tui/dist/cli.js`,
      "run",
      "--prd",
      "prd.json",
      "--headless",
      "--no-setup",
      "--no-notify",
      "--agent",
      "claude",
      "--delay",
      "0",
      "--iterations",
      String(sessions),
    ],
    answer: "<promise>COMPLETE</promise>",
  },
  {
    name: "takt",
    install: ["takt@0.39.0"],
    purpose: "workflows in YAML: planning, writing, several reviews, fixing, in steps with rules",
    files: (sessions) => ({
      ".takt/workflows/lines.yaml": `name: lines
initial_step: add
max_steps: ${sessions}
steps:
  - name: add
    edit: true
    required_permission_mode: edit
    instruction: Add a line to work.txt.
    rules:
      - condition: A line was added
        next: add
`,
    }),
    home: { ".takt/config.yaml": "provider: claude\nlanguage: en\n" },
    argv: ({ modules }) => [
      node,
      `${modules}/takt/dist/app/cli/index.js`,
      "--pipeline",
      "--skip-git",
      "-w",
      "lines",
      "-t",
      "Add lines",
    ],
    answer: "A line was added.",
  },
  {
    name: "ralph-starter",
    install: ["ralph-starter@0.5.2"],
    purpose: "from a specification (GitHub, Linear, Notion, Figma) to code, by a loop on one task",
    files: () => ({}),
    argv: ({ modules, sessions }) => [
      node,
      `${modules}/ralph-starter/dist/cli.js`,
      "run",
      "Add lines to work.txt",
      "--agent",
      "claude-code",
      "--headless",
      "--no-auto-skills",
      "--output-dir",
      ".",
      "--max-iterations",
      String(sessions),
    ],
    answer: "Added a line, more to come.",
    allDone: "All tasks completed. <promise>COMPLETE</promise>",
  },
  {
    name: "ralph-template",
    install: ["ralph-template@1.15.0"],
    purpose: "a loop in bash to start from and to change, with a prompt and a plan",
    files: () => ({}),
    copy: "ralph-template/template",
    argv: ({ sessions }) => ["bash", "run.sh", "claude", String(sessions)],
    answer: "Added a line.",
    allDone: "---RALPH_STATUS---\\nEXIT_SIGNAL: true\\n---END_RALPH_STATUS---",
  },
];

/** Tools of the same kind that could not be driven by this script, each with what it said when it was tried. */
export const notDriven: readonly { name: string; said: string }[] = [
  {
    name: "gnhf",
    said: "npm view: 404 Not Found, could not be found or you do not have permission to access it",
  },
  {
    name: "@ralph-orchestrator/ralph-cli 2.10.1",
    said: "its install script: Error fetching release: getaddrinfo ENOTFOUND github.com",
  },
  {
    name: "agentic-loop 3.14.2",
    said: "Test coverage looks good; then exit status 1: bash 5 ends it at its first ((iteration++)), under its set -e",
  },
  {
    name: "wile 1.3.0",
    said: "Cannot connect to the Docker daemon. Is the docker daemon running? Error: Docker base image build failed.",
  },
  { name: "@herbcaudill/ralph 1.2.0", said: "Core prompt not found at …/templates/core.prompt.md" },
];
