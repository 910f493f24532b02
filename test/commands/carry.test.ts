/** monoco relay push and pull: relays go to a remote and back, and another clone goes on with them. */
import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { cutShort } from "../support/cut.ts";
import type { Cut } from "../support/cut.ts";
import { full } from "../support/full.ts";
import { inTwoSessions, openTwoClones, work } from "../support/two-clones.ts";
import { approves, run, say, waitFor } from "../support/place.ts";

const head = "git rev-parse refs/monoco/FEAT-0001/head";
const journal = ".monoco/relays/FEAT-0001/journal.jsonl";

describe("another clone goes on", () => {
  test("from the head alone: its first session is given the commits, and the merge has them", async () => {
    const { a, b, there } = await openTwoClones();
    await a.monoco("run FEAT-0001 --once");
    const pushed = await a.monoco("relay push FEAT-0001");
    expect(pushed).toMatchObject({ exitCode: 0, stderr: "" });
    expect(pushed.stdout).toMatch(/^FEAT-0001: pushed to origin: 1 ref, head [0-9a-f]{8}$/);
    expect(await there("git for-each-ref --format='%(refname)' refs/monoco")).toBe(
      "refs/monoco/FEAT-0001/head",
    );
    const pulled = await b.monoco("relay pull FEAT-0001");
    expect(pulled, pulled.stdout + pulled.stderr).toMatchObject({ exitCode: 0 });
    expect(pulled.stdout).toMatch(/next: monoco resume FEAT-0001 goes on from it$/);
    expect(await b.sh(head)).toBe(await a.sh(head));
    const ran = await b.monoco("resume FEAT-0001");
    expect(ran, ran.stdout + ran.stderr).toMatchObject({ exitCode: 0 });
    expect(b.all("person.handed_over")).toMatchObject([{ remote: "origin", head: await a.sh(head) }]);
    expect(await b.sh("git show main:begun.txt main:file.txt main:more.txt")).toBe("begun\ntext\nmore");
    expect(await b.monoco("relay push FEAT-0001")).toMatchObject({ exitCode: 0 });
    const names = await there("git for-each-ref --format='%(refname:lstrip=3)' refs/monoco");
    expect(names.split("\n")).toEqual(["head", "submissions/1"]);
  });

  test("with the journal: a new relay opens on what is here, and is told what was found and said there", async () => {
    const { a, b } = await openTwoClones(inTwoSessions, {
      settings: "remote: { carry: [journal, handoffs, sessions] }\n",
    });
    await a.monoco("run FEAT-0001 --once");
    await a.monoco("say FEAT-0001 remember");
    expect(await a.monoco("relay push FEAT-0001")).toMatchObject({ exitCode: 0 });
    expect(await b.monoco("relay pull FEAT-0001")).toMatchObject({ exitCode: 0 });
    const [mine, theirs] = [a, b].map((clone) => clone.read(journal));
    expect(theirs!.startsWith(mine!)).toBe(true);
    expect((await b.monoco("relay pull FEAT-0001")).stdout).toMatch(/^FEAT-0001: up to date with origin/);
    expect(await b.monoco("resume FEAT-0001")).toMatchObject({ exitCode: 0 });
    expect(b.all("relay.pulled")).toMatchObject([{ remote: "origin" }]);
    expect(b.all("relay.opened")).toHaveLength(2);
    expect(b.all("session.started").map(({ session }) => session)).toEqual([1, 2, 3]);
    const [handedOver] = b.all("person.handed_over");
    expect(handedOver!.text).toContain("- remember");
    expect(await b.sh("git show main:begun.txt main:more.txt")).toBe("begun\nmore");
    expect(await b.monoco("relay push FEAT-0001")).toMatchObject({ exitCode: 0 });
    const back = await a.monoco("relay pull FEAT-0001");
    expect(back, back.stdout).toMatchObject({ exitCode: 0 });
    expect(back.stdout).not.toContain("next:");
    expect(a.all("merge.done")).toHaveLength(1);
    for (const command of ["status", "report", "resume"]) {
      const { stdout } = await a.monoco(`${command} FEAT-0001`);
      expect(stdout.match(/its journal is from origin, and nobody here has checked/g), stdout).toHaveLength(
        1,
      );
      expect(stdout).not.toMatch(/monoco verify|git revert/);
    }
  });

  test("with the handoffs alone: its first session is given the last RALPH.md", async () => {
    const { a, b } = await openTwoClones(inTwoSessions, { settings: "remote: { carry: [handoffs] }\n" });
    await a.monoco("run FEAT-0001 --once");
    const [handoff] = a.all("handoff.recorded");
    await a.monoco("relay push FEAT-0001");
    await b.monoco("relay pull FEAT-0001");
    await b.monoco("run FEAT-0001 --once");
    expect(b.all("person.handed_over")).toMatchObject([{ text: handoff!.text, sha256: handoff!.sha256 }]);
  });

  test("and believes nothing of a journal: no command of it runs, and no approval in it opens the gate", async () => {
    const { place, a, b } = await openTwoClones(
      {
        executor: [[run("echo more >> file.txt; git add -A; git commit -qm work"), { submit: true }]],
        reviewer: [approves],
      },
      { settings: "gates: { medium: human }\nremote: { carry: [journal] }\n" },
    );
    const ran = join(place.around, "ran");
    await place.monoco("run", "FEAT-0001", "--set", `setup=["touch '${ran}'"]`);
    await a.monoco("issue review FEAT-0001 --approve");
    const lines = a.read(journal).split("\n");
    // As somebody would forge it: approved by a person, and not merged yet.
    const approved = lines.findIndex((line) => line.includes('"by":"person","verdict":"approve"'));
    writeFileSync(join(a.folder, journal), `${lines.slice(0, approved + 1).join("\n")}\n`);
    await a.sh("git update-ref -d refs/monoco/FEAT-0001/journal");
    rmSync(ran);
    expect(await a.monoco("relay push FEAT-0001")).toMatchObject({ exitCode: 0 });
    expect((await b.monoco("relay pull FEAT-0001")).stdout).toContain("nobody here has checked");
    expect((await b.monoco("log FEAT-0001")).stdout).toContain("nobody here has checked");
    const went = await b.monoco("resume FEAT-0001");
    expect(went, went.stdout + went.stderr).toMatchObject({ exitCode: 1 });
    expect(existsSync(ran)).toBe(false);
    expect(b.all("merge.done")).toEqual([]);
    expect(
      b
        .all("session.started")
        .map(({ role }) => role)
        .join(" "),
    ).toBe("executor reviewer executor reviewer");
    expect(b.all("relay.blocked").at(-1)).toMatchObject({ reason: { rule: "human_gate", submission: 2 } });
  });

  test("and the first one after it, whose uncommitted files stay where they were", async () => {
    const { a, b } = await openTwoClones({
      ...inTwoSessions,
      executor: [
        [
          run(
            "test -e begun.txt && echo text > file.txt; echo begun > begun.txt; git add -A; git commit -qm work; echo half > half.txt",
          ),
        ],
        ...inTwoSessions.executor.slice(1),
      ],
    });
    await a.monoco("run FEAT-0001 --once");
    await a.monoco("relay push FEAT-0001");
    await b.monoco("relay pull FEAT-0001");
    await b.monoco("run FEAT-0001 --once");
    await b.monoco("relay push FEAT-0001");
    expect(await a.monoco("relay pull FEAT-0001")).toMatchObject({ exitCode: 0 });
    const ran = await a.monoco("resume FEAT-0001");
    expect(ran, ran.stdout + ran.stderr).toMatchObject({ exitCode: 0 });
    expect(a.all("person.handed_over")).toMatchObject([{ remote: "origin", head: await b.sh(head) }]);
    expect(await a.sh("git show main:begun.txt main:file.txt main:more.txt")).toBe("begun\ntext\nmore");
    expect(await a.sh("git show refs/monoco/FEAT-0001/sessions/1/wip:half.txt")).toBe("half");
  });
});

describe("both clones went on", () => {
  test("each is told which one diverged where, and nothing is overwritten", async () => {
    const { a, b, there } = await openTwoClones();
    const from = await work(a, "one");
    await a.monoco("relay push FEAT-0001");
    await b.monoco("relay pull FEAT-0001");
    const [mine, theirs] = [await work(a, "mine"), await work(b, "theirs")];
    await work(b, "theirs2");
    const theirsNow = await b.sh(head);
    expect(await b.monoco("relay push FEAT-0001")).toMatchObject({ exitCode: 0 });
    const pushed = await a.monoco("relay push FEAT-0001");
    expect(pushed).toMatchObject({
      exitCode: 3,
      stdout:
        "FEAT-0001: not pushed: origin has what was not pulled here\nhint: monoco relay pull FEAT-0001, then push again",
    });
    const pulled = await a.monoco("relay pull FEAT-0001");
    expect(pulled).toMatchObject({ exitCode: 3 });
    expect(pulled.stdout).toContain(
      `FEAT-0001: went on here and on origin after ${from.slice(0, 8)}; nothing was changed\n`,
    );
    expect(pulled.stdout).toContain(`  here: 1 commit up to ${mine.slice(0, 8)}, by Test, `);
    expect(pulled.stdout).toContain(`  origin: 2 commits up to ${theirsNow.slice(0, 8)}, by Test, `);
    expect([await a.sh(head), await there(head)]).toEqual([mine, theirsNow]);
    expect(theirs).not.toBe(theirsNow);
  });

  test.for([
    ["theirs", "b"],
    ["mine", "a"],
  ] as const)("--take %s goes on from one side and keeps the other", async ([side, winner]) => {
    const two = await openTwoClones();
    const { a, b, there } = two;
    await work(a, "one");
    await a.monoco("relay push FEAT-0001");
    await b.monoco("relay pull FEAT-0001");
    const heads = { a: await work(a, "mine"), b: await work(b, "theirs") };
    await b.monoco("relay push FEAT-0001");
    const taken = await a.monoco(`relay pull FEAT-0001 --take ${side}`);
    expect(taken).toMatchObject({ exitCode: 0 });
    if (side === "mine")
      expect(taken.stdout).toBe(
        `FEAT-0001: goes on from here; the next push keeps ${heads.b.slice(0, 8)} as refs/monoco/FEAT-0001/earlier/head-${heads.b.slice(0, 12)} on origin\nnext: monoco relay push FEAT-0001`,
      );
    expect(await a.monoco("relay push FEAT-0001")).toMatchObject({ exitCode: 0 });
    const pulled = await b.monoco("relay pull FEAT-0001");
    expect(pulled).toMatchObject({ exitCode: 0 });
    if (winner === "a")
      expect(pulled.stdout).toMatch(
        new RegExp(
          `\nwhat was here, ${heads.b.slice(0, 8)}, is kept as refs/monoco/FEAT-0001/earlier/\\d+/head-`,
        ),
      );
    for (const now of [await a.sh(head), await b.sh(head), await there(head)])
      expect(now).toBe(heads[winner]);
    const kept = winner === "a" ? await there("git for-each-ref") : await a.sh("git for-each-ref");
    expect(kept).toMatch(
      new RegExp(`${winner === "a" ? heads.b : heads.a} commit\trefs/monoco/FEAT-0001/earlier/`),
    );
  });

  test("in their journals alone: the one that is taken replaces the other, which is kept", async () => {
    const { a, b } = await openTwoClones(inTwoSessions, { settings: "remote: { carry: [journal] }\n" });
    await a.monoco("run FEAT-0001 --once");
    await a.monoco("relay push FEAT-0001");
    await b.monoco("relay pull FEAT-0001");
    expect(await b.monoco("say FEAT-0001 early")).toMatchObject({ exitCode: 2 });
    await b.monoco("resume FEAT-0001 --once");
    await b.monoco("say FEAT-0001 theirs");
    await b.monoco("relay push FEAT-0001");
    await a.monoco("say FEAT-0001 mine");
    const mine = a.read(journal);
    const pulled = await a.monoco("relay pull FEAT-0001");
    expect(pulled).toMatchObject({ exitCode: 3 });
    expect(pulled.stdout).toContain("went on here and on origin, each with events of its own");
    expect(a.read(journal)).toBe(mine);
    const taken = await a.monoco("relay pull FEAT-0001 --take theirs");
    expect(taken, taken.stdout + taken.stderr).toMatchObject({ exitCode: 0 });
    expect(a.all("note.said")).toMatchObject([{ text: "theirs" }]);
    const kept = await a.sh("git for-each-ref --format='%(refname)' refs/monoco/FEAT-0001/earlier");
    expect(`${await a.sh(`git show ${kept}:000001`)}\n`).toBe(mine);
    expect(await a.monoco("status FEAT-0001")).toMatchObject({ exitCode: 0 });
  });

  test("a head that was rewritten in one clone alone is taken, and the earlier one is kept", async () => {
    const { a, b, there } = await openTwoClones();
    const before = await work(a, "one");
    await a.monoco("relay push FEAT-0001");
    await b.monoco("relay pull FEAT-0001");
    await a.sh("git update-ref refs/monoco/FEAT-0001/head main");
    const after = await work(a, "another");
    expect(await a.monoco("relay push FEAT-0001")).toMatchObject({ exitCode: 0 });
    expect(await b.monoco("relay pull FEAT-0001")).toMatchObject({ exitCode: 0 });
    expect([await b.sh(head), await there(head)]).toEqual([after, after]);
    for (const refs of [await b.sh("git for-each-ref"), await there("git for-each-ref")])
      expect(refs).toMatch(new RegExp(`${before} commit\trefs/monoco/FEAT-0001/earlier/`));
  });
});

test("by default no words of agents or people leave, but the messages of the commits", async () => {
  const { a, there } = await openTwoClones({
    ...inTwoSessions,
    executor: [
      [
        run(
          "echo one > a.txt; git add -A; git commit -qm first-message; echo two > a.txt; git commit -qam reflog-words --amend; git commit -qm kept-message --amend; echo stash-words > s.txt; git add s.txt; git stash -q; echo wip-words > half.txt",
        ),
        { say: "said-words" },
      ],
    ],
  });
  await a.monoco("run FEAT-0001 --once");
  await a.monoco("say FEAT-0001 person-words");
  expect(await a.monoco("relay push --all")).toMatchObject({ exitCode: 0 });
  // The story of the scripted agents is a file of the base.
  const left = await there("git cat-file --batch-all-objects --batch | grep -a -v executor");
  expect(left).toContain("kept-message");
  const names = "git for-each-ref --format='%(refname:lstrip=3)' refs/monoco";
  expect(await there(names)).toBe("head");
  expect(left).not.toMatch(/(?:reflog|stash|wip|said|person)-words|first-message|RALPH/);
});

test("a secret in what would leave is named, and not shown; that relay stays, and others go", async () => {
  const { a, there } = await openTwoClones();
  const secret = `ghp_${"a1B2c3D4e".repeat(4)}`;
  await work(a, `leak /* secretlint-disable */ of ${secret}`);
  await work(a, "harmless", "FEAT-0002");
  const pushed = await a.monoco("relay push --all");
  expect(pushed).toMatchObject({ exitCode: 1 });
  expect(pushed.stdout).toContain("FEAT-0001: not pushed: 2 secrets in what would leave\n");
  expect(pushed.stdout).toMatch(/ {2}leak\.txt \([0-9a-f]{7,}\), line 1: github \(object [0-9a-f]{12}\)\n/);
  expect(pushed.stdout).toMatch(/ {2}commit [0-9a-f]{12}, line \d+: github/);
  expect(pushed.stdout).toContain("FEAT-0002: pushed to origin");
  expect(pushed.stdout).not.toContain(secret.slice(4));
  expect(await there("git for-each-ref --format='%(refname)' refs/monoco")).toBe(
    "refs/monoco/FEAT-0002/head",
  );
  const objects = [...pushed.stdout.matchAll(/object ([0-9a-f]{12})/g)].map(([, object]) => object);
  const allowed = await a.monoco(
    `relay push FEAT-0001 ${objects.map((object) => `--allow ${object}`).join(" ")}`,
  );
  expect(allowed, allowed.stdout).toMatchObject({ exitCode: 0 });
});

describe("a remote that takes nothing", () => {
  test("is named where it cannot be reached, and where there is none", async () => {
    const { a, bare } = await openTwoClones();
    await work(a, "one");
    renameSync(bare, `${bare}.away`);
    const away = await a.monoco("relay push FEAT-0001");
    expect(away).toMatchObject({ exitCode: 75 });
    expect(away.stderr).toMatch(/origin does not answer: .*\n.*git ls-remote origin shows/);
    renameSync(`${bare}.away`, bare);
    expect(await a.monoco("relay push FEAT-0001")).toMatchObject({ exitCode: 0 });
    await a.sh("git remote rename origin elsewhere");
    const none = await a.monoco("relay pull FEAT-0001");
    expect(none).toMatchObject({ exitCode: 2 });
    expect(none.stderr).toContain("this repository has no remote origin");
  });

  test("by a hook: all of the relay stays, and what the hook says is shown", async () => {
    const { a, bare, there } = await openTwoClones();
    await work(a, "one");
    await a.sh("git update-ref refs/monoco/FEAT-0001/submissions/1 refs/monoco/FEAT-0001/head");
    const hook = "#!/bin/sh\ncase $1 in */submissions/*) echo names only >&2; exit 1 ;; esac\n";
    writeFileSync(join(bare, "hooks", "update"), hook, { mode: 0o755 });
    const refused = await a.monoco("relay push FEAT-0001");
    expect(refused, refused.stdout).toMatchObject({ exitCode: 1 });
    expect(refused.stdout).toMatch(/^FEAT-0001: origin refused it: .*names only/);
    expect(await there("git for-each-ref refs/monoco")).toBe("");
  });

  test("but branches takes relays as branches, beside the work branch of a pull request", async () => {
    const { a, b, bare, there } = await openTwoClones(inTwoSessions, {
      settings: "remote: { namespace: heads }\n",
    });
    const hook = "#!/bin/sh\ncase $1 in refs/heads/*) ;; *) exit 1 ;; esac\n";
    writeFileSync(join(bare, "hooks", "update"), hook, { mode: 0o755 });
    await work(a, "one");
    await a.sh("git push -q origin refs/monoco/FEAT-0001/head:refs/heads/monoco/FEAT-0001");
    expect(await a.monoco("relay push FEAT-0001")).toMatchObject({ exitCode: 0 });
    expect(await there("git rev-parse refs/heads/monoco-relays/FEAT-0001/head")).toBe(await a.sh(head));
    expect(await b.monoco("relay pull FEAT-0001")).toMatchObject({ exitCode: 0 });
    expect(await b.sh(head)).toBe(await a.sh(head));
  });
});

test("what a person's own session handed over here is taken up before what was pulled", async () => {
  const { a, b } = await openTwoClones();
  await work(a, "one");
  await a.monoco("relay push FEAT-0001");
  await b.sh("git switch -qc work/FEAT-0001 && git commit -q --allow-empty -m mine");
  await b.monoco("relay prepare FEAT-0001");
  const ralph = b.read("RALPH.md").replace(/(## Next steps \(read first\)\n)/, "$11. Write file.txt\n");
  writeFileSync(join(b.folder, "RALPH.md"), ralph);
  expect(await b.monoco("relay prepare FEAT-0001")).toMatchObject({ exitCode: 0 });
  const pulled = await b.monoco("relay pull FEAT-0001");
  expect(pulled, pulled.stdout).toMatchObject({ exitCode: 3 });
  expect(pulled.stdout).toContain("FEAT-0001: work/FEAT-0001 is handed over here and waits for a relay");
  expect(await b.monoco("relay clear FEAT-0001")).toMatchObject({ exitCode: 0 });
  expect(await b.monoco("relay pull FEAT-0001")).toMatchObject({ exitCode: 0 });
});

test.for([
  ["the head alone", ""],
  ["the journal, too", "remote: { carry: [journal] }\n"],
] as const)("what was pulled and cleared is taken up again after another pull: %s", async ([, settings]) => {
  const { a, b } = await openTwoClones(inTwoSessions, { settings });
  await a.monoco("run FEAT-0001 --once");
  await a.monoco("relay push FEAT-0001");
  await b.monoco("relay pull FEAT-0001");
  await b.monoco("relay clear FEAT-0001");
  expect((await b.monoco("relay pull FEAT-0001")).stdout).toContain("next: monoco resume FEAT-0001");
  expect((await b.monoco("relay pull FEAT-0001")).stdout).toContain("FEAT-0001: up to date with origin");
  await b.monoco("resume FEAT-0001 --once");
  expect(b.all("person.handed_over")).toMatchObject([{ head: await a.sh(head) }]);
  await b.monoco("relay push FEAT-0001");
  expect((await b.monoco("relay pull FEAT-0001")).stdout).toContain("FEAT-0001: up to date with origin");
});

test("a relay that runs here is not touched by a pull", async () => {
  const { place, a, b } = await openTwoClones({
    ...inTwoSessions,
    executor: [[say("works"), waitFor("go"), ...inTwoSessions.executor[0]!]],
  });
  await work(b, "others");
  expect(await b.monoco("relay push FEAT-0001")).toMatchObject({ exitCode: 0 });
  const running = place.start("run", "FEAT-0001", "--once");
  await place.heard("works");
  const before = await a.sh(head);
  const pulled = await a.monoco("relay pull FEAT-0001");
  expect(pulled, pulled.stdout).toMatchObject({ exitCode: 3 });
  expect(pulled.stdout).toContain("FEAT-0001: is being run here: nothing was changed");
  expect(await a.sh(head)).toBe(before);
  await place.go("go");
  await running;
});

/** Cut at a start of git, then done again: as if it had not been cut. */
async function cutAndAgain(cuts: readonly Cut[]): Promise<void> {
  const { place, a, there } = await openTwoClones(inTwoSessions, {
    settings: "remote: { carry: [journal, handoffs, sessions] }\n",
  });
  const { sandbox, around } = place;
  await a.monoco("run FEAT-0001 --once");
  let met = 0;
  for (const [at, cut] of cuts.entries()) {
    await a.monoco(`say FEAT-0001 ${at}`);
    const ran = [
      await cutShort(sandbox, { cwd: a.folder, args: ["relay", "push", "FEAT-0001"], ...cut }),
      await a.monoco("relay push FEAT-0001"),
    ];
    expect(ran.at(-1), `${JSON.stringify(cut)} ${ran.at(-1)!.stdout}`).toMatchObject({ exitCode: 0 });
    expect(await there(head)).toBe(await a.sh(head));
    const folder = join(around, `clone-${at}`);
    await sandbox.git(around, "clone", "--quiet", "bare.git", folder);
    ran.push(
      await cutShort(sandbox, { cwd: folder, args: ["relay", "pull", "FEAT-0001"], ...cut }),
      await sandbox.monoco(["relay", "pull", "FEAT-0001"], { cwd: folder }),
    );
    expect(ran.at(-1), JSON.stringify(cut)).toMatchObject({ exitCode: 0 });
    // One event is this clone's own.
    const lines = readFileSync(join(folder, journal), "utf8").split("\n");
    expect(lines.toSpliced(-2, 1).join("\n")).toBe(a.read(journal));
    expect(await sandbox.sh(folder, head)).toBe(await a.sh(head));
    const waits = await sandbox.monoco(["status", "FEAT-0001"], { cwd: folder });
    expect(waits, waits.stderr).toMatchObject({ exitCode: 0 });
    met += ran.filter(({ signal }) => signal === "SIGKILL").length;
  }
  expect(met).toBeGreaterThan(cuts.length / 2);
}

const cutsAt = (starts: readonly number[]): Cut[] =>
  starts.flatMap((nth) => (["before", "after"] as const).map((when) => ({ nth, when })));

test("a push or pull that is killed and done again is whole", async () => {
  await cutAndAgain(cutsAt([9]));
});

full("a push or pull that is killed at any step and done again is whole", { timeout: 300_000 }, async () => {
  await cutAndAgain(cutsAt(Array.from({ length: 24 }, (_, at) => at + 1)));
});

test("submissions of two clones with one number are both kept", async () => {
  const { a, b, there } = await openTwoClones();
  const submit = "git update-ref refs/monoco/FEAT-0001/submissions/1 refs/monoco/FEAT-0001/head";
  const one = await work(a, "one");
  await a.sh(submit);
  await a.monoco("relay push FEAT-0001");
  await b.monoco("relay pull FEAT-0001");
  const two = await work(b, "two");
  await b.sh(submit);
  await b.monoco("relay push FEAT-0001");
  expect(await there("git rev-parse refs/monoco/FEAT-0001/submissions/1")).toBe(one);
  expect(await there(`git rev-parse refs/monoco/FEAT-0001/submissions/1-${two.slice(0, 12)}`)).toBe(two);
  await a.monoco("relay pull FEAT-0001");
  expect(await a.sh("git rev-parse refs/monoco/FEAT-0001/submissions/1")).toBe(one);
});

test("from any folder and linked worktree, and as JSON", async () => {
  const { place, a, b } = await openTwoClones();
  const one = await work(a, "one");
  const pushed = await a.monoco("relay push FEAT-0001 --json", { cwd: join(a.folder, "issues") });
  expect(JSON.parse(pushed.stdout)).toEqual({
    remote: "origin",
    relays: [{ issue: "FEAT-0001", is: "pushed", commit: one, refs: 1 }],
    notes: null,
  });
  const linked = join(place.around, "linked");
  await b.sh(`git worktree add -q '${linked}'`);
  const pulled = await b.monoco("relay pull FEAT-0001 --json", { cwd: linked });
  expect(JSON.parse(pulled.stdout)).toMatchObject({ relays: [{ is: "pulled", commit: one, begins: true }] });
});

test("notes of both clones are joined, and pushed until they are taken", async () => {
  const { a, b, there } = await openTwoClones();
  const note = "git notes --ref=monoco add -m";
  await a.sh(`${note} '{"by":"a"}' main`);
  expect((await a.monoco("relay push --all")).stdout).toMatch(/^notes: pushed to origin/);
  await b.sh(`git commit -q --allow-empty -m more && ${note} '{"by":"b"}' HEAD`);
  expect((await b.monoco("relay push --all")).stdout).toMatch(/^notes: pushed to origin/);
  expect((await a.monoco("relay pull --all")).stdout).toMatch(/^notes: pulled from origin/);
  for (const sh of [a.sh, b.sh, there])
    expect((await sh("git notes --ref=monoco list")).split("\n")).toHaveLength(2);
  // Of two notes of one commit the published one stays.
  await a.sh(`${note} first -f main && ${note} later -f HEAD`);
  await b.sh(`${note} second -f origin/main`);
  await a.monoco("relay push --all");
  expect((await b.monoco("relay push --all")).stdout).toMatch(/^notes: pushed to origin/);
  await a.monoco("relay pull --all");
  for (const sh of [a.sh, b.sh]) expect(await sh("git notes --ref=monoco show origin/main")).toBe("later");
  expect(await there("git log -p refs/notes/monoco")).toContain("+second");
});

test("doctor tries a push that moves nothing, if a remote is set", async () => {
  const { a, bare, there } = await openTwoClones(inTwoSessions, { settings: "remote: origin\n" });
  expect((await a.monoco("doctor")).stdout).toContain("origin would take a push");
  expect(await there("git for-each-ref refs/monoco")).toBe("");
  renameSync(bare, `${bare}.away`);
  const away = await a.monoco("doctor");
  expect(away.stdout).toContain("origin would take no push: ");
  renameSync(`${bare}.away`, bare);
  writeFileSync(join(a.folder, "monoco.yaml"), "remote: { namespace: heads }\n");
  expect((await a.monoco("doctor")).stdout).toContain("origin would take a push");
  expect(await there("git for-each-ref refs/heads/monoco-relays")).toBe("");
});
