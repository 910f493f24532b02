/** kill -9 of monoco at each append of the demo's story, then `monoco relay resume`, reaches the same ending. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { eventsOf, fixture, openSandbox, processesOf } from "../support/cli.ts";
import type { Sandbox } from "../support/cli.ts";
import { issue, makeDemo } from "../support/demo.ts";
import { testRows } from "../support/full.ts";

const sandboxes: Sandbox[] = [];
afterAll(() => {
  for (const sandbox of sandboxes) sandbox.dispose();
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
const rows = points.flatMap((at): [number, "synced" | "torn"][] =>
  at % 10 === 0
    ? [
        [at, "synced"],
        [at, "torn"],
      ]
    : [[at, "synced"]],
);

/** One in the middle, and one torn. */
const middle = Math.floor(appends / 2);
const isShort = ([at, when]: [number, string]): boolean => at === (when === "torn" ? 10 : middle);

describe.concurrent("killed at an append and resumed, the relay reaches the same ending", () => {
  it("the story has its thirty-odd appends", () => expect(appends).toBeGreaterThan(25));

  testRows(rows, isShort)("append %i, %s", async ([at, when]) => {
    const sandbox = openSandbox();
    sandboxes.push(sandbox);
    const project = await makeDemo(sandbox, { guard: true });
    await killed(sandbox, project, at, when);
    const before = (await sandbox.git(project, "rev-list", "--all")).split("\n");
    // At the very first append nothing may be open yet, after the last nothing is: `run` then says what `resume` does.
    const open = eventsOf(project, issue).some((event) => event.type === "relay.opened");
    const resumed = await sandbox.monoco(open ? ["relay", "resume", issue] : ["run", issue], {
      cwd: project,
    });
    const merged = eventsOf(project, issue).filter((event) => event.type === "merge.done");
    expect(merged, resumed.stdout + resumed.stderr).toHaveLength(1);
    await expectEnding(sandbox, project, before);
  });
});

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
  expect(processesOf(sandbox.folder)).toEqual([]);
  // Whoever started has an end: no session stands open.
  const events = eventsOf(project, issue);
  const started = events.flatMap((event) => (event.type === "session.started" ? [event.session] : []));
  const ended = events.flatMap((event) => (event.type === "session.ended" ? [event.session] : []));
  expect(ended).toEqual(started);
  expect(new Set(started).size).toBe(started.length);
}
