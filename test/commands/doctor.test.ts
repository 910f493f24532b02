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
  rmSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { identityOf } from "../../src/agents/process-identity.ts";
import { cachesBytesMax } from "../../src/core/limits.ts";
import { dropMessage } from "../../src/store/mailbox.ts";
import { tryLock } from "../../src/store/lock.ts";
import { openSandbox } from "../support/cli.ts";
import { wordsOf } from "../support/shell-lines.ts";
import {
  approves,
  commit,
  issuePath,
  openPlace,
  run,
  say,
  submit,
  waitFor,
  works,
} from "../support/place.ts";
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

/** What is bad or worth a note; that there is no sandbox is always told. */
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
    findings: told.findings.filter(({ state, rule }) => state !== "good" && rule !== "sandbox_none"),
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
  for (const step of (fix ?? "")
    .split("; or ")
    .at(way)!
    .split(/, (?:then|and) /)) {
    if (step.startsWith("commit that")) await place.sh("git commit -qam 'As told'");
    else if (!step.startsWith("monoco ")) await place.sh(step);
    else {
      const ran = await place.monoco(...wordsOf(step).slice(1));
      expect(ran.stderr, step).toBe("");
    }
  }
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

test("a healthy repository: nothing is bad, and one line an area says so", async () => {
  const place = await merged();
  const told = await place.sandbox.monoco(["doctor"], {
    cwd: place.project,
    env: { TMPDIR: temporaryOf(place) },
  });
  const words = transcript(told)
    .replaceAll(/(Node|git) \d[\d.]+/g, "$1 <version>")
    .replaceAll(/[\d.]+ [GM]B free/g, "<room> free");
  expect(words).toMatchInlineSnapshot(`
    "note   sandbox: none; an agent runs with your rights
           fix: set sandbox: auto in monoco.yaml, or work in a container
    good   machine: Node <version>, git <version>, a session's processes are held by pid-namespace
    good   folders: temporary folder (<room> free), folder of the clones (<room> free), folder of the journals (<room> free)
    good   agents: a
    good   repository: the settings can be read, base main, git leaves .monoco alone, 1 issue
    good   relays: 1 relay

    0 bad, 1 note"
  `);
});

test("outside of a repository the machine is looked at, and a bare one is refused in words", async () => {
  const sandbox = openSandbox();
  onTestFinished(() => sandbox.dispose());
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
           fix: run monoco in a worktree of a repository that is not bare
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
  writeFileSync(join(bin, "codex"), "#!/bin/sh\necho codex-cli 0.100.0\n", { mode: 0o755 });
  const there = await look(place, [], { PATH: bin });
  expect(there.status).toBe(0);
  expect(there.findings.map(({ rule }) => rule)).toEqual(["agent_old", "login_unseen"]);
});

test("a file in the place of a folder, and a system without PID namespaces, are told", async () => {
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

test("issue files that cannot be read, or share an id, are counted, and issue lint says more", async () => {
  const place = await openPlace({ executor: [], reviewer: [] });
  place.write("issues/FEAT-0001-copy.md", place.read(issuePath("FEAT-0001")));
  place.write("issues/FEAT-0002-broken.md", "---\nid: FEAT-0002\n");
  const found = await only(place);
  expect(found).toMatchObject({
    rule: "issues_faulty",
    because: "1 issue file cannot be read, 1 id given twice",
    fix: "monoco issue lint",
  });
  expect(await place.monoco("issue", "lint")).toMatchObject({ exitCode: 2 });
});

test("where git sees .monoco, the fix hides it again", async () => {
  const place = await resting();
  writeFileSync(join(place.project, ".git", "info", "exclude"), "");
  await doAsTold(place, (await only(place)).fix);
  expect((await look(place)).findings).toEqual([]);
  await place.sh("git add -f .monoco/relays && git commit -qm Oops");
  const tracked = await only(place);
  expect(tracked).toMatchObject({ rule: "runtime_tracked", state: "bad" });
  await doAsTold(place, tracked.fix);
  expect((await look(place)).findings).toEqual([]);
});

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
  // A torn last line was never acknowledged: it is told, and nothing is wrong.
  appendFileSync(path, '{"v":1,');
  expect(await only(place)).toMatchObject({ rule: "journal_torn", state: "note", bytes: 7 });
});

full("a head that is gone, or was moved, is put back by the command that is printed", async () => {
  const place = await resting();
  const ref = "refs/monoco/FEAT-0001/head";
  await place.git("update-ref", "-d", ref);
  const gone = await only(place);
  expect(gone).toMatchObject({ rule: "head_missing", state: "bad" });
  await doAsTold(place, gone.fix);
  await place.git("update-ref", ref, "main");
  const moved = await only(place);
  expect(moved).toMatchObject({ rule: "head_moved", state: "bad" });
  await doAsTold(place, moved.fix);
  expect((await look(place)).findings).toEqual([]);
  expect(await place.monoco("relay", "resume", "FEAT-0001")).toMatchObject({ exitCode: 0 });
});

test("commits of a person's on the work branch are a note, and the printed way submits them", async () => {
  const place = await resting();
  await place.sh("git switch -q monoco/FEAT-0001 && echo more > more.txt && git add -A");
  await place.sh("git commit -qm More && git switch -q main");
  const ahead = await only(place);
  expect(ahead).toMatchObject({ rule: "branch_ahead", state: "note" });
  expect(ahead.because).toBe("FEAT-0001: branch monoco/FEAT-0001 has 1 commit that its relay does not know");
  await doAsTold(place, ahead.fix);
  expect(place.all("submission.requested")).toHaveLength(1);
  expect((await look(place)).findings).toEqual([]);
});

full("work that was left on a branch can be found again when the branch is gone", async () => {
  const place = await openPlace(
    { executor: [works], reviewer: [approves] },
    { settings: "finish: branch\n" },
  );
  await place.monoco("run", "FEAT-0001");
  await place.git("branch", "-D", "monoco/FEAT-0001");
  const found = await only(place);
  expect(found).toMatchObject({ rule: "branch_missing", state: "note" });
  await doAsTold(place, found.fix);
  expect((await look(place)).findings).toEqual([]);
});

test("an issue that says another thing than its relay, or is gone", async () => {
  const place = await resting();
  const path = issuePath("FEAT-0001");
  await place.sh(`git rm -q '${path}' && git commit -qm Gone`);
  const gone = await only(place);
  expect(gone).toMatchObject({ rule: "issue_gone", state: "bad" });
  await doAsTold(place, gone.fix);
  expect((await look(place)).findings).toEqual([]);
  await place.sh(`sed -i 's/^status: open/status: closed/' '${path}' && git commit -qam Closed`);
  const closed = await only(place);
  expect(closed).toMatchObject({ rule: "issue_closed", state: "bad" });
  expect(closed.fix).toBe(
    "monoco relay clear FEAT-0001; or monoco issue reopen FEAT-0001, then commit that on main",
  );
  await doAsTold(place, closed.fix);
  expect((await look(place)).findings).toEqual([]);
});

full(
  "a merged relay whose issue is open again, and one whose merge the base has lost, are notes",
  async () => {
    const place = await merged();
    await place.sh(
      `sed -i 's/^status: closed/status: open/; s/^stage: done/stage: draft/; /^solution:/d' issues/*`,
    );
    await place.sh("git commit -qam Again");
    expect(await only(place)).toMatchObject({ rule: "issue_open", state: "note" });
    await place.sh("git reset -q --hard HEAD~2");
    expect(await only(place)).toMatchObject({ rule: "merge_gone", state: "note" });
  },
);

test("a message that nobody has taken is taken by the next run", async () => {
  const place = await resting();
  dropMessage(join(place.project, ".monoco/relays/FEAT-0001/inbox"), { type: "say", text: "Look again" });
  const found = await only(place);
  expect(found).toMatchObject({ rule: "messages", state: "bad", fix: "monoco relay resume FEAT-0001" });
  await doAsTold(place, found.fix);
  expect(place.all("merge.done")).toHaveLength(1);
  expect((await look(place)).findings).toEqual([]);
});

test("a runner that is stopped by a signal, and a session that a kill has cut off", async () => {
  const place = await openPlace({
    executor: [
      [say("in-session"), waitFor("go")],
      [run("true"), ...works],
    ],
    reviewer: [approves],
  });
  const running = place.start("run", "FEAT-0001");
  await place.heard("in-session");
  expect((await look(place)).findings).toEqual([]);
  const pid = Number(/^process (\d+) /.exec(place.read(".monoco/locks/FEAT-0001.runner"))?.[1]);
  process.kill(pid, "SIGSTOP");
  await expect.poll(async () => (await look(place)).findings).toHaveLength(1);
  const stopped = await only(place);
  expect(stopped).toMatchObject({ rule: "runner_stopped", state: "bad", fix: `kill -CONT ${pid}` });
  await doAsTold(place, stopped.fix);
  await expect.poll(async () => (await look(place)).findings).toEqual([]);
  const session = ".monoco/relays/FEAT-0001/sessions/0001-executor/session.json";
  const { pid: first } = JSON.parse(place.read(session)) as { pid: number };
  process.kill(first, "SIGSTOP");
  await expect.poll(async () => (await look(place)).findings).toHaveLength(1);
  const frozen = await only(place);
  expect(frozen).toMatchObject({ rule: "session_stopped", fix: `kill -CONT -${first}` });
  await doAsTold(place, frozen.fix);
  await expect.poll(async () => (await look(place)).findings).toEqual([]);
  running.kill("SIGKILL");
  await running;
  const sessionLock = join(place.project, ".monoco/locks/FEAT-0001.session");
  // The namespace dies with its runner, a moment later.
  await expect.poll(() => freed(sessionLock)).toBe(true);
  const cut = (await look(place)).findings.find(({ rule }) => rule === "cut_off");
  expect(cut).toMatchObject({ state: "bad", fix: "monoco relay resume FEAT-0001" });
  await doAsTold(place, cut!.fix);
  expect(place.all("merge.done")).toHaveLength(1);
  expect((await look(place)).findings).toEqual([]);
});

function freed(path: string): boolean {
  const lock = tryLock(path);
  lock?.release();
  return lock !== undefined;
}

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
  expect(orphan!.fix).toMatch(
    /^monoco doctor --fix; or monoco relay resume FEAT-0001; or kill -KILL [\d ]+$/,
  );
  const pids = (orphan as Found & { pids: number[] }).pids;
  expect(pids.length).toBeGreaterThan(0);
  const after = await look(place, ["--fix"]);
  // Its temporary folder is nobody's as soon as it is ended.
  expect(after.fixed.map(({ rule }) => rule)).toEqual(["orphan", "temporary_left"]);
  expect(pids.filter((pid) => identityOf(pid) !== undefined)).toEqual([]);
  const now = await look(place);
  expect(now.findings.map(({ rule }) => rule)).toEqual(["cut_off"]);
  await doAsTold(place, now.findings[0]!.fix);
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

test("what killed commands and over relays left goes by --fix, but for what is in use, kept, or somebody's work", async () => {
  const place = await merged();
  const tmp = temporaryOf(place);
  const old = (name: string): string => {
    const folder = join(tmp, name);
    mkdirSync(folder);
    writeFileSync(join(folder, "file"), "text");
    return folder;
  };
  const inUse = old("monoco-check-used");
  const lock = tryLock(join(inUse, ".monoco-lock"));
  onTestFinished(() => lock?.release());
  const left = old("monoco-check-left");
  writeFileSync(join(left, ".monoco-lock"), "");
  for (const folder of [left, inUse]) utimesSync(folder, 1_000, 1_000);
  old("monoco-check-new");
  old("somebody-elses");
  const folder = clones(place);
  for (const name of [
    "FEAT-0001",
    "FEAT-0001.review",
    "FEAT-0001.scratch",
    "FEAT-0001.kept-1",
    "FEAT-0009",
    "FEAT-0009.trial",
  ]) {
    mkdirSync(join(folder, name), { recursive: true });
    writeFileSync(join(folder, name, "file"), "text");
  }
  const before = await look(place);
  expect(before.status).toBe(0);
  const names = ({ findings }: Pick<Told, "findings">): string[] =>
    findings.map((one) => `${one.rule} ${(one as Found & { path: string }).path.split("/").at(-1)}`);
  expect(names(before).toSorted()).toEqual([
    "clone_kept FEAT-0001.kept-1",
    "clone_left FEAT-0001",
    "clone_left FEAT-0009",
    "spare_left FEAT-0001.review",
    "spare_left FEAT-0001.scratch",
    "spare_left FEAT-0009.trial",
    "temporary_left monoco-check-left",
  ]);
  const after = await look(place, ["--fix"]);
  expect(names({ findings: after.fixed }).toSorted()).toEqual([
    "spare_left FEAT-0001.review",
    "spare_left FEAT-0001.scratch",
    "spare_left FEAT-0009.trial",
    "temporary_left monoco-check-left",
  ]);
  const now = await look(place, ["--fix"]);
  expect(now.fixed).toEqual([]);
  expect(names(now).toSorted()).toEqual([
    "clone_kept FEAT-0001.kept-1",
    "clone_left FEAT-0001",
    "clone_left FEAT-0009",
  ]);
  expect(
    readdirSync(tmp)
      .filter((name) => name !== "node-compile-cache")
      .toSorted(),
  ).toEqual(["monoco-check-new", "monoco-check-used", "somebody-elses"]);
  const cleared = now.findings.find(({ fix }) => fix?.startsWith("monoco relay clear"));
  await doAsTold(place, cleared!.fix);
  expect(existsSync(join(folder, "FEAT-0001"))).toBe(false);
});

test("--fix removes large package caches, unless somebody works in the repository", async () => {
  const place = await merged();
  const packages = join(clones(place), "packages");
  mkdirSync(join(packages, "sessions/npm"), { recursive: true });
  const large = join(packages, "sessions/npm/large");
  writeFileSync(large, "");
  truncateSync(large, cachesBytesMax + 1);
  const rules = ({ findings }: Told): string[] => findings.map(({ rule }) => rule);
  const lock = tryLock(join(place.project, ".monoco/locks/FEAT-0009.runner"));
  onTestFinished(() => lock?.release());
  expect((await look(place, ["--fix"])).fixed).toEqual([]);
  lock?.release();
  rmSync(join(place.project, ".monoco/locks"), { recursive: true });
  const fixed = await look(place, ["--fix"]);
  expect(fixed.fixed.map(({ rule }) => rule)).toEqual(["caches_large"]);
  expect(readdirSync(clones(place)).filter((name) => name.startsWith("packages"))).toEqual([]);
  expect(rules(await look(place))).toEqual([]);
});

test("--fix removes what a removal of package caches left that was cut off", async () => {
  const place = await merged();
  const aside = join(clones(place), "packages.old");
  mkdirSync(join(aside, "sessions/npm"), { recursive: true });
  expect((await look(place)).findings.map(({ rule }) => rule)).toEqual(["temporary_left"]);
  expect((await look(place, ["--fix"])).fixed).toHaveLength(1);
  expect(existsSync(aside)).toBe(false);
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
  const held = await look(place, ["--fix"]);
  expect(held.fixed).toEqual([]);
  expect(held.findings.map(({ rule }) => rule)).toEqual(["spare_left"]);
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
