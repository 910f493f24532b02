/** Wherever a repository keeps its git directory, an issue runs to its merge from there, and the checkout follows. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, vi } from "vitest";
import { approves, openPlace, works } from "../support/place.ts";
import { testRows } from "../support/full.ts";

vi.setConfig({ testTimeout: 120_000 });

type Layout = {
  name: string;
  /** Run in the folder beside the place's repository, whose path is $P. */
  make: string;
  /** The folder that monoco is run in. */
  run: string;
  /** The checkout of the base, if there is one. */
  base?: string;
  /** The folder that gets `.monoco`. */
  root: string;
};

const bare = (at: string): string =>
  `git clone -q --bare "$P" ${at}; git -C ${at} config user.name a; git -C ${at} config user.email a@b`;
const layouts: Layout[] = [
  {
    name: ".bare, in its worktree of the base",
    make: `mkdir r; ${bare("r/.bare")}; echo "gitdir: ./.bare" > r/.git; git -C r worktree add -q main main`,
    run: "r/main",
    base: "r/main",
    root: "r/.bare",
  },
  {
    name: ".bare, in a worktree of another branch",
    make: `mkdir r; ${bare("r/.bare")}; git -C r/.bare worktree add -q -b side ../side`,
    run: "r/side",
    root: "r/.bare",
  },
  {
    name: "a bare repository whose worktrees are elsewhere",
    make: `${bare("r.git")}; git -C r.git worktree add -q ../here main`,
    run: "here",
    base: "here",
    root: "r.git",
  },
  { name: "plain", make: `git clone -q "$P" r`, run: "r", base: "r", root: "r" },
  {
    name: "a linked worktree",
    make: `git clone -q "$P" r; git -C r worktree add -q -b side ../side`,
    run: "side",
    base: "r",
    root: "r",
  },
  {
    name: "a submodule",
    make: `git init -q r; git -C r -c protocol.file.allow=always submodule --quiet add "$P" sub; git -C r/sub checkout -q -B main`,
    run: "r/sub",
    base: "r/sub",
    root: "r/sub",
  },
  {
    name: "a linked worktree of a submodule",
    make: `git init -q r; git -C r -c protocol.file.allow=always submodule --quiet add "$P" sub; git -C r/sub checkout -q -B main; git -C r/sub worktree add -q -b side ../../side`,
    run: "side",
    base: "r/sub",
    root: "r/sub",
  },
  {
    name: "a git directory elsewhere",
    make: `git clone -q --separate-git-dir g "$P" r`,
    run: "r",
    base: "r",
    root: "r",
  },
  {
    name: "a git directory behind a link",
    make: `git clone -q "$P" r; mv r/.git g; ln -s ../g r/.git`,
    run: "r",
    base: "r",
    root: "r",
  },
  { name: "a subdirectory", make: `git clone -q "$P" r; mkdir r/sub`, run: "r/sub", base: "r", root: "r" },
  { name: "through a link", make: `git clone -q "$P" r; ln -s r l`, run: "l", base: "r", root: "r" },
];

testRows(layouts)("$name", async ({ make, run, base, root }) => {
  const story = { executor: [works], reviewer: [approves] };
  // The default sandbox hides the repository and shows its objects, wherever they are.
  const { sandbox, around, project } = await openPlace(story, { sandbox: "default" });
  await sandbox.sh(around, `P=${JSON.stringify(project)}; set -e; ${make}`);
  const cwd = join(around, run);
  const ran = await sandbox.monoco(["run", "FEAT-0001"], { cwd });
  expect(ran, ran.stdout + ran.stderr).toMatchObject({ exitCode: 0 });
  expect(await sandbox.git(cwd, "log", "-1", "--format=%s", "main")).toBe("FEAT-0001: Write a file");
  expect((await sandbox.monoco(["relay", "status", "FEAT-0001"], { cwd })).stdout).toMatch(/done/);
  const made = await sandbox.sh(around, "find . -name .monoco -prune -not -path './home/*'");
  expect(made).toBe(`./${root}/.monoco`);
  if (base === undefined) return;
  expect(existsSync(join(around, base, "file.txt"))).toBe(true);
  expect(await sandbox.git(join(around, base), "status", "--porcelain")).toBe("");
});
