/** Two at once: two relays on one base, two runners of one relay, stop and resume. Nothing is lost, nothing reversed. */
import { existsSync, mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, vi, it } from "vitest";
import { tryLock } from "../../src/store/lock.ts";
import { processesOf } from "../support/cli.ts";
import type { Ran } from "../support/cli.ts";
import { broughtIn, expectAllMerged } from "../support/merges.ts";
import { approves, commit, issuePath, meetTheOther, openPlace } from "../support/place.ts";
import { run, say, submit, waitFor, works } from "../support/place.ts";
import type { Place, Story } from "../support/place.ts";
import { full as test, testRows } from "../support/full.ts";

// Several relays in a test, on a machine that may be busy.
vi.setConfig({ testTimeout: 300_000 });

const both = ["FEAT-0001", "FEAT-0002"] as const;

describe("two relays that finish at the same instant on one base", () => {
  const own = [run('echo "$MONOCO_ISSUE" > "$MONOCO_ISSUE.txt"'), commit, submit];
  const lines = (change: string): string => `one\n${"\n".repeat(20)}${change}`;
  const meet = [[meetTheOther, ...approves], approves];
  const twice = async (place: Place, how: string): Promise<Ran[]> =>
    how === "one process"
      ? [await place.start("run", ...both, "-j", "2")]
      : Promise.all(both.map((issue) => place.start("run", issue)));

  testRows(["two processes", "one process"])("are both merged, one after the other: %s", async (how) => {
    const place = await openPlace({ executor: [own], reviewer: meet }, { issues: [...both] });
    for (const ran of await twice(place, how)) expect(ran, ran.stdout).toMatchObject({ exitCode: 0 });
    await expectAllMerged(place, both);
    const merges = await broughtIn(place);
    for (const issue of both) {
      expect(merges).toContainEqual({ [issue]: [`${issue}.txt`, issuePath(issue)] });
      expect(place.read(`${issue}.txt`)).toBe(`${issue}\n`);
    }
    const noted = (await place.git("notes", "--ref=refs/notes/monoco", "list")).split("\n");
    expect(noted).toHaveLength(2);
    // The second saw the first one's work, and was checked with it.
    const again = both.flatMap((issue) =>
      place.all("checks.ran", issue).filter((ran) => ran.target === "merge"),
    );
    expect(again).toHaveLength(1);
  });

  test.for(["two processes", "one process"])(
    "that changed the same file in different places keep both changes: %s (TRAP 26)",
    async (how) => {
      const changes = `sed -i "$([ $MONOCO_ISSUE = FEAT-0001 ] && echo 1 || echo 22)s/.*/$MONOCO_ISSUE/" shared.txt`;
      const place = await openPlace(
        { executor: [[run(changes), commit, submit]], reviewer: meet },
        { issues: [...both], files: { "shared.txt": lines("two\n") } },
      );
      for (const ran of await twice(place, how)) expect(ran, ran.stdout).toMatchObject({ exitCode: 0 });
      await expectAllMerged(place, both);
      expect(place.read("shared.txt")).toBe(`FEAT-0001\n${"\n".repeat(20)}FEAT-0002\n`);
    },
  );

  test("that conflict: the second one's Executor gets the conflict, with the first one's work in its clone, and both changes stay", async () => {
    const solve = [
      run("git merge -q main; sed -i '/^[<=>]\\{7\\}/d' shared.txt; git commit -qam Solve"),
      submit,
    ];
    const place = await openPlace(
      { executor: [[run("echo $MONOCO_ISSUE >> shared.txt"), commit, submit], solve], reviewer: meet },
      { issues: [...both], files: { "shared.txt": "one\n" } },
    );
    for (const ran of await twice(place, "two processes"))
      expect(ran, ran.stdout).toMatchObject({ exitCode: 0 });
    await expectAllMerged(place, both);
    const sorted = place.read("shared.txt").trim().split("\n").sort();
    expect(sorted).toEqual(["FEAT-0001", "FEAT-0002", "one"]);
    const conflicts = both.flatMap((issue) => place.all("merge.conflicted", issue));
    // One repair does: the Executor can see what it conflicts with.
    expect(conflicts).toMatchObject([{ paths: ["shared.txt"] }]);
    const loser = both.find((issue) => place.all("merge.conflicted", issue).length > 0)!;
    const prompt = place.read(`.monoco/relays/${loser}/sessions/0003-executor/prompt.md`);
    expect(prompt).toContain("Conflicts with origin/main in: shared.txt");
  });

  test("that conflict and nobody solves it: the second is blocked with words, and a person's solution is merged", async () => {
    const stubborn = [run("date +%N >> other.txt"), commit, submit];
    const place = await openPlace(
      { executor: [[run("echo $MONOCO_ISSUE >> shared.txt"), commit, submit], stubborn], reviewer: meet },
      { issues: [...both], files: { "shared.txt": "one\n" } },
    );
    const [first, second] = await twice(place, "two processes");
    const [won, lost] = first!.exitCode === 0 ? both : [both[1], both[0]];
    const blocked = first!.exitCode === 0 ? second! : first!;
    expect(blocked).toMatchObject({ exitCode: 1 });
    expect(blocked.stdout).toContain("blocked: conflicts in shared.txt: the merge failed 4 times");
    expect(place.read("shared.txt")).toBe(`one\n${won}\n`);
    expect(await broughtIn(place)).toHaveLength(1);
    // What the hint says.
    expect(blocked.stdout).toContain(
      `hint: git switch monoco/${lost}, solve it and commit that, then monoco issue submit ${lost}`,
    );
    await place.sh(
      `git checkout -q monoco/${lost} && { git merge -q main || true; } && printf 'one\\n${won}\\n${lost}\\n' > shared.txt && git commit -qam Solved`,
    );
    expect(await place.monoco("issue", "submit")).toMatchObject({ exitCode: 0 });
    await place.git("checkout", "-q", "main");
    expect(await place.monoco("relay", "resume", lost)).toMatchObject({ exitCode: 0 });
    await expectAllMerged(place, both);
    expect(place.read("shared.txt")).toBe(`one\n${won}\n${lost}\n`);
  });

  test("that are set up at the same instant: what is kept for later clones is whole, and both work from it", async () => {
    const place = await openPlace(
      { executor: [[run('ls deps | wc -l > "$MONOCO_ISSUE.txt"'), commit, submit]], reviewer: [approves] },
      { issues: [...both], files: { "package-lock.json": "{}\n", ".gitignore": "deps\n" } },
    );
    // The set-ups of the two work clones end together.
    const [one, two] = ["one", "two"].map((name) => join(place.around, "fifos", name));
    await place.sh(`mkfifo ${one} ${two}`);
    const meet = `case $PWD in *FEAT-0001) echo > ${one}; cat ${two};; *FEAT-0002) cat ${one}; echo > ${two};; esac`;
    const script = `mkdir deps && (cd deps && seq 600 | split -l 1 -a 4 - f) && ${meet}`;
    place.write(
      "monoco.yaml",
      `${place.read("monoco.yaml")}setup: [${JSON.stringify(script)}]\ncache: [deps]\n`,
    );
    await place.git("commit", "-qam", "Set up");
    for (const ran of await twice(place, "two processes"))
      expect(ran, ran.stdout + ran.stderr).toMatchObject({ exitCode: 0, stderr: "" });
    await expectAllMerged(place, both);
    for (const issue of both) expect(place.read(`${issue}.txt`).trim()).toBe("600");
    const kept = await place.sandbox.sh(place.around, "ls -d state/monoco/*/cache/*");
    expect(kept.split("\n")).toHaveLength(1);
    expect(readdirSync(join(place.around, kept)).sort()).toEqual(["complete", "deps"]);
    expect(readdirSync(join(place.around, kept, "deps"))).toHaveLength(600);
  });
});

describe("a second runner of the same relay", () => {
  const gated: Story = { executor: [[say("at work"), waitFor("the gate"), ...works]], reviewer: [approves] };

  it("that begins at the same instant is refused with 3 and told who holds it; the first finishes", async () => {
    const place = await openPlace(gated);
    const runs = [place.start("run", "FEAT-0001"), place.start("run", "FEAT-0001")];
    const [index, lost] = await Promise.race(runs.map(async (ran, index) => [index, await ran] as const));
    expect(lost, lost.stdout).toMatchObject({ exitCode: 3 });
    expect(lost.stderr).toMatch(
      /^error: FEAT-0001 is being run by another monoco \(process \d+ on .*, since \d\d:\d\d UTC\S*\)\nhint: monoco status FEAT-0001 shows it; monoco stop FEAT-0001 ends it with a handoff$/,
    );
    await place.heard("at work");
    await place.go("the gate");
    expect(await runs[1 - index]).toMatchObject({ exitCode: 0 });
    await expectAllMerged(place, ["FEAT-0001"]);
    expect(place.all("relay.opened")).toHaveLength(1);
  });

  test.for([["run"], ["relay", "resume"], ["relay", "clear"], ["relay", "clear", "--force"]])(
    "monoco %s %s: refused with 3 while the first is alive, its process named, and nothing is changed",
    async (command) => {
      const place = await openPlace(gated);
      const first = place.start("run", "FEAT-0001");
      await place.heard("at work");
      const look = async (): Promise<unknown[]> => [
        place.events().filter((event) => event.type !== "session.identified"),
        await place.git("for-each-ref"),
        clonesOf(place),
      ];
      // The journal's copy is made while the session is at work already.
      const copied = (): Promise<string> => place.git("for-each-ref", "refs/monoco/FEAT-0001/journal");
      await expect.poll(copied, { timeout: 20_000 }).not.toBe("");
      const before = await look();
      const second = await place.monoco(...command, "FEAT-0001");
      expect(second).toMatchObject({ exitCode: 3, stdout: "" });
      const holder = /\(process (\d+) on /.exec(second.stderr)?.[1];
      expect(await place.sh(`tr '\\0' ' ' < /proc/${holder}/cmdline`)).toMatch(/cli\.js run FEAT-0001 $/);
      expect(await look()).toEqual(before);
      await place.go("the gate");
      expect(await first).toMatchObject({ exitCode: 0 });
    },
  );

  // TRAP 33
  test("from a linked worktree it is the same relay", async () => {
    const place = await openPlace(gated);
    await place.git("worktree", "add", "-q", "../linked");
    const first = place.start("run", "FEAT-0001");
    await place.heard("at work");
    const linked = { cwd: join(place.around, "linked", "issues") };
    expect(await place.sandbox.monoco(["run", "FEAT-0001"], linked)).toMatchObject({ exitCode: 3 });
    await place.go("the gate");
    expect(await first).toMatchObject({ exitCode: 0 });
  });
});

function clonesOf(place: Place): string[] {
  const state = join(place.around, "state", "monoco");
  return readdirSync(state).flatMap((name) => readdirSync(join(state, name)));
}

describe("a relay that is cleared and opened again", () => {
  const half = [{ write: { "old.txt": "old\n" } }, commit, { write: { "half.txt": "half\n" } }];

  // TRAP 30
  it("goes on with its numbers; the old branch's unmerged work and uncommitted files stay under refs, also when the new one is merged", async () => {
    const place = await openPlace({ executor: [[...half, { exit: 0 }], works], reviewer: [approves] });
    expect(await place.monoco("run", "FEAT-0001", "--once")).toMatchObject({ exitCode: 1 });
    const old = await place.git("rev-parse", "monoco/FEAT-0001");
    const cleared = await place.monoco("relay", "clear", "FEAT-0001");
    expect(cleared.stdout).toContain(
      "branch monoco/FEAT-0001 is kept: it has unmerged work (--force removes it)",
    );
    expect(await place.git("rev-parse", "monoco/FEAT-0001")).toBe(old);
    expect(await place.monoco("relay", "resume", "FEAT-0001")).toMatchObject({ exitCode: 2 });
    expect(await place.monoco("run", "FEAT-0001")).toMatchObject({ exitCode: 0 });
    await expectAllMerged(place, ["FEAT-0001"]);
    expect(place.all("session.started").map(({ session }) => session)).toEqual([1, 2, 3]);
    expect(place.all("submission.requested").map(({ submission }) => submission)).toEqual([1]);
    expect(existsSync(join(place.project, "old.txt"))).toBe(false);
    const refs = await place.git("for-each-ref", "--contains", old, "--format=%(refname)");
    expect(refs).toMatch(/^refs\/monoco\/FEAT-0001\/earlier\/\d+$/m);
    expect(refs).toMatch(/^refs\/monoco\/FEAT-0001\/found\/[0-9a-f]{12}$/m);
    expect(await place.git("show", "refs/monoco/FEAT-0001/sessions/1/wip:half.txt")).toBe("half");
  });

  test("after a submission, and again: submissions go on too, and no old approval lands new work", async () => {
    const rejects = [
      { verdict: "request_changes", findings: [{ id: "a", severity: "major", title: "No", criterion: "1" }] },
    ];
    const place = await openPlace({
      executor: [works, [{ write: { "file.txt": "again\n" } }, commit, submit]],
      reviewer: [rejects, approves],
    });
    const ran = await place.monoco("run", "FEAT-0001", "--once");
    expect(ran, ran.stdout).toMatchObject({ exitCode: 1 });
    await place.monoco("relay", "resume", "FEAT-0001", "--once");
    expect(place.all("review.decided")).toMatchObject([{ submission: 1, verdict: "request_changes" }]);
    expect(await place.monoco("relay", "clear", "FEAT-0001", "--force")).toMatchObject({ exitCode: 0 });
    expect(await place.git("branch", "--list", "monoco/*")).toBe("");
    // Its journal and its submission stay, forced or not.
    expect(await place.git("show", "refs/monoco/FEAT-0001/submissions/1:file.txt")).toBe("text");
    expect(await place.monoco("run", "FEAT-0001")).toMatchObject({ exitCode: 0 });
    expect(place.all("submission.requested").map(({ submission }) => submission)).toEqual([1, 2]);
    expect(place.all("relay.opened")).toHaveLength(2);
    await expectAllMerged(place, ["FEAT-0001"]);
    expect(place.read("file.txt")).toBe("again\n");
  });

  test.for([[[]], [["--force"]]])(
    "clear %s: a branch that the person stands on is left, their checkout is whole",
    async ([flags]) => {
      const place = await openPlace({ executor: [[{ exit: 0 }], works], reviewer: [approves] });
      await place.monoco("run", "FEAT-0001", "--once");
      await place.git("checkout", "-q", "monoco/FEAT-0001");
      const cleared = await place.monoco("relay", "clear", "FEAT-0001", ...flags!);
      expect(cleared.stdout).toContain(
        `branch monoco/FEAT-0001 is kept: ${place.project} has it checked out`,
      );
      expect(await place.git("status", "--porcelain", "--branch")).toBe("## monoco/FEAT-0001");
    },
  );

  test("clear while a session that was cut off is not collected is refused, and loses nothing", async () => {
    const place = await openPlace({
      executor: [[...half, say("at work"), waitFor("ever")], works],
      reviewer: [approves],
    });
    const killed = place.start("run", "FEAT-0001");
    await place.heard("at work");
    killed.kill("SIGKILL");
    await killed;
    await expect.poll(() => processesOf(place.around), { timeout: 20_000 }).toEqual([]);
    const before = [place.events(), clonesOf(place)];
    expect(await place.monoco("relay", "clear", "FEAT-0001")).toMatchObject({ exitCode: 2 });
    expect([place.events(), clonesOf(place)]).toEqual(before);
    expect(await place.monoco("relay", "resume", "FEAT-0001")).toMatchObject({ exitCode: 0 });
    expect(await place.git("show", "main:old.txt")).toBe("old");
  });
});

describe("stop and resume", () => {
  test("racing: each stop is taken once, no session overlaps another, and it ends merged once", async () => {
    const gate = 'test -e "$FIFOS/open" || { mkfifo "$FIFOS/never" 2> /dev/null; cat "$FIFOS/never"; }';
    const place = await openPlace({
      executor: [[{ exit: 0 }], [run(gate), ...works]],
      reviewer: [approves],
    });
    await place.monoco("run", "FEAT-0001", "--once");
    for (let round = 0; round < 2; round++) {
      const ended: Ran[] = [];
      const resumed = place.start("relay", "resume", "FEAT-0001").then((ran) => ended.push(ran));
      do {
        const stopped = await place.monoco("relay", "stop", "FEAT-0001");
        expect(stopped, stopped.stderr).toMatchObject({ exitCode: 0, stderr: "" });
      } while (ended.length === 0);
      await resumed;
      // 1: paused. 3: a stop held the lock at that very instant.
      for (const ran of ended) expect([1, 3], ran.stdout + ran.stderr).toContain(ran.exitCode);
      expect(readdirSync(inboxOf(place))).toEqual([]);
      const status = await place.monoco("relay", "status", "FEAT-0001", "--json");
      expect(JSON.parse(status.stdout)).toMatchObject({ phase: "paused", runner: "none" });
    }
    const ids = place.events().flatMap((event) => event.messageId ?? []);
    expect(new Set(ids).size).toBe(ids.length);
    await place.sh("touch ../fifos/open");
    expect(await place.monoco("relay", "resume", "FEAT-0001")).toMatchObject({ exitCode: 0 });
    await expectAllMerged(place, ["FEAT-0001"]);
    let running = 0;
    for (const { type } of place.events()) {
      if (type === "session.started") expect(++running).toBe(1);
      if (type === "session.ended") running -= 1;
    }
  });

  test.skipIf(process.platform !== "linux")(
    "a stop that the ending runner did not take is taken by the command itself, and does not lie in wait for the next run",
    async () => {
      const place = await openPlace({ executor: [[{ exit: 0 }], works], reviewer: [approves] });
      await place.monoco("run", "FEAT-0001", "--once");
      // A runner past its last look into the inbox: it holds the lock still, and ends.
      const ending = tryLock(join(place.project, ".monoco/locks/FEAT-0001.runner"))!;
      mkdirSync(inboxOf(place), { recursive: true });
      const stopping = place.monoco("relay", "stop", "FEAT-0001", "--json");
      await expect.poll(() => readdirSync(inboxOf(place)), { timeout: 30_000, interval: 10 }).not.toEqual([]);
      ending.release();
      const stopped = await stopping;
      expect(JSON.parse(stopped.stdout)).toEqual({ issue: "FEAT-0001", stop: "taken" });
      expect(place.events().at(-1)).toMatchObject({ type: "relay.paused" });
      expect(readdirSync(inboxOf(place))).toEqual([]);
      expect(await place.monoco("relay", "resume", "FEAT-0001")).toMatchObject({ exitCode: 0 });
    },
  );

  test("two resumes at once: one goes on, the other is refused with 3", async () => {
    const place = await openPlace({
      executor: [[{ exit: 0 }], [say("at work"), waitFor("the gate"), ...works]],
      reviewer: [approves],
    });
    await place.monoco("run", "FEAT-0001", "--once");
    const resumes = [
      place.start("relay", "resume", "FEAT-0001"),
      place.start("relay", "resume", "FEAT-0001"),
    ];
    const [index, lost] = await Promise.race(resumes.map(async (ran, index) => [index, await ran] as const));
    expect(lost).toMatchObject({ exitCode: 3 });
    await place.heard("at work");
    await place.go("the gate");
    expect(await resumes[1 - index]).toMatchObject({ exitCode: 0 });
    expect(place.all("session.started").map(({ session }) => session)).toEqual([1, 2, 3]);
  });
});

function inboxOf(place: Place): string {
  return join(place.project, ".monoco", "relays", "FEAT-0001", "inbox");
}
