/** Landing on the base: only git merges, only compare-and-swap moves the base, and nobody's checkout is harmed. */
import { chmodSync, existsSync, mkdirSync, readFileSync, readdirSync, rmSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { commitTree } from "../../src/git/identity.ts";
import { gitIn } from "../../src/git/git.ts";
import { isOnBase, mergeTrees, moveBase, submoduleChanges, withFile } from "../../src/git/landing.ts";
import { moveRef } from "../../src/git/repository.ts";
import { plainGit, temporaryRepository, writeFiles } from "../support/repository.ts";
import type { TestRepository } from "../support/repository.ts";

const issue = "issues/FEAT-0001-登录.md";

describe("merging two commits", () => {
  test("brings in both sides; what landed on the base meanwhile stays", async () => {
    // TRAP 26
    const place = await parted({ "work.txt": "work\n" }, { "theirs.txt": "theirs\n", "a.txt": "two\n" });
    const merged = await mergeTrees(gitIn(place.folder), place.base, place.work);
    expect(merged).toEqual({ tree: expect.stringMatching(/^[0-9a-f]{40}$/), conflicts: [] });
    expect(await filesOf(place, merged.tree)).toEqual(["a.txt", issue, "theirs.txt", "work.txt"]);
    expect(await place.git("cat-file", "blob", `${merged.tree}:a.txt`)).toBe("two");
  });

  test.for<[string, Record<string, string>, Record<string, string>, string[]]>([
    ["a file that both changed", { "a.txt": "work\n" }, { "a.txt": "theirs\n" }, ["a.txt"]],
    ["the issue file only", { [issue]: "work\n" }, { [issue]: "theirs\n" }, [issue]],
    [
      "several, names in any script",
      { "ö.txt": "1", "b c.txt": "1" },
      { "ö.txt": "2", "b c.txt": "2" },
      ["b c.txt", "ö.txt"],
    ],
  ])("a conflict names the files, each once: %s", async ([, ours, theirs, conflicts]) => {
    const place = await parted(ours, theirs);
    expect((await mergeTrees(gitIn(place.folder), place.base, place.work)).conflicts).toEqual(conflicts);
  });

  test("a conflict in the issue file is settled by the text that takes its place", async () => {
    const place = await parted({ [issue]: "work\n", "w.txt": "" }, { [issue]: "theirs\n" });
    const git = gitIn(place.folder);
    const { tree } = await mergeTrees(git, place.base, place.work);
    const settled = await withFile(git, {
      tree,
      path: issue,
      text: "settled — 完成\n",
      scratch: scratchOf(place),
    });
    expect(await place.git("cat-file", "blob", `${settled}:${issue}`)).toBe("settled — 完成");
    expect(await filesOf(place, settled)).toEqual(["a.txt", issue, "w.txt"]);
  });

  test("a file that may be executed stays so", async () => {
    const place = await parted({}, {});
    await place.git("checkout", "--quiet", "main");
    chmodSync(join(place.folder, issue), 0o755);
    const base = await place.commit({});
    const tree = await withFile(gitIn(place.folder), {
      tree: base,
      path: issue,
      text: "closed\n",
      scratch: scratchOf(place),
    });
    expect(await place.git("ls-tree", "-r", "-z", "--format=%(objectmode)", tree, "--", issue)).toBe(
      "100755\0",
    );
  });

  test("a file may be made empty, and be new", async () => {
    const place = await parted({}, {});
    const tree = await withFile(gitIn(place.folder), {
      tree: place.base,
      path: "new/empty.md",
      text: "",
      scratch: scratchOf(place),
    });
    expect(await place.git("cat-file", "-s", `${tree}:new/empty.md`)).toBe("0");
  });

  test("unrelated histories are an error and no merge", async () => {
    const place = await parted({}, {});
    await place.git("checkout", "--quiet", "--orphan", "stranger");
    const stranger = await place.commit({ "c.txt": "" });
    await expect(mergeTrees(gitIn(place.folder), place.base, stranger)).rejects.toThrow(
      /unrelated histories/,
    );
  });

  test("neither the person's index nor worktree is touched, and no hook of theirs is run", async () => {
    const place = await parted({ "a.txt": "work\n" }, { "b.txt": "" });
    await place.git("checkout", "--quiet", "main");
    writeFiles(place.folder, { "a.txt": "being edited\n", "staged.txt": "s\n" });
    await place.git("add", "staged.txt");
    writeFiles(place.folder, {
      ".git/hooks/reference-transaction": `#!/bin/sh\ntouch ${place.outside}/fired\n`,
    });
    chmodSync(join(place.folder, ".git/hooks/reference-transaction"), 0o755);
    const before = await place.git("status", "--porcelain");
    const commit = await merge(place);
    await moveRef(gitIn(place.folder), "refs/monoco/FEAT-0001/parked", commit);
    expect(await place.git("status", "--porcelain")).toBe(before);
    expect(readdirSync(place.outside)).not.toContain("fired");
    await place.git("update-ref", "refs/heads/another", commit);
    expect(readdirSync(place.outside)).toContain("fired");
  });

  test("the commit has the person's identity, both parents and the message as it is", async () => {
    const place = await parted({ "w.txt": "" }, { "b.txt": "" });
    const commit = await merge(place);
    expect(await place.git("log", "-1", "--format=%an <%ae> %cn|%P|%B", commit)).toBe(
      `A Person <person@example.invalid> A Person|${place.base} ${place.work}|FEAT-0001: 登录\n\nMonoco-Issue: FEAT-0001\n`,
    );
  });
});

describe("moving the base", () => {
  test("that nobody has checked out moves the ref", async () => {
    const place = await parted({ "w.txt": "" }, { "b.txt": "" });
    await place.git("checkout", "--quiet", "--detach", "work");
    const commit = await merge(place);
    expect(await move(place, commit)).toEqual({ moved: true });
    expect(await place.git("rev-parse", "main")).toBe(commit);
    expect(await isOnBase(gitIn(place.folder), "main", place.work)).toBe(true);
  });

  test.for<[string, (place: Parted) => Promise<string>]>([
    ["the main worktree", async (place) => checkedOut(place)],
    ["another worktree", async (place) => checkedOut(place, "beside 它")],
    [
      "a worktree with untracked files",
      async (place) => {
        const folder = await checkedOut(place);
        writeFiles(folder, { "untracked.txt": "mine\n" });
        return folder;
      },
    ],
  ])("that a clean checkout holds takes the checkout along: %s", async ([, prepare]) => {
    const place = await parted({ "w.txt": "work\n" }, { "b.txt": "" });
    const commit = await merge(place);
    const folder = await prepare(place);
    expect(await move(place, commit)).toEqual({ moved: true });
    // A bare update of the ref would show the merge reversed, as staged changes.
    expect(await plainGit(folder)("status", "--porcelain", "--untracked-files=no")).toBe("");
    expect(await plainGit(folder)("rev-parse", "HEAD")).toBe(commit);
    expect(await plainGit(folder)("symbolic-ref", "HEAD")).toBe("refs/heads/main");
  });

  test.for<[string, (place: Parted, folder: string) => Promise<unknown> | void, RegExp, string]>([
    [
      "an edited file",
      (_, folder) => writeFiles(folder, { "a.txt": "mine\n" }),
      /^it has uncommitted changes$/,
      "commit or stash there",
    ],
    [
      "a staged file",
      async ({ git }, folder) => {
        writeFiles(folder, { "mine.txt": "mine\n" });
        await git("add", "mine.txt");
      },
      /^it has uncommitted changes$/,
      "commit or stash there",
    ],
    [
      "an untracked file in the way",
      (_, folder) => writeFiles(folder, { "w.txt": "mine\n" }),
      /untracked working tree files would be overwritten by merge: w\.txt$/,
      "fix that there",
    ],
    [
      "an ignored file in the way",
      (_, folder) => writeFiles(folder, { "w.txt": "mine\n", ".git/info/exclude": "w.txt\n" }),
      /untracked working tree files would be overwritten by merge: w\.txt$/,
      "fix that there",
    ],
    [
      "a rebase under way",
      ({ git }) => git("rebase", "--quiet", "--exec", "false", "--root").catch(() => undefined),
      /^it is in the middle of a rebase$/,
      "finish or abort that",
    ],
    [
      "a git at work",
      (_, folder) => leaveLock(folder, ".git/index.lock"),
      /index.lock/,
      "no git is at work there, so a killed one left its lock: rm /",
    ],
    [
      "an edited file beside a lock",
      (_, folder) => {
        leaveLock(folder, ".git/index.lock");
        writeFiles(folder, { "a.txt": "mine\n" });
      },
      /^it has uncommitted changes, maybe of a merge that was killed there$/,
      "no git is at work there, so a killed one left its lock: rm /",
    ],
    [
      "a lock of the branch",
      (_, folder) => leaveLock(folder, ".git/refs/heads/main.lock"),
      /main.lock/,
      "no git is at work there, so a killed one left its lock: rm /",
    ],
    [
      "a merge under way",
      ({ git }) => git("merge", "--quiet", "--no-commit", "--no-ff", "--strategy=ours", "work"),
      /not concluded your merge/,
      "fix that there",
    ],
  ])(
    "that a checkout with %s holds is left to the person, who loses nothing",
    async ([, prepare, because, remedy]) => {
      // TRAP 27
      const place = await parted({ "w.txt": "work\n" }, { "b.txt": "" });
      const commit = await merge(place);
      const folder = await checkedOut(place);
      await prepare(place, folder);
      const look = async (): Promise<string[]> => [
        await plainGit(folder)("status", "--porcelain", "--ignored"),
        ...["a.txt", "mine.txt", "w.txt"].map((name) =>
          existsSync(join(folder, name)) ? readFileSync(join(folder, name), "utf8") : "",
        ),
      ];
      const before = await look();
      expect(await move(place, commit)).toEqual({
        moved: false,
        why: "held",
        worktree: folder,
        because: expect.stringMatching(because),
        remedy: expect.stringContaining(remedy) as string,
        byHand: remedy === "commit or stash there",
      });
      expect(await look()).toEqual(before);
      expect(await place.git("rev-parse", "main")).toBe(place.base);
    },
  );

  test("by a git that is killed halfway is told, with what puts the files back; then it moves", async () => {
    const place = await parted({ "a.txt": "two\n", "z.txt": "work\n" }, { "z.txt": "" });
    const commit = await commitTree(gitIn(place.folder), {
      tree: await place.git("rev-parse", `${place.work}^{tree}`),
      parents: [place.base],
      message: "work",
    });
    const folder = await checkedOut(place);
    writeFiles(folder, { ".git/info/attributes": "z.txt filter=kill\n", ".git/armed": "" });
    await place.git("config", "filter.kill.smudge", "rm .git/armed 2> /dev/null && kill -KILL $PPID; cat");
    expect(await move(place, commit)).toMatchObject({
      why: "held",
      because: expect.stringContaining("`git restore .` there puts the files back") as string,
      remedy: `if it is still there in 10 s, a killed git has left it: rm ${folder}/.git/index.lock`,
    });
    expect(readFileSync(join(folder, "a.txt"), "utf8")).toBe("two\n");
    rmSync(join(folder, ".git/index.lock"));
    await plainGit(folder)("restore", ".");
    expect(await move(place, commit)).toEqual({ moved: true });
    expect(await plainGit(folder)("status", "--porcelain")).toBe("");
  });

  test.each(["a.txt is as it was", "a.txt is changed meanwhile"])(
    "waits for a git that has the index locked for a moment, while %s",
    async (how) => {
      const place = await parted({ "w.txt": "work\n" }, { "b.txt": "" });
      const commit = await merge(place);
      const folder = await checkedOut(place);
      const changed = how === "a.txt is changed meanwhile";
      writeFiles(folder, { ".git/index.lock": "", ...(changed ? { "a.txt": "passing\n" } : {}) });
      const moving = move(place, commit);
      await new Promise((resolve) => setTimeout(resolve, 300));
      await plainGit(folder)("cat-file", "blob", "HEAD:a.txt").then((text) =>
        writeFiles(folder, { "a.txt": `${text}\n` }),
      );
      rmSync(join(folder, ".git/index.lock"));
      expect(await moving).toEqual({ moved: true });
      expect(await plainGit(folder)("status", "--porcelain")).toBe("");
    },
  );

  test("that two worktrees hold at once is left to the person: only one could be taken along", async () => {
    const place = await parted({ "w.txt": "" }, {});
    const commit = await merge(place);
    const folder = await checkedOut(place);
    const second = join(place.outside, "second");
    await place.git("worktree", "add", "--quiet", "--force", second, "main");
    expect(await move(place, commit)).toEqual({
      moved: false,
      why: "held",
      worktree: second,
      because: `so has ${folder}`,
      remedy: "switch one of them to another branch",
      byHand: false,
    });
  });

  test("that a deleted worktree had is free; one that is locked and not there still holds it", async () => {
    const place = await parted({ "w.txt": "" }, {});
    const commit = await merge(place);
    const folder = await checkedOut(place, "gone");
    await place.git("worktree", "lock", folder);
    rmSync(folder, { recursive: true });
    expect(await move(place, commit)).toMatchObject({ moved: false, why: "held", worktree: folder });
    await place.git("worktree", "unlock", folder);
    expect(await move(place, commit)).toEqual({ moved: true });
  });

  test.for(["nobody", "the main worktree"])(
    "is lost where the base moved on, with %s on it",
    async (holder) => {
      const place = await parted({ "w.txt": "" }, { "b.txt": "" });
      const commit = await merge(place);
      await place.git("checkout", "--quiet", "main");
      const theirs = await place.commit({ "late.txt": "" });
      if (holder === "nobody") await place.git("checkout", "--quiet", "--detach");
      expect(await move(place, commit)).toEqual({ moved: false, why: "lost" });
      expect(await place.git("rev-parse", "main")).toBe(theirs);
      expect(await place.git("status", "--porcelain")).toBe("");
    },
  );

  test("is lost where the person took commits back: to fast-forward would bring them in again", async () => {
    const place = await parted({ "w.txt": "" }, { "b.txt": "" });
    const commit = await merge(place);
    await place.git("checkout", "--quiet", "main");
    await place.git("reset", "--quiet", "--hard", "HEAD^");
    const before = await place.git("rev-parse", "main");
    expect(await move(place, commit)).toEqual({ moved: false, why: "lost" });
    expect(await place.git("rev-parse", "main")).toBe(before);
  });

  test.for(["nobody", "the main worktree"])(
    "to what does not descend from it is refused, with %s on it: its history only grows",
    async (holder) => {
      const place = await parted({ "w.txt": "" }, { "b.txt": "" });
      if (holder !== "nobody") await place.git("checkout", "--quiet", "main");
      await expect(move(place, place.work)).rejects.toThrow(/does not descend from main$/);
      expect(await place.git("rev-parse", "main")).toBe(place.base);
      expect(await place.git("status", "--porcelain")).toBe("");
    },
  );

  // TRAP 26
  test("is won by exactly one of many that merge at the same instant", async () => {
    const place = await parted({ "w.txt": "" }, { "b.txt": "" });
    await place.git("checkout", "--quiet", "--detach");
    const git = gitIn(place.folder);
    const commits = await Promise.all(
      Array.from({ length: 6 }, async (_, index) => {
        const tree = await withFile(git, {
          tree: place.base,
          path: "n.txt",
          text: String(index),
          scratch: scratchOf(place, index),
        });
        return commitTree(git, { tree, parents: [place.base, place.work], message: `merge ${index}` });
      }),
    );
    const moved = await Promise.all(commits.map((commit) => move(place, commit)));
    const winners = commits.filter((_, index) => moved[index]!.moved);
    expect(winners).toEqual([await place.git("rev-parse", "main")]);
    const lost = moved.filter((each) => !each.moved && each.why === "lost");
    expect(lost).toHaveLength(commits.length - 1);
  });
});

describe("changes of submodules", () => {
  test.for<[string, (place: TestRepository) => Promise<unknown>, string[]]>([
    ["ordinary files are none", (place) => place.commit({ "b.txt": "" }), []],
    ["an entry", (place) => gitlink(place, "sub 子"), ["sub 子"]],
    [
      "an entry in the place of a file",
      async (place) => {
        await place.git("rm", "--quiet", "a.txt");
        await gitlink(place, "a.txt");
      },
      ["a.txt"],
    ],
    [".gitmodules", (place) => place.commit({ ".gitmodules": "" }), [".gitmodules"]],
  ])("%s", async ([, change, expected]) => {
    const place = await temporaryRepository();
    const base = await place.git("rev-parse", "HEAD");
    await change(place);
    const head = await place.git("rev-parse", "HEAD");
    expect(await submoduleChanges(gitIn(place.folder), base, head)).toEqual(expected);
    expect(await submoduleChanges(gitIn(place.folder), head, base)).toEqual(expected);
  });

  test("that cannot be looked at are an error: silence would let them through", async () => {
    const { folder } = await temporaryRepository();
    await expect(submoduleChanges(gitIn(folder), "HEAD", "0".repeat(40))).rejects.toThrow(
      /bad object|unable to read/,
    );
  });
});

type Parted = TestRepository & { base: string; work: string };

/** `work` and `main` went different ways from one commit; HEAD is detached. */
async function parted(ours: Record<string, string>, theirs: Record<string, string>): Promise<Parted> {
  const place = await temporaryRepository({ "a.txt": "one\n", [issue]: "open\n" });
  await place.git("checkout", "--quiet", "-b", "work");
  const work = await place.commit(ours);
  await place.git("checkout", "--quiet", "main");
  const base = await place.commit(theirs);
  await place.git("checkout", "--quiet", "--detach");
  return { ...place, base, work };
}

async function merge(place: Parted): Promise<string> {
  const git = gitIn(place.folder);
  const { tree } = await mergeTrees(git, place.base, place.work);
  const message = "FEAT-0001: 登录\n\nMonoco-Issue: FEAT-0001\n";
  return commitTree(git, { tree, parents: [place.base, place.work], message });
}

function move(place: Parted, commit: string) {
  return moveBase(gitIn(place.folder), { base: "main", commit, expected: place.base });
}

/** The folder that has main checked out: the main worktree, or a linked one beside it. */
async function checkedOut(place: Parted, name?: string): Promise<string> {
  if (name === undefined) {
    await place.git("checkout", "--quiet", "main");
    return place.folder;
  }
  const folder = join(place.outside, name);
  await place.git("worktree", "add", "--quiet", folder, "main");
  return folder;
}

async function gitlink(place: TestRepository, path: string): Promise<void> {
  mkdirSync(join(place.folder, path));
  const head = await place.git("rev-parse", "HEAD");
  await place.git("update-index", "--add", "--cacheinfo", `160000,${head},${path}`);
  await place.git("commit", "--quiet", "--message", "a submodule");
}

async function filesOf(place: TestRepository, tree: string): Promise<string[]> {
  return (await place.git("ls-tree", "-r", "-z", "--name-only", tree)).split("\0").filter(Boolean);
}

function scratchOf(place: TestRepository, n = 0): string {
  return join(place.outside, `scratch ${n}`);
}

/** A lock that a killed git left some time ago. */
function leaveLock(folder: string, path: string): void {
  writeFiles(folder, { [path]: "" });
  const before = new Date(Date.now() - 60_000);
  utimesSync(join(folder, path), before, before);
}
