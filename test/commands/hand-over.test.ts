/** A person's own session hands over: monoco relay prepare in their checkout, and a relay that goes on from there. */
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { approves, commit, openPlace, run, submit } from "../support/place.ts";
import type { Ran } from "../support/cli.ts";
import type { Place } from "../support/place.ts";
import { full } from "../support/full.ts";

/** The first Executor keeps what it was given and found, finishes, and submits. */
const goesOn = [
  run(
    'cp RALPH.md "$PERSON/../given.md"; cp "$MONOCO_SESSION_DIR/prompt.md" "$PERSON/../prompt.md"; git status --porcelain > "$PERSON/../status"; cat begun.txt half.txt > "$PERSON/../found"',
  ),
  run("echo text > file.txt"),
  commit,
  submit,
];

const handOver = async (place: Place, ...args: string[]): Promise<Ran> => {
  await place.monoco("relay", "prepare", ...args);
  fillIn(place);
  return place.monoco("relay", "prepare", ...args);
};

/** In which a session works, and is not done. */
const half = [[{ write: { "a.txt": "a\n" } }]];

async function onBranch(executor: unknown[][] = [goesOn]): Promise<Place> {
  const branch = "work/FEAT-0001-a-file";
  const place = await openPlace({ executor, reviewer: [approves] });
  await place.sh(
    `git switch -qc ${branch} && echo begun > begun.txt && git add -A && git commit -qm begun && echo staged > staged.txt && git add staged.txt && echo half > half.txt`,
  );
  return place;
}

const fillIn = (place: Place): void => {
  const text = place.read("RALPH.md");
  place.write("RALPH.md", text.replace(/(## Next steps \(read first\)\n)/, "$11. Write file.txt\n"));
};

/** Every file of the checkout with its bytes, mode and time, its index, branches and HEAD. */
async function checkoutOf(place: Place): Promise<unknown> {
  const names = (await place.sh("git ls-files -z -co --exclude-standard")).split("\0").filter(Boolean);
  const files = names.map((name) => {
    const path = join(place.project, name);
    const { mode, mtimeMs } = statSync(path);
    return [name, readFileSync(path, "base64"), mode, mtimeMs];
  });
  const refs = await place.sh("git for-each-ref refs/heads/work; git symbolic-ref HEAD; git stash list");
  return { files, refs, status: await place.sh("git status --porcelain") };
}

test("from a checkout to a merge: commits, uncommitted work and RALPH.md are what session 1 begins with", async () => {
  const place = await onBranch();
  const before = await checkoutOf(place);
  const scaffolded = await place.monoco("relay", "prepare");
  expect(scaffolded, scaffolded.stderr).toMatchObject({ exitCode: 0 });
  expect(place.read("RALPH.md")).toContain("- Issue: FEAT-0001\n- Session: 0\n");
  expect(await place.monoco("relay", "prepare")).toMatchObject({ exitCode: 2 });
  fillIn(place);
  const handed = await place.monoco("relay", "prepare");
  expect(handed.stdout).toContain("next: end this session; monoco resume FEAT-0001 goes on headless");
  const ralph = place.read("RALPH.md");

  const ran = await place.monoco("relay", "resume", "FEAT-0001");
  expect(ran, ran.stdout + ran.stderr).toMatchObject({ exitCode: 0 });
  expect(ran.stdout).toContain("a person's session handed over: work/FEAT-0001-a-file at ");
  const around = (name: string): string => readFileSync(join(place.around, name), "utf8");
  expect(around("given.md")).toBe(ralph);
  expect(around("prompt.md")).toContain("1. Write file.txt");
  expect(around("found")).toBe("begun\nhalf\n");
  expect(around("status")).toBe("?? half.txt\n?? staged.txt\n");
  expect(await place.sh("git show main:half.txt main:begun.txt main:file.txt")).toBe("half\nbegun\ntext");
  const [event] = place.all("person.handed_over");
  expect(event).toMatchObject({ branch: "work/FEAT-0001-a-file", commits: 1, text: ralph });
  expect(place.all("session.started")[0]).toMatchObject({
    head: event!.head,
    handoff: { session: 0 },
    reason: { rule: "handed_over", session: 0 },
  });
  expect(place.all("session.ended")[0]).toMatchObject({ filesChanged: 1 });
  expect(await checkoutOf(place)).toEqual(before);
  expect(readdirSync(place.around).filter((name) => name.includes("snapshot"))).toEqual([]);
});

/** The commits and files that session 1 began with. */
const begunWith = async (place: Place): Promise<string> => {
  const [started] = place.all("session.started");
  return place.sh(
    `git show --name-only --format=%s refs/monoco/FEAT-0001/sessions/0/wip; git log --format=%s ${started!.head}`,
  );
};

describe("what is handed over", () => {
  test("commits and files of after the last prepare too, while the branch is checked out", async () => {
    const place = await onBranch(half);
    await handOver(place);
    await place.sh("git commit -qam later && echo more > more.txt && rm begun.txt");
    await place.monoco("run", "FEAT-0001", "--once");
    expect(await begunWith(place)).toMatch(/begun\.txt\nhalf\.txt\nmore\.txt\nlater\nbegun\nBegin$/);
  });

  full("else as it was then: the branch may be gone", async () => {
    const place = await onBranch();
    await handOver(place);
    await place.sh(
      "git stash -qu && git switch -q main && git branch -qD work/FEAT-0001-a-file && git stash drop -q",
    );
    expect(await place.monoco("relay", "resume", "FEAT-0001")).toMatchObject({ exitCode: 0 });
    expect(await place.sh("git show main:half.txt main:begun.txt")).toBe("half\nbegun");
  });

  test("what git ignores, by whichever list, and monoco's own folder are no work", async () => {
    const place = await onBranch();
    await place.sh(
      "echo no > closed.txt; chmod 200 closed.txt; echo /mine.log >> .git/info/exclude; echo '*.tmp' > .gitignore; echo x > a.tmp; echo x > mine.log; git add .gitignore; git commit -qm ignore",
    );
    const told = JSON.parse((await handOver(place, "--json")).stdout) as object;
    expect(told).toMatchObject({ valid: true, uncommitted: ["half.txt"] });
    expect(told).toMatchObject({ leftOut: ["closed.txt (it may not be read)"] });
    // Nor does monoco give itself the right to read one.
    expect(statSync(join(place.project, "closed.txt")).mode & 0o777).toBe(0o200);
  });

  test("nothing of what hook install wrote", async () => {
    const place = await onBranch();
    await place.monoco("hook", "install", "claude");
    const told = JSON.parse((await handOver(place, "--json")).stdout) as object;
    expect(told).toMatchObject({ uncommitted: ["half.txt", "staged.txt"] });
  });

  full("from a subfolder of a linked worktree", async () => {
    const place = await openPlace({ executor: [goesOn], reviewer: [approves] });
    await place.sh(
      "git worktree add -q ../linked -b FEAT-0001 && cd ../linked && mkdir sub && echo begun > begun.txt && echo half > half.txt",
    );
    const linked = join(place.around, "linked");
    const monoco = (...args: string[]): Promise<Ran> =>
      place.sandbox.monoco(args, { cwd: join(linked, "sub") });
    await monoco("relay", "prepare");
    const path = join(linked, "RALPH.md");
    const text = readFileSync(path, "utf8");
    writeFileSync(path, text.replace(/(## Next steps \(read first\)\n)/, "$11. Go on\n"));
    expect(await monoco("relay", "prepare")).toMatchObject({ exitCode: 0 });
    // Without an id: the branch names it.
    const ran = await monoco("relay", "resume");
    expect(ran, ran.stdout + ran.stderr).toMatchObject({ exitCode: 0 });
    expect(await place.sh("git show main:half.txt")).toBe("half");
  });
});

test("it is taken up once, though a crash left it behind", async () => {
  const place = await onBranch(half);
  await handOver(place);
  const left = ".monoco/handovers/FEAT-0001/handover.json";
  const text = place.read(left);
  await place.monoco("relay", "resume", "FEAT-0001", "--once");
  expect(existsSync(join(place.project, left))).toBe(false);
  place.write(left, text);
  await place.monoco("relay", "resume", "FEAT-0001", "--once");
  expect(existsSync(join(place.project, left))).toBe(false);
  expect(place.all("person.handed_over")).toHaveLength(1);
  expect(place.all("session.started").map(({ session }) => session)).toEqual([1, 2]);
  // A later one of another moment is not mixed into the work of sessions.
  place.write(left, text.replace(/"id": ".*?"/, '"id": "another"'));
  const ran = await place.monoco("relay", "resume", "FEAT-0001", "--once");
  expect(ran.stdout).toContain("is not taken up: the relay has gone on since");
  expect(place.all("person.handed_over")).toHaveLength(1);
});

describe("which issue", () => {
  const prepared = async (place: Place, ...args: string[]): Promise<string> => {
    const ran = await place.monoco("relay", "prepare", ...args);
    return (
      /Issue: (\S+)/.exec(existsSync(join(place.project, "RALPH.md")) ? place.read("RALPH.md") : "")?.[1] ??
      ran.stderr
    );
  };
  const two = { issues: ["FEAT-0001", "FEAT-0002"] };
  const nobody = { executor: [[]], reviewer: [] };

  test("the one that is named, in any spelling", async () => {
    const place = await openPlace(nobody, two);
    await place.sh("git switch -qc anything");
    expect(await prepared(place, "feat-2")).toBe("FEAT-0002");
  });

  test("the one of the branch", async () => {
    const place = await openPlace(nobody, two);
    await place.sh("git switch -qc li/feat-2-with-UTF-8");
    expect(await prepared(place)).toBe("FEAT-0002");
  });

  test("the only one that is worked on, else the only one", async () => {
    const place = await openPlace(nobody, two);
    await place.sh("git switch -qc anything");
    expect(await prepared(place)).toContain("which issue?");
    expect(await prepared(place)).toContain("hint: monoco relay prepare FEAT-0001, or FEAT-0002");
    await place.monoco("issue", "start", "FEAT-0002");
    expect(await prepared(place)).toBe("FEAT-0002");
  });
});

describe("refused, with exit code 2 and nothing changed", () => {
  test.for<[name: string, before: string, why: RegExp]>([
    ["on the base", "git switch -q main", /main is checked out: a hand-over needs a branch/],
    ["without a branch", "git switch -q --detach", /HEAD is detached: a hand-over needs a branch/],
    ["another's RALPH.md", "echo mine > RALPH.md", /RALPH\.md is not the handoff of session 0/],
    ["RALPH.md in git", "echo mine > RALPH.md; git add -f RALPH.md", /is tracked by git/],
    [
      "an issue that is closed",
      "git switch -q main; sed -i 's/^status: open/status: closed/' issues/*; git commit -qm close -- issues; git switch -q -",
      /FEAT-0001 is closed on main\nhint: monoco issue reopen/,
    ],
  ])("%s", async ([, before, why]) => {
    const place = await onBranch();
    await place.sh(before);
    const seen = await checkoutOf(place);
    const ran = await place.monoco("relay", "prepare", "FEAT-0001");
    expect(ran.stderr).toMatch(why);
    expect(ran.exitCode).toBe(2);
    expect(await checkoutOf(place)).toEqual(seen);
    expect(existsSync(join(place.project, ".monoco", "handovers"))).toBe(false);
  });

  test("in the middle of a merge", async () => {
    const place = await onBranch();
    await place.monoco("relay", "prepare");
    fillIn(place);
    await place.sh(
      "git stash -qu; git switch -q main; echo theirs > begun.txt; git add begun.txt; git commit -qm theirs; git switch -q -; git merge main || true",
    );
    expect((await place.monoco("relay", "prepare")).stderr).toContain("is in the middle of a merge");
  });

  full("once its relay has work of its own, until that is cleared", async () => {
    const place = await onBranch(half);
    await place.monoco("run", "FEAT-0001", "--once");
    const refused = await place.monoco("relay", "prepare");
    expect(refused).toMatchObject({ exitCode: 2 });
    expect(refused.stderr).toContain("or monoco relay clear FEAT-0001 ends it and keeps its work");
    await place.monoco("relay", "clear", "FEAT-0001");
    expect(await handOver(place)).toMatchObject({ exitCode: 0 });
    await place.monoco("relay", "resume", "FEAT-0001", "--once");
    expect(place.all("session.started").at(-1)).toMatchObject({ session: 2, handoff: { session: 0 } });
  });
});

test("until a relay takes it up, the inbox and status name the way, and clear forgets it", async () => {
  const place = await onBranch();
  await handOver(place);
  expect((await place.monoco("status", "FEAT-0001")).stderr).toContain(
    "work/FEAT-0001-a-file is handed over and waits for one\nhint: monoco resume FEAT-0001 (takes it up)",
  );
  expect((await place.monoco()).stdout).toMatch(
    /FEAT-0001 .*nobody runs it; work\/FEAT-0001-a-file is handed over\n +monoco resume FEAT-0001$/,
  );
  expect((await place.monoco("relay", "clear", "FEAT-0001")).stdout).toContain(
    "no relay takes work/FEAT-0001-a-file over any more",
  );
  expect((await place.monoco("relay", "resume", "FEAT-0001")).stderr).toContain("has no open relay\n");
  // Its RALPH.md is kept: another issue's may take its place.
  expect(await place.monoco("relay", "prepare", "FEAT-0001")).toMatchObject({ exitCode: 0 });
});
