/** monoco doctor: each finding planted for real, its printed fix tried, and what --fix does and leaves. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  renameSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { identityOf } from "../../src/agents/process-identity.ts";
import { tryLock } from "../../src/store/lock.ts";
import { cliPath, openSandbox } from "../support/cli.ts";
import type { Ran, Sandbox } from "../support/cli.ts";
import { isHere, skipWithout } from "../support/namespaces.ts";
import { wordsOf } from "../support/shell-lines.ts";
import { approves, commit, openPlace, run, say, submit, waitFor, works } from "../support/place.ts";
import type { Place } from "../support/place.ts";
import { transcript } from "../support/transcript.ts";
import { full } from "../support/full.ts";

// Real relays, on a machine that may be busy.
vi.setConfig({ testTimeout: 120_000 });

type Found = { rule: string; state: string; because: string; fix: string | null; safe: boolean };
type Told = { status: number; findings: Found[]; fixed: Found[] };

/** Its temporary files go where no other command's are. */
function temporaryOf(place: Place): string {
  const folder = join(place.around, "tmp");
  mkdirSync(folder, { recursive: true });
  return folder;
}

/** Makes monoco one of the programs that others find. */
function link({ folder, env }: Sandbox): void {
  const bin = join(folder, "bin");
  mkdirSync(bin);
  symlinkSync(cliPath, join(bin, "monoco"));
  env["PATH"] = `${bin}:${env["PATH"]}`;
}

/** What such a machine or such settings are always told. */
const always = ["off_path", "sandbox_none", ...(isHere("a PID namespace") ? [] : ["processes_loose"])];

/** What is bad or worth a note besides. */
async function look(place: Place, flags: string[] = [], env: Record<string, string> = {}): Promise<Told> {
  const ran = await place.sandbox.monoco(["doctor", "--json", ...flags], {
    cwd: place.project,
    env: { TMPDIR: temporaryOf(place), ...env },
  });
  expect(ran.stderr).toBe("");
  const told = JSON.parse(ran.stdout) as Told;
  expect(told.status).toBe(ran.exitCode);
  return {
    ...told,
    findings: told.findings.filter(({ state, rule }) => state !== "good" && !always.includes(rule)),
  };
}

/** The one finding that there is. */
async function only(place: Place, env: Record<string, string> = {}): Promise<Found> {
  const { findings } = await look(place, [], env);
  expect(findings, JSON.stringify(findings)).toHaveLength(1);
  return findings[0]!;
}

/** Does what one way of a fix says, the first if not said otherwise. */
async function doAsTold(place: Place, fix: string | null, way = 0): Promise<void> {
  const command = (fix ?? "").split("; or ").at(way)!;
  if (!command.startsWith("monoco ")) await place.sh(command);
  else expect(await place.monoco(...wordsOf(command).slice(1)), command).toMatchObject({ stderr: "" });
}

const clones = (place: Place): string => {
  const state = join(place.around, "state", "monoco");
  const name = readdirSync(state).find((one) => /^[0-9a-f]{16}$/.test(one));
  return join(state, name ?? "none");
};

/** A relay that is open and rests, with work of one session. */
async function resting(): Promise<Place> {
  const place = await openPlace({
    executor: [[{ write: { "begun.txt": "text\n" } }, commit], works],
    reviewer: [approves],
  });
  expect(await place.monoco("run", "FEAT-0001", "--once")).toMatchObject({ exitCode: 1 });
  expect((await look(place)).findings).toEqual([]);
  return place;
}

async function merged(): Promise<Place> {
  const place = await openPlace({ executor: [works], reviewer: [approves] });
  expect(await place.monoco("run", "FEAT-0001")).toMatchObject({ exitCode: 0 });
  return place;
}

test("a healthy repository: nothing is bad, and one line an area says so", async (context) => {
  skipWithout("a PID namespace", context);
  const place = await merged();
  const doctor = (): Promise<Ran> =>
    place.sandbox.monoco(["doctor"], { cwd: place.project, env: { TMPDIR: temporaryOf(place) } });
  expect(await doctor()).toMatchObject({
    exitCode: 0,
    stdout: expect.stringMatching(/^note {3}monoco is not on the PATH: .*\n +fix: npm run link/m) as string,
  });
  link(place.sandbox);
  const told = await doctor();
  const words = transcript(told)
    .replaceAll(/(Node|git) \d[\d.]+/g, "$1 <version>")
    .replaceAll(/[\d.]+ [GM]B free/g, "<room> free");
  expect(words).toMatchInlineSnapshot(`
    "note   sandbox: none; an agent runs with your rights
           fix: set sandbox: auto in monoco.yaml, or work in a container
    good   machine: Node <version>, git <version>, a session's processes are held by pid-namespace
    good   folders: temporary folder (<room> free), folder of the clones (<room> free), folder of the journals (<room> free)
    good   agents: a
    good   repository: the settings can be read, base main
    good   relays: 1 relay, 7 refs of finished ones (relay clear --refs drops them)

    0 bad, 1 note"
  `);
});

test("outside of a repository the machine is looked at, and a bare one is refused in words", async (context) => {
  skipWithout("a PID namespace", context);
  const sandbox = openSandbox();
  onTestFinished(() => sandbox.dispose());
  link(sandbox);
  await sandbox.sh(sandbox.folder, "git init -q --bare bare");
  const config = join(sandbox.folder, "home", ".config", "monoco");
  mkdirSync(config, { recursive: true });
  const story = "sandbox: none\nagents: { a: { kind: scripted, script: s.yaml } }\n";
  writeFileSync(
    join(config, "config.yaml"),
    `${story}roles: { executor: { agents: [a] }, reviewer: { agents: [a] } }\n`,
  );
  const env = { TMPDIR: join(sandbox.folder, "home") };
  const at = async (folder: string): Promise<string> => {
    const ran = await sandbox.monoco(["doctor"], { cwd: join(sandbox.folder, folder), env });
    return transcript({ ...ran, stdout: ran.stdout.replace(/^good[\s\S]*\n\n/m, "") });
  };
  expect(await at("home")).toMatchInlineSnapshot(`
    "note   sandbox: none; an agent runs with your rights
           fix: set sandbox: auto in monoco.yaml, or work in a container
    note   /place/home is not inside a git repository: only the machine was looked at
           fix: cd into one, or git init
    0 bad, 2 notes"
  `);
  expect(await at("bare")).toMatchInlineSnapshot(`
    "bad    /place/bare is in a bare repository or inside .git
           fix: run monoco in a worktree: git worktree list shows them
    note   sandbox: none; an agent runs with your rights
           fix: set sandbox: auto in monoco.yaml, or work in a container
    1 bad, 1 note
    exit 1"
  `);
});

test("monoco.yaml that cannot be read is told with its line, and nobody guesses who plays", async () => {
  const place = await openPlace({ executor: [], reviewer: [] });
  const before = place.read("monoco.yaml");
  place.write("monoco.yaml", `base: main\nlimts: 3\n${before}`);
  expect(await only(place)).toMatchObject({ rule: "settings_refused", state: "bad" });
  expect((await only(place)).because).toContain("monoco.yaml:2:");
  place.write("monoco.yaml", before.replace(/^roles:/m, "base: trunk\nroles:"));
  expect(await only(place)).toMatchObject({
    rule: "base_missing",
    because: "branch trunk does not exist or has no commit",
  });
});

full("a role that nobody can play ends with status 4, and names how to get an agent", async () => {
  const place = await openPlace({ executor: [], reviewer: [] });
  place.write("monoco.yaml", "roles: { executor: { agents: [codex] }, reviewer: { agents: [codex] } }\n");
  const bin = join(place.around, "bin");
  mkdirSync(bin);
  // A PATH with git and a shell, and no agent.
  for (const name of ["git", "sh", "setpriv", "unshare", "cat"])
    symlinkSync((await place.sh(`command -v ${name}`)).trim(), join(bin, name));
  const bare = await look(place, [], { PATH: bin });
  expect(bare.status).toBe(4);
  expect(bare.findings.map(({ rule, fix }) => [rule, fix])).toEqual([
    [
      "role_unplayed",
      "npm install -g @openai/codex, or name another agent under roles.executor.agents in monoco.yaml",
    ],
    [
      "role_unplayed",
      "npm install -g @openai/codex, or name another agent under roles.reviewer.agents in monoco.yaml",
    ],
  ]);
  writeFileSync(join(bin, "codex"), "#!/bin/sh\necho codex-cli 0.171.0\n", { mode: 0o755 });
  const there = await look(place, [], { PATH: bin });
  expect(there.status).toBe(0);
  expect(there.findings.map(({ rule }) => rule)).toEqual(["login_unseen"]);
});

test("a file in the place of a folder, and a system without PID namespaces, are told", async (context) => {
  skipWithout("a PID namespace", context);
  const place = await openPlace({ executor: [], reviewer: [] });
  const state = join(place.around, "file");
  writeFileSync(state, "");
  const refused = await only(place, { XDG_STATE_HOME: state });
  expect(refused).toMatchObject({
    rule: "folder_refused",
    state: "bad",
    fix: "set XDG_STATE_HOME to a folder on a local disk that you may write",
  });
  const missing = await only(place, { TMPDIR: join(place.around, "nothing") });
  expect(missing).toMatchObject({ rule: "folder_refused", folder: "temporary" });
  const found = await only(place, withoutNamespaces(place));
  expect(found).toMatchObject({ rule: "processes_loose", state: "note" });
});

/** The namespace's wrapper fails, as it does where the machine forbids it; found out once a process. */
function withoutNamespaces(place: Place): Record<string, string> {
  const folder = join(place.around, "no-namespaces");
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "setpriv"), "#!/bin/sh\nexit 1\n", { mode: 0o755 });
  return { PATH: `${folder}:${place.sandbox.env["PATH"]}` };
}

test("a damaged journal is told with its line, and so is one that its copy speaks against", async () => {
  const place = await resting();
  const path = join(place.project, ".monoco/relays/FEAT-0001/journal.jsonl");
  const text = readFileSync(path, "utf8");
  const lines = text.trimEnd().split("\n");
  writeFileSync(path, text.replace('"title":"Write a file"', '"title":"Write a fine"'));
  const damaged = await only(place);
  expect(damaged).toMatchObject({ rule: "journal_damaged", state: "bad" });
  expect(damaged.because).toContain("journal.jsonl:1: the journal is damaged");
  writeFileSync(path, `${lines.slice(0, -2).join("\n")}\n`);
  const cut = await only(place);
  expect(cut).toMatchObject({ rule: "journal_damaged" });
  expect(cut.because).toContain("were changed or cut");
  writeFileSync(path, text);
  // A torn last line was never acknowledged: the next run cuts it off.
  appendFileSync(path, '{"v":1,');
  expect((await look(place)).findings).toEqual([]);
});

test("an orphan of a killed runner is ended by --fix, and its work is still collected", async () => {
  const place = await openPlace({
    executor: [[{ write: { "kept.txt": "kept\n" } }, say("in-session"), waitFor("go")], works],
    reviewer: [approves],
  });
  const env = { ...withoutNamespaces(place), TMPDIR: temporaryOf(place) };
  const running = place.sandbox.start(["run", "FEAT-0001"], { cwd: place.project, env });
  await place.heard("in-session");
  running.kill("SIGKILL");
  await running;
  const before = await look(place);
  const [orphan] = before.findings;
  expect(before.findings).toHaveLength(1);
  expect(orphan).toMatchObject({ rule: "orphan", state: "bad", safe: true });
  expect(orphan!.fix).toMatch(/^monoco doctor --fix; or kill -KILL [\d ]+$/);
  const pids = (orphan as Found & { pids: number[] }).pids;
  expect(pids.length).toBeGreaterThan(0);
  const after = await look(place, ["--fix"]);
  expect(after.fixed.map(({ rule }) => rule)).toEqual(["orphan"]);
  expect(pids.filter((pid) => identityOf(pid) !== undefined)).toEqual([]);
  expect(after.findings).toEqual([]);
  expect(await place.monoco("relay", "resume", "FEAT-0001")).toMatchObject({ exitCode: 0 });
  expect(place.all("session.ended")[0]?.wip).toBeDefined();
  expect((await look(place)).findings).toEqual([]);
});

full(
  "a process that only holds the session's lock is told by its number, and never killed by --fix",
  async () => {
    const place = await resting();
    const lock = tryLock(join(place.project, ".monoco/locks/FEAT-0001.session"));
    const child = spawn("cat", { stdio: ["pipe", "ignore", "ignore", lock!.fd] });
    onTestFinished(() => void child.kill("SIGKILL"));
    await once(child, "spawn");
    lock!.release();
    const found = await only(place);
    expect(found).toMatchObject({ rule: "orphan", pids: [child.pid] });
    const tried = await look(place, ["--fix"]);
    expect(tried.fixed).toEqual([]);
    expect(tried.findings).toHaveLength(1);
    expect(child.exitCode).toBe(null);
    const gone = once(child, "exit");
    await doAsTold(place, found.fix, -1);
    await gone;
    expect((await look(place)).findings).toEqual([]);
  },
);

test("clones of no open relay: --fix removes those of reviews, and none that may hold somebody's work", async () => {
  const place = await merged();
  const folder = clones(place);
  for (const name of [
    "FEAT-0001",
    "FEAT-0001.review",
    "FEAT-0001.scratch",
    "FEAT-0001.kept-1",
    "FEAT-0009",
    "FEAT-0009.trial",
    "somebody-elses",
  ]) {
    mkdirSync(join(folder, name), { recursive: true });
    writeFileSync(join(folder, name, "file"), "text");
  }
  const names = (findings: readonly Found[]): string[] =>
    findings
      .map((one) => `${(one as Found & { path: string }).path.split("/").at(-1)}, ${one.rule}`)
      .toSorted();
  const works = ["FEAT-0001, clone_left", "FEAT-0001.kept-1, clone_left", "FEAT-0009, clone_left"];
  const spares = ["FEAT-0001.review", "FEAT-0001.scratch", "FEAT-0009.trial"].map(
    (one) => `${one}, clone_left`,
  );
  const before = await look(place);
  expect(before.status).toBe(0);
  expect(names(before.findings)).toEqual([...works, ...spares].toSorted());
  const after = await look(place, ["--fix"]);
  expect(names(after.fixed)).toEqual(spares);
  expect(names(after.findings)).toEqual(works);
  expect(existsSync(join(folder, "somebody-elses"))).toBe(true);
  const cleared = after.findings.find(({ fix }) => fix?.startsWith("monoco relay clear"));
  await doAsTold(place, cleared!.fix);
  expect(existsSync(join(folder, "FEAT-0001"))).toBe(false);
});

test("--fix keeps its hands off clones of an open relay, and a relay that somebody runs", async () => {
  const place = await resting();
  const review = join(clones(place), "FEAT-0001.review");
  mkdirSync(review);
  expect((await look(place, ["--fix"])).fixed).toEqual([]);
  const other = join(clones(place), "FEAT-0009.review");
  renameSync(review, other);
  const lock = tryLock(join(place.project, ".monoco/locks/FEAT-0009.runner"));
  onTestFinished(() => lock?.release());
  mkdirSync(join(clones(place), "FEAT-0009"));
  // What a run has just made is no finding: nobody is told to remove it.
  expect(await look(place, ["--fix"])).toMatchObject({ fixed: [], findings: [] });
  expect(existsSync(other)).toBe(true);
});

full("an agent may look, and not fix", async () => {
  const place = await openPlace({
    executor: [[run("monoco doctor > looked.txt; monoco doctor --fix 2> refused.txt; true"), commit, submit]],
    reviewer: [approves],
  });
  await place.monoco("run", "FEAT-0001");
  expect(
    await place.git("show", "monoco/FEAT-0001:looked.txt").catch(() => place.read("looked.txt")),
  ).toContain("good");
  expect(place.read("refused.txt")).toMatch(/a person's|for people/);
});
