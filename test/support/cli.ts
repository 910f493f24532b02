/** Runs the command line, in process or as a child process, in a temp folder with a HOME and a state folder of its own. */
import {
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  readlinkSync,
  realpathSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { PassThrough, Readable } from "node:stream";
import { text } from "node:stream/consumers";
import { execa } from "execa";
import { attempt } from "../../src/core/error/attempt.ts";
import type { RelayEvent } from "../../src/core/journal/event.ts";
import { removeTree } from "../../src/git/folders.ts";
import { main } from "../../src/main.ts";
import { readJournal } from "../../src/store/journal.ts";

export const cliPath = fileURLToPath(new URL("../../dist/cli.js", import.meta.url));
export const fixture = (name: string): string =>
  fileURLToPath(new URL(`../fixtures/${name}`, import.meta.url));

/** The cache of set-up.ts: without it each sandbox's sessions would begin by compiling the sources. */
const cache = process.env["NODE_COMPILE_CACHE"];
const compiled = cache ? { NODE_COMPILE_CACHE: cache } : {};

export type Ran = {
  exitCode: number | undefined;
  stdout: string;
  stderr: string;
  signal: string | undefined;
};

export type Running = Promise<Ran> & { kill(signal: NodeJS.Signals): void };

/** `env` goes before the sandbox's own, and undefined takes a variable away; `under` is a command line that runs the program. */
export type RunOptions = {
  cwd?: string;
  env?: Readonly<Record<string, string | undefined>>;
  input?: string;
  under?: readonly string[];
};

/** What node reads once, when it starts, and where monoco finds out once a process what works. */
const ofProcess = ["NODE_OPTIONS", "PATH", "TZ"];

/** A temp folder with a home, and monoco run in it; `dispose` removes all of it. */
export type Sandbox = {
  folder: string;
  env: Record<string, string>;
  /** In process, unless the options ask for what only a process has. */
  monoco(args: readonly string[], options?: RunOptions): Promise<Ran>;
  /** As a process of its own, while it runs: something to signal, and a promise of its end. */
  start(args: readonly string[], options?: RunOptions): Running;
  git(cwd: string, ...args: string[]): Promise<string>;
  sh(cwd: string, command: string): Promise<string>;
  dispose(): void;
};

/** The person's own settings: most tests are not about the sandbox, and run without one. */
const ownSettings = ".config/monoco/config.yaml";

/** With `sandbox: "default"` monoco's own default is in force. */
export function openSandbox(options: { sandbox?: "none" | "default" } = {}): Sandbox {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "monoco-test-")));
  const home = join(folder, "home");
  mkdirSync(home);
  if (options.sandbox !== "default") {
    mkdirSync(dirname(join(home, ownSettings)), { recursive: true });
    writeFileSync(join(home, ownSettings), "sandbox: none\n");
  }
  const env = {
    PATH: process.env["PATH"] ?? "",
    HOME: home,
    XDG_STATE_HOME: join(folder, "state"),
    GIT_CONFIG_NOSYSTEM: "1",
    GIT_AUTHOR_NAME: "Test",
    GIT_AUTHOR_EMAIL: "test@example.com",
    GIT_COMMITTER_NAME: "Test",
    GIT_COMMITTER_EMAIL: "test@example.com",
    LANG: "C.UTF-8",
    ...compiled,
  };
  const run = (file: string, args: readonly string[], cwd: string): Promise<string> =>
    execa(file, args, { cwd, env, extendEnv: false }).then((done) => done.stdout);
  const start: Sandbox["start"] = (args, options = {}) => {
    const [program = "", ...rest] = [...(options.under ?? []), process.execPath, cliPath, ...args];
    const child = execa(program, rest, {
      cwd: options.cwd ?? folder,
      env: { ...env, ...options.env },
      extendEnv: false,
      reject: false,
      ...(options.input === undefined ? { stdin: "ignore" as const } : { input: options.input }),
    });
    const ended = child.then(({ exitCode, stdout, stderr, signal }): Ran => ({
      exitCode,
      stdout,
      stderr,
      signal,
    }));
    return Object.assign(ended, { kill: (signal: NodeJS.Signals) => void child.kill(signal) });
  };
  return {
    folder,
    env,
    start,
    monoco: (args, options = {}) =>
      options.under || ofProcess.some((name) => options.env?.[name] !== undefined)
        ? start(args, options)
        : runHere(args, {
            cwd: options.cwd ?? folder,
            env: { ...env, ...options.env },
            input: options.input,
          }),
    git: (cwd, ...args) => run("git", args, cwd),
    sh: (cwd, command) => run("/bin/sh", ["-c", command], cwd),
    dispose: () => removeTree(folder),
  };
}

/** `monoco ARGS` in this very process, its output caught. */
async function runHere(
  args: readonly string[],
  { cwd, env, input }: { cwd: string; env: Record<string, string | undefined>; input: string | undefined },
): Promise<Ran> {
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  const printed = Promise.all([text(stdout), text(stderr)]);
  const stdin = Readable.from(input === undefined ? [] : [Buffer.from(input)], { objectMode: false });
  // A process knows its folder by its real path.
  const surroundings = { cwd: realpathSync(cwd), env, stdin, stdout, stderr, onStop: () => () => undefined };
  const exitCode = await main(args, surroundings);
  stdout.end();
  stderr.end();
  const [out, err] = await printed;
  return { exitCode, stdout: out.replace(/\n$/, ""), stderr: err.replace(/\n$/, ""), signal: undefined };
}

/** The events of a relay, by the library's own reader. */
export function eventsOf(project: string, issue: string): RelayEvent[] {
  return readJournal(join(project, ".monoco", "relays", issue, "journal.jsonl"));
}

/** Processes whose environment or working directory names the folder: what a run has left behind. */
export function processesOf(folder: string): string[] {
  if (process.platform !== "linux") return [];
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .filter((pid) => {
      try {
        const running = !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, "utf8"));
        if (!running) return false;
        const known = [readFileSync(`/proc/${pid}/environ`, "utf8"), readlinkSync(`/proc/${pid}/cwd`)];
        return known.some((text) => text.includes(folder));
      } catch {
        return false;
      }
    })
    .flatMap((pid) =>
      attempt(() => [readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ")], []),
    );
}
