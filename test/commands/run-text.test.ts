/** monoco run "some text": the agent's proposal is shown, agreed on, committed alone, and run; what cannot be asked changes nothing. */
import { chmodSync, existsSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { describe, expect, it } from "vitest";
import { parseIssue } from "../../src/core/issue/issue.ts";
import { main } from "../../src/main.ts";
import { approves, openPlace, works } from "../support/place.ts";
import type { Place } from "../support/place.ts";
import { full as test } from "../support/full.ts";

const text = "Fix the login page: it answers 500";
const proposal = {
  title: "Login answers 200",
  type: "fix",
  objective: "Members can log in again.\n\nTaken for granted: the path stays.",
  criteria: [
    { kind: "behaves", text: "`GET /login` answers 200" },
    { kind: "as_before", text: "- [ ] (as before) `npm test` passes" },
  ],
  checks: ["test -f file.txt"],
};
const says = (value: unknown): object => ({ say: JSON.stringify(value) });
const answers = [{ usage: { contextTokens: 900, costUsd: 0.25, tokens: 1_000 } }, says(proposal)];
const path = "issues/FIX-0001-login-answers-200.md";

/** A repository whose agent proposes so, and works and approves. */
const open = (author: unknown[][] | undefined, settings = "", limits: object = {}): Promise<Place> =>
  openPlace(
    { executor: [works], reviewer: [approves], ...(author && { author }) },
    { issues: [], settings, limits, files: { "app.js": "1\n", "notes.md": "a\n" } },
  );

/** All that a person has in the repository; `.monoco` is not theirs. */
const printOf = (place: Place): Promise<string> =>
  place.sh(
    "git rev-parse HEAD; git status --porcelain; git for-each-ref refs/heads; ls issues 2>/dev/null || true",
  );

const records = (place: Place): Record<string, unknown>[] => {
  const folder = join(place.project, ".monoco/proposals");
  return readdirSync(folder)
    .filter((name) => existsSync(join(folder, name, "proposal.json")))
    .toSorted()
    .map(
      (name) =>
        JSON.parse(readFileSync(join(folder, name, "proposal.json"), "utf8")) as Record<string, unknown>,
    );
};

/** At a terminal where the person types `lines`, each at a question; `editor` is a shell script. */
async function atTerminal(
  place: Place,
  args: string[],
  { lines, editor }: { lines: string[]; editor?: string },
): Promise<{ exitCode: number; shown: string }> {
  const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()].map((stream) =>
    Object.assign(stream, { isTTY: true }),
  );
  let shown = "";
  const left = [...lines];
  const hear = (chunk: Buffer): void => {
    shown += String(chunk);
    if (String(chunk).endsWith("[N]o: ")) stdin!.write(`${left.shift() ?? ""}\n`);
  };
  stdout!.on("data", hear);
  stderr!.on("data", (chunk: Buffer) => void (shown += String(chunk)));
  const program = join(place.around, "editor");
  writeFileSync(program, `#!/bin/sh\n${editor ?? "exit 3"}\n`);
  chmodSync(program, 0o755);
  const env = { ...place.sandbox.env, EDITOR: `'${program}'`, NO_COLOR: "1" };
  const exitCode = await main(["run", ...args], {
    cwd: place.project,
    env,
    stdin: stdin!,
    stdout: stdout!,
    stderr: stderr!,
    onStop: () => () => undefined,
  });
  expect(left).toEqual([]);
  return { exitCode, shown };
}

it("without a terminal the issue is shown and nothing changes; --yes commits that very issue alone, and it is merged", async () => {
  const place = await open([answers, [says("another")]]);
  const before = await printOf(place);
  const shown = await place.monoco("run", text);
  expect(shown.exitCode).toBe(2);
  expect(parseIssue(shown.stdout, path)).toMatchObject({ id: "FIX-0001", title: "Login answers 200" });
  const next = `monoco run '${text}' --yes`;
  expect(shown.stderr).toContain(`hint: ${next} commits this very issue and runs it`);
  expect(await printOf(place)).toBe(before);
  const ran = await place.monoco("run", text, "--yes");
  expect(ran, ran.stdout + ran.stderr).toMatchObject({ exitCode: 0 });
  expect(records(place)).toMatchObject([{ agent: "a", costUsd: 0.25, tokens: 1_000, issue: "FIX-0001" }]);
  expect((await place.git("log", "--format=%s", "--first-parent", "main")).split("\n")).toEqual([
    expect.stringContaining("FIX-0001"),
    "FIX-0001 Login answers 200",
    "Begin",
  ]);
  expect(place.read(path)).toMatch(/^status: closed$/m);
  expect(await place.git("status", "--porcelain")).toBe("");
});

test("the commit holds the issue and nothing else; what a person has staged, changed or not yet added stays", async () => {
  const place = await open([answers]);
  await place.sh("echo staged > staged.txt; git add staged.txt; echo b >> notes.md; echo new > new.txt");
  await place.monoco("run", text, "--yes");
  const [commit] = (await place.git("log", "--format=%H", "--diff-filter=A", "--", path)).split("\n");
  expect(await place.git("show", "--name-status", "--format=%s%n%b", commit!)).toBe(
    `FIX-0001 Login answers 200\nProposed by a for this request:\n\n${text}\n\n\nA\t${path}`,
  );
  expect(await place.git("status", "--porcelain", "-uall")).toBe(" M notes.md\nA  staged.txt\n?? new.txt");
  const issue = parseIssue(await place.git("show", `${commit}:${path}`), path);
  expect(issue).toMatchObject({ id: "FIX-0001", type: "fix", checks: ["test -f file.txt"] });
  expect(issue.objective).toBe("Members can log in again.\n\nTaken for granted: the path stays.");
  expect(issue.criteria.map((one) => one.text)).toEqual([
    "(behaves) `GET /login` answers 200",
    "(as before) `npm test` passes",
  ]);
});

describe("at a terminal", () => {
  it("no writes nothing; yes after an edit commits what was edited, and runs it", async () => {
    const place = await open([answers]);
    const before = await printOf(place);
    const no = await atTerminal(place, [text], { lines: [""] });
    expect(no).toMatchObject({ exitCode: 1 });
    expect(no.shown).toContain("- [ ] (behaves) `GET /login` answers 200\n");
    expect(no.shown).toContain("nothing was written");
    expect(await printOf(place)).toBe(before);
    const yes = await atTerminal(place, [text], {
      lines: ["e", "yes"],
      editor: "sed -i 's/answers 200$/answers 201/; s/^title: .*/title: Created/' \"$1\"",
    });
    expect(yes.exitCode, yes.shown).toBe(0);
    expect(yes.shown).toContain("proposed by a when you asked before");
    expect(place.read("issues/FIX-0001-created.md")).toContain("(behaves) `GET /login` answers 201");
  });

  test("an editor that fails, or leaves no issue, keeps the one that was shown", async () => {
    const place = await open([answers]);
    const broken = await atTerminal(place, [text], { lines: ["e", "n"], editor: 'echo none > "$1"' });
    expect(broken.shown).toContain("no front matter");
    const failed = await atTerminal(place, [text], { lines: ["e", "n"] });
    expect(failed.shown).toContain("the editor ended with 3");
    expect(records(place)).toHaveLength(1);
  });

  test("an agent that answers nonsense twice leaves the text alone: to be edited, and not to be run before it has criteria", async () => {
    const place = await open([[says({ title: "x" })], [{ say: "I could not say." }]]);
    const ran = await atTerminal(place, [text], {
      lines: ["e", "y"],
      editor: "sed -i 's/^- \\[ \\] <!-- one thing.*/- [ ] it answers 200/' \"$1\"",
    });
    expect(ran.exitCode, ran.shown).toBe(0);
    expect(ran.shown).toContain("no criteria were proposed: a: its JSON object is no issue: type:");
    expect(ran.shown).toContain("a: its answer holds no JSON object");
    expect(ran.shown).toContain("[e]dit, [N]o: ");
    const [first, second] = readdirSync(join(place.project, ".monoco/proposals"))
      .filter((name) => name !== "index")
      .toSorted()
      .map((name) => place.read(`.monoco/proposals/${name}/prompt.md`));
    expect(first).toContain(text);
    expect(first).not.toContain("earlier answer");
    expect(second).toContain("An earlier answer could not be used: a: its JSON object is no issue: type:");
  });
});

describe("an agent that proposes nothing", () => {
  test("--yes does not run what nobody has said criteria for: exit code 2, and the way on", async () => {
    const place = await open(undefined);
    const before = await printOf(place);
    const ran = await place.monoco("run", text, "--yes");
    expect(ran.exitCode).toBe(2);
    expect(parseIssue(ran.stdout, "FEAT-0001.md")).toMatchObject({
      title: text,
      objective: text,
      criteria: [],
    });
    expect(ran.stderr).toContain(`write them yourself: monoco issue create -m '${text}' --edit`);
    expect(await printOf(place)).toBe(before);
  });

  test("one whose session fails gives way to the next of the list", async () => {
    const place = await open([answers], "", {});
    place.write(
      "dead.yaml",
      JSON.stringify({ executor: [works], reviewer: [approves], author: [[{ exit: 7 }]] }),
    );
    const yaml = place
      .read("monoco.yaml")
      .replace("agents: {", "agents: { dead: { kind: scripted, script: dead.yaml },");
    place.write("monoco.yaml", yaml.replace("executor: { agents: [a] }", "executor: { agents: [dead, a] }"));
    expect((await place.monoco("run", text)).exitCode).toBe(2);
    expect(records(place)).toMatchObject([
      { agent: "dead", because: "failure: exit status 7" },
      { agent: "a", proposal: { title: proposal.title } },
    ]);
  });
});

test("what it wrote in its clone goes with it, and no command of its session is a person's", async () => {
  const tries =
    'echo no > app.js; git commit -qam no; cd "$PERSON" && monoco run FEAT-0001; echo $? > "$PERSON/../code"';
  const place = await open([[{ run: tries }, ...answers]]);
  const before = await printOf(place);
  expect((await place.monoco("run", text)).exitCode).toBe(2);
  expect(readFileSync(join(place.around, "code"), "utf8")).toBe("2\n");
  expect(await printOf(place)).toBe(before);
  expect(place.read("app.js")).toBe("1\n");
});

test("it counts against budgets and hours: what is used up asks nobody", async () => {
  const place = await open([answers], "budgets: { day: { costUsd: 0.2 } }\n", { sessionsPerHour: 9 });
  expect((await place.monoco("run", text)).exitCode).toBe(2);
  const ran = await place.monoco("run", "Another thing");
  expect(ran).toMatchObject({ exitCode: 75, stdout: "" });
  expect(ran.stderr).toContain("raise budgets.day.costUsd");
  const hour = await place.monoco(
    "run",
    "A third",
    "--set",
    "budgets.day.costUsd=9",
    "--set",
    "limits.sessionsPerHour=1",
  );
  expect(hour).toMatchObject({ exitCode: 75, stdout: "" });
  expect(hour.stderr).toContain("raise limits.sessionsPerHour");
  expect(records(place)).toHaveLength(1);
});

test("Ctrl-C ends the session, and no issue is written", async () => {
  const place = await open([[{ run: 'f="$FIFOS/here"; mkfifo "$f"; echo here > "$f"; sleep 600' }]]);
  const before = await printOf(place);
  const running = place.start("run", text, "--yes");
  await place.heard("here");
  running.kill("SIGINT");
  expect(await running).toMatchObject({ exitCode: 130 });
  expect(await printOf(place)).toBe(before);
});

describe("refused with exit code 2, and no agent is asked", () => {
  test.for<[what: string, args: string[], said: RegExp]>([
    ["two texts", ["Fix this", "and that"], /quote the whole text/],
    ["a text and an id", ["FEAT-0001", "and that"], /quote the whole text/],
    ["a text and the backlog", [text, "--all"], /one issue/],
    ["a text and --dry-run", [text, "--dry-run"], /has no issue yet/],
    ["one word", ["login"], /is not an issue's id/],
    ["--yes for an id", ["FEAT-0001", "--yes"], /--yes goes with a text/],
    ["more than a request", ["x ".repeat(10_001)], /at most 20000 characters/],
    ["a base without a commit", [text, "--set", "base=none"], /branch none does not exist/],
  ])("%s", async ([, args, said]) => {
    const place = await open([answers]);
    const ran = await place.monoco("run", ...args);
    expect(ran).toMatchObject({ exitCode: 2, stdout: "" });
    expect(ran.stderr).toMatch(said);
    expect(existsSync(join(place.project, ".monoco/proposals"))).toBe(false);
  });
});
