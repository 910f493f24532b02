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

export type Playground = {
  folder: string;
  env: Readonly<Record<string, string>>;
  /** Runs a program to its end and answers with the milliseconds that took. Throws unless it exits with `exitCode`. */
  time(argv: readonly string[], options: RunOptions): number;
  /** A repository with `files` in its first commit. */
  repository(name: string, files: Readonly<Record<string, string>>): string;
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
      const { status, error, stderr } = spawnSync(program!, args, {
        cwd: options.cwd,
        env: { ...env, ...options.env },
        input: options.input ?? "",
        maxBuffer: 16 * 1024 * 1024,
      });
      const took = performance.now() - began;
      if (error || status !== (options.exitCode ?? 0)) {
        throw new Error(`${program} ${args.join(" ")}: exit status ${status}\n${String(stderr)}`, {
          cause: error,
        });
      }
      return took;
    },
    repository: (name, files) => {
      const root = join(folder, name);
      const git = (...args: string[]): unknown => execFileSync("git", args, { cwd: root, env });
      for (const [path, text] of Object.entries(files)) {
        mkdirSync(dirname(join(root, path)), { recursive: true });
        writeFileSync(join(root, path), text);
      }
      git("init", "--quiet", "--initial-branch=main");
      git("add", "--all");
      git("commit", "--quiet", "--message", "Begin");
      return root;
    },
    dispose: () => rmSync(folder, { recursive: true, force: true }),
  };
}
