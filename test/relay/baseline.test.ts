/** The baseline: set-up and checks on the base before the first session, and red checks compared with it. */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, vi } from "vitest";
import { approves, commit, issuePath, issueText, openPlace, run, submit, works } from "../support/place.ts";
import type { Place } from "../support/place.ts";
import { full as test, testRows } from "../support/full.ts";
import { isHere } from "../support/namespaces.ts";
import { tryLock } from "../../src/store/lock.ts";

vi.setConfig({ testTimeout: 300_000 });

const id = "FEAT-0001";
const merges = { executor: [works], reviewer: [approves] };
/** A command that counts its runs in the person's home, which checks see in no sandbox. */
const counted = (file: string): string => `echo run >> "$HOME/${file}"`;
const countOf = (place: Place, file: string): number => {
  const path = join(place.sandbox.folder, "home", file);
  return existsSync(path) ? readFileSync(path, "utf8").split("\n").length - 1 : 0;
};
/** A test program whose failing tests are the lines of `red.txt`. */
const named = "sed 's/^/FAIL: /' red.txt && ! test -s red.txt";
const onBase = { files: { "red.txt": "median is wrong\n" }, settings: `checks: ["${named}"]` };
const promptOf = (place: Place, session = "0001-executor"): string =>
  place.read(`.monoco/relays/${id}/sessions/${session}/prompt.md`);

type Row = {
  is: string;
  check: string;
  /** Whether the relay merges; else no session starts. */
  merged: boolean;
  /** Runs of the check on the base by the first relay, and by a second one of another run on the same files. */
  runs: [number, number];
  limits?: object;
};

describe("set-up and checks on the base", () => {
  testRows<Row>([
    { is: "green", check: counted("n"), merged: true, runs: [1, 0] },
    { is: "red", check: `${counted("n")}; echo FAIL: old; false`, merged: true, runs: [2, 2] },
    { is: "cannot run", check: `${counted("n")}; .venv/bin/pytest`, merged: false, runs: [2, 2] },
    {
      is: "flaky",
      check: `${counted("n")}; test "$(wc -l < "$HOME/n")" -ne 1`,
      merged: true,
      runs: [2, 0],
    },
    {
      is: "slow",
      check: `${counted("n")}; sleep 60`,
      merged: false,
      runs: [1, 1],
      limits: { checkMinutes: 0.01 },
    },
  ])(
    "$is: before the first session, kept for the next relay if green",
    async ({ check, merged, runs, limits = {} }) => {
      const story = { executor: [[{ usage: { contextTokens: 1 } }]], reviewer: [approves] };
      const checks = `checks: [${JSON.stringify(check)}]`;
      const both = ["FEAT-0001", "FEAT-0002"];
      const settings = `${checks}\nexit: { ask: false }`;
      const place = await openPlace(story, { issues: both, settings, limits: { sessionsMax: 1, ...limits } });
      for (const [at, issue] of both.entries()) {
        const before = countOf(place, "n");
        await place.monoco("run", issue);
        expect(countOf(place, "n") - before, issue).toBe(runs[at]);
        const types = place.events(issue).map(({ type }) => type);
        expect(types.includes("session.started")).toBe(merged);
        expect(types.includes("baseline.ran")).toBe(merged);
      }
    },
  );

  it("that cannot run: nobody is paid, the reason says what a clone lacks, and the next run begins on the mended base", async () => {
    const place = await openPlace(merges, {
      files: { ".gitignore": ".venv\n" },
      settings: 'checks: [".venv/bin/check"]',
    });
    await place.sh(
      "mkdir -p .venv/bin && printf '#!/bin/sh\\n' > .venv/bin/check && chmod +x .venv/bin/check",
    );
    const ran = await place.monoco("run", id);
    expect(ran).toMatchObject({ exitCode: 1 });
    expect(`${ran.stdout}${ran.stderr}`).toMatch(
      /cannot run on main.*\.venv\/bin\/check.*git ignores \.venv/s,
    );
    expect(place.all("session.started")).toEqual([]);
    expect((await place.monoco("inbox", "--json")).stdout).toContain(".venv/bin/check");
    await place.sh("sed -i 's/^checks:.*/checks: [\"true\"]/' monoco.yaml && git commit -qam Mended");
    expect(await place.monoco("relay", "resume", id)).toMatchObject({ exitCode: 0 });
    expect(place.all("relay.opened")).toHaveLength(2);
    expect(place.read("file.txt")).toBe("text\n");
  });

  test.skipIf(!isHere("bubblewrap"))(
    "that fail where the sandbox hides a file of their programs: it is named with the setting",
    async () => {
      const place = await openPlace(merges, {
        settings: 'sandbox: bwrap\nsetup: ["npm --version && test -s ~/.npmrc"]',
      });
      writeFileSync(
        join(place.sandbox.env["HOME"]!, ".npmrc"),
        "//registry.example.com/:_authToken=secret\n",
      );
      const ran = await place.monoco("run", id);
      expect(ran).toMatchObject({ exitCode: 1 });
      expect(ran.stdout).toContain("the sandbox hides ~/.npmrc: `sandboxRead: [~/.npmrc]` shows it");
      await place.sh("printf '\\nsandboxRead: [~/.npmrc]\\n' >> monoco.yaml && git commit -qam Shown");
      expect(await place.monoco("relay", "resume", id)).toMatchObject({ exitCode: 0 });
    },
  );

  test.for<[string, { settings: string; front?: string }]>([
    ["by monoco.yaml", { settings: 'setup: ["false"]\nbaseline: none' }],
    ["by the issue that makes it run", { settings: 'setup: ["false"]', front: "baseline: none\n" }],
  ])("are left out %s", async ([, { settings, front }]) => {
    const place = await openPlace(merges, {
      settings,
      ...(front && { files: { [issuePath(id)]: issueText(id, front) } }),
    });
    await place.monoco("run", id);
    expect(place.all("session.started")).not.toEqual([]);
  });

  test("that are red stop the relay where they have to be green (strict)", async () => {
    const place = await openPlace(merges, { ...onBase, settings: `${onBase.settings}\nbaseline: strict` });
    const ran = await place.monoco("run", id);
    expect(ran).toMatchObject({ exitCode: 1 });
    expect(`${ran.stdout}${ran.stderr}`).toContain("median is wrong");
    expect(place.all("session.started")).toEqual([]);
  });

  test("are shown before the run, by doctor, by status, and by check --fresh", async () => {
    const place = await openPlace(merges, onBase);
    const shown = async (...args: string[]): Promise<string> => (await place.monoco(...args)).stdout;
    expect(await shown("run", "--dry-run", id)).toContain("not measured on main");
    const fresh = await place.monoco("check", "--fresh");
    expect(fresh).toMatchObject({ exitCode: 1 });
    expect(fresh.stdout).toMatch(/RED .*red\.txt.*\n.*\(median is wrong\)$/m);
    expect(await shown("run", "--dry-run", id)).toMatch(/red on main .*median is wrong/);
    expect(await shown("run", "--dry-run", id, "--set", "shell=sh")).toContain("not measured on main");
    expect(await shown("doctor")).toMatch(/red on main .*median is wrong/);
    await place.monoco("run", id);
    expect(await shown("relay", "status", id)).toMatch(/red before any session .*median is wrong/);
    expect(await place.git("for-each-ref", "refs/monoco/CHORE-0000")).toBe("");
  });
});

it("in a backlog run once in all: a merge's checks are the next issue's baseline", async () => {
  const issues = ["FEAT-0001", "FEAT-0002", "FEAT-0003"];
  const place = await openPlace(
    {
      executor: [[run('echo done > "$MONOCO_ISSUE.txt"'), commit, submit]],
      reviewer: [approves],
    },
    { issues, settings: `checks: [${JSON.stringify('echo "$PWD" >> "$HOME/n"')}]` },
  );
  const ran = await place.monoco("run", "--all", "-j", "1");
  expect(ran, ran.stdout).toMatchObject({ exitCode: 0 });
  const clones = readFileSync(join(place.sandbox.folder, "home/n"), "utf8").trim().split("\n");
  expect(clones.filter((path) => path.endsWith(".base"))).toHaveLength(1);
});

test("what a clone lacks of the person's checkout is named by check --fresh", async () => {
  const place = await openPlace(merges, {
    files: { ".gitignore": ".venv/\n" },
    settings: "checks: [.venv/bin/pytest -q]",
  });
  await place.sh(
    "mkdir -p .venv/bin && printf '#!/bin/sh\n' > .venv/bin/pytest && chmod +x .venv/bin/pytest",
  );
  const fresh = await place.monoco("check", "--fresh");
  expect(fresh).toMatchObject({ exitCode: 1 });
  expect(fresh.stdout).toMatch(/cannot run on main: .venv\/bin\/pytest -q .*git ignores .venv,/);
});

describe("a check that is red on the base", () => {
  it("is named in the prompt, and work that fails in the same way is merged", async () => {
    const place = await openPlace(merges, onBase);
    const ran = await place.monoco("run", id);
    expect(ran, ran.stdout).toMatchObject({ exitCode: 0 });
    expect(ran.stdout).toMatch(/red on the base .*median is wrong/);
    expect(promptOf(place)).toMatch(/Red on the base before you began: .*median is wrong/);
    expect(promptOf(place, "0002-reviewer")).toContain("with the failures that the base has");
    expect(place.all("checks.ran")).toMatchObject([{ ok: true, results: [{ asBefore: "same" }] }]);
    expect(place.read("file.txt")).toBe("text\n");
  });

  test("and names its tests by their paths is the same in another clone", async () => {
    const check = `printf '%s\\n' "not ok 1 - $PWD/a.test.js" "FAIL: file://$PWD/b.test.js"; false`;
    const place = await openPlace(merges, { settings: `checks: [${JSON.stringify(check)}]` });
    const ran = await place.monoco("run", id);
    expect(ran, ran.stdout).toMatchObject({ exitCode: 0 });
    expect(ran.stdout).toContain("(a.test.js, file://b.test.js)");
  });

  testRows([
    ["a test that was green", "echo mean is wrong >> red.txt"],
    ["nothing that can be read", "rm red.txt"],
  ])("and that the work makes fail by %s is red", async ([, breaks]) => {
    const place = await openPlace(
      { executor: [[run(breaks!), commit, submit], works], reviewer: [approves] },
      { ...onBase, limits: { sessionsMax: 1 } },
    );
    await place.monoco("run", id);
    expect(place.all("checks.ran")[0]).toMatchObject({ ok: false });
    expect(place.all("merge.done")).toEqual([]);
  });

  test("and that the base mends meanwhile has to be green at the merge", async () => {
    const mends = `cd "$PERSON" && : > red.txt && git commit -qam Mended`;
    const place = await openPlace(
      { executor: [works], reviewer: [[run(mends), ...approves]] },
      { ...onBase, limits: { sessionsMax: 3 } },
    );
    expect(await place.monoco("run", id)).toMatchObject({ exitCode: 0 });
    expect(place.read("red.txt")).toBe("");
  });

  test("in an issue's own checks is what its work has to make green", async () => {
    const front = 'checks: ["test -f made.txt"]\n';
    const place = await openPlace(merges, {
      files: { [issuePath(id)]: issueText(id, front) },
      limits: { sessionsMax: 1 },
    });
    await place.monoco("run", id);
    expect(place.all("baseline.ran")).toEqual([]);
    expect(place.all("checks.ran")).toMatchObject([{ ok: false }]);
  });
});

test("a check that is red beside another relay's is run once more alone, and that counts", async () => {
  // Red once: the port is taken.
  const check = 'test ! -e "$HOME/port" || { rm "$HOME/port"; false; }';
  const place = await openPlace(
    { executor: [[run('touch "$HOME/port"'), ...works]], reviewer: [approves] },
    { settings: `checks: [${JSON.stringify(check)}]` },
  );
  const other = tryLock(join(place.project, ".monoco/locks/commands"), "shared")!;
  const running = place.start("run", id);
  const isTaken = (): boolean => existsSync(join(place.sandbox.folder, "home/port"));
  await expect.poll(isTaken, { timeout: 60_000 }).toBe(true);
  await expect.poll(isTaken, { timeout: 60_000 }).toBe(false);
  other.release();
  const ran = await running;
  expect(ran, ran.stdout).toMatchObject({ exitCode: 0 });
  expect(place.all("checks.ran")).toMatchObject([{ ok: true, results: [{ flaky: true }] }]);
});
