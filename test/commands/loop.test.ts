/** monoco loop: a prompt instead of an issue, by a `command` agent, through the command line. */
import { existsSync, mkdirSync, readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import type { RelayEvent } from "../../src/core/journal/event.ts";
import { eventsOf, openSandbox, processesOf } from "../support/cli.ts";
import type { Ran, Sandbox } from "../support/cli.ts";
import { writeFiles } from "../support/repository.ts";
import { transcriptOf } from "../support/transcript.ts";
import { full as test, testRows } from "../support/full.ts";

const opened: Sandbox[] = [];
afterEach(() => {
  for (const sandbox of opened.splice(0)) sandbox.dispose();
});

type Place = {
  sandbox: Sandbox;
  project: string;
  loop(...args: string[]): Promise<Ran>;
  monoco(...args: string[]): Promise<Ran>;
  git(...args: string[]): Promise<string>;
  events(issue?: string): RelayEvent[];
  endings(issue?: string): string[];
  /** The prompt that a session was given. */
  prompt(session: number, issue?: string): string;
  /** What the Executor does from now on, session by session; the last one again and again. */
  plays(...sessions: readonly string[]): void;
};

/** A repository without issues and without settings but for its agent. */
async function makePlace(
  options: { settings?: string; files?: Record<string, string> } = {},
): Promise<Place> {
  const sandbox = openSandbox();
  opened.push(sandbox);
  const project = join(sandbox.folder, "a project, 项目");
  mkdirSync(project);
  const agent = join(sandbox.folder, "agent");
  writeFiles(agent, {
    "agent.sh": `cat > /dev/null
if [ "$MONOCO_ROLE" = reviewer ]; then cat "${agent}/verdict"; exit 0; fi
n=$MONOCO_SESSION; last=$(cat "${agent}/last"); [ "$n" -gt "$last" ] && n=$last
. "${agent}/$n.sh"
`,
    verdict:
      '{"type":"verdict","verdict":"approve","criteria":[{"criterion":1,"result":"met","command":"echo test -s work.txt | sh","exitCode":0}],"probes":[{"command":"test -s work.txt","exitCode":0}]}\n',
  });
  writeFiles(project, {
    "README.md": "A project.\n",
    "PROMPT.md": "# Write the file\n\nWrite work.txt, in three lines.\n\n- [ ] this box is nobody's\n",
    "monoco.yaml": `agents: { a: { kind: command, run: [sh, ${JSON.stringify(join(agent, "agent.sh"))}] } }
roles: { executor: { agents: [a] }, reviewer: { agents: [a] } }
${options.settings ?? "limits: { backoffSeconds: 0 }\nbreaker: { reopen: manual }"}
`,
    ...options.files,
  });
  await sandbox.sh(project, "git init -q -b main . && git add -A && git commit -qm Begin");
  const monoco: Place["monoco"] = (...args) => sandbox.monoco(args, { cwd: project });
  const events: Place["events"] = (issue = "LOOP-0001") => eventsOf(project, issue);
  return {
    sandbox,
    project,
    monoco,
    loop: (...args) => monoco("loop", ...args),
    git: (...args) => sandbox.git(project, ...args),
    events,
    endings: (issue) =>
      events(issue).flatMap((event) => (event.type === "session.ended" ? [event.reason] : [])),
    prompt: (session, issue = "LOOP-0001") => {
      const folder = join(project, ".monoco", "relays", issue, "sessions");
      const name = readdirSync(folder).find((one) => one.startsWith(String(session).padStart(4, "0")))!;
      return readFileSync(join(folder, name, "prompt.md"), "utf8");
    },
    plays: (...sessions) => {
      const parts = sessions.map((text, index) => [`${index + 1}.sh`, `${text}\n`]);
      writeFiles(agent, { ...(Object.fromEntries(parts) as object), last: String(sessions.length) });
    },
  };
}

const adds = `echo "line $MONOCO_SESSION" >> work.txt && git add -A && git commit -qm "Add a line"`;
const promises = 'echo "<promise>COMPLETE</promise>"';
const three = 'test "$(wc -l < work.txt)" -ge 3';

describe("a loop", () => {
  test("is opened by monoco loop, and no hint says that monoco run would", async () => {
    const place = await makePlace({ files: { "calm.yaml": "limits: { stalledMax: 5 }\n" } });
    place.plays(`${adds} && ${promises}`);
    expect(await place.loop("PROMPT.md")).toMatchObject({ exitCode: 0 });
    const hints = [
      await place.monoco("run", "LOOP-0001"),
      await place.monoco("relay", "say", "LOOP-0002", "Hello"),
      await place.monoco("relay", "log", "LOOP-0002"),
      await place.monoco("relay", "explain", "LOOP-0002"),
      await place.monoco("relay", "status", "LOOP-0002"),
      await place.monoco("replay", "LOOP-0002", "--policy", "calm.yaml"),
      await place.monoco("relay", "clear", "LOOP-0001"),
    ].map(({ stdout, stderr }) => stdout + stderr);
    expect(hints.filter((words) => !words.includes("monoco loop PROMPT.md"))).toEqual([]);
    expect(hints.filter((words) => /monoco run|git add/.test(words))).toEqual([]);
  });

  test("that is done stays done when it is resumed", async () => {
    const place = await makePlace();
    place.plays(`${adds} && ${promises}`);
    await place.loop("PROMPT.md");
    const resumed = await place.monoco("relay", "resume", "LOOP-0001");
    expect(resumed).toMatchObject({ exitCode: 0 });
    expect(resumed.stdout).toContain("hint: git merge monoco/LOOP-0001 takes it over");
  });

  it("gives the prompt to fresh sessions until the promise is given and the check passes, and leaves a branch", async () => {
    const place = await makePlace();
    const before = await place.git("rev-parse", "main");
    place.plays(adds, adds, `${adds} && ${promises}`);
    const ran = await place.loop("PROMPT.md", "--verify", three);
    expect(ran).toMatchObject({ exitCode: 0 });
    expect(ran.stdout).toMatch(/LOOP-0001 {2}done: its work is on branch monoco\/LOOP-0001 \([0-9a-f]{8}\)/);
    expect(ran.stdout).toContain("git merge monoco/LOOP-0001");
    expect(place.endings()).toEqual(Array(3).fill("completed_without_submit"));
    // Its contract is a prompt that git never had: nobody tampers with it.
    expect(eventsOf(place.project, "LOOP-0001").filter(({ type }) => type === "contract.tampered")).toEqual(
      [],
    );
    expect(await place.git("rev-parse", "main")).toBe(before);
    expect(await place.git("show", "monoco/LOOP-0001:work.txt")).toBe("line 1\nline 2\nline 3");
    expect(await place.git("status", "--porcelain")).toBe("");
    expect(processesOf(place.sandbox.folder)).toEqual([]);
    const status = JSON.parse(
      (await place.monoco("relay", "status", "LOOP-0001", "--json")).stdout,
    ) as object;
    expect(status).toMatchObject({
      phase: "done",
      mergedAs: null,
      kept: [],
      leftOn: { branch: "monoco/LOOP-0001", commit: await place.git("rev-parse", "monoco/LOOP-0001") },
    });
  });

  test("says the prompt to each session as it is, with what the promise is and what fails", async () => {
    const place = await makePlace();
    place.plays(`${adds}; echo "$((2+2)) lines"`, `${adds} && ${adds} && ${promises}`);
    const verify = `echo "three lines are wanted" >&2; ${three}`;
    expect(
      await place.loop("PROMPT.md", "--verify", verify, "--promise", "ALL GOOD", "--max", "2"),
    ).toMatchObject({
      exitCode: 1,
    });
    const [first, second] = [place.prompt(1), place.prompt(2)];
    expect(first).toContain(
      "# Write the file\n\nWrite work.txt, in three lines.\n\n- [ ] this box is nobody's",
    );
    expect(first).toContain("`<promise>ALL GOOD</promise>` on a line of its own");
    expect(first).not.toContain("three lines are wanted\n");
    expect(first).not.toContain("## Facts");
    expect(second).toContain("## Facts, computed by monoco\n\n- Commits so far: ");
    expect(second).not.toContain("Check FAILED");
    expect(second).toContain("## Checks that fail now, run by monoco");
    expect(second).toContain("three lines are wanted\n");
    for (const words of ["monoco issue submit", "RALPH_STATUS", "{{"]) expect(second).not.toContain(words);
    expect(second).toContain("session 1 handed over");
  });

  it("does not end by a promise while a check fails: its output goes into the next prompt", async () => {
    const place = await makePlace();
    place.plays(`${adds} && ${promises}`, `${adds} && ${adds} && ${promises}`);
    const ran = await place.loop("PROMPT.md", "--verify", `wc -l work.txt; ${three}`);
    expect(ran).toMatchObject({ exitCode: 0 });
    expect(place.prompt(2)).toMatch(/exit status 1[^]*1 work\.txt/);
    expect(place.events().filter(({ type }) => type === "signal.scored")).toMatchObject([
      { promise: true, finished: false, reason: { rule: "exit_checks_failed" } },
      { promise: true, finished: true },
    ]);
  });

  test("is not done by what only its own clone has: the check runs on what is committed", async () => {
    const place = await makePlace();
    const ignored = `echo made > made.txt && echo made.txt > .gitignore && git add .gitignore && git commit -qm Ignore`;
    place.plays(`${ignored}; ${promises}`, `git add -f made.txt && git commit -qm Made; ${promises}`);
    expect(await place.loop("PROMPT.md", "--verify", "cat made.txt")).toMatchObject({ exitCode: 0 });
    expect(place.events().filter(({ type }) => type === "review.decided")).toMatchObject([
      { by: "monoco", verdict: "request_changes", submission: 1 },
    ]);
    expect(place.prompt(2)).toContain("the checks failed on submission 1");
    expect(place.prompt(2)).toMatch(/made\.txt: No such file/);
    expect(place.events().at(-1)).toMatchObject({ type: "relay.finished", submission: 2 });
  });

  test("keeps what a session left uncommitted for the next, and is not done by it", async () => {
    const place = await makePlace();
    place.plays(`echo half > half.txt; ${promises}`, `git add -A && git commit -qm Half; ${promises}`);
    expect(await place.loop("PROMPT.md")).toMatchObject({ exitCode: 0 });
    expect(place.prompt(2)).toContain("uncommitted changes: half.txt");
    expect(await place.git("show", "monoco/LOOP-0001:half.txt")).toBe("half");
  });

  // TRAP 18
  testRows<[string, string]>([
    ["prose", `echo "All tasks are done, all tests pass. Ready for production."`],
    ["a promise that is denied", `echo "NOT emitting <promise>COMPLETE</promise> yet."`],
    ["a promise in a fence", `printf '\`\`\`\\n<promise>COMPLETE</promise>\\n\`\`\`\\n'`],
    ["another promise", `echo "<promise>PARTIAL</promise>"`],
    [
      "a status block",
      `printf 'Implemented, all tests pass.\\n\\nRALPH_STATUS:\\nSTATUS: complete\\nEXIT_SIGNAL: true\\n'`,
    ],
    [
      "a promise beside its own no",
      `printf '<promise>COMPLETE</promise>\\n\\nRALPH_STATUS:\\nEXIT_SIGNAL: false\\n'`,
    ],
  ])("is not ended by %s", async ([, says]) => {
    const place = await makePlace();
    place.plays(`${adds}; ${says}`);
    const ran = await place.loop("PROMPT.md", "--max", "2", "--verify", "true");
    expect(ran).toMatchObject({ exitCode: 1 });
    expect(ran.stdout).toContain("spent 2 sessions (sessionsMax 2)");
    expect(place.endings()).toHaveLength(2);
    expect(await place.git("show", "monoco/LOOP-0001:work.txt")).toBe("line 1\nline 2");
  });

  test("that finds nothing to do is done", async () => {
    const place = await makePlace();
    place.plays(promises);
    const ran = await place.loop("PROMPT.md", "--verify", "true");
    expect(ran).toMatchObject({ exitCode: 0 });
    expect(ran.stdout).toContain("done: nothing had to change");
  });

  test("goes on where it was when the same command is given again; with another prompt, check or promise it is a new one", async () => {
    const place = await makePlace();
    place.plays(adds);
    expect(await place.loop("PROMPT.md", "--max", "1")).toMatchObject({ exitCode: 1 });
    expect(await place.loop("PROMPT.md", "--max", "2")).toMatchObject({ exitCode: 1 });
    expect(place.endings()).toHaveLength(3);
    expect(await place.monoco("relay", "resume", "LOOP-0001", "--once")).toMatchObject({ exitCode: 1 });
    expect(place.endings()).toHaveLength(4);
    expect(await place.loop("PROMPT.md", "--max", "1", "--verify", "true")).toMatchObject({ exitCode: 1 });
    expect(place.endings("LOOP-0002")).toHaveLength(1);
    place.plays(promises);
    expect(await place.monoco("relay", "resume", "LOOP-0001", "LOOP-0002")).toMatchObject({ exitCode: 0 });
    expect(await place.loop("PROMPT.md", "--max", "1")).toMatchObject({ exitCode: 0 });
    expect(place.events("LOOP-0003").at(-1)).toMatchObject({ type: "relay.finished" });
    expect(await place.git("log", "--format=%s", "monoco/LOOP-0001")).toContain("Add a line");
  });

  test("keeps its number of sessions when it is resumed by its id", async () => {
    const place = await makePlace();
    place.plays(adds);
    await place.loop("PROMPT.md", "--max", "2");
    await place.monoco("relay", "resume", "LOOP-0001");
    expect(place.endings()).toHaveLength(4);
    expect(place.events().filter(({ type }) => type === "relay.blocked")).toHaveLength(2);
  });

  test("--once runs one session, and says how to go on", async () => {
    const place = await makePlace();
    place.plays(adds);
    const ran = await place.loop("PROMPT.md", "--once");
    expect(ran).toMatchObject({ exitCode: 1 });
    expect(ran.stdout).toContain("one session has run: monoco resume LOOP-0001 goes on");
    expect(place.endings()).toHaveLength(1);
  });

  test("--json prints one report, with where the work is", async () => {
    const place = await makePlace();
    place.plays(`${adds} && ${promises}`);
    const { stdout, exitCode } = await place.loop("PROMPT.md", "--json");
    expect(exitCode).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({
      issue: "LOOP-0001",
      phase: "done",
      exitCode: 0,
      leftOn: { branch: "monoco/LOOP-0001" },
      sessions: [{ session: 1, reason: "completed_without_submit" }],
    });
  });

  test("takes from the prompt's front matter what no flag says", async () => {
    const place = await makePlace({
      files: {
        "task.md": `---\nverify: ["true", 'test -f work.txt']\npromise: FERTIG\nmax: 1\n---\n\nSchreibe work.txt.\n`,
      },
    });
    place.plays(`${adds}; echo "<promise>FERTIG</promise>"`);
    expect(await place.loop("task.md")).toMatchObject({ exitCode: 0 });
    expect(place.events()[0]).toMatchObject({
      loop: { prompt: "Schreibe work.txt.", promise: "FERTIG", verify: ["true", "test -f work.txt"], max: 1 },
    });
    expect(place.prompt(1)).not.toContain("verify:");
  });

  test("stops for the breaker like any relay", async () => {
    const place = await makePlace();
    place.plays("echo I look around.");
    const ran = await place.loop("PROMPT.md");
    expect(ran).toMatchObject({ exitCode: 1 });
    expect(ran.stdout).toContain("no progress in 3 sessions in a row");
  });

  test("two at once are two loops", async () => {
    const place = await makePlace({ files: { "other.md": "Something else." } });
    place.plays(`${adds} && ${promises}`);
    const ran = await Promise.all([place.loop("PROMPT.md"), place.loop("other.md")]);
    expect(ran.map(({ exitCode }) => exitCode)).toEqual([0, 0]);
    expect(readdirSync(join(place.project, ".monoco", "relays")).sort()).toEqual(["LOOP-0001", "LOOP-0002"]);
  });
});

describe("a loop with --review", () => {
  it("is merged into the base when it is approved, without an issue's file", async () => {
    const place = await makePlace();
    place.plays(`${adds} && ${promises}`);
    expect(await place.loop("PROMPT.md", "--review", "--verify", "test -f work.txt")).toMatchObject({
      exitCode: 0,
    });
    expect(place.events().at(-1)).toMatchObject({ type: "merge.done" });
    expect(await place.git("show", "main:work.txt")).toBe("line 1");
    expect(await place.git("ls-tree", "-r", "--name-only", "main")).toBe(
      "PROMPT.md\nREADME.md\nmonoco.yaml\nwork.txt",
    );
    expect(place.prompt(2)).toContain("Write work.txt, in three lines.");
  });

  test("goes back to a fresh session with what the Reviewer asks for", async () => {
    const place = await makePlace();
    place.plays(`${adds} && ${promises}`);
    writeFiles(join(place.sandbox.folder, "agent"), {
      verdict: `{"type":"verdict","verdict":"request_changes","findings":[{"id":"f1","severity":"major","title":"Two lines are missing","criterion":"1","evidence":{"text":"wc -l"}}]}\n`,
    });
    expect(await place.loop("PROMPT.md", "--review", "--max", "3")).toMatchObject({ exitCode: 1 });
    expect(place.prompt(3)).toContain("Two lines are missing");
    expect(existsSync(join(place.project, "work.txt"))).toBe(false);
  });
});

describe("a loop is refused", () => {
  it("where it could not run, and nothing is begun", async () => {
    const place = await makePlace({
      files: {
        "empty.md": "\n",
        "typo.md": "---\nmax: 3\nverfiy: npm test\n---\nDo it.\n",
        "wrong.md": "---\nmax: 1.5\n---\nDo it.\n",
      },
    });
    const refused = [
      [],
      ["PROMPT.md", "--template", "lint"],
      ["nowhere.md"],
      ["empty.md"],
      ["typo.md"],
      ["wrong.md"],
      ["--template", "nope"],
      ["PROMPT.md", "--promise", "</promise>"],
      ["PROMPT.md", "--verify", ""],
      ["PROMPT.md", "--max", "0"],
      ["PROMPT.md", "--agent", "nobody"],
    ];
    expect(
      await transcriptOf(
        (...args) => place.loop(...args.slice(1)),
        refused.map((args) => ["loop", ...args]),
      ),
    ).toMatchInlineSnapshot(`
      "$ monoco loop
      ! error: a loop needs one prompt: a file, or a template
      ! hint: monoco loop PROMPT.md, or monoco loop --template coverage|duplicates|entropy|lint
      exit 2
      $ monoco loop PROMPT.md --template lint
      ! error: a loop needs one prompt: a file, or a template
      ! hint: monoco loop PROMPT.md, or monoco loop --template coverage|duplicates|entropy|lint
      exit 2
      $ monoco loop nowhere.md
      ! error: no such file: nowhere.md
      ! hint: write what is to be done into it
      exit 2
      $ monoco loop empty.md
      ! error: empty.md:1: expected a prompt, got nothing
      ! hint: write what is to be done
      exit 2
      $ monoco loop typo.md
      ! error: typo.md:3: verfiy: unknown key
      ! hint: keys that may stand there: promise, verify, review, max
      exit 2
      $ monoco loop wrong.md
      ! error: wrong.md:2: max: it must be a whole number
      ! hint: keys that may stand there: promise, verify, review, max
      exit 2
      $ monoco loop --template nope
      ! error: unknown loop template "nope"
      ! hint: there are coverage, duplicates, entropy, lint
      exit 2
      $ monoco loop PROMPT.md --promise '</promise>'
      ! error: promise: letters, digits, spaces, - and _
      ! hint: a promise is a word like COMPLETE, verify a command, max a number of sessions
      exit 2
      $ monoco loop PROMPT.md --verify ''
      ! error: verify.0: it must not be empty
      ! hint: a promise is a word like COMPLETE, verify a command, max a number of sessions
      exit 2
      $ monoco loop PROMPT.md --max 0
      ! error: --max: expected a whole number above 0, got "0"
      ! hint: write it like --max 3
      exit 2
      $ monoco loop PROMPT.md --agent nobody
      ! error: --agent: no agent is called "nobody"
      ! hint: known agents: a, claude, codex, gemini, opencode; define it under agents: with a kind (claude, codex, gemini, opencode, acp, command, scripted)
      exit 2"
    `);
    expect(existsSync(join(place.project, ".monoco"))).toBe(false);
  });
});

describe("the templates that come with it", () => {
  const script = (name: string, text: string): Record<string, string> => ({
    "package.json": JSON.stringify({ name: "p", private: true, scripts: { [name]: text } }),
  });
  testRows<[string, string, string, string]>([
    ["coverage", "coverage", "grep -q covered tests.txt", "echo covered > tests.txt"],
    ["duplicates", "test", "test ! -f copy.txt", "echo one > one.txt"],
    ["lint", "lint", "! grep -q bad code.txt", "echo good > code.txt"],
    ["entropy", "test", "test ! -f dead.txt", "echo less > code.txt"],
  ])("%s: its check decides", async ([name, npmScript, check, work]) => {
    const place = await makePlace({ files: { ...script(npmScript, check), "code.txt": "bad\n" } });
    place.plays("echo I look around.", `${work} && git add -A && git commit -qm Work; ${promises}`);
    const ran = await place.loop("--template", name);
    expect(ran).toMatchObject({ exitCode: 0 });
    expect(place.endings()).toHaveLength(2);
    const command = npmScript === "test" ? "npm test" : `npm run ${npmScript}`;
    expect(place.events()[0]).toMatchObject({ loop: { verify: [command], max: 20, promise: "COMPLETE" } });
    expect(place.events().find(({ type }) => type === "checks.ran")).toMatchObject({
      results: [{ command }],
    });
  });

  test("a repository's own is found first, and its own names too", async () => {
    const place = await makePlace({
      files: {
        "templates/loops/lint.md": "Our own.\n",
        "templates/loops/ours.md": "---\nmax: 1\n---\nOurs.\n",
      },
    });
    place.plays(promises);
    expect(await place.loop("--template", "lint")).toMatchObject({ exitCode: 0 });
    expect(await place.loop("--template", "ours")).toMatchObject({ exitCode: 0 });
    expect(place.prompt(1)).toContain("Our own.");
    expect(place.prompt(1, "LOOP-0002")).toContain("Ours.");
  });
});
