/** What a session leaves in its clone: an unfinished operation, which its successor finishes, all that lives in `.git`, and repositories of their own, which are no work. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { approves, commit, openPlace, run, submit, works } from "../support/place.ts";
import { full as test, testRows } from "../support/full.ts";

const conflict = run(
  "git checkout -q -b side && echo side > a.txt && git add a.txt && git commit -qm side && git checkout -q - && echo main > a.txt && git add a.txt && git commit -qm main; git merge side; true",
);
const solve = run("echo both > a.txt && git add a.txt && git commit -qm Solved");

/** How the session ends that leaves it: by itself, by a signal, at its time limit. */
const endings = {
  exit: run("true"),
  kill: run("kill -9 $PPID; sleep 60"),
  time: run("sleep 60"),
};
type Ended = keyof typeof endings;

const sides =
  "git checkout -q -b side && echo side > a.txt && git add a.txt && git commit -qm side && git checkout -q - && echo main > a.txt && git add a.txt && git commit -qm main; ";

/** What leaves each operation in progress, and what the next session reads of it. */
const operations = {
  merge: [`${sides}git merge side`, "go on with `git merge --continue`, or undo it with `git merge --abort`"],
  rebase: [
    `${sides}git rebase side`,
    "go on with `git rebase --continue`, or undo it with `git rebase --abort`",
  ],
  "cherry-pick": [
    `${sides}git cherry-pick side`,
    "go on with `git cherry-pick --continue`, or undo it with `git cherry-pick --abort`",
  ],
  revert: [
    `${sides}echo more > a.txt && git commit -qam more; git revert HEAD^`,
    "go on with `git revert --continue`, or undo it with `git revert --abort`",
  ],
  am: [
    `${sides}git format-patch -q --stdout -1 side > .git/patch; git am -q --3way .git/patch`,
    "go on with `git am --continue`, or undo it with `git am --abort`",
  ],
  bisect: [
    `${sides}git bisect start -q HEAD HEAD^`,
    "go on with `git bisect good`, or undo it with `git bisect reset`",
  ],
  "stash pop": [
    `${sides}echo mine > a.txt && git stash -q && echo theirs > a.txt && git commit -qam theirs; git stash pop`,
    "solve them and `git add PATH`, or drop them with `git checkout HEAD -- PATH`",
  ],
} as const;
type Operation = keyof typeof operations;

/** What the next session does: it solves the conflict, and goes on as it was told. */
function goesOn(operation: Operation): object {
  if (operation === "bisect") return run("git bisect reset && echo both > a.txt && git commit -qam Solved");
  const way = operation === "stash pop" ? "git commit -qm Solved" : `git ${operation} --continue`;
  return run(`echo both > a.txt && git add a.txt && GIT_EDITOR=true ${way}`);
}

const kept = (Object.keys(operations) as Operation[]).flatMap((operation) =>
  (Object.keys(endings) as Ended[]).flatMap((ended) =>
    ["none", "auto"].map((sandbox) => ({ operation, ended, sandbox })),
  ),
);

testRows(kept)(
  "an unfinished $operation is the next session's: ended by $ended, sandbox $sandbox",
  async ({ operation, ended, sandbox }) => {
    const [leaves, said] = operations[operation];
    const place = await openPlace(
      {
        executor: [
          [run(`${leaves}; true`), endings[ended]],
          [goesOn(operation), submit],
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
    const unmerged = operation === "bisect" ? [] : ["a.txt"];
    const of = operation === "stash pop" ? {} : { operation };
    expect(place.all("session.ended")[0]?.unfinished).toMatchObject({ ...of, unmerged });
    expect(place.read(".monoco/relays/FEAT-0001/sessions/0002-executor/prompt.md")).toContain(said);
    expect(place.all("handoff.recorded")[0]?.text.split("## Warnings\n")[1]).toContain(said);
    expect(await place.git("show", "main:a.txt")).toBe("both");
    if (operation === "merge") expect(await place.git("log", "--format=%s", "main")).toMatch(/^side$/m);
  },
);

/** What a session leaves in `.git`, and what its successor sees of it. */
const leaves = run(`set -e
echo one > a.txt && git add a.txt && git commit -qm First && git commit -q --amend -m Second
echo two > a.txt && git stash -q && git notes add -m noted && git tag mine && git branch idea
git worktree add -q .git/linked -b linked && mkdir -p .git/rr-cache/1 && echo 1 > .git/rr-cache/1/preimage
git sparse-checkout set --no-cone '/*' '!/story.yaml'
echo evil > .git/hooks/post-commit && git config alias.evil '!evil' && git config branch.idea.description kept`);
const looks =
  run(`{ git stash list --format=%gs; git log -g --format=%gs | grep -c amend; git notes show; git tag --list mine; git branch --list idea
git worktree list | wc -l; git sparse-checkout list; ls .git/rr-cache; git config branch.idea.description; } > seen.txt 2> /dev/null
{ ls .git/hooks; git config set.up; git config alias.evil || echo none; } > settings.txt
git add seen.txt settings.txt && git commit -qm Seen`);
const all = "WIP on monoco/FEAT-0001: … Second\n1\nnoted\nmine\n  idea\n2\n/*\n!/story.yaml\n1\nkept";

testRows<[ended: Ended | "repair", sandbox: string]>([
  ["exit", "none"],
  ["exit", "auto"],
  ["kill", "none"],
  ["kill", "auto"],
  ["time", "none"],
  ["repair", "none"],
  ["repair", "auto"],
])(
  "what lives in .git is there in the next session, or kept: ended by %s, sandbox %s",
  async ([ended, sandbox]) => {
    const isRepair = ended === "repair";
    const breaks = run("rm .git/HEAD");
    // The commits are in what is kept; the files are there, also those that the sparse checkout left out.
    const takesUp = isRepair ? [run("git add --all")] : [];
    const place = await openPlace(
      {
        executor: [
          [leaves, isRepair ? breaks : endings[ended]],
          [...takesUp, looks, submit],
        ],
        reviewer: [approves],
      },
      {
        settings: `sandbox: ${sandbox}\nsetup: ["mkdir .git/hooks && touch .git/hooks/pre-push && git config set.up yes"]\n`,
        limits: ended === "time" ? { sessionMinutes: 0.1 } : {},
      },
    );
    const ran = await place.monoco("run", "FEAT-0001");
    expect(ran, ran.stdout + ran.stderr).toMatchObject({ exitCode: 0 });
    const seen = (await place.git("show", "main:seen.txt")).replace(/[0-9a-f]{7,} (?=Second)/, "… ");
    expect(await place.git("show", "main:settings.txt")).toBe("pre-push\nyes\nnone");
    const { evidence } = place.all("session.ended")[0]!;
    if (!isRepair) {
      expect(seen).toBe(all);
      expect(evidence).toContainEqual({
        rule: "settings_set_aside",
        paths: ["alias.evil", "hooks"],
        to: expect.stringContaining("FEAT-0001/sessions/0001-executor/git") as string,
      });
      const under = await place.git(
        "for-each-ref",
        "--format=%(refname:lstrip=5)",
        "refs/monoco/FEAT-0001/sessions/1",
      );
      expect(under.split("\n")).toEqual(
        expect.arrayContaining([
          "heads/idea",
          "heads/linked",
          "notes/commits",
          "reflog",
          "stash",
          "tags/mine",
        ]),
      );
      return;
    }
    expect(await place.git("ls-tree", "--name-only", "main", "story.yaml")).toBe("story.yaml");
    const unreadable = evidence.find((one) => typeof one !== "string" && one.rule === "git_unreadable");
    const { kept } = unreadable as { kept: string };
    const old = await place.sh(
      `cd '${kept}' && echo 'ref: refs/heads/idea' > HEAD && git log -g --format=%gs stash && git notes show && ls rr-cache && git config alias.evil`,
    );
    expect(old.replace(/[0-9a-f]{7,} (?=Second)/, "… ")).toBe(
      "WIP on monoco/FEAT-0001: … Second\nnoted\n1\n!evil",
    );
  },
);

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
