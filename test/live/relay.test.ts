/** The whole story with the real Claude Code: a repository with an npm dependency, real tools and hooks, a scripted model. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, test as base } from "vitest";
import { eventsOf, openSandbox, processesOf } from "../support/cli.ts";
import type { Sandbox } from "../support/cli.ts";
import { claudeDir, liveEnvironment, subscription } from "./claude.ts";
import { startModel, usageLimitHeaders } from "./model-server.ts";
import type { Conversation, ModelServer, Turn } from "./model-server.ts";

const test = base.skipIf(!claudeDir);
const issue = "FEAT-0001";

const opened: (Sandbox | ModelServer)[] = [];
afterEach(async () => {
  for (const one of opened.splice(0)) await ("dispose" in one ? one.dispose() : one.close());
});

test("from an issue to a merge: context mark, kill, stop hook, submit, changes requested, approval", async () => {
  const place = await makePlace(story);
  const ran = await place.monoco("run", issue);
  const events = eventsOf(place.project, issue);
  const ended = events.flatMap((event) =>
    event.type === "session.ended" ? [[event.session, event.reason]] : [],
  );
  expect(ended, ran.stdout + ran.stderr + place.unmatched()).toEqual([
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
  // The wrap-up message reached the model in the middle of its turn, and the stop hook refused to stop once.
  const tails = place.model.requests.map((request) => request.tail);
  expect(tails.filter((tail) => tail.includes("WRAP UP NOW"))).not.toHaveLength(0);
  expect(tails.filter((tail) => tail.includes("Stop hook feedback"))).toHaveLength(1);
  // A decision of session 1 survived the kill of session 2: session 3 was given it.
  const third = place.model.requests.find((request) =>
    request.messages[0]?.text.includes("You are session 3 of its relay"),
  );
  expect(third?.messages[0]?.text).toContain("is-number decides what a number is");
  // The Reviewer had none of the Executor's words.
  const reviewer = place.model.requests.find((request) =>
    request.messages[0]?.text.includes("You are the Reviewer"),
  );
  expect(reviewer?.messages[0]?.text).not.toContain("RALPH.md");
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
  // node_modules came from the cache for the submissions: the set-up ran once.
  expect(existsSync(join(place.project, ".monoco", "relays", issue, "submissions", "1", "setup-1.log"))).toBe(
    false,
  );
});

test("a usage limit is a wait until its reset time, and a bad login a block: neither is retried", async () => {
  const resetsAtMs = Math.floor(Date.now() / 1000) * 1000 + 3_600_000;
  const limited = await makePlace([
    { match: "FEAT", turns: [{ status: 429, headers: usageLimitHeaders(resetsAtMs), body: limitBody }] },
  ]);
  // At a terminal it would leave with 75; without one it waits, so it is interrupted here as soon as the limit is journaled.
  const running = limited.start("run", issue);
  await limited.until((text) => text.includes('"type":"limit.hit"'));
  running.kill("SIGINT");
  expect(await running).toMatchObject({ exitCode: 130 });
  expect(eventsOf(limited.project, issue).find((event) => event.type === "limit.hit")).toMatchObject({
    resetsAtMs,
    agent: "claude",
  });
  const status = await limited.monoco("relay", "status", issue, "--json");
  expect(JSON.parse(status.stdout)).toMatchObject({ waitingUntilMs: resetsAtMs, sessionsSpent: 0 });

  const denied = await makePlace([
    {
      match: "FEAT",
      turns: [
        {
          status: 401,
          body: { type: "error", error: { type: "authentication_error", message: "invalid x-api-key" } },
        },
      ],
    },
  ]);
  const ran = await denied.monoco("run", issue);
  expect(ran.exitCode).toBe(4);
  expect(ran.stdout).toContain("needs_login");
  expect(ran.stdout).toContain("log in to claude, then monoco relay resume");
});

test("a session that ran into its stop mark is opened once more, only to write its handoff", async () => {
  const place = await makePlace([
    {
      match: "You are session 1 of its relay",
      turns: [
        bash(half, 20_000),
        bash("for i in 1; do sleep 60; done", 175_000),
        bash(fillIn, 176_000),
        { text: "Handed over." },
      ],
    },
    {
      match: "You are session 2 of its relay",
      turns: [bash(`${whole}; monoco issue submit`, 20_000), { text: "Submitted." }],
    },
    { match: "You are the Reviewer", turns: [verdict({ verdict: "approve", findings: [] })] },
  ]);
  const ran = await place.monoco("run", issue);
  expect(ran, ran.stdout + ran.stderr).toMatchObject({ exitCode: 0 });
  const events = eventsOf(place.project, issue);
  const [first] = events.filter((event) => event.type === "session.ended");
  expect(first).toMatchObject({
    reason: "context_limit",
    evidence: [expect.stringContaining("it wrote its handoff") as string],
  });
  expect(events.find((event) => event.type === "handoff.recorded")).toMatchObject({
    session: 1,
    source: "completed",
  });
  expect(place.model.requests.map((request) => request.tail).join("\n")).toContain("Only hand over, now");
  expect(processesOf(place.sandbox.folder)).toEqual([]);
});

const limitBody = { type: "error", error: { type: "rate_limit_error", message: "limit" } };

type Place = {
  sandbox: Sandbox;
  project: string;
  model: ModelServer;
  monoco(...args: string[]): ReturnType<Sandbox["monoco"]>;
  start(...args: string[]): ReturnType<Sandbox["start"]>;
  /** Waits until the journal's text satisfies the predicate. */
  until(holds: (text: string) => boolean): Promise<void>;
  unmatched(): string;
};

/** A repository with a dependency from npm, an issue, and Claude Code in both roles, talking to the scripted model. */
async function makePlace(script: readonly Conversation[]): Promise<Place> {
  const sandbox = openSandbox();
  const model = await startModel(script);
  opened.push(sandbox, model);
  const live = liveEnvironment({
    home: join(sandbox.folder, "home"),
    modelUrl: model.url,
    claudeDir: claudeDir!,
  });
  const PATH = `${live["PATH"]}:${process.env["PATH"]}`;
  const env = { ...sandbox.env, ...subscription(live), PATH, ...passed("NODE_EXTRA_CA_CERTS") };
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
    "monoco.yaml":
      'setup: ["npm ci --offline --no-audit --no-fund"]\ncache: [node_modules]\nchecks: ["npm test"]\nagents:\n  claude: { kind: claude, env: { CLAUDE_CODE_MAX_RETRIES: "1" } }\nlimits: { backoffSeconds: 0 }\n',
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
    model,
    monoco: (...args) => sandbox.monoco(args, options),
    start: (...args) => sandbox.start(args, options),
    until: (holds) =>
      expect
        .poll(() => existsSync(journal) && holds(readFileSync(journal, "utf8")), { timeout: 60_000 })
        .toBe(true),
    unmatched: () =>
      model.requests
        .filter((request) => request.conversation < 0)
        .map((request) => request.messages[0]?.text)
        .join("\n---\n"),
  };
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

const bash = (command: string, tokens: number, text = "Working."): Turn => ({
  text,
  tools: [{ name: "Bash", input: { command, description: "work" } }],
  usage: { input_tokens: tokens, output_tokens: 10 },
});
const verdict = (input: Record<string, unknown>): Turn => ({ tools: [{ name: "StructuredOutput", input }] });

const half = `cat > sum.js <<'END'
import isNumber from "is-number";
export const sum = (entries) => entries.filter(isNumber).reduce((a, b) => a + b);
END
git commit -qam "${issue} Use is-number"`;
const whole = half
  .replace("(a, b) => a + b)", "(a, b) => a + Number(b), 0)")
  .replace("Use is-number", "Add from zero");
const wrong = half
  .replace("(a, b) => a + b)", "(a, b) => Number(a) + Number(b))")
  .replace("Use is-number", "Add numbers");

/** Fills in what `monoco relay prepare` has scaffolded, and runs it again. */
const fillIn = `monoco relay prepare && node -e '
const fs = require("fs");
const text = fs.readFileSync("RALPH.md", "utf8")
  .replace(/(## Next steps[^\\n]*\\n(?:<!--[^]*?-->\\n)?)/, "$1" + "1. Make sum() add numbers, not text\\n")
  .replace(/(## Key decisions\\n(?:<!--[^]*?-->\\n)?)/, "$1" + "1. is-number decides what a number is\\n");
fs.writeFileSync("RALPH.md", text);' && monoco relay prepare`;

const story: readonly Conversation[] = [
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
        findings: [
          {
            id: "empty",
            severity: "major",
            title: "sum([]) throws",
            criterion: "the sum of nothing is 0",
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
      verdict({ verdict: "approve", findings: [], summary: "Both criteria were run" }),
    ],
  },
];
