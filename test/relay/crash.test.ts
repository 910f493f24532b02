/** kill -9 of monoco at an append of the demo's story, then `monoco resume`, reaches the same ending; at each of them, by what it leaves. */
import { mkdirSync, readFileSync, readdirSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, it, vi } from "vitest";
import { eventsOf, fixture, openSandbox, processesOf } from "../support/cli.ts";
import type { Sandbox } from "../support/cli.ts";
import { issue, makeDemo } from "../support/demo.ts";
import { full, testRows } from "../support/full.ts";

const sandboxes: Sandbox[] = [];
const keptFolders: string[] = [];
afterAll(() => {
  for (const sandbox of sandboxes) sandbox.dispose();
  for (const folder of keptFolders) rmSync(folder, { recursive: true, force: true });
});

const killed = async (
  sandbox: Sandbox,
  project: string,
  at: number,
  when: "synced" | "torn",
): Promise<void> => {
  const preload = {
    NODE_OPTIONS: `--import=${fixture("kill-at-append.mjs")}`,
    KILL_AT: String(at),
    KILL_WHEN: when,
  };
  const ran = await sandbox.monoco(["run", issue], { cwd: project, env: preload });
  expect(ran.signal).toBe("SIGKILL");
};

/** How many appends the story takes, undisturbed: counted, so that a longer story is covered without a change here. */
const counting = openSandbox();
sandboxes.push(counting);
const whole = await makeDemo(counting, { guard: true });
await counting.monoco(["run", issue], { cwd: whole });
const appends = eventsOf(whole, issue).length;

const points = Array.from({ length: appends }, (_, index) => index + 1);
/** One in the middle, and one torn, are killed in the short suite too. */
const middle = Math.floor(appends / 2);
const tenth = points.filter((at) => at % 10 === 0);

describe.concurrent("killed at an append and resumed, the relay reaches the same ending", () => {
  it("the story has its thirty-odd appends", () => expect(appends).toBeGreaterThan(25));

  testRows<[number, "synced" | "torn"]>(
    [[middle, "synced"], ...tenth.map((at): [number, "torn"] => [at, "torn"])],
    ([at]) => at === middle || at === tenth[0],
  )("append %i, %s", async ([at, when]) => {
    const sandbox = openSandbox();
    sandboxes.push(sandbox);
    const project = await makeDemo(sandbox, { guard: true });
    await killed(sandbox, project, at, when);
    await expectSameEnding(sandbox, project);
  });
});

describe("found as a kill at an append leaves it, the relay reaches the same ending", () => {
  full.for(points.filter((at) => at !== middle))("append %i", { timeout: 300_000 }, async (at) => {
    const { sandbox, project, kept } = await (recorded ??= record());
    // In its own place: a relay's paths are absolute.
    sandbox.dispose();
    renameSync(join(kept, String(at)), sandbox.folder);
    await expectSameEnding(sandbox, project);
  });
});

type Recorded = { sandbox: Sandbox; project: string; kept: string };
let recorded: Promise<Recorded> | undefined;

/** The story told once, with a copy of all that a kill at each append would have left. */
async function record(): Promise<Recorded> {
  const sandbox = openSandbox();
  sandboxes.push(sandbox);
  const project = await makeDemo(sandbox, { guard: true });
  const kept = `${sandbox.folder}.kept`;
  mkdirSync(kept);
  keptFolders.push(kept);
  const preload = { NODE_OPTIONS: `--import=${fixture("keep-at-append.mjs")}`, KEEP_IN: kept };
  const ran = await sandbox.monoco(["run", issue], { cwd: project, env: preload });
  expect(ran).toMatchObject({ exitCode: 0, stderr: "" });
  expect(readdirSync(kept)).toHaveLength(appends);
  return { sandbox, project, kept };
}

async function expectSameEnding(sandbox: Sandbox, project: string): Promise<void> {
  const before = (await sandbox.git(project, "rev-list", "--all")).split("\n");
  // At the very first append nothing may be open yet, after the last nothing is: `run` then says what `resume` does.
  const open = eventsOf(project, issue).some((event) => event.type === "relay.opened");
  const resumed = await sandbox.monoco(open ? ["relay", "resume", issue] : ["run", issue], { cwd: project });
  const merged = eventsOf(project, issue).filter((event) => event.type === "merge.done");
  expect(merged, resumed.stdout + resumed.stderr).toHaveLength(1);
  await expectEnding(sandbox, project, before);
}

async function expectEnding(sandbox: Sandbox, project: string, before: readonly string[]): Promise<void> {
  // Green on the base branch, the issue closed in the same merge, and merged once.
  await sandbox.sh(project, "sh test.sh strict");
  expect(readFileSync(join(project, "issues", "DEMO-0001-human-durations.md"), "utf8")).toMatch(
    /^status: closed$/m,
  );
  const merges = await sandbox.git(
    project,
    "log",
    "--grep",
    `^Monoco-Issue: ${issue}$`,
    "--format=%H",
    "main",
  );
  expect(merges.split("\n")).toHaveLength(1);
  expect(await sandbox.git(project, "status", "--porcelain")).toBe("");
  // No commit that was there is lost, no agent ran beside another, nothing is left running.
  const after = new Set((await sandbox.git(project, "rev-list", "--all")).split("\n"));
  expect(before.filter((commit) => !after.has(commit))).toEqual([]);
  expect(readFileSync(join(sandbox.folder, "agents.log"), "utf8")).not.toContain("OVERLAP");
  // The shells that start git end with the last run of this process: of another test, maybe.
  await vi.waitFor(() => expect(processesOf(sandbox.folder)).toEqual([]), { timeout: 60_000 });
  // Whoever started has an end: no session stands open.
  const events = eventsOf(project, issue);
  const started = events.flatMap((event) => (event.type === "session.started" ? [event.session] : []));
  const ended = events.flatMap((event) => (event.type === "session.ended" ? [event.session] : []));
  expect(ended).toEqual(started);
  expect(new Set(started).size).toBe(started.length);
}
