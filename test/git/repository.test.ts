/** Finding the person's repository, from wherever one stands in it, and refusing what cannot be worked in. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { MonocoError } from "../../src/core/error/error.ts";
import { gitIn } from "../../src/git/git.ts";
import { withFile } from "../../src/git/landing.ts";
import {
  commitOf,
  commitsBetween,
  commitsOf,
  fileAt,
  isAncestor,
  mergeBase,
  moveRef,
  moveRefs,
  openRepository,
  treeOf,
} from "../../src/git/repository.ts";
import { takeSnapshot } from "../../src/git/snapshot.ts";
import { plainGit, temporaryFolder, temporaryRepository, writeFiles } from "../support/repository.ts";

describe("the repository", () => {
  // TRAP 33, TRAP 34
  test.for(["repository", "with blanks in it ", "仓库-ö", "it's (a) $name"])(
    "%j is found from its root, a subdirectory, and a linked worktree, whose root is the main worktree",
    async (name) => {
      const { folder, outside, git } = await temporaryRepository({ "a/b c/d.txt": "" }, name);
      const linked = join(outside, `linked ${name}`);
      await git("worktree", "add", "--quiet", "-b", "side", linked);
      const commonDir = join(folder, ".git");
      expect(await placeOf(folder)).toEqual({ root: folder, worktree: folder, commonDir });
      expect(await placeOf(join(folder, "a/b c"))).toEqual({ root: folder, worktree: folder, commonDir });
      expect(await placeOf(linked)).toEqual({ root: folder, worktree: linked, commonDir });
      expect(await placeOf(join(linked, "a"))).toEqual({ root: folder, worktree: linked, commonDir });
    },
  );
});

describe("refused, with a hint, is", () => {
  test("a folder that is in no repository", async () => {
    const folder = temporaryFolder();
    expect(await refusal(folder)).toEqual({
      kind: "input",
      message: `${folder} is not inside a git repository`,
      hint: "cd into one, or git init",
    });
  });

  test("a bare repository, and the inside of .git", async () => {
    const { folder, outside } = await temporaryRepository();
    await plainGit(outside)("clone", "--quiet", "--bare", "repository", "bare.git");
    for (const place of [join(outside, "bare.git"), join(folder, ".git")]) {
      expect(await refusal(place)).toEqual({
        kind: "input",
        message: `${place} is in a bare repository or inside .git`,
        hint: "run monoco in a worktree: git worktree list shows them",
      });
    }
  });

  test("a linked worktree of a repository whose git directory is elsewhere: it cannot tell the main one", async () => {
    const { outside, git } = await temporaryRepository();
    await git(
      "clone",
      "--quiet",
      "--separate-git-dir",
      join(outside, "git-dir"),
      ".",
      join(outside, "apart"),
    );
    const linked = join(outside, "linked");
    await plainGit(join(outside, "apart"))("worktree", "add", "--quiet", "-b", "side", linked);
    expect(await refusal(linked)).toEqual({
      kind: "input",
      message: `${linked} does not know the main worktree of ${join(outside, "git-dir")}`,
      hint: "run monoco in the main worktree of this repository",
    });
  });

  test("a folder with a line end in its name", async () => {
    const { folder } = await temporaryRepository({}, "two\nlines");
    expect(await refusal(folder)).toEqual({
      kind: "input",
      message: `${folder}: a folder on the way has a line end in its name`,
      hint: "rename it",
    });
  });

  // TRAP 48
  test.for<[string, string[], string, string]>([
    ["shallow", ["--depth=1"], "is a shallow clone", "git fetch --unshallow"],
    [
      "partial",
      ["--filter=blob:none"],
      "is a partial clone: its objects are not all here",
      "make a full clone: git clone without --filter",
    ],
  ])("a %s clone", async ([, flags, what, hint]) => {
    const { outside, git, commit } = await temporaryRepository();
    await commit({ "a.txt": "two\n" });
    await git("config", "uploadpack.allowFilter", "true");
    await plainGit(outside)("clone", "--quiet", ...flags, `file://${outside}/repository`, "clone");
    const root = join(outside, "clone");
    mkdirSync(join(root, "sub"));
    expect(await refusal(join(root, "sub"))).toEqual({ kind: "input", message: `${root} ${what}`, hint });
  });
});

describe("asking", () => {
  test("commits, trees, ancestors and files are told, and undefined where there is none", async () => {
    const { folder, git: plain, commit } = await temporaryRepository({ "ö/文件.txt": "ü\r\n" });
    const base = await plain("rev-parse", "HEAD");
    const next = await commit({ "b.txt": "" });
    await plain("checkout", "--quiet", "--orphan", "stranger");
    const stranger = await commit({ "c.txt": "" });
    const git = gitIn(folder);
    expect(await commitOf(git, "main")).toBe(next);
    expect(await commitOf(git, "nowhere")).toBeUndefined();
    expect(await commitsOf(git, ["main", "nowhere", base, `${base}^{tree}`])).toEqual([
      next,
      undefined,
      base,
      undefined,
    ]);
    expect(await treeOf(git, base)).toBe(await plain("rev-parse", `${base}^{tree}`));
    expect([await isAncestor(git, base, next), await isAncestor(git, next, base)]).toEqual([true, false]);
    expect([await mergeBase(git, next, base), await mergeBase(git, next, stranger)]).toEqual([
      base,
      undefined,
    ]);
    expect(await Promise.all([base, next].map((start) => commitsBetween(git, start, next)))).toEqual([1, 0]);
    expect(await fileAt(git, next, "ö/文件.txt")).toBe("ü\r\n");
    expect(await fileAt(git, next, "missing")).toBeUndefined();
  });
});

// For git a pipe that broke is the end of its input, and no failure.
describe("where git's pipe breaks, what it did not hear is not believed", () => {
  test("neither commits that it does not name, nor refs that it does not move", async () => {
    const { folder, outside, git: plain } = await temporaryRepository();
    const base = await plain("rev-parse", "HEAD");
    const git = gitIn(folder);
    breakPipes(outside, `${base}^{commit}\n`.length);
    await expect(commitsOf(git, [base, base])).rejects.toThrow("git cat-file answered for 1 of 2 names");
    breakPipes(outside, 0);
    await expect(commitsOf(git, [base, base])).rejects.toThrow("git cat-file answered for 0 of 2 names");
    expect(await moveRefs(git, [{ ref: "refs/monoco/x", to: base }])).toBe(false);
    expect(await commitsOf(git, [])).toEqual([]);
  });

  test("nor files that it does not take", async () => {
    const { folder, outside, git: plain } = await temporaryRepository();
    const base = await plain("rev-parse", "HEAD");
    const clone = join(outside, "clone");
    await plain("clone", "--quiet", folder, clone);
    writeFiles(clone, { "new.txt": "kept\n" });
    breakPipes(outside, 0);
    const at = { root: folder, commonDir: join(folder, ".git") };
    await expect(takeSnapshot(at, clone, base)).rejects.toThrow("git did not take all uncommitted files");
    const closed = { tree: base, path: "issue.md", text: "closed\n", scratch: join(outside, "scratch") };
    await expect(withFile(gitIn(folder), closed)).rejects.toThrow("git did not take the whole of issue.md");
  });
});

/** From now on git hears only the first bytes of what is written to it. */
function breakPipes(outside: string, bytes: number): void {
  const bin = join(outside, `breaks ${bytes}`);
  mkdirSync(bin);
  const script = `case " $* " in *" --stdin "*|*batch-check*) head -c ${bytes} | PATH=\${PATH#*:} git "$@";; *) PATH=\${PATH#*:} exec git "$@";; esac`;
  writeFileSync(join(bin, "git"), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  const before = process.env["PATH"] ?? "";
  process.env["PATH"] = `${bin}:${before}`;
  onTestFinished(() => void (process.env["PATH"] = before));
}

describe("a ref is moved only if it still is what the caller believes", () => {
  test.for<[string, "base" | "next" | "" | undefined, boolean]>([
    ["it is", "base", true],
    ["it is not", "next", false],
    ["it must not exist", "", false],
    ["nothing is believed", undefined, true],
  ])("%s", async ([, belief, moves]) => {
    const { folder, git: plain, commit } = await temporaryRepository();
    const base = await plain("rev-parse", "HEAD");
    const next = await commit({ "a.txt": "two\n" });
    await plain("update-ref", "refs/monoco/x", base);
    const expected = belief === "base" ? base : belief === "next" ? next : belief;
    expect(await moveRef(gitIn(folder), "refs/monoco/x", next, expected)).toBe(moves);
    expect(await plain("rev-parse", "refs/monoco/x")).toBe(moves ? next : base);
  });

  test("of several, all are or none is", async () => {
    const { folder, git: plain, commit } = await temporaryRepository();
    const base = await plain("rev-parse", "HEAD");
    const next = await commit({ "a.txt": "two\n" });
    await plain("update-ref", "refs/monoco/x", base);
    const git = gitIn(folder);
    const told = () => plain("for-each-ref", "--format=%(refname:short) %(objectname)", "refs/monoco");
    const made = { ref: "refs/monoco/y", to: next, expected: "" };
    const wrong = { ref: "refs/monoco/x", to: next, expected: next };
    expect(await moveRefs(git, [made, wrong])).toBe(false);
    expect(await told()).toBe(`monoco/x ${base}`);
    expect(await moveRefs(git, [made, { ref: "refs/monoco/x", to: next }])).toBe(true);
    expect(await told()).toBe(`monoco/x ${next}\nmonoco/y ${next}`);
    expect(await moveRefs(git, [made])).toBe(false);
  });

  test("a ref that must not exist is made once", async () => {
    const { folder, git: plain } = await temporaryRepository();
    const base = await plain("rev-parse", "HEAD");
    const made = await Promise.all([1, 2, 3].map(() => moveRef(gitIn(folder), "refs/monoco/new", base, "")));
    expect(made.filter(Boolean)).toEqual([true]);
  });
});

async function placeOf(cwd: string) {
  const { root, worktree, commonDir } = await openRepository(cwd);
  return { root, worktree, commonDir };
}

async function refusal(cwd: string) {
  const error: unknown = await openRepository(cwd).catch((error: unknown) => error);
  if (!(error instanceof MonocoError)) throw new Error("it was not refused", { cause: error });
  return { kind: error.kind, message: error.message, hint: error.hint };
}
