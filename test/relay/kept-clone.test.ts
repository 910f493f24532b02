/** What a session leaves in its clone: a merge in the middle, which its successor finishes, and repositories of their own, which are no work. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { approves, commit, openPlace, run, submit, works } from "../support/place.ts";
import { full as test, testRows } from "../support/full.ts";

const conflict = run(
  "git checkout -q -b side && echo side > a.txt && git add a.txt && git commit -qm side && git checkout -q - && echo main > a.txt && git add a.txt && git commit -qm main; git merge side; true",
);
const solve = run("echo both > a.txt && git add a.txt && git commit -qm Solved");

/** How the session ends that leaves the merge: by itself, by a signal, at its time limit. */
const endings = {
  exit: run("true"),
  kill: run("kill -9 $PPID; sleep 60"),
  time: run("sleep 60"),
};

testRows<[ended: keyof typeof endings, sandbox: string]>([
  ["exit", "none"],
  ["exit", "auto"],
  ["kill", "none"],
  ["kill", "auto"],
  ["time", "none"],
  ["time", "auto"],
])("a merge in the middle is the next session's: ended by %s, sandbox %s", async ([ended, sandbox]) => {
  const place = await openPlace(
    {
      executor: [
        [conflict, endings[ended]],
        [solve, submit],
      ],
      reviewer: [approves],
    },
    {
      settings: `sandbox: ${sandbox}\n`,
      limits: ended === "time" ? { sessionMinutes: 0.1 } : {},
    },
  );
  const ran = await place.monoco("run", "FEAT-0001");
  expect(ran, ran.stdout + ran.stderr).toMatchObject({ exitCode: 0 });
  expect(place.all("session.ended")[0]?.unfinished).toMatchObject({
    operation: "merge",
    unmerged: ["a.txt"],
  });
  const said =
    /A merge \([0-9a-f]{12}\) is in progress in this clone: go on with `git merge --continue`, or undo it with `git merge --abort`\. Unmerged: a\.txt/;
  expect(place.read(".monoco/relays/FEAT-0001/sessions/0002-executor/prompt.md")).toMatch(said);
  expect(place.all("handoff.recorded")[0]?.text).toMatch(/## Warnings\n- ⚠️ A merge /);
  expect(await place.git("show", "main:a.txt")).toBe("both");
  expect(await place.git("log", "--format=%s", "main")).toMatch(/^side$/m);
});

testRows<[string, string, string]>([
  ["in the middle of a merge", "true", "unfinished"],
  ["with the markers of a conflict", "git add --all && git commit -qm Markers", "conflict_markers"],
])("work %s is not taken for review", async ([, then, kind]) => {
  // Whole or not at all: the runner reads a letter as soon as it is there.
  const letter = `{"id":"0000000000000-aaaaaaaaaaaaaaaa","atMs":1,"type":"submit","commit":"%s"}`;
  const forged = run(
    `${then}; cd "$MONOCO_SESSION_DIR/outbox" && printf '${letter}' "$(git -C "$OLDPWD" rev-parse HEAD)" > half && mv half 0-a.json`,
  );
  const place = await openPlace({
    executor: [
      [conflict, forged],
      [solve, submit],
    ],
    reviewer: [approves],
  });
  const ran = await place.monoco("run", "FEAT-0001");
  expect(place.all("submission.refused")[0], ran.stdout).toMatchObject({ kind, paths: ["a.txt"] });
  expect(await place.git("show", "main:a.txt")).toBe("both");
});

test("monoco issue submit refuses an operation in progress at once, with the way out", async () => {
  const place = await openPlace({
    executor: [
      [conflict, run('monoco issue submit > "$PERSON/../said.txt" 2>&1; git merge --abort'), commit],
    ],
    reviewer: [approves],
  });
  await place.monoco("run", "FEAT-0001", "--once");
  expect(readFileSync(join(place.around, "said.txt"), "utf8")).toMatch(
    /^error: A merge .*`git merge --continue`.*\nhint: finish or undo it, commit, then submit again/,
  );
});

/** A session works in a repository of its own inside the clone, which the next one's `git add --all` must not record. */
const inner = {
  "a linked worktree":
    "git worktree add -q wt -b side && cd wt && echo saved > saved.txt && git add -A && git commit -qm Side",
  "a linked worktree that is on no branch":
    "git worktree add -q --detach wt && cd wt && echo saved > saved.txt && git add -A && git commit -qm Side",
  "a linked worktree in an ignored folder":
    "echo wt > .gitignore && git worktree add -q wt -b side && cd wt && echo saved > saved.txt && git add -A && git commit -qm Side",
  "a clone": "git clone -q . wt && cd wt",
};

testRows<[name: keyof typeof inner, sandbox: string]>([
  ["a linked worktree", "none"],
  ["a linked worktree", "auto"],
  ["a linked worktree that is on no branch", "auto"],
  ["a linked worktree in an ignored folder", "auto"],
  ["a clone", "none"],
])("%s inside the clone is no submodule, and nothing in it is lost: sandbox %s", async ([name, sandbox]) => {
  const place = await openPlace(
    { executor: [[run(`${inner[name]} && echo unsaved > unsaved.txt`)], works], reviewer: [approves] },
    { settings: `sandbox: ${sandbox}\n` },
  );
  const ran = await place.monoco("run", "FEAT-0001");
  expect(ran, ran.stdout + ran.stderr).toMatchObject({ exitCode: 0 });
  expect(place.all("session.ended")[0]?.repositories).toEqual(["wt"]);
  expect(place.read(".monoco/relays/FEAT-0001/sessions/0002-executor/prompt.md")).toContain(
    "Repositories of their own lie in this clone (wt)",
  );
  expect(await place.git("ls-tree", "-r", "main")).not.toMatch(/^160000/m);
  const [kept = ""] = place.all("merge.done")[0]?.kept ?? [];
  expect(readFileSync(join(kept.slice(0, kept.indexOf(": ")), "wt/unsaved.txt"), "utf8")).toBe("unsaved\n");
  const saved = await place.git("rev-list", "--objects", "--all");
  expect(saved.includes(" saved.txt")).toBe(name.startsWith("a linked"));
  expect(saved.includes("unsaved.txt")).toBe(name.startsWith("a linked"));
});

test("files in a folder with a .git that a generator made are work once that is removed, and are not passed over", async () => {
  const refused = "monoco issue submit 2> ../refused.txt; test $? = 2";
  const place = await openPlace(
    {
      executor: [
        [
          run(
            "git init -q app && echo made > app/made.txt && echo text > file.txt && git add file.txt && git commit -qm File",
          ),
        ],
        [run(`${refused} && rm -rf app/.git && git add -A && git commit -qm App`), submit],
      ],
      reviewer: [approves],
    },
    { settings: "sandbox: none\n" },
  );
  const ran = await place.monoco("run", "FEAT-0001");
  expect(ran, ran.stdout + ran.stderr).toMatchObject({ exitCode: 0 });
  expect(await place.git("show", "main:app/made.txt")).toBe("made");
});

test("a session that made one and committed its own work submits as ever", async () => {
  const aside = run(
    "git worktree add -q wt -b side && echo more > more.txt && git add more.txt && git commit -qm More",
  );
  const place = await openPlace({ executor: [[aside, submit]], reviewer: [approves] });
  const ran = await place.monoco("run", "FEAT-0001");
  expect(ran, ran.stdout + ran.stderr).toMatchObject({ exitCode: 0 });
  expect(place.all("submission.refused")).toEqual([]);
});
