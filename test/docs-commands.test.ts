/** Every command line in the shell blocks of the docs runs, in a repository where a reader would type it, and ends as it should. */
import { existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { execa } from "execa";
import { expect, onTestFinished, test } from "vitest";
import type { Ran, RunOptions } from "./support/cli.ts";
import { openSandbox } from "./support/cli.ts";
import { githubIssue, label, standInGh } from "./support/gh.ts";
import { approves, commit, issueText, openPlace, submit, works } from "./support/place.ts";
import type { Place } from "./support/place.ts";
import { commandsIn, commandsOf, typedLines, wordsOf } from "./support/shell-lines.ts";

const root = join(import.meta.dirname, "..");
const documents = [
  "README.md",
  "README.zh.md",
  "CONTRIBUTING.md",
  ...readdirSync(join(root, "docs"))
    .filter((name) => name.endsWith(".md"))
    .map((name) => `docs/${name}`),
];

/** A line of the docs, alone where it ends with status 0; or what a reader does between two lines. */
type Step = string | readonly [line: string, exitCode: number, input?: string] | (() => unknown);
type Monoco = (args: string[], options?: RunOptions) => Promise<Ran>;

async function walk(monoco: Monoco, steps: readonly Step[]): Promise<void> {
  for (const step of steps) {
    if (typeof step === "function") {
      await step();
      continue;
    }
    const [line, exitCode, input] = typeof step === "string" ? ([step, 0] as const) : step;
    tried.add(line);
    const ran = await monoco(wordsOf(line).slice(1), input === undefined ? {} : { input });
    expect(ran.exitCode, `${line}\n${ran.stdout}${ran.stderr}`).toBe(exitCode);
  }
}

const tried = new Set<string>();
const inPlace =
  (place: Place): Monoco =>
  (args, options) =>
    place.sandbox.monoco(args, { cwd: place.project, ...options });

const scripted = `checks: ["true"]
agents: { mine: { kind: scripted, script: story.yaml }, codex: { kind: scripted, script: story.yaml } }
roles: { executor: { agents: [mine] }, reviewer: { agents: [mine] } }
`;
const story = JSON.stringify({ executor: [works], reviewer: [approves] });

/** A repository with one commit and nothing of monoco's. */
async function emptyPlace() {
  const sandbox = openSandbox();
  onTestFinished(() => sandbox.dispose());
  const project = join(sandbox.folder, "your-project");
  mkdirSync(project);
  await sandbox.sh(project, "git init -q -b main . && git commit -q --allow-empty -m Begin");
  const write = (path: string, text: string): void => writeFileSync(join(project, path), text);
  const sh = (command: string): Promise<string> => sandbox.sh(project, command);
  const monoco: Monoco = (args, options) => sandbox.monoco(args, { cwd: project, ...options });
  return { sandbox, project, write, sh, monoco };
}

test("the first issue", async () => {
  const { write, sh, monoco } = await emptyPlace();
  await walk(monoco, [
    "monoco init",
    'monoco issue create "Add a login page"',
    'monoco issue create -m "Add a login page" -m "Only members see /members." -m "- [ ] /members asks for a login"',
    ["monoco issue create -", 0, "A title\n"],
    () => sh("rm issues/FEAT-000[23]*"),
    () => {
      write("monoco.yaml", scripted);
      write("story.yaml", story);
      write("issues/FEAT-0001-add-a-login-page.md", issueText("FEAT-0001"));
    },
    "monoco issue lint",
    "monoco agent list",
    "monoco doctor",
    "monoco doctor --fix",
    "monoco config show",
    () => sh("git add -A && git commit -qm 'Add FEAT-0001'"),
    "monoco check",
    "monoco check FEAT-0001",
    "monoco run FEAT-0001 --agent codex --set limits.sessionsMax=5",
    "monoco status FEAT-0001",
    "monoco demo --language zh --folder demo --set-up-only",
  ]);
});

test("the first issue in Chinese", async () => {
  const { monoco } = await emptyPlace();
  await walk(monoco, ["monoco init --language zh", 'monoco issue create "添加登录页面"']);
});

test("the steps of an issue without a relay", async () => {
  const place = await openPlace({ executor: [works], reviewer: [approves] });
  await walk(inPlace(place), [
    "monoco issue start FEAT-0001",
    "monoco issue stop FEAT-0001",
    "monoco issue start FEAT-0001",
    "monoco issue submit FEAT-0001 --by-hand",
    'monoco issue review FEAT-0001 --request-changes -m "The button needs a label."',
    "monoco issue submit FEAT-0001 --by-hand",
    "monoco issue close FEAT-0001",
    ...["cancel", "wontfix", "duplicate"].flatMap((verb) => [
      "monoco issue reopen FEAT-0001",
      `monoco issue ${verb} FEAT-0001`,
    ]),
    "monoco issue reopen FEAT-0001",
    "monoco issue push FEAT-0001",
    "monoco issue pull FEAT-0001",
    'monoco issue create --type fix "Logout hangs"',
  ]);
});

test("what an agent runs in its session", async () => {
  const lines = [
    'monoco relay extend --minutes 10 --because "the last test is slow"',
    "monoco check",
    "monoco hook on-stop",
    "monoco relay prepare",
    'monoco relay ask "Which of the two formats do we keep?"',
    "monoco relay prepare --reason context_limit",
  ];
  const fill = "sed -i 's/^## Next steps.*/&\\n1. Go on/' RALPH.md";
  const step = (line: string): object => ({
    run: `${line.includes("--reason") ? `${fill}; ` : ""}${line}; echo $? >> "$PERSON/../codes"`,
  });
  const place = await openPlace(
    { executor: [lines.map(step)], reviewer: [approves] },
    { limits: { questionsMax: 1 }, settings: 'checks: ["true"]\n' },
  );
  await place.monoco("run", "FEAT-0001");
  for (const line of lines) tried.add(line);
  expect(readFileSync(join(place.around, "codes"), "utf8")).toBe("0\n".repeat(lines.length));
});

test("a person's own session hands over", async () => {
  const place = await openPlace({ executor: [works], reviewer: [approves] });
  const path = (name: string): string => join(place.project, name);
  const next = (): void =>
    writeFileSync(
      path("RALPH.md"),
      readFileSync(path("RALPH.md"), "utf8").replace(/^## Next steps.*$/m, "$&\n1. Go on"),
    );
  // The agents on the PATH, whichever machine this is.
  await place.sh('mkdir ../bin && printf "" > ../bin/claude');
  const PATH = `${join(place.around, "bin")}:${process.env["PATH"]}`;
  await walk(
    (args, options) => place.sandbox.monoco(args, { cwd: place.project, env: { PATH }, ...options }),
    [
      "monoco hook install --dry-run",
      "monoco hook install",
      "monoco hook uninstall",
      "monoco hook install claude",
      "monoco hook uninstall claude",
      "monoco hook install codex --user",
      "monoco hook uninstall --user",
    ],
  );
  await walk(inPlace(place), [
    ...["on-own-stop", "on-tool", "on-session-start"].map((name) => `monoco hook ${name}`),
    () => place.git("switch", "-qc", "work/FEAT-0001"),
    "monoco relay prepare FEAT-0001",
    next,
    "monoco relay prepare FEAT-0001",
    "monoco resume FEAT-0001",
  ]);
});

test("questions, their answers, and what shows how it went", async () => {
  const asks = [{ run: 'monoco relay ask "Keep the old format?"' }];
  const place = await openPlace(
    { executor: [asks, asks, works], reviewer: [approves] },
    { limits: { questionsMax: 1 } },
  );
  await walk(inPlace(place), [
    ["monoco run FEAT-0001", 1],
    "monoco status FEAT-0001",
    'monoco answer FEAT-0001 "Keep the old format too"',
    'monoco say FEAT-0001 "The designs are in docs/login.png"',
    "monoco stop FEAT-0001",
    ["monoco resume FEAT-0001", 1],
    'monoco answer FEAT-0001 "Keep the old name."',
    'monoco say FEAT-0001 "The staging database is down today."',
    "monoco stop FEAT-0001",
    "monoco resume FEAT-0001",
    "monoco show FEAT-0001",
    "monoco show FEAT-0001",
    "monoco show FEAT-0001 --session 2",
    "monoco log FEAT-0001",
    "monoco log FEAT-0001",
    "monoco log FEAT-0001 --json",
    "monoco log FEAT-0001 -n 10 --json",
    "monoco explain FEAT-0001",
    "monoco explain FEAT-0001",
    "monoco explain FEAT-0001 --session 2",
    "monoco",
    "monoco inbox --all",
    "monoco inbox --approvals --ids",
    "monoco status",
    "monoco status",
    "monoco status FEAT-0001 --json",
    "monoco issue board",
    "monoco stats --since 2026-11-21",
    "monoco learnings",
    "monoco report FEAT-0001",
    "monoco report --since 2026-11-21",
    "monoco report --html report.html",
    "monoco verify --no-run",
    "monoco verify HEAD --trusted-only",
    ["monoco verify main~10..main", 2],
    () => place.sh("mkdir src && seq 20 > src/login.ts && git add -A && git commit -qm Login"),
    "monoco why src/login.ts:12",
    "monoco why src/login.ts:12-20 --json",
    'monoco issue escaped FEAT-0001 -m "The total is wrong for refunds."',
    "monoco report --escapes",
    "monoco relay clear FEAT-0001",
  ]);
});

test("a run in the background", async () => {
  const place = await openPlace({ executor: [works], reviewer: [approves] });
  await walk(inPlace(place), [
    "monoco run --all --detach",
    "monoco log -f",
    "monoco log -f FEAT-0001",
    "monoco run --all -j 2 --detach",
    "monoco run --all --until 07:30 --detach",
    ["monoco attach FEAT-0001", 2],
    // They need a terminal.
    ["monoco watch", 2],
    ["monoco watch --everywhere", 2],
    "monoco inbox --everywhere",
    ["monoco stop --all", 2],
  ]);
});

test("a review by a person, and what a replay of it says", async () => {
  const more = [{ write: { "file.txt": "more\n" } }, commit, submit];
  const place = await openPlace(
    { executor: [works, more], reviewer: [approves] },
    { settings: "gates: { medium: human }\n" },
  );
  place.write("calm.yaml", "limits: { stalledMax: 5 }\n");
  place.write("eager.yaml", "exit: { doneSessions: 1 }\n");
  for (const name of ["one", "two"]) mkdirSync(join(place.around, name));
  await walk(inPlace(place), [
    ["monoco run FEAT-0001 --json", 1],
    "monoco issue review FEAT-0001",
    "monoco issue review --next",
    "monoco diff FEAT-0001",
    "monoco diff FEAT-0001 --stat --file src",
    "monoco issue review FEAT-0001 --show",
    () => place.git("cat-file", "-e", "refs/monoco/FEAT-0001/submissions/1"),
    'monoco issue review FEAT-0001 --request-changes -m "The menu has no link to the page"',
    ["monoco resume FEAT-0001", 1],
    "monoco issue review FEAT-0001 --approve",
    "monoco resume FEAT-0001 --set limits.sessionsMax=40",
    "monoco replay --policy calm.yaml",
    "monoco replay FEAT-0001 --policy calm.yaml",
    () => place.sh("cp -r . ../one && cp -r . ../two"),
    "monoco replay --journals ../one ../two --policy calm.yaml",
    "monoco run --all -j 2",
  ]);
});

test("loops", async () => {
  const promises = { say: "<promise>DONE</promise>\n<promise>COMPLETE</promise>" };
  const writes = { write: { "a.txt": "a" } };
  const place = await openPlace({ executor: [[writes, commit, promises]], reviewer: [approves] });
  for (const file of ["PROMPT.md", ".ralph/PROMPT.md"]) place.write(file, `Write a.txt, as ${file} says.\n`);
  place.write("package.json", '{ "scripts": { "test": "true", "coverage": "true" } }\n');
  await place.sh("git add -A && git commit -qm Prompt");
  await walk(inPlace(place), [
    'monoco loop PROMPT.md --verify "npm test"',
    'monoco loop PROMPT.md --max 20 --promise DONE --verify "npm test"',
    "monoco loop .ralph/PROMPT.md",
    "monoco loop --template coverage --max 5",
  ]);
});

const storyOf = (id: string): object => ({ id, title: `Story ${id}`, acceptanceCriteria: ["It is there"] });

const importedFixtures = [
  [".taskmaster/tasks/tasks.json", "task-master.json"],
  [".beads/issues.jsonl", "beads.jsonl"],
  ["specs/001-garden/tasks.md", "spec-kit/tasks.md"],
  ["conductor/tracks/beds_20260102/plan.md", "conductor-plan.md"],
  ["issues.json", "github-rest.json"],
] as const;

test("imports, and the export back", async () => {
  const { sandbox, project, write, sh, monoco } = await emptyPlace();
  const gh = standInGh(sandbox, [githubIssue(12, "A bug", { labels: [label("bug")] })]);
  write("prd.json", JSON.stringify({ project: "P", userStories: [storyOf("US-1")] }));
  for (const [file, fixture] of importedFixtures) {
    mkdirSync(dirname(join(project, file)), { recursive: true });
    write(file, readFileSync(join(root, "test/fixtures/imports", fixture), "utf8"));
  }
  write("tickets.jsonl", JSON.stringify(storyOf("T-1")));
  mkdirSync(join(project, ".ralph"));
  for (const file of ["fix_plan.md", ".ralph/fix_plan.md"]) write(file, "- [ ] Fix the parser\n");
  write("monoco.yaml", scripted);
  write("story.yaml", story);
  await walk(monoco, [
    "monoco import prd.json",
    () => sh("git add -A && git commit -qm Import"),
    "monoco run --all -j 1",
    "monoco export prd.json --dry-run",
    "monoco export prd.json",
    "monoco import prd.json --update",
    "monoco import fix_plan.md --dry-run",
    "monoco import fix_plan.md",
    "monoco import .ralph/fix_plan.md",
    ...importedFixtures.map(([file]): Step => `monoco import ${file}`),
    "monoco import tickets.jsonl",
    ...["linear", "features"].map((name): Step => [
      `monoco import - --as ${name}`,
      0,
      JSON.stringify(storyOf("ENG-1")),
    ]),
  ]);
  await walk(
    (args) => sandbox.monoco(args, { cwd: project, env: gh.env }),
    ["monoco import github 12", "monoco import github bug", "monoco import github"],
  );
});

test("relays to a remote and back", async () => {
  const place = await openPlace({ executor: [works], reviewer: [approves] });
  await place.sh(
    "git init -q --bare ../bare.git && git remote add origin ../bare.git && git push -q origin main",
  );
  await walk(inPlace(place), [
    () => place.monoco("run", "FEAT-0001"),
    "monoco relay push FEAT-0001",
    "monoco relay push --all",
    "monoco relay pull FEAT-0001",
    "monoco relay pull --all",
  ]);
});

/** What runs in other tests: it takes its time, or needs an agent's CLI. */
const elsewhere: Readonly<Record<string, string>> = {
  "monoco dashboard": "test/dashboard/pages.test.ts",
  "monoco dashboard --port 8420": "test/dashboard/security.test.ts",
  "monoco demo": "test/commands/demo.test.ts",
  "monoco issue submit": "test/docs.test.ts",
  "monoco agent probe": "test/commands/agent-probe.test.ts",
  "monoco agent probe claude --live --model haiku": "test/commands/agent-probe-live.test.ts",
  "monoco issue review FEAT-0001 --edit": "test/relay/person-review.test.ts",
  "monoco learnings 1 2 --promote": "test/commands/learnings.test.ts",
  "monoco learnings 3 --drop": "test/commands/learnings.test.ts",
  "monoco run --all --dry-run": "test/commands/run-ahead.test.ts",
  "monoco run --all --watch": "test/commands/run-live.test.ts",
  'monoco run "Fix the login page"': "test/commands/run-text.test.ts",
  'monoco run "Fix the login page" --yes': "lab/test/first-hour.test.ts",
  'monoco run "修复登录页面"': "test/commands/run-text.test.ts",
  "monoco run --all --until 8h": "test/commands/run-ahead.test.ts",
  "monoco run FEAT-0001 --remote": "test/commands/lease.test.ts",
  "monoco run --all --remote": "test/commands/lease.test.ts",
  "monoco run FEAT-0001 --remote --until 5h": "test/commands/lease.test.ts",
  "monoco status --remote": "test/commands/there.test.ts",
  "monoco inbox --remote": "test/commands/there.test.ts",
  'monoco say FEAT-0001 "Mention the weather" --remote': "test/commands/there.test.ts",
  'monoco say FEAT-0001 "The staging database is down today." --remote': "test/commands/there.test.ts",
  'monoco answer FEAT-0001 "Keep the old name." --remote': "test/commands/there.test.ts",
  "monoco issue review FEAT-0001 --remote --approve": "test/commands/there.test.ts",
  "monoco stop FEAT-0001 --remote": "test/commands/there.test.ts",
  "monoco issue submit FEAT-0001 --remote": "test/commands/there.test.ts",
  "monoco relay comments": "test/commands/relay-comments.test.ts",
  'monoco relay comments --event "$GITHUB_EVENT_PATH"': "test/commands/relay-comments.test.ts",
  'monoco issue intake --event "$GITHUB_EVENT_PATH"': "test/commands/issue-intake.test.ts",
  "monoco plan --remote --json": "test/commands/plan.test.ts",
  "monoco doctor --ci": "test/commands/doctor-ci.test.ts",
  "monoco fleet migrate": "test/commands/fleet.test.ts",
  "monoco fleet migrate --database postgres://monoco@db.example.org/monoco": "test/commands/fleet.test.ts",
  "monoco fleet status": "test/commands/fleet.test.ts",
  "monoco fleet status --json": "test/commands/fleet.test.ts",
  "monoco worker": "test/commands/fleet.test.ts",
  "monoco worker -j 2": "test/commands/fleet.test.ts",
  "monoco worker -j 2 --until 8h": "test/commands/fleet.test.ts",
  "monoco run --all --fleet": "test/commands/fleet.test.ts",
};

const linesOfDocs = [
  ...new Set(documents.flatMap((name) => commandsIn(readFileSync(join(root, name), "utf8")))),
];

test("what needs nothing but a repository with an issue", async () => {
  const place = await openPlace({ executor: [works], reviewer: [approves] });
  const known = [...tried, ...Object.keys(elsewhere)];
  await walk(
    inPlace(place),
    linesOfDocs.filter((line) => !known.includes(line)),
  );
});

test("that is every command line of the docs", () => {
  expect([...tried].filter((line) => !linesOfDocs.includes(line))).toEqual([]);
  for (const file of Object.values(elsewhere)) expect(existsSync(join(root, file)), file).toBe(true);
});

test("typed at a prompt of bash, which takes no comments there, or of zsh, every line means the same", async () => {
  const { sandbox, project } = await emptyPlace();
  await sandbox.sh(project, "mkdir issues && touch issues/FEAT-0001-a-page.md");
  const lines = documents.flatMap((name) => typedLines(readFileSync(join(root, name), "utf8")));
  const programs = new Set(
    lines.flatMap(commandsOf).flatMap(([name]) => (/^[\w-]+$/.test(name ?? "") ? [name!] : [])),
  );
  // A word of the shell's own.
  programs.delete("export");
  const shows = [...programs, "vi"].map((name) => `${name}() { printf '<%s>' ${name} "$@"; echo; }`);
  const meant = async (shell: string, ...args: string[]): Promise<string> => {
    // An interactive shell takes its lines from standard input as it does from a person.
    const { stdout, stderr } = await execa(shell, args, {
      cwd: project,
      input: ["PS1= PS2= EDITOR=vi", ...shows, ...lines, "exit 0", ""].join("\n"),
      env: { HOME: project },
    });
    expect(stderr).not.toMatch(/not found|no matches|parse error|syntax error|bad pattern/);
    return stdout;
  };
  const inBash = await meant("bash", "--norc", "--noprofile", "+O", "interactive_comments", "-i");
  expect(inBash).toContain("<monoco><run><Fix the login page>\n");
  expect(inBash).not.toContain("<#>");
  const { failed } = await execa("zsh", ["--version"], { reject: false });
  if (!failed) expect(await meant("zsh", "-f", "-i")).toBe(inBash);
});
