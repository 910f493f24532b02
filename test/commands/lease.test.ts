/** monoco run --remote: a relay belongs to one machine at a time, and whoever lost it can push nothing. */
import { renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { parseLease } from "../../src/core/lease/lease.ts";
import type { Lease } from "../../src/core/lease/lease.ts";
import { approves, run, say, waitFor } from "../support/place.ts";
import { openTwoClones } from "../support/two-clones.ts";
import type { TwoClones } from "../support/two-clones.ts";

const worksAndSubmits = [run("echo text > file.txt; git add -A; git commit -qm work"), { submit: true }];
const story = { executor: [worksAndSubmits], reviewer: [approves] };
/** The first Executor of both clones says that it is there, and then waits; any other one works. */
const waits = {
  executor: [
    [
      run(
        'test -e "$FIFOS/been" && exit; touch "$FIFOS/been"; f="$FIFOS/there"; mkfifo "$f" 2> /dev/null; echo here > "$f"; exec sleep 1000',
      ),
      ...worksAndSubmits,
    ],
  ],
  reviewer: [approves],
};

/** A lease of twelve seconds: it is renewed after four, and its holder stops after 7.2 without an answer. */
const short = { settings: "remote: { leaseMinutes: 0.2 }\n" };

const remoteRun = ["run", "FEAT-0001", "--remote"];

async function leaseOf({ there }: TwoClones): Promise<Lease | undefined> {
  const commit = await there("git rev-parse -q --verify refs/monoco/FEAT-0001/lease || true");
  return commit === "" ? undefined : parseLease(await there(`git log -1 --format=%B ${commit}`));
}

/** How often a merge of the issue is on the remote's base. */
async function merges({ there }: TwoClones): Promise<number> {
  const subjects = await there("git log --first-parent --format=%s main");
  return subjects.split("\n").filter((line) => line.includes("FEAT-0001")).length;
}

describe("a relay of one machine", () => {
  test("is merged on the remote's base, and its lease is given back", async () => {
    const two = await openTwoClones(story);
    await two.there(
      "printf '#!/bin/sh\\necho push >> pushes\\n' > hooks/post-receive; chmod +x hooks/post-receive",
    );
    const ran = await two.a.monoco("run FEAT-0001 --remote");
    expect(ran, ran.stdout + ran.stderr).toMatchObject({ exitCode: 0 });
    // The claim, the relay before its first session and after it, the merge, and the release.
    expect(await two.there("grep -c push pushes")).toBe("5");
    expect(await two.there("git show main:file.txt")).toBe("text");
    expect(await two.there("git rev-parse main")).toBe(await two.a.sh("git rev-parse main"));
    expect(await leaseOf(two)).toBeUndefined();
    expect(two.a.all("merge.done")).toHaveLength(1);
    expect(await two.there("git for-each-ref --format='%(refname:lstrip=3)' refs/monoco")).toBe(
      "head\njournal\nsessions/1/head\nsubmissions/1",
    );
  });

  test("goes on as such a one, though the flag is not typed again", async () => {
    const two = await openTwoClones(waits);
    const first = two.place.start(...remoteRun);
    await two.place.heard("there");
    expect(await leaseOf(two)).toMatchObject({ issue: "FEAT-0001", who: "P", attempt: 1, minutes: 45 });
    first.kill("SIGINT");
    expect(await first).toMatchObject({ exitCode: 130 });
    expect(await leaseOf(two)).toBeUndefined();
    expect(await two.a.monoco("run FEAT-0001")).toMatchObject({ exitCode: 0 });
    expect(await merges(two)).toBe(1);
  });

  test("keeps others out, who are told who has it", async () => {
    const two = await openTwoClones(waits);
    const first = two.place.start(...remoteRun);
    await two.place.heard("there");
    const second = await two.b.monoco("run FEAT-0001 --remote");
    expect(second.exitCode).toBe(3);
    expect(second.stderr).toMatch(
      /^error: FEAT-0001 is being run by P on \S+; its lease ends at \d\d:\d\d \w+, unless it is renewed\nhint: monoco status FEAT-0001 --remote/,
    );
    first.kill("SIGKILL");
    await first;
  });

  test("goes on at once after a kill in the same clone, or where a runner has the same name", async () => {
    const two = await openTwoClones(waits);
    const first = two.place.start(...remoteRun);
    await two.place.heard("there");
    first.kill("SIGKILL");
    await first;
    expect(await leaseOf(two)).toMatchObject({ attempt: 1 });
    expect(await two.b.monoco("run FEAT-0001 --remote")).toMatchObject({ exitCode: 3 });
    expect(await two.a.monoco("run FEAT-0001 --remote")).toMatchObject({ exitCode: 0 });
    expect(await merges(two)).toBe(1);
  });
});

describe("a machine that died", () => {
  test("loses its relay when another one has seen its lease for the whole of its length", async () => {
    const two = await openTwoClones(waits, short);
    const first = two.place.start(...remoteRun);
    await two.place.heard("there");
    first.kill("SIGKILL");
    await first;
    expect(await two.b.monoco("run FEAT-0001 --remote")).toMatchObject({ exitCode: 3 });
    const second = await two.b.monoco("run --all --remote");
    expect(second, second.stdout + second.stderr).toMatchObject({ exitCode: 0 });
    expect(second.stdout.match(/^.*FEAT-0001 is being run by .+; its lease ends at .+$/gm)).toHaveLength(1);
    expect(await merges(two)).toBe(1);
    expect(await leaseOf(two)).toBeUndefined();
  });

  test("that was only asleep stops its session when it wakes, and pushes nothing", async () => {
    const two = await openTwoClones(waits, short);
    const first = two.place.start(...remoteRun);
    await two.place.heard("there");
    first.kill("SIGSTOP");
    const second = await two.b.monoco("run --all --remote");
    expect(second, second.stdout + second.stderr).toMatchObject({ exitCode: 0 });
    const before = await two.there("git for-each-ref");
    first.kill("SIGCONT");
    const { exitCode, stderr } = await first;
    expect(stderr).toMatch(/took no push for|has taken over/);
    expect([3, 75]).toContain(exitCode);
    expect(await two.there("git for-each-ref")).toBe(before);
    expect(await merges(two)).toBe(1);
    const ended = two.a.all("session.ended").at(-1);
    expect(ended).toMatchObject({ reason: "user_interrupt", evidence: [{ by: { rule: "lease_lost" } }] });
  });
});

describe("a remote out of reach", () => {
  test("stops the session in time, with a handoff; the next run goes on", async () => {
    const two = await openTwoClones(waits, short);
    const first = two.place.start(...remoteRun);
    await two.place.heard("there");
    renameSync(two.bare, `${two.bare}.away`);
    const { exitCode, stderr } = await first;
    expect(stderr).toContain("origin took no push for");
    expect(exitCode).toBe(75);
    expect(two.a.all("handoff.recorded")).toHaveLength(1);
    expect(await two.a.monoco("run FEAT-0001 --remote")).toMatchObject({ exitCode: 75 });
    renameSync(`${two.bare}.away`, two.bare);
    expect(await two.a.monoco("run FEAT-0001 --remote")).toMatchObject({ exitCode: 0 });
    expect(await merges(two)).toBe(1);
  });

  test("is outlived by a healthy session: its lease is renewed many times, and who has it is said once", async () => {
    const slow = {
      executor: [[say("there"), run("sleep 15"), ...worksAndSubmits]],
      reviewer: [approves],
    };
    const two = await openTwoClones(slow, short);
    const first = two.place.start(...remoteRun);
    await two.place.heard("there");
    const second = await two.b.monoco("run --all --remote");
    expect(second.stdout.match(/FEAT-0001 is being run by .+; its lease ends at/g)).toHaveLength(1);
    expect(await first).toMatchObject({ exitCode: 0 });
    expect(two.a.all("session.started")).toHaveLength(2);
    expect(await merges(two)).toBe(1);
  });
});

test("--until ends the session at that time with a handoff, and another machine goes on at once", async () => {
  const two = await openTwoClones({
    ...waits,
    executor: [[run("echo begun > begun.txt"), say("there"), waitFor("go")], worksAndSubmits],
  });
  const first = two.place.start(...remoteRun, "--until", "6s");
  await two.place.heard("there");
  const ran = await first;
  expect(ran, ran.stdout + ran.stderr).toMatchObject({ exitCode: 75 });
  expect(ran.stdout).toContain("the time of --until has come");
  expect(two.a.all("session.ended")[0]).toMatchObject({ evidence: [{ by: { rule: "run_time_up" } }] });
  const second = await two.b.monoco("run FEAT-0001 --remote");
  expect(second, second.stdout + second.stderr).toMatchObject({ exitCode: 0 });
  expect(await two.there("git show main:begun.txt main:file.txt")).toBe("begun\ntext");
});

test("an issue that was changed on the base begins anew there, with the work of before", async () => {
  const two = await openTwoClones({
    executor: [[run("echo begun > begun.txt; git add -A; git commit -qm begun")], worksAndSubmits],
    reviewer: [approves],
  });
  expect(await two.a.monoco("run FEAT-0001 --remote --once")).toMatchObject({ exitCode: 1 });
  await two.b.sh(
    "git pull -q; echo '- [ ] and another' >> issues/FEAT-0001-write-a-file.md; git commit -qam more; git push -q origin main",
  );
  const ran = await two.b.monoco("run FEAT-0001 --remote");
  expect(ran, ran.stdout + ran.stderr).toMatchObject({ exitCode: 0 });
  expect(two.b.all("relay.opened")).toHaveLength(2);
  expect(await two.there("git show main:begun.txt main:file.txt")).toBe("begun\ntext");
});

describe("the base", () => {
  test("is the remote's: what others pushed is there before the first session", async () => {
    const two = await openTwoClones(story);
    await two.b.sh("echo news > news.txt; git add -A; git commit -qm news; git push -q origin main");
    expect(await two.a.monoco("run FEAT-0001 --remote")).toMatchObject({ exitCode: 0 });
    expect(await two.there("git show main:news.txt main:file.txt")).toBe("news\ntext");
  });

  test("that others move during the review is merged into again", async () => {
    const slow = { ...story, reviewer: [[say("there"), waitFor("go"), ...approves]] };
    const two = await openTwoClones(slow);
    const first = two.place.start(...remoteRun);
    await two.place.heard("there");
    await two.b.sh("echo news > news.txt; git add -A; git commit -qm news; git push -q origin main");
    await two.place.go("go");
    const ran = await first;
    expect(ran, ran.stdout + ran.stderr).toMatchObject({ exitCode: 0 });
    expect(await two.there("git show main:news.txt main:file.txt")).toBe("news\ntext");
  });

  test.for([
    ["with commits that the remote lacks", "git commit -qm own --allow-empty", "git push origin main"],
    [
      "that went another way",
      "git commit -qm own --allow-empty; git commit-tree -m theirs -p main~1 main~1^{tree} | xargs -I{} git push -q origin +{}:main",
      "git rebase origin/main main && git push origin main",
    ],
  ])("%s is refused, with the command that mends it", async ([, command, remedy]) => {
    const two = await openTwoClones(story);
    await two.a.sh(`git commit -qm before --allow-empty && git push -q origin main; ${command}`);
    const ran = await two.a.monoco("run FEAT-0001 --remote");
    expect(ran.exitCode).toBe(2);
    expect(ran.stderr).toContain(`hint: ${remedy}`);
    await two.a.sh(remedy!);
    expect(await two.a.monoco("run FEAT-0001 --remote")).toMatchObject({ exitCode: 0 });
  });

  test("that the remote protects stays, and the person is told of finish: pr", async () => {
    const two = await openTwoClones(story);
    const hook = join(two.bare, "hooks", "update");
    writeFileSync(
      hook,
      '#!/bin/sh\n[ "$1" != refs/heads/main ] || { echo "main is protected" >&2; exit 1; }\n',
      {
        mode: 0o755,
      },
    );
    const ran = await two.a.monoco("run FEAT-0001 --remote");
    expect(ran, ran.stdout).toMatchObject({ exitCode: 1 });
    expect(ran.stdout).toContain("main is protected");
    expect(ran.stdout).toContain("finish: pr");
    expect(await merges(two)).toBe(0);
    expect(await two.a.sh("git log --format=%s -1 main")).toBe("Begin");
  });
});

test("a secret in the work does not leave, and the person is told where it is", async () => {
  const token = ["ghp", "_", "wWPw5k4aXcaT4fNP0UcnZwJUVFk6LO0pINUx"].join("");
  const leaks = [run(`echo ${token} > file.txt; git add -A; git commit -qm work`), { submit: true }];
  const two = await openTwoClones({ executor: [leaks], reviewer: [approves] });
  const ran = await two.a.monoco("run FEAT-0001 --remote");
  expect(ran, ran.stdout + ran.stderr).toMatchObject({ exitCode: 1 });
  expect(ran.stderr).toMatch(/a secret would leave: file\.txt \([0-9a-f]+\):1 \(github\)/);
  expect(ran.stdout + ran.stderr).toContain("what this run did last was not pushed to origin");
  expect(await leaseOf(two)).toBeUndefined();
  expect(await merges(two)).toBe(0);
});
