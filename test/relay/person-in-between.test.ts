/** A person in between: commits to the base, has it checked out in every state, edits the issue. Nothing is lost, nothing reversed. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, vi } from "vitest";
import type { Ran } from "../support/cli.ts";
import { broughtIn, expectAllMerged } from "../support/merges.ts";
import { approves, commit, issuePath, issueText, openPlace, run, submit, works } from "../support/place.ts";
import type { Place, Story } from "../support/place.ts";
import { full as test, testRows } from "../support/full.ts";

// Several runs in a test, on a machine that may be busy.
vi.setConfig({ testTimeout: 300_000 });

/** The command that the hint of a parked merge names. */
function commandIn(ran: Ran): string {
  const command = /; or (git .*), then monoco resume/m.exec(ran.stdout)?.[1];
  expect(command, ran.stdout).toBeDefined();
  return command!;
}

// TRAP 26
describe("a person who commits to the base", () => {
  const commits = (file: string, more = ""): object =>
    run(`cd "$PERSON" && echo mine > ${file} && git add ${file} && git commit -qm Mine${more}`);

  test.for<[string, Story]>([
    ["while the Executor works", { executor: [[commits("mine.txt"), ...works]], reviewer: [approves] }],
    ["while the Reviewer looks", { executor: [works], reviewer: [[commits("mine.txt"), ...approves]] }],
    [
      "in both, and in a file that the Executor changes too",
      {
        executor: [
          [
            run("sed -i 1s/.*/work/ a.txt"),
            run('cd "$PERSON" && sed -i 9s/.*/mine/ a.txt && git commit -qam Mine'),
            ...works,
          ],
        ],
        reviewer: [[commits("mine.txt"), ...approves]],
      },
    ],
  ])("%s keeps the commit, and has the merge in the checkout", async ([, story]) => {
    const place = await openPlace(story, { files: { "a.txt": "a\n".repeat(9) } });
    const ran = await place.monoco("run", "FEAT-0001");
    expect(ran, ran.stdout).toMatchObject({ exitCode: 0 });
    await expectAllMerged(place, ["FEAT-0001"]);
    expect(place.read("mine.txt")).toBe("mine\n");
    expect(place.read("file.txt")).toBe("text\n");
    expect(await place.git("log", "--first-parent", "--format=%s")).toMatch(
      /^FEAT-0001: Write a file\n(Mine\n)+Begin$/,
    );
    if (story.executor[0]!.length > works.length + 1)
      expect(place.read("a.txt")).toBe(`work\n${"a\n".repeat(7)}mine\n`);
  });

  /** Commits to the base whenever the checks run on a tree that has the person's commits already: that is the merged tree. */
  const meddling = (place: Place, times: string): string =>
    `test ! -e mine-0.txt || { n=$(cat ${place.around}/n || echo 0); test $n -ge ${times} || { n=$((n + 1)); echo $n > ${place.around}/n; cd ${JSON.stringify(place.project)}; echo mine > mine-$n.txt; git add mine-$n.txt; git commit -qm "Mine $n"; }; }`;
  const meddled: Story = { executor: [works], reviewer: [[commits("mine-0.txt"), ...approves]] };

  test("while the merged tree is being checked is merged with, and checked once more", async () => {
    const place = await openPlace(meddled);
    place.write(
      "monoco.yaml",
      `${place.read("monoco.yaml")}checks: [${JSON.stringify(meddling(place, "1"))}]\n`,
    );
    await place.git("commit", "-qam", "Check");
    const ran = await place.monoco("run", "FEAT-0001");
    expect(ran, ran.stdout).toMatchObject({ exitCode: 0 });
    await expectAllMerged(place, ["FEAT-0001"]);
    expect(place.all("merge.prepared")).toHaveLength(2);
    expect(place.all("checks.ran").filter((checks) => checks.target === "merge")).toHaveLength(2);
    expect(await place.sh("ls *.txt")).toBe("file.txt\nmine-0.txt\nmine-1.txt");
    expect(await broughtIn(place)).toEqual([{ "FEAT-0001": ["file.txt", issuePath("FEAT-0001")] }]);
  });

  test("at every attempt wins three times: the relay is blocked with words, and merged on resume", async () => {
    const place = await openPlace(meddled);
    place.write(
      "monoco.yaml",
      `${place.read("monoco.yaml")}checks: [${JSON.stringify(meddling(place, "3"))}]\n`,
    );
    await place.git("commit", "-qam", "Check");
    const ran = await place.monoco("run", "FEAT-0001");
    expect(ran, ran.stdout).toMatchObject({ exitCode: 1 });
    expect(ran.stdout).toContain("blocked: main moved 3 times while submission 1 was being merged");
    expect(await broughtIn(place)).toEqual([]);
    expect(await place.monoco("relay", "resume", "FEAT-0001")).toMatchObject({ exitCode: 0 });
    await expectAllMerged(place, ["FEAT-0001"]);
    expect(await place.sh("ls mine-*.txt | wc -l")).toBe("4");
    expect(await broughtIn(place)).toEqual([{ "FEAT-0001": ["file.txt", issuePath("FEAT-0001")] }]);
  });
});

// TRAP 27
describe("the base checked out", () => {
  const good: Story = { executor: [works], reviewer: [approves] };

  testRows<[string, (place: Place) => Promise<unknown>, string]>([
    ["clean in the main worktree", async () => undefined, "."],
    [
      "with files that git does not know, in the main worktree",
      async (place) => {
        place.write("untracked.txt", "mine\n");
        place.write(".git/info/exclude", "ignored.txt\n");
        place.write("ignored.txt", "mine\n");
      },
      ".",
    ],
    [
      "clean in a linked worktree, while the main one stands on another branch",
      (place) => place.sh("git checkout -qb other && git worktree add -q '../linked 它' main"),
      "../linked 它",
    ],
  ])("%s: it moves with the merge, its files too", async ([, prepare, where]) => {
    const place = await openPlace(good);
    await prepare(place);
    const ran = await place.monoco("run", "FEAT-0001");
    expect(ran, ran.stdout).toMatchObject({ exitCode: 0 });
    const folder = join(place.project, where);
    expect(await place.sandbox.git(folder, "status", "--porcelain", "-uno")).toBe("");
    expect(await place.sandbox.sh(folder, "cat file.txt; git rev-parse --abbrev-ref HEAD")).toBe(
      "text\nmain",
    );
    expect(await place.sandbox.git(folder, "rev-parse", "HEAD")).toBe(place.all("merge.done")[0]!.commit);
    if (existsSync(join(place.project, "untracked.txt")))
      expect(await place.sh("cat untracked.txt ignored.txt")).toBe("mine\nmine");
  });

  test.for<[string, string]>([
    ["a detached HEAD in the main worktree", "git checkout -q --detach"],
    ["another branch in the main worktree", "git checkout -qb other"],
    [
      "uncommitted work on another branch",
      "git checkout -qb other && echo mine >> extra.txt && echo mine > staged.txt && git add staged.txt",
    ],
  ])("nowhere, with %s: the base moves, and the checkout is left as it is", async ([, prepare]) => {
    const place = await openPlace(good, { files: { "extra.txt": "extra\n" } });
    await place.sh(prepare);
    const look = "git rev-parse HEAD; git status --porcelain; ls; cat extra.txt .git/HEAD";
    const before = await place.sh(look);
    const ran = await place.monoco("run", "FEAT-0001");
    expect(ran, ran.stdout).toMatchObject({ exitCode: 0 });
    expect(await place.sh(look)).toBe(before);
    expect(await place.git("show", "main:file.txt")).toBe("text");
    expect(await broughtIn(place)).toEqual([{ "FEAT-0001": ["file.txt", issuePath("FEAT-0001")] }]);
  });

  testRows<[string, (place: Place) => Promise<unknown>, string]>([
    ["with an edited file", (place) => place.sh("echo mine >> extra.txt"), "."],
    [
      "with a staged file and an edited one",
      (place) => place.sh("echo mine >> extra.txt; echo mine > staged.txt; git add staged.txt"),
      ".",
    ],
    ["with a deleted file", (place) => place.sh("rm extra.txt"), "."],
    [
      "with an edited file, in a linked worktree",
      (place) =>
        place.sh(
          "git checkout -qb other && git worktree add -q '../linked 它' main && echo mine >> '../linked 它/extra.txt'",
        ),
      "../linked 它",
    ],
  ])(
    "dirty, %s: the merge is parked, the command that is named lands it, and resume finishes with that very merge",
    async ([, prepare, where]) => {
      const place = await openPlace(good, { files: { "extra.txt": "extra\n" } });
      await prepare(place);
      const folder = join(place.project, where);
      const state = (): Promise<string> =>
        place.sandbox.sh(folder, "git status --porcelain; git diff HEAD -- extra.txt staged.txt");
      const before = await state();
      const ran = await place.monoco("run", "FEAT-0001");
      expect(ran, ran.stdout).toMatchObject({ exitCode: 1 });
      expect(ran.stdout).toContain(`${folder} has main checked out and it has uncommitted changes`);
      expect(await state()).toBe(before);
      expect(await broughtIn(place)).toEqual([]);
      const parked = await place.git("rev-parse", "refs/monoco/FEAT-0001/parked");

      await place.sandbox.sh(place.around, commandIn(ran));
      expect(await place.git("rev-parse", "main")).toBe(parked);
      expect(await state()).toBe(before);
      expect(await place.sandbox.sh(folder, "cat file.txt")).toBe("text");

      const resumed = await place.monoco("relay", "resume", "FEAT-0001");
      expect(resumed, resumed.stdout).toMatchObject({ exitCode: 0 });
      expect(await place.git("rev-parse", "main")).toBe(parked);
      expect(place.all("merge.done")).toMatchObject([{ commit: parked }]);
      expect(await state()).toBe(before);
      expect((await place.git("show", `main:${issuePath("FEAT-0001")}`)).match(/approved by/g)).toHaveLength(
        1,
      );
    },
  );

  test("dirty, and the person commits on: resume merges anew, with that commit", async () => {
    const place = await openPlace(good, { files: { "extra.txt": "extra\n" } });
    await place.sh("echo mine >> extra.txt");
    const ran = await place.monoco("run", "FEAT-0001");
    await place.git("commit", "-qam", "Mine");
    // Too late for the command: git says so, and harms nothing.
    await expect(place.sh(commandIn(ran))).rejects.toThrow(/fast-forward/);
    expect(await place.monoco("relay", "resume", "FEAT-0001")).toMatchObject({ exitCode: 0 });
    await expectAllMerged(place, ["FEAT-0001"]);
    expect(place.read("extra.txt")).toBe("extra\nmine\n");
    expect(await broughtIn(place)).toEqual([{ "FEAT-0001": ["file.txt", issuePath("FEAT-0001")] }]);
  });

  test.for<[string, (place: Place) => void]>([
    ["that git does not know", () => undefined],
    [
      "that git is told to ignore",
      (place) => place.write(".git/info/exclude", "/file.txt\n/.monoco/\n/RALPH.md\n"),
    ],
  ])(
    "with a file in the way %s: it is named and kept, and resume merges when it is moved away",
    async ([, prepare]) => {
      const place = await openPlace({
        executor: [[{ write: { "file.txt": "text\n" } }, run("git add -f file.txt"), commit, submit]],
        reviewer: [approves],
      });
      prepare(place);
      place.write("file.txt", "the person's own\n");
      const ran = await place.monoco("run", "FEAT-0001");
      expect(ran, ran.stdout).toMatchObject({ exitCode: 1 });
      const said = ran.stdout.indexOf(
        "the work adds files that lie in your checkout of main already and are not committed there: file.txt",
      );
      expect(said).toBeGreaterThan(0);
      expect(ran.stdout.indexOf("would be overwritten by merge: file.txt")).toBeGreaterThan(said);
      expect(place.read("file.txt")).toBe("the person's own\n");
      expect(await broughtIn(place)).toEqual([]);
      await place.sh("mv file.txt mine.txt");
      expect(await place.monoco("relay", "resume", "FEAT-0001")).toMatchObject({ exitCode: 0 });
      expect(await place.sh("cat file.txt mine.txt")).toBe("text\nthe person's own");
    },
  );
});

// TRAP 29
describe("the issue, edited by a person during its relay", () => {
  const path = issuePath("FEAT-0001");
  const edits = (command: string): Story => ({
    executor: [[run(`cd "$PERSON" && ${command}`), ...works]],
    reviewer: [approves],
  });
  const onBase = (command: string): Story => edits(`${command} && git add -A && git commit -qm Edit`);

  test("on the base, where it changes no terms: it stays, in the closed issue too", async () => {
    const place = await openPlace(
      onBase(
        `sed -i 's/^stage: .*/stage: doing # me\\npriority: high/' ${path} && printf '\\n## Notes\\n\\nMine.\\n' >> ${path}`,
      ),
    );
    expect(await place.monoco("run", "FEAT-0001")).toMatchObject({ exitCode: 0 });
    await expectAllMerged(place, ["FEAT-0001"]);
    expect(place.read(path)).toContain("stage: done # me\npriority: high\n");
    expect(place.read(path)).toContain("\n## Notes\n\nMine.\n");
  });

  test("on the base, where the Executor edited its copy in the same place: the base's text wins, the ticks come over", async () => {
    const place = await openPlace({
      executor: [
        [
          run(
            `cd "$PERSON" && sed -i 's/^## Objective/Mine.\\n\\n## Objective/' ${path} && git commit -qam Edit`,
          ),
          run(`sed -i 's/^## Objective/Theirs.\\n\\n## Objective/; s/\\[ \\]/[x]/' ${path}`),
          ...works,
        ],
      ],
      reviewer: [approves],
    });
    expect(await place.monoco("run", "FEAT-0001")).toMatchObject({ exitCode: 0 });
    await expectAllMerged(place, ["FEAT-0001"]);
    expect(place.read(path)).toContain("Mine.\n\n## Objective");
    expect(place.read(path)).not.toContain("Theirs.");
    expect(place.read(path)).toContain("- [x] the file is there");
  });

  const putBack = "git revert --no-edit HEAD";
  testRows<[string, string, RegExp]>([
    [
      "its criteria",
      `sed -i 's/the file is there/and z.txt/' ${path}`,
      /has changed on main since the relay opened: criteria$/m,
    ],
    [
      "its objective",
      `sed -i 's/A file\\./Two files./' ${path}`,
      /has changed on main since the relay opened: objective$/m,
    ],
    [
      "its status: it was closed",
      `sed -i 's/status: open/status: closed\\nsolution: wontfix/; s/stage: draft/stage: done/' ${path}`,
      /write-a-file\.md is closed, wontfix on main since the relay opened$/m,
    ],
    [
      "its status: it was put off",
      `sed -i 's/status: open/status: backlog/' ${path}`,
      /is backlog on main since the relay opened$/m,
    ],
    [
      "its place",
      `mkdir issues/later && git mv ${path} issues/later/`,
      /write-a-file\.md is no longer on main$/m,
    ],
    ["its existence", `git rm -q ${path}`, /write-a-file\.md is no longer on main$/m],
    [
      "its front matter, which is broken now",
      `sed -i 's/^title:.*/title: [/' ${path}`,
      /cannot be closed: issues\/FEAT-0001-write-a-file\.md:\d+: /,
    ],
    [
      "its encoding",
      `printf '\\304\\343\\n' >> ${path}`,
      /cannot be closed: issues\/FEAT-0001-write-a-file\.md:15: bytes that are not UTF-8/,
    ],
  ])(
    "on the base, in %s: nothing is merged, it says so, and when that is put back, resume merges",
    async ([, edit, words]) => {
      const place = await openPlace(onBase(edit));
      const ran = await place.monoco("run", "FEAT-0001");
      expect(ran, ran.stdout).toMatchObject({ exitCode: 1, stderr: "" });
      expect(ran.stdout).toMatch(words);
      expect(ran.stdout).toContain("hint: ");
      expect(ran.stdout).toContain("monoco resume FEAT-0001");
      expect(await place.git("log", "--format=%s")).toBe("Edit\nBegin");
      await place.sh(putBack);
      expect(await place.monoco("relay", "resume", "FEAT-0001")).toMatchObject({ exitCode: 0 });
      await expectAllMerged(place, ["FEAT-0001"]);
      expect(place.read("file.txt")).toBe("text\n");
    },
  );

  const adds = edits(`sed -i 's/^## Objective/Mine.\\n\\n&/' ${path}`);

  test("in the working copy only: the merge is parked, the edit untouched; stash, resume, and pop bring both together", async () => {
    const place = await openPlace(adds);
    const ran = await place.monoco("run", "FEAT-0001");
    expect(ran, ran.stdout).toMatchObject({ exitCode: 1 });
    expect(ran.stdout).toContain("hint: commit or stash there, then monoco resume FEAT-0001");
    expect(place.read(path)).toBe(issueText("FEAT-0001").replace("## Obj", "Mine.\n\n## Obj"));
    // git refuses the fast-forward over the very file, and harms nothing.
    await expect(place.sh(commandIn(ran))).rejects.toThrow(/would be overwritten by merge/);
    expect(place.read(path)).toContain("\nMine.\n");
    await place.git("stash", "-q");
    expect(await place.monoco("relay", "resume", "FEAT-0001")).toMatchObject({ exitCode: 0 });
    await place.git("stash", "pop", "-q");
    expect(place.read(path)).toContain("\nstatus: closed\n");
    expect(place.read(path)).toContain("\nMine.\n");
  });

  test("in the working copy only, and committed then: resume merges with it", async () => {
    const place = await openPlace(adds);
    expect(await place.monoco("run", "FEAT-0001")).toMatchObject({ exitCode: 1 });
    await place.git("commit", "-qam", "Edit");
    expect(await place.monoco("relay", "resume", "FEAT-0001")).toMatchObject({ exitCode: 0 });
    await expectAllMerged(place, ["FEAT-0001"]);
    expect(place.read(path)).toContain("\nMine.\n");
  });
});
