/** The story that every vendor has to tell with its real CLI, and the place where it is told: one repository, one issue, both roles. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { expect, onTestFinished } from "vitest";
import type { AgentSettings, RelayEvent } from "../../src/index.ts";
import { installedAgent, isPinned } from "../../scripts/agents.ts";
import { eventsOf, openSandbox, processesOf } from "../../test/support/cli.ts";
import type { Sandbox } from "../../test/support/cli.ts";
import type { ModelScript, ModelServer, Turn } from "../../src/probe/scripted-model.ts";
import type { Vendor } from "../../src/probe/vendor.ts";
import { cleanEnvironment } from "./environment.ts";

export const issue = "FEAT-0001";

/** A turn that runs a command, with so many tokens in the context. */
export function shellTurn<Script>(vendor: Vendor<Script>, command: string, tokens: number): Turn {
  const usage = { input_tokens: tokens, output_tokens: 10 };
  return { text: "Working.", tools: [vendor.shell(command)], usage };
}

/** An answer in a form: Claude Code gives the model a tool for it; the others answer in words. */
export function inForm({ settings }: Pick<Vendor, "settings">, input: Record<string, unknown>): Turn {
  if (settings.kind === "claude") return { tools: [{ name: "StructuredOutput", input }] };
  const words = settings.kind === "opencode" ? "I looked again.\n\n" : "";
  return { text: `${words}${JSON.stringify(input)}` };
}

export type StoryPlace = {
  sandbox: Sandbox;
  project: string;
  /** What monoco is started with. */
  env: Record<string, string>;
  model: ModelServer;
  monoco(...args: string[]): ReturnType<Sandbox["monoco"]>;
  start(...args: string[]): ReturnType<Sandbox["start"]>;
  /** Waits until the journal's text satisfies the predicate. */
  until(holds: (text: string) => boolean): Promise<void>;
  unmatched(): string;
};

/** One vendor in both roles, talking to its scripted model. */
export async function makeStoryPlace<Script>(
  vendor: Vendor<Script>,
  script: Script,
  limits = "backoffSeconds: 0",
  ask = false,
): Promise<StoryPlace> {
  const names = [vendor.settings.kind];
  const model = await vendor.startModel(script);
  return makeCastPlace([{ vendor, model }], { roles: { executor: names, reviewer: names }, limits, ask });
}

/** A vendor, and the model that its CLI is to talk to. */
export type Player = { vendor: Pick<Vendor, "settings" | "environment">; model: ModelServer };

/** A repository with a dependency from npm, an issue, and several vendors; they are called by their kinds. */
export async function makeCastPlace(
  cast: readonly Player[],
  settings: { roles: { executor: string[]; reviewer: string[] }; limits: string; ask?: boolean },
): Promise<StoryPlace> {
  const sandbox = openSandbox();
  const models = cast.map(({ model }) => model);
  onTestFinished(async () => {
    await Promise.all(models.map((model) => model.close()));
    sandbox.dispose();
  });
  const home = join(sandbox.folder, "home");
  const folders = cast.map(({ vendor }) => folderOf(vendor.settings));
  const live = {
    ...cleanEnvironment(home, folders.join(delimiter)),
    ...Object.assign(
      {},
      ...cast.map(({ vendor, model }) => vendor.environment({ home, modelUrl: model.url })),
    ),
  } as Record<string, string>;
  const PATH = `${live["PATH"]}:${process.env["PATH"]}`;
  const env = { ...sandbox.env, ...passed("NODE_EXTRA_CA_CERTS"), ...live, PATH };
  const project = join(sandbox.folder, "project");
  mkdirSync(join(project, "issues"), { recursive: true });
  const files: Record<string, string> = {
    ".gitignore": "node_modules/\n",
    "package.json": JSON.stringify({
      name: "sums",
      version: "1.0.0",
      type: "module",
      scripts: { test: "node --test" },
      dependencies: { "is-number": "file:vendor/is-number-7.0.0.tgz" },
    }),
    "sum.js": "export const sum = () => 0;\n",
    "sum.test.js":
      'import assert from "node:assert/strict";\nimport { test } from "node:test";\nimport { sum } from "./sum.js";\n\ntest("sums what is a number", () => assert.equal(sum([1, "2", "x"]), 3));\n',
    "monoco.yaml": settingsFor(cast, settings),
    [`issues/${issue}-sum.md`]: `---\nid: ${issue}\ntitle: Sum what is a number\nstatus: open\nstage: draft\n---\n\n## Objective\n\nA sum of all entries that are numbers.\n\n## Acceptance Criteria\n\n- [ ] \`sum([1, "2", "x"])\` is 3\n- [ ] the sum of nothing is 0\n`,
  };
  for (const [name, text] of Object.entries(files)) writeFileSync(join(project, name), text);
  const sh = (command: string): Promise<string> => sandbox.sh(project, command);
  await packDependency(project, sh);
  await sh("git init -q -b main . && git add -A && git commit -qm Begin");
  const options = { cwd: project, env };
  const journal = join(project, ".monoco", "relays", issue, "journal.jsonl");
  return {
    sandbox,
    project,
    env,
    model: models[0]!,
    monoco: (...args) => sandbox.monoco(args, options),
    start: (...args) => sandbox.start(args, options),
    until: (holds) =>
      expect
        .poll(() => existsSync(journal) && holds(readFileSync(journal, "utf8")), { timeout: 300_000 })
        .toBe(true),
    unmatched: () =>
      models
        .flatMap(({ requests }) => requests)
        .filter((request) => request.conversation < 0)
        .map((request) => request.prompt)
        .join("\n---\n"),
  };
}

/** The folder of its pinned CLI. */
function folderOf({ kind, run }: AgentSettings): string {
  const name = run?.[0] ?? kind;
  return isPinned(name) ? dirname(installedAgent(name) ?? "") : "";
}

function settingsFor(
  cast: readonly Player[],
  { roles, limits, ask = false }: Parameters<typeof makeCastPlace>[1],
): string {
  const agents = cast.map(({ vendor }) => [vendor.settings.kind, vendor.settings]);
  return `setup: ["npm ci --offline --no-audit --no-fund"]
cache: [node_modules]
checks: ["npm test"]
agents: ${JSON.stringify(Object.fromEntries(agents))}
roles: { executor: { agents: [${roles.executor.join(", ")}] }, reviewer: { agents: [${roles.reviewer.join(", ")}] } }
limits: { ${limits} }
exit: { ask: ${ask} }
`;
}

/** A package as npm packs it, installed from its archive: a real dependency that needs no registry. */
async function packDependency(project: string, sh: (command: string) => Promise<string>): Promise<void> {
  const source = join(project, "..", "is-number");
  mkdirSync(source);
  mkdirSync(join(project, "vendor"));
  writeFileSync(
    join(source, "package.json"),
    JSON.stringify({ name: "is-number", version: "7.0.0", main: "index.js" }),
  );
  writeFileSync(
    join(source, "index.js"),
    'module.exports = (value) => String(value).trim() !== "" && Number.isFinite(Number(value));\n',
  );
  await sh("npm pack ../is-number --pack-destination vendor --silent --offline");
  await sh("npm install --package-lock-only --no-audit --no-fund --offline");
}

function passed(name: string): Record<string, string> {
  const value = process.env[name];
  return value === undefined ? {} : { [name]: value };
}

/** Tells the whole story, and looks at every part of it. */
export async function expectStory<Script>(vendor: Vendor<Script>, place: StoryPlace): Promise<void> {
  const ran = await place.monoco("run", issue);
  const events = eventsOf(place.project, issue);
  expect(endsOf(events), ran.stdout + ran.stderr + place.unmatched()).toEqual([
    [1, "context_limit"],
    [2, "failure"],
    [3, "submitted"],
    [4, "decided"],
    [5, "submitted"],
    [6, "decided"],
  ]);
  expect(ran.exitCode).toBe(0);
  const handoffs = events.flatMap((event) =>
    event.type === "handoff.recorded" ? [[event.session, event.source]] : [],
  );
  expect(handoffs).toEqual([
    [1, "completed"],
    [2, "generated"],
    [3, "generated"],
  ]);
  // TRAP 4: every session's hooks were seen to be loaded.
  expect(JSON.stringify(events)).not.toContain("hooks were not seen");
  // The wrap-up message reached the model in the middle of its turn, and the stop hook refused to stop once.
  const tails = place.model.requests.map((request) => request.tail);
  expect(tails.filter((tail) => tail.includes("WRAP UP NOW"))).not.toHaveLength(0);
  expect(tails.filter((tail) => tail.includes(vendor.refusal))).toHaveLength(1);
  // A decision of session 1 survived the kill of session 2: session 3 was given it.
  const prompts = place.model.requests.map((request) => request.prompt);
  expect(prompts.find((prompt) => prompt.includes("You are session 3 of its relay"))).toContain(
    "is-number decides what a number is",
  );
  // The Reviewer had none of the Executor's words. TRAP 32
  const reviewer = prompts.find((prompt) => prompt.includes("You are the Reviewer"));
  expect(reviewer).toBeDefined();
  expect(reviewer).not.toContain("RALPH.md");
  // Merged: green on the base, the issue closed, the commits there, nothing left running.
  await place.sandbox.sh(
    place.project,
    "npm ci --silent --offline --no-audit --no-fund && npm test --silent",
  );
  expect(readFileSync(join(place.project, "issues", `${issue}-sum.md`), "utf8")).toMatch(/^status: closed$/m);
  expect(await place.sandbox.git(place.project, "log", "--format=%s", "main")).toContain(
    `${issue}: Sum what is a number`,
  );
  expect(processesOf(place.sandbox.folder)).toEqual([]);
}

export function endsOf(events: readonly RelayEvent[]): [number, string][] {
  return events.flatMap((event): [number, string][] =>
    event.type === "session.ended" ? [[event.session, event.reason]] : [],
  );
}

/** The files are this commit's, but for the comments that monoco adds; on the base there are no commits beyond it. */
const beyondBase = {
  command: `test -z "$(git diff -I'^[^ ]+ -( [*]/)?$' HEAD)" && test -n "$(git log --oneline main..HEAD)" && sh -c 'exit 0'`,
  exitCode: 0,
};

/** An approval that counts for any issue with up to three criteria. */
export const approved = {
  verdict: "approve",
  criteria: [1, 2, 3].map((criterion) => ({ criterion, result: "met", ...beyondBase })),
  probes: [beyondBase],
  findings: [],
  // What may be listed, by its id; what is not is left out.
  answers: ["W1", "W2"].map((id) => ({ id, text: "the issue asks for it" })),
};

/** What a Reviewer shows both criteria by. */
export const probe = `node --input-type=module -e 'import { sum } from "./sum.js"; if (sum([1, "2", "x"]) !== 3 || sum([]) !== 0) process.exit(1)'`;

/** Half of the work: it adds text to numbers, and does not know the sum of nothing. */
export const half = `cat > sum.js <<'END'
import isNumber from "is-number";
export const sum = (entries) => entries.filter(isNumber).reduce((a, b) => a + b);
END
git commit -qam "${issue} Use is-number"`;
export const whole = half
  .replace("(a, b) => a + b)", "(a, b) => a + Number(b), 0)")
  .replace("Use is-number", "Add from zero");
export const wrong = half
  .replace("(a, b) => a + b)", "(a, b) => Number(a) + Number(b))")
  .replace("Use is-number", "Add numbers");

/** Fills in what `monoco relay prepare` has scaffolded, and runs it again. */
export const fillIn = `monoco relay prepare && node -e '
const fs = require("fs");
const text = fs.readFileSync("RALPH.md", "utf8")
  .replace(/(## Next steps[^\\n]*\\n(?:<!--[^]*?-->\\n)?)/, "$1" + "1. Make sum() add numbers, not text\\n")
  .replace(/(## Key decisions\\n(?:<!--[^]*?-->\\n)?)/, "$1" + "1. is-number decides what a number is\\n");
fs.writeFileSync("RALPH.md", text);' && monoco relay prepare`;

/**
 * From an issue to a merge: session 1 hands over at its context mark, session 2 is killed, session 3 stops too early and then
 * submits, the Reviewer finds what is missing, session 5 mends it.
 */
export function storyOf<Script>(vendor: Vendor<Script>): ModelScript {
  const { verdict } = vendor;
  const bash = (command: string, tokens: number) => shellTurn(vendor, command, tokens);
  return [
    {
      match: "You are session 1 of its relay",
      turns: [
        bash(half, 20_000),
        bash("ls", 125_000),
        bash("git log -1", 152_000),
        bash("git status", 153_000),
        bash(fillIn, 154_000),
        { text: "Handed over." },
      ],
    },
    {
      match: "You are session 2 of its relay",
      turns: [bash("echo half > half.txt; kill -9 $PPID", 20_000), { text: "?" }],
    },
    {
      match: "You are session 3 of its relay",
      turns: [
        bash(
          `rm half.txt; ${wrong}; sed -i 's/- \\[ \\]/- [x]/' issues/*.md; git commit -qam "${issue} Tick"`,
          20_000,
        ),
        { text: "All done!" },
        bash("monoco check && monoco issue submit", 22_000),
        { text: "Submitted." },
      ],
    },
    {
      match: /You are the Reviewer[\s\S]*Submission 1,/,
      turns: [
        bash(`node --input-type=module -e 'import { sum } from "./sum.js"; console.log(sum([]))'`, 9_000),
        verdict({
          verdict: "request_changes",
          criteria: [],
          probes: [],
          findings: [
            {
              id: "empty",
              severity: "major",
              title: "sum([]) throws",
              criterion: 2,
              file: "sum.js",
              line: 2,
              evidence: {
                command: "node -e …",
                exitCode: 1,
                text: "TypeError: Reduce of empty array with no initial value",
              },
            },
          ],
        }),
      ],
    },
    {
      match: "You are session 5 of its relay",
      turns: [bash(`${whole}; monoco issue submit`, 20_000), { text: "Submitted." }],
    },
    {
      match: /You are the Reviewer[\s\S]*Submission 2,/,
      turns: [
        bash("npm test", 9_000),
        verdict({
          verdict: "approve",
          criteria: [1, 2].map((criterion) => ({ criterion, result: "met", command: probe, exitCode: 0 })),
          probes: [{ command: probe, exitCode: 0 }],
          findings: [],
          summary: "Both criteria were run",
        }),
      ],
    },
  ];
}
