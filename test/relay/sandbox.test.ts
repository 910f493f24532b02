/** The sandbox: what holds sessions in it, and where it is refused. test/attacks/reach.ts has what they can reach from inside. */
import { existsSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test, vi } from "vitest";
import { hasBubblewrap } from "../../src/agents/sandbox.ts";
import { agentNeeds } from "../../src/relay/sandbox.ts";
import { openPlace, run, submit } from "../support/place.ts";
import { full } from "../support/full.ts";

vi.setConfig({ testTimeout: 120_000 });
const works = hasBubblewrap();
if (!works) console.warn("SKIPPED: bubblewrap does not work on this machine");

describe.runIf(works)("in a sandbox", () => {
  test("the status and the merge commit say that it held the sessions", async () => {
    const place = await openPlace(
      {
        executor: [[run("echo x > x; git add -A && git commit -qm Work"), submit]],
        reviewer: [[{ verdict: "approve" }]],
      },
      { settings: "sandbox: bwrap" },
    );
    expect(await place.monoco("run", "FEAT-0001")).toMatchObject({ exitCode: 0, stderr: "" });
    expect(place.all("session.started").map(({ containment }) => containment)).toEqual([
      "bubblewrap",
      "bubblewrap",
    ]);
    expect((await place.monoco("status", "FEAT-0001")).stdout).toContain("sandbox   bubblewrap");
    expect(await place.git("log", "-1", "--format=%(trailers:key=Monoco-Sandbox,valueonly)")).toContain(
      "bubblewrap",
    );
  });

  full("of what the runner has open, and of the kernel's settings, it can use nothing", async () => {
    const look =
      "ls /proc/self/fd > open.txt; test -w /proc/sys/kernel/core_pattern && echo writable >> open.txt";
    const place = await openPlace(
      {
        executor: [[run(`${look}; git add -A && git commit -qm Work`), submit]],
        reviewer: [[{ verdict: "approve" }]],
      },
      { settings: "sandbox: bwrap" },
    );
    const under = ["bash", "-c", 'exec 200< "$0"; exec "$@"', place.project];
    const ran = await place.sandbox.monoco(["run", "FEAT-0001"], { cwd: place.project, under });
    expect(ran).toMatchObject({ exitCode: 0 });
    // The last is that of ls itself.
    expect(place.read("open.txt").trim().split("\n")).toEqual(["0", "1", "2", "3"]);
  });

  test("what a person's own sessions go by is not shown where it is a link", async () => {
    const place = await openPlace({ executor: [[submit]], reviewer: [[submit]] });
    const home = place.sandbox.env["HOME"] ?? "";
    mkdirSync(join(home, ".claude"), { recursive: true });
    symlinkSync(place.project, join(home, ".claude", "skills"));
    const needs = (): object =>
      agentNeeds({ env: place.sandbox.env } as unknown as Parameters<typeof agentNeeds>[0], "claude", {});
    expect(needs).toThrow(/skills is a link/);
  });
});

test.runIf(works)("each role can have its own, and the weakest one is told", async () => {
  const place = await openPlace(
    {
      executor: [[run("echo x > x && git add -A && git commit -qm Work"), submit]],
      reviewer: [[{ verdict: "approve" }]],
    },
    {
      sandbox: "default",
      settings: `checks: ['test ! -e "$HOME/seen"']\ngates: { medium: human }`,
    },
  );
  writeFileSync(join(place.sandbox.env["HOME"] ?? "", "seen"), "");
  const ran = await place.monoco("run", "FEAT-0001", "--set", "roles.reviewer.sandbox=none");
  // The submission's checks run for the Reviewer, who sees the home.
  expect(ran.exitCode).toBe(1);
  expect(place.all("checks.ran").map(({ target, ok, containment }) => [target, ok, containment])).toEqual([
    ["submission", false, probeContainment()],
  ]);
  const again = await place.monoco("relay", "resume", "FEAT-0001", "--set", "roles.executor.sandbox=none", "--set", "roles.reviewer.sandbox=bwrap");
  expect(again.exitCode, again.stdout + again.stderr).toBe(1);
  expect(await place.monoco("issue", "review", "FEAT-0001", "--approve")).toMatchObject({ exitCode: 0 });
});

test("where bubblewrap does not work, bwrap refuses before anything is begun, and auto goes on and says so", async () => {
  const place = await openPlace(
    {
      executor: [[run("echo x > x && git add -A && git commit -qm Work"), submit]],
      reviewer: [[{ verdict: "approve" }]],
    },
    { settings: "sandbox: bwrap" },
  );
  // A namespace in which nobody may make another.
  const none = 'echo 0 > /proc/sys/user/max_user_namespaces; exec "$@"';
  const under = ["unshare", "-Ur", "sh", "-c", none, "sh"];
  const refused = await place.sandbox.monoco(["run", "FEAT-0001"], { cwd: place.project, under });
  expect(refused).toMatchObject({
    exitCode: 2,
    stderr: expect.stringContaining("sandbox: bwrap does not work on this machine"),
  });
  expect(existsSync(join(place.project, ".monoco/relays/FEAT-0001/journal.jsonl"))).toBe(false);
  const ran = await place.sandbox.monoco(["run", "FEAT-0001", "--set", "sandbox=auto"], {
    cwd: place.project,
    under,
  });
  expect(ran).toMatchObject({ exitCode: 0 });
  expect(await place.git("log", "-1", "--format=%(trailers:key=Monoco-Sandbox,valueonly)")).toMatch(
    /^none \(/,
  );
});
