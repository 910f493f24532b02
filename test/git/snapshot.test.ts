/** Uncommitted work as a tree: everything that is work, nothing else, and never at the person's expense. */
import { chmodSync, mkdirSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { execaSync } from "execa";
import { describe, expect, test } from "vitest";
import { snapshotFileBytesMax, snapshotFilesMax } from "../../src/core/limits.ts";
import { gitIn } from "../../src/git/git.ts";
import { keepTree, namesBetween, takeSnapshot } from "../../src/git/snapshot.ts";
import { makeClone } from "../../src/git/clone/workspace.ts";
import { plainGit, temporaryRepository, writeFiles } from "../support/repository.ts";
import type { TestRepository } from "../support/repository.ts";
import { full, testRows } from "../support/full.ts";

type Place = TestRepository & { workspace: string; head: string };

test("a workspace in which nothing was done has no tree of its own", async () => {
  const place = await workspaceOf({ "a.txt": "one\n", "b/c.txt": "two\n" });
  expect(await snapshot(place)).toEqual({ tree: undefined, uncommitted: [], leftOut: [], repositories: [] });
});

// TRAP 9, TRAP 20
testRows<[string, (workspace: string) => void, string[]]>([
  ["a new file", (w) => writeFiles(w, { "new/deep/file.txt": "new\n" }), ["new/deep/file.txt"]],
  ["an edited file", (w) => writeFiles(w, { "a.txt": "two\n" }), ["a.txt"]],
  ["an edit of the same length", (w) => writeFiles(w, { "a.txt": "eno\n" }), ["a.txt"]],
  ["a deleted file", (w) => rmSync(join(w, "a.txt")), ["a.txt"]],
  ["a deleted folder", (w) => rmSync(join(w, "b"), { recursive: true }), ["b/c.txt"]],
  ["an executable bit", (w) => chmodSync(join(w, "a.txt"), 0o755), ["a.txt"]],
  ["a link", (w) => symlinkSync("/etc/passwd", join(w, "link")), ["link"]],
  ["a link to nowhere", (w) => symlinkSync("nowhere", join(w, "link")), ["link"]],
  [
    "a file that became a folder",
    (w) => shell(w, "rm a.txt && mkdir a.txt && echo 1 > a.txt/x"),
    ["a.txt", "a.txt/x"],
  ],
  ["a folder that became a file", (w) => shell(w, "rm -r b && echo 1 > b"), ["b", "b/c.txt"]],
  ["a folder that became a link", (w) => shell(w, "mv b d && ln -s d b"), ["b", "b/c.txt", "d/c.txt"]],
  // TRAP 34
  [
    "names in any script",
    (w) => writeFiles(w, { '登录/ö "q".txt': "1", "tab\tline\nend": "2" }),
    ["tab\tline\nend", '登录/ö "q".txt'],
  ],
  ["a name like an option", (w) => writeFiles(w, { "--all": "1", "-": "2" }), ["-", "--all"]],
  [
    "a changed and a new .gitignore",
    (w) => writeFiles(w, { ".gitignore": "*.log\n", "x.log": "" }),
    [".gitignore"],
  ],
])("%s is work", async ([, change, uncommitted]) => {
  const place = await workspaceOf({ "a.txt": "one\n", "b/c.txt": "two\n" });
  change(place.workspace);
  const taken = await snapshot(place);
  expect(taken).toEqual({ tree: expect.any(String), uncommitted, leftOut: [], repositories: [] });
  // What plain git, in a clone that nobody tampered with, makes of the same files.
  const plain = plainGit(place.workspace);
  await plain("add", "--all");
  expect(taken.tree).toBe(await plain("write-tree"));
});

test("the agent's own commits and staged files make no difference: the files count", async () => {
  const place = await workspaceOf({ "a.txt": "one\n" });
  writeFiles(place.workspace, { "staged.txt": "1", "committed.txt": "2" });
  await plainGit(place.workspace)("add", "committed.txt");
  await plainGit(place.workspace)("commit", "--quiet", "--message", "not fetched yet");
  await plainGit(place.workspace)("add", "staged.txt");
  expect((await snapshot(place)).uncommitted).toEqual(["committed.txt", "staged.txt"]);
});

describe("left out, and said, is", () => {
  // TRAP 46
  test.for<[string, (workspace: string) => void, string[], string[]]>([
    [
      "a nested repository",
      (w) => shell(w, "git init -q n && cd n && echo 1 > x && git add x && git commit -qm n"),
      [],
      ["n/ (a repository of its own)"],
    ],
    [
      "a nested repository without a commit",
      (w) => shell(w, "git init -q n && echo 1 > n/x"),
      [],
      ["n/ (a repository of its own)"],
    ],
    [
      "a linked worktree",
      (w) => shell(w, "git worktree add -q n && echo 1 > n/x"),
      [],
      ["n/ (a repository of its own)"],
    ],
    [
      "a linked worktree in a folder that git ignores",
      (w) => shell(w, "echo n > .git/info/exclude && git worktree add -q n && echo 1 > n/x"),
      [],
      ["n/ (a repository of its own)"],
    ],
    [
      "only the .git itself, where it is empty",
      (w) => shell(w, "mkdir -p n/.git && echo 1 > n/x"),
      ["n/x"],
      [],
    ],
    [
      "a file in whose place is a fifo",
      (w) => shell(w, "rm a.txt && mkfifo a.txt"),
      [],
      ["a.txt (no longer a file)"],
    ],
    [
      "a file that is too large",
      (w) => writeFileSync(join(w, "huge"), Buffer.alloc(snapshotFileBytesMax + 1)),
      [],
      ["huge (not a file of a sane size)"],
    ],
    // Less than the minute after which a git that hangs is ended.
  ])("%s", { timeout: 30_000 }, async ([, change, uncommitted, leftOut]) => {
    const place = await workspaceOf({ "a.txt": "one\n" });
    change(place.workspace);
    const tree = uncommitted.length > 0 ? expect.any(String) : undefined;
    const repositories = leftOut.includes("n/ (a repository of its own)") ? ["n"] : [];
    expect(await snapshot(place)).toEqual({ tree, uncommitted, leftOut, repositories });
  });

  full("a mass of new files; what was there before is still taken", async () => {
    const place = await workspaceOf({ "a.txt": "one\n" });
    writeFiles(place.workspace, { "a.txt": "two\n" });
    mkdirSync(join(place.workspace, "output"));
    for (let n = 0; n <= snapshotFilesMax; n++) writeFileSync(join(place.workspace, "output", `${n}`), "");
    expect(await snapshot(place)).toEqual({
      tree: expect.any(String),
      uncommitted: ["a.txt"],
      leftOut: [`${snapshotFilesMax + 1} untracked files that nothing ignores`],
      repositories: [],
    });
  });
});

describe("no work are", () => {
  test("fifos", async () => {
    const place = await workspaceOf({ "a.txt": "one\n" });
    shell(place.workspace, "mkfifo pipe");
    expect(await snapshot(place)).toEqual({
      tree: undefined,
      uncommitted: [],
      leftOut: [],
      repositories: [],
    });
  });

  test("ignored files, by the repository and by the person", async () => {
    const place = await workspaceOf({ ".gitignore": "/dist\n*.log\n" });
    await place.git("config", "--global", "core.excludesFile", join(place.outside, "ignored"));
    writeFileSync(join(place.outside, "ignored"), ".idea\n");
    writeFiles(place.workspace, { "dist/x.js": "1", "deep/x.log": "1", ".idea/x": "1" });
    expect(await snapshot(place)).toEqual({
      tree: undefined,
      uncommitted: [],
      leftOut: [],
      repositories: [],
    });
  });

  test.for<[string, Record<string, string>]>([
    ["new", { "a.txt": "one\n" }],
    ["committed once by somebody", { "a.txt": "one\n", "RALPH.md": "old\n" }],
  ])("RALPH.md in the root: %s", async ([, files]) => {
    const place = await workspaceOf(files);
    writeFiles(place.workspace, { "RALPH.md": "# RALPH.md\n" });
    expect((await snapshot(place)).uncommitted).toEqual([]);
    writeFiles(place.workspace, { "docs/RALPH.md": "about it\n" });
    expect((await snapshot(place)).uncommitted).toEqual(["docs/RALPH.md"]);
  });
});

describe("a fresh clone differs in nothing from its commit", () => {
  test.for<[string, string, string | Buffer]>([
    ["with line ends by .gitattributes", "*.bat text eol=crlf", "echo\necho\n"],
    ["with $Id$", "*.bat ident", "$Id$\n"],
    ["with another encoding", "*.bat working-tree-encoding=UTF-16LE", Buffer.from("text\n", "utf16le")],
    ["with a filter that nobody has", "*.bat filter=nobody", "text\n"],
  ])("%s", async ([, attributes, text]) => {
    const repository = await temporaryRepository({ ".gitattributes": `${attributes}\n` });
    writeFileSync(join(repository.folder, "x.bat"), text);
    const place = await cloneOf(repository, await repository.commit({}));
    expect(await snapshot(place)).toEqual({
      tree: undefined,
      uncommitted: [],
      leftOut: [],
      repositories: [],
    });
  });

  test("with line ends by the person's own settings", async () => {
    const repository = await temporaryRepository({ "a.txt": "one\ntwo\n" });
    await repository.git("config", "--global", "core.autocrlf", "true");
    await repository.git("config", "--global", "core.safecrlf", "true");
    const place = await cloneOf(repository, await repository.git("rev-parse", "HEAD"));
    expect((await snapshot(place)).uncommitted).toEqual([]);
    writeFiles(place.workspace, { "mixed.txt": "one\r\ntwo\n" });
    expect((await snapshot(place)).uncommitted).toEqual(["mixed.txt"]);
  });
});

test("a file that is not in the encoding that an agent claims is kept byte for byte", async () => {
  const place = await workspaceOf({ "a.txt": "one\n" });
  writeFiles(place.workspace, { ".gitattributes": "*.txt working-tree-encoding=UTF-16\n", "b.txt": "odd" });
  const { tree, uncommitted } = await snapshot(place);
  expect(uncommitted).toEqual([".gitattributes", "b.txt"]);
  expect(await place.git("cat-file", "blob", `${tree}:b.txt`)).toBe("odd");
});

test("no filter is run, not even the person's own: an agent chooses what .gitattributes say", async () => {
  const place = await workspaceOf({ "a.txt": "one\n" });
  await place.git("config", "--global", "filter.shout.clean", "tr a-z A-Z");
  writeFiles(place.workspace, { ".gitattributes": "*.txt filter=shout\n", "b.txt": "quiet\n" });
  const raw = await place.git("hash-object", "--no-filters", join(place.workspace, "b.txt"));
  expect(await plainGit(place.workspace)("hash-object", "b.txt")).not.toBe(raw);
  const { tree, uncommitted } = await snapshot(place);
  expect(uncommitted).toEqual([".gitattributes", "b.txt"]);
  expect(await place.git("rev-parse", `${tree}:b.txt`)).toBe(raw);
});

// TRAP 28
test("the person's repository gets objects and nothing else: index, worktree and refs are as they were", async () => {
  const place = await workspaceOf({ "a.txt": "one\n" });
  writeFiles(place.folder, { "a.txt": "being edited\n", "staged.txt": "1", "untracked.txt": "2" });
  await place.git("add", "staged.txt");
  writeFiles(place.workspace, { "a.txt": "agent\n", "new.txt": "agent\n" });
  const look = async () => ({
    status: await place.git("status", "--porcelain"),
    index: await place.git("ls-files", "--stage"),
    refs: await place.git("for-each-ref"),
    workspace: await plainGit(place.workspace)("status", "--porcelain"),
    folder: readdirSync(join(place.folder, ".git")).sort(),
  });
  const before = await look();
  const { tree } = await snapshot(place);
  expect(await look()).toEqual(before);
  expect(await place.git("cat-file", "blob", `${tree}:new.txt`)).toBe("agent");
});

test("a snapshot is kept as a commit on the head, under a ref of its own", async () => {
  const place = await workspaceOf({ "a.txt": "one\n" });
  writeFiles(place.workspace, { "新.txt": "new\n" });
  const { tree } = await snapshot(place);
  const ref = "refs/monoco/FEAT-0001/sessions/1/wip";
  const commit = await keepTree(gitIn(place.folder), {
    tree: tree!,
    parents: [place.head],
    ref,
    message: "Uncommitted work",
  });
  expect(await place.git("log", "-1", "--format=%H %P %T %an %s", ref)).toBe(
    `${commit} ${place.head} ${tree} A Person Uncommitted work`,
  );
  expect(await namesBetween(place.folder, place.head, commit)).toEqual(["新.txt"]);
});

async function workspaceOf(files: Record<string, string>): Promise<Place> {
  const repository = await temporaryRepository(files);
  return cloneOf(repository, await repository.git("rev-parse", "HEAD"));
}

async function cloneOf(repository: TestRepository, head: string): Promise<Place> {
  const workspace = join(repository.outside, "work space 区");
  await makeClone(
    {
      root: repository.folder,
      base: "main",
      ref: "HEAD",
      branch: "monoco/FEAT-0001",
      clones: "borrowed" as const,
    },
    workspace,
  );
  return { ...repository, workspace, head };
}

function snapshot({ folder, workspace, head }: Place) {
  return takeSnapshot({ root: folder, commonDir: join(folder, ".git") }, workspace, head);
}

function shell(cwd: string, script: string): void {
  execaSync("/bin/sh", ["-ec", script], { cwd });
}
