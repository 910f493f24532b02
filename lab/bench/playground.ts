/** Where the bench works: a temp folder with a home of its own, programs run in it, repositories made in it. */
import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

/** The program of the build in a clone of this repository. */
export const cliIn = (clone: string): string => join(clone, "dist/cli.js");
/** What is measured: this build, by "", and another one, by what is added to the names of its rows. */
export type Builds = Readonly<Record<string, string>>;
export const cli = cliIn(join(import.meta.dirname, "../.."));
export const beside = (name: string): string => join(import.meta.dirname, name);

/** What all parts of the bench are given. `runs`: of each loop, where a part is not to choose; `scale`: of the sizes of the parts that take long. */
export type Bench = {
  playground: Playground;
  builds: Builds;
  rounds: number;
  runs: number | undefined;
  sessions: number;
  /** Repositories of the person's, of which clones are made. */
  repositories: readonly string[];
  scale: number;
};

export type Playground = {
  folder: string;
  env: Readonly<Record<string, string>>;
  /** Runs a program to its end and answers with the milliseconds that took. Throws unless it exits with `exitCode`. */
  time(argv: readonly string[], options: RunOptions): number;
  /** A repository with `files` in its first commit, or in one after those of `history`, a repository to clone. */
  repository(name: string, files: Readonly<Record<string, string>>, history?: string): string;
  dispose(): void;
};

export type RunOptions = {
  cwd: string;
  env?: Readonly<Record<string, string>>;
  input?: string;
  exitCode?: number;
};

export function openPlayground(): Playground {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "monoco-bench-")));
  const env = {
    PATH: process.env["PATH"] ?? "",
    HOME: join(folder, "home"),
    XDG_STATE_HOME: join(folder, "state"),
    TMPDIR: join(folder, "tmp"),
    LANG: "C.UTF-8",
  };
  mkdirSync(env.HOME);
  mkdirSync(env.TMPDIR);
  writeFileSync(join(env.HOME, ".gitconfig"), "[user]\n\tname = Bench\n\temail = bench@example.invalid\n");
  return {
    folder,
    env,
    time: ([program, ...args], options) => {
      const began = performance.now();
      const { status, error, stdout, stderr } = spawnSync(program!, args, {
        cwd: options.cwd,
        env: { ...env, ...options.env },
        input: options.input ?? "",
        maxBuffer: 16 * 1024 * 1024,
      });
      const took = performance.now() - began;
      if (error || status !== (options.exitCode ?? 0)) {
        throw new Error(
          `${program} ${args.join(" ")}: exit status ${status}\n${String(stdout)}${String(stderr)}`,
          {
            cause: error,
          },
        );
      }
      return took;
    },
    repository: (name, files, history) => {
      const root = join(folder, name);
      const git = (...args: string[]): unknown => execFileSync("git", args, { cwd: root, env });
      mkdirSync(root, { recursive: true });
      if (history !== undefined) {
        git("clone", "--quiet", history, ".");
        git("checkout", "--quiet", "-B", "main");
      } else git("init", "--quiet", "--initial-branch=main");
      for (const [path, text] of Object.entries(files)) {
        mkdirSync(dirname(join(root, path)), { recursive: true });
        writeFileSync(join(root, path), text);
      }
      git("add", "--all");
      git("commit", "--quiet", "--message", "Begin");
      return root;
    },
    dispose: () => rmSync(folder, { recursive: true, force: true }),
  };
}
