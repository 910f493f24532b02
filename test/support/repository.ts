/** Real repositories in temp folders that are gone after their test, and git as a person runs it, with a HOME of its own. */
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { execa } from "execa";
import { onTestFinished } from "vitest";

/** A folder that is deleted when the test is over. */
export function temporaryFolder(): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "monoco-test-")));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** What `git init` makes of a folder (made if missing), on branch main, without a process: hundreds of tests begin so. */
export function initRepository(folder: string, person?: { name: string; email: string }): void {
  const git = join(folder, ".git");
  for (const name of ["hooks", "info", "objects/info", "objects/pack", "refs/heads", "refs/tags"])
    mkdirSync(join(git, name), { recursive: true });
  writeFileSync(join(git, "HEAD"), "ref: refs/heads/main\n");
  const core =
    "[core]\n\trepositoryformatversion = 0\n\tfilemode = true\n\tbare = false\n\tlogallrefupdates = true\n";
  const user = person ? `[user]\n\tname = ${person.name}\n\temail = ${person.email}\n` : "";
  writeFileSync(join(git, "config"), core + user);
  writeFileSync(join(git, "info", "exclude"), "");
}

/** `git ARGS` without any of monoco's precautions; resolves to its output, rejects where it fails. */
export type PlainGit = (...args: string[]) => Promise<string>;

export type TestRepository = {
  folder: string;
  /** A temp folder around the repository, for clones and worktrees beside it. */
  outside: string;
  git: PlainGit;
  /** Writes the files and commits all that is in the worktree; the commit. */
  commit(files: Readonly<Record<string, string>>, message?: string): Promise<string>;
};

/** A repository on branch main with one commit of `files`. */
export async function temporaryRepository(
  files: Readonly<Record<string, string>> = { "a.txt": "one\n" },
  name = "repository",
): Promise<TestRepository> {
  const outside = temporaryFolder();
  useHome(join(outside, "home"));
  const folder = join(outside, name);
  initRepository(folder);
  const git = plainGit(folder);
  const commit = async (files: Readonly<Record<string, string>>, message: string): Promise<void> => {
    writeFiles(folder, files);
    await git("add", "--all");
    await git("commit", "--quiet", "--allow-empty", "--message", message);
  };
  const repository: TestRepository = {
    folder,
    outside,
    git,
    commit: async (files, message = "work") => {
      await commit(files, message);
      return git("rev-parse", "HEAD");
    },
  };
  await commit(files, "base");
  return repository;
}

export function plainGit(folder: string): PlainGit {
  return async (...args) => {
    const { stdout } = await execa("git", args, { cwd: folder, stdin: "ignore" });
    return stdout;
  };
}

export function writeFiles(folder: string, files: Readonly<Record<string, string>>): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
}

const identity = "[user]\n\tname = A Person\n\temail = person@example.invalid\n";

/** For this test, HOME is `home`, with an identity for git in it; the real one is neither read nor written. */
function useHome(home: string): void {
  const before = { HOME: process.env["HOME"], XDG_CONFIG_HOME: process.env["XDG_CONFIG_HOME"] };
  mkdirSync(home);
  writeFileSync(join(home, ".gitconfig"), identity);
  process.env["HOME"] = home;
  delete process.env["XDG_CONFIG_HOME"];
  onTestFinished(() => {
    for (const [name, value] of Object.entries(before)) {
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
    }
  });
}
