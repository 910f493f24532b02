/** `npm run probe-review -w lab`: scripted judges before the seeded submissions, and what is made of their verdicts. */
import { existsSync, mkdirSync, readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { PassThrough, Readable } from "node:stream";
import { afterEach, expect, test } from "vitest";
import { execa } from "execa";
import { within } from "../../src/io/io.ts";
import { probeReview } from "../probe-review.ts";
import { readSeeds } from "../probe-review/seeds.ts";
import { openSandbox, processesOf } from "../../test/support/cli.ts";
import type { Sandbox } from "../../test/support/cli.ts";
import { writeFiles } from "../../test/support/repository.ts";
import { full, testRows } from "../../test/support/full.ts";

const opened: Sandbox[] = [];
afterEach(() => {
  for (const sandbox of opened.splice(0)) sandbox.dispose();
});

const seeds = readSeeds();
const findings = [{ id: "it", severity: "major", title: "It is wrong", criterion: "1" }];

/** Knows an issue by a file that only its submissions have, and runs its hidden test. */
const hidden = [...new Map(seeds.map((seed) => [seed.title, seed])).values()]
  .map(({ base, work, hidden: script }) => {
    const own = Object.keys(work).find(
      (path) => !(path in base) && !path.startsWith("test") && !path.endsWith(".md"),
    );
    return `if [ -e ${own} ]; then\n${script}\nexit\nfi`;
  })
  .join("\n");

const judges = {
  yes: [{ verdict: "approve" }],
  no: [{ verdict: "request_changes", findings }],
  diligent: [{ verdict: "request_changes", unless: hidden, findings }, { verdict: "approve" }],
};

/** The second session of this one hangs. */
const hanging = `#!/bin/sh
cat >/dev/null
if mkdir "$0.first" 2>/dev/null; then
  echo '{"type":"verdict","verdict":"approve","criteria":[],"probes":[]}'
else
  echo > "$0.started"
  exec tail -f /dev/null
fi
`;
/** As Claude Code ends without a login. */
const loggedOut = `#!/bin/sh
test "$1" = --version && echo 9.9.9 && exit
echo '{"type":"system","subtype":"init","session_id":"00000000-0000-4000-8000-000000000001","model":"m"}'
echo '{"type":"result","subtype":"success","is_error":true,"api_error_status":401,"result":"Please run /login"}'
exit 1
`;
const spent = `#!/bin/sh\ncat >/dev/null\necho '{"type":"limit","kind":"usage","resetsAt":"2999-01-01T00:00:00Z"}'; exit 1\n`;

const program = join(import.meta.dirname, "../probe-review.ts");

async function makePlace() {
  const sandbox = openSandbox();
  opened.push(sandbox);
  const [project, temporary] = [join(sandbox.folder, "project"), join(sandbox.folder, "tmp")];
  mkdirSync(temporary);
  const scripted = Object.entries(judges).map(([name, steps]) => [
    `${name}.yaml`,
    JSON.stringify({ executor: [[{ exit: 0 }]], reviewer: [steps] }),
  ]);
  const entries = Object.keys(judges).map((name) => `  ${name}: { kind: scripted, script: ${name}.yaml }\n`);
  writeFiles(project, {
    ...Object.fromEntries(scripted),
    "monoco.yaml": `agents:\n${entries.join("")}  hangs: { kind: command, run: [./hangs.sh] }\n  spent: { kind: command, run: [./spent.sh] }\n`,
  });
  for (const [name, text] of [
    ["hangs.sh", hanging],
    ["spent.sh", spent],
    ["bin/claude", loggedOut],
  ] as const)
    writeFiles(project, { [name]: text });
  await sandbox.sh(
    project,
    "chmod +x *.sh bin/claude && git init -q -b main . && git add -A && git commit -qm Begin",
  );
  const env = { ...sandbox.env, TMPDIR: temporary };
  return {
    sandbox,
    project,
    env,
    left: () => readdirSync(temporary),
    probe: (args: string[], more: { PATH?: string } = {}) =>
      execa(process.execPath, [program, ...args], {
        cwd: project,
        env: { ...env, ...more },
        extendEnv: false,
        reject: false,
        stdin: "ignore",
      }),
  };
}

type Report = {
  figures: { wrong: number; missed: number; right: number; falseAlarms: number; unjudged: number };
  submissions: { submission: string; verdict: string | null; result: string }[];
};

const count = (right: boolean): number => seeds.filter(({ kind }) => (kind === "right") === right).length;
const all = { wrong: count(false), right: count(true), unjudged: 0 };

full.for([
  { judge: "yes", says: "approves everything", missed: all.wrong, falseAlarms: 0 },
  { judge: "no", says: "refuses everything", missed: 0, falseAlarms: all.right },
  { judge: "diligent", says: "runs the hidden tests", missed: 0, falseAlarms: 0 },
])(
  "of all submissions, a judge that $says misses $missed and gives $falseAlarms false alarms",
  async ({ judge, missed, falseAlarms }) => {
    const { probe, left } = await makePlace();
    const ran = await probe([judge, "--yes", "--json"]);
    expect(ran.exitCode, ran.stderr).toBe(0);
    const report = JSON.parse(ran.stdout) as Report;
    expect(report.figures, ran.stderr).toMatchObject({ ...all, missed, falseAlarms });
    expect(report.submissions.map(({ submission }) => submission)).toEqual(seeds.map(({ name }) => name));
    expect(left()).toEqual([]);
  },
  900_000,
);

test("a table of verdicts, then misses and false alarms", async () => {
  const { probe } = await makePlace();
  const ran = await probe(["diligent", "--yes", "--only", "slug-by-tr", "--only", "slug-with-an-end"]);
  expect(ran.exitCode, ran.stderr).toBe(0);
  expect(ran.stdout).toMatchInlineSnapshot(`
    "submission        kind    expected         verdict          result
    slug-by-tr        right   approve          approve          right
    slug-with-an-end  subtle  request changes  request changes  right

    diligent
      misses        0 of 1 wrong, 95 % interval 0–79 %
      false alarms  0 of 1 right, 95 % interval 0–79 %"
  `);
  expect(ran.stderr.split("\n").toSorted()).toEqual([
    expect.stringMatching(/^1 of 2: slug-\S+: right$/),
    expect.stringMatching(/^2 of 2: slug-\S+: right$/),
  ]);
  const more = await probe(["yes", "--yes", "--json", "--only", "slug-with-an-end"]);
  expect(JSON.parse(more.stdout)).toMatchObject({
    submissions: [{ kind: "subtle", expected: "request_changes", verdict: "approve", result: "miss" }],
    figures: { wrong: 1, missed: 1, right: 0, falseAlarms: 0, unjudged: 0 },
  });
});

full("Ctrl-C ends the session; what was judged before is shown", async () => {
  const { sandbox, probe, project, left } = await makePlace();
  const running = probe(["hangs", "--yes", "--json", "--only", "slug-by", "--jobs", "1"]);
  await expect.poll(() => existsSync(join(project, "hangs.sh.started")), { timeout: 120_000 }).toBe(true);
  running.kill("SIGINT");
  const ran = await running;
  expect(ran.exitCode, ran.stderr).toBe(130);
  expect(ran.stderr).toContain("stopping; again to stop at once");
  expect(JSON.parse(ran.stdout)).toMatchObject({
    submissions: [{ submission: "slug-by-sed", verdict: "approve", counts: false, result: "right" }],
    figures: { right: 1, falseAlarms: 0, wrong: 0, unjudged: 0 },
  });
  expect(processesOf(sandbox.folder)).toEqual([]);
  expect(left()).toEqual([]);
});

test("at a terminal it asks first, and starts nothing where the answer is no", async () => {
  const { project, env } = await makePlace();
  const stdin = Object.assign(Readable.from([Buffer.from("n\n")], { objectMode: false }), { isTTY: true });
  const stderr = Object.assign(new PassThrough(), { isTTY: true });
  const stdout = new PassThrough();
  const surroundings = { cwd: project, env, stdin, stdout, stderr, onStop: () => () => undefined };
  const flags = { only: ["slug"], jobs: 2, yes: false, json: false };
  expect(await within(surroundings, () => probeReview("yes", flags))).toBe(0);
  expect(String(stderr.read())).toContain(
    "yes plays the Reviewer in 5 sessions, with your login and at your cost. Go on? [y/N] ",
  );
  expect(stdout.read()).toBeNull();
});

full("where the plan is used up it starts no further session, and nothing counts", async () => {
  const { probe } = await makePlace();
  const ran = await probe(["spent", "--yes", "--json", "--only", "slug", "--jobs", "1"]);
  expect(ran.exitCode, ran.stderr).toBe(75);
  expect(JSON.parse(ran.stdout)).toMatchObject({
    submissions: [{ submission: "slug-by-sed", verdict: null, result: "no verdict" }],
    figures: { right: 0, wrong: 0, unjudged: 0 },
  });
});

full("where nobody is logged in it starts no further session, and the exit status is 4", async () => {
  const { sandbox, probe, project } = await makePlace();
  const ran = await probe(["claude", "--yes", "--json", "--only", "slug", "--jobs", "1"], {
    PATH: `${join(project, "bin")}:${sandbox.env["PATH"]}`,
  });
  expect(ran.exitCode, ran.stderr).toBe(4);
  expect(JSON.parse(ran.stdout)).toMatchObject({ submissions: [{ verdict: null }], figures: { right: 0 } });
  expect(ran.stderr).toMatch(/^1 of 5: slug-by-sed: no verdict: needs_login; /);
});

testRows<[string, string[], number, string, string]>([
  [
    "it starts no session unasked",
    ["yes", "--only", "slug"],
    2,
    "yes plays the Reviewer in 5 sessions, with your login and at your cost: without a terminal to ask at, expected --yes",
    "repeat the command with --yes; --only NAME starts fewer sessions",
  ],
  ["codex is not installed", ["codex"], 4, "codex: not installed here", "npm install -g @openai/codex"],
  [
    "the first Reviewer of the settings is not installed",
    [],
    4,
    "claude: not installed here",
    "npm install -g @anthropic-ai/claude-code",
  ],
  ["nobody is called so", ["nobody"], 2, 'no agent is called "nobody"', "known agents:"],
  ["no submission has the name", ["yes", "--only", "x-1"], 2, "--only x-1: no submission", "slug-by-tr"],
])("refused, with what to do: %s", async ([, words, exitCode, message, hint]) => {
  const { probe } = await makePlace();
  // No agent's program is on it.
  const ran = await probe(words, { PATH: `${dirname(process.execPath)}:/usr/bin:/bin` });
  expect(ran).toMatchObject({ exitCode, stdout: "" });
  expect(ran.stderr).toContain(message);
  expect(ran.stderr).toContain(hint);
});
