/** Runs git and gh as the person: with their environment, configuration and credentials. */
import { spawn } from "node:child_process";
import { readlinkSync } from "node:fs";
import { attempt } from "../core/error/attempt.ts";
import { importBytesMax, publishMsMax } from "../core/limits.ts";
import { needPipes } from "../io/need-pipes.ts";

export type PersonRun = {
  cwd: string;
  env: Readonly<Record<string, string | undefined>>;
  input?: string;
  /** The program is killed after this time. */
  msMax?: number;
  /** The program may ask at the terminal; else it fails instead of asking. */
  terminal?: boolean;
};

/** `missing`: the program does not exist. `exitCode` is null if the program was killed because it took too long. */
export type PersonRan = { exitCode: number | null; stdout: string; stderr: string; missing: boolean };

/** The variables that git sets for its hooks: they may name another repository. */
const othersGit =
  /^GIT_(DIR|WORK_TREE|INDEX_FILE|PREFIX|OBJECT_DIRECTORY|COMMON_DIR|NAMESPACE|QUARANTINE_PATH)$/;

const quiet = {
  GIT_TERMINAL_PROMPT: "0",
  GH_PROMPT_DISABLED: "1",
  GH_NO_UPDATE_NOTIFIER: "1",
  NO_COLOR: "1",
};

/** gpg finds the terminal by this variable, since git gives it another standard input. */
const asking = (): Record<string, string> => {
  const terminal = attempt(() => readlinkSync("/proc/self/fd/0"), "");
  return terminal.startsWith("/dev/") ? { GPG_TTY: terminal } : {};
};

/** The sessions of programs that run, by their first process. */
const sessions = new Set<number>();

/** Ends every program that runs without a terminal: the last step before an exit. Git takes its locks with it. */
export function endAllAsPerson(): void {
  for (const pid of sessions) attempt(() => process.kill(-pid, "SIGTERM"), false);
}

/** Rejects only if too many files are open. */
export async function runAsPerson(
  program: string,
  args: readonly string[],
  { cwd, env, input = "", msMax = publishMsMax, terminal = false }: PersonRun,
): Promise<PersonRan> {
  const own = Object.entries(env).filter(([name]) => !othersGit.test(name));
  needPipes();
  const child = spawn(program, args, {
    cwd,
    env: { ...Object.fromEntries(own), ...(terminal ? asking() : quiet) },
    stdio: ["pipe", "pipe", terminal ? "inherit" : "pipe"],
    // A process in a session of its own has no terminal, so ssh cannot wait for a password there.
    detached: !terminal,
  });
  const { pid } = child;
  if (pid !== undefined && !terminal) sessions.add(pid);
  const read = { stdout: "", stderr: "" };
  for (const name of ["stdout", "stderr"] as const) {
    child[name]?.setEncoding("utf8").on("data", (text: string) => {
      if (read[name].length < importBytesMax) read[name] += text;
    });
  }
  // spawn's own timeout keeps running if the program did not start, and keeps the process alive.
  let timer = setTimeout(() => {
    // The program's own children, too: they are of its session.
    if (terminal) child.kill("SIGKILL");
    else attempt(() => process.kill(-pid!, "SIGKILL"), false);
  }, msMax);
  // The program may end without reading its input.
  child.stdin?.on("error", () => undefined).end(input);
  return new Promise((resolve) => {
    child.on("error", (error: NodeJS.ErrnoException) => {
      if (pid !== undefined) return;
      clearTimeout(timer);
      const missing = error.code === "ENOENT";
      resolve({ exitCode: null, ...read, stderr: error.message, missing });
    });
    // A background process of the program (a credential cache) may keep the pipes open.
    child.on("exit", () => {
      sessions.delete(pid!);
      clearTimeout(timer);
      timer = setTimeout(() => [child.stdout, child.stderr].map((pipe) => pipe?.destroy()), drainMs);
    });
    child.on("close", (exitCode) => {
      clearTimeout(timer);
      resolve({ exitCode, ...read, missing: false });
    });
  });
}

/** The time for which the pipes are read after the program's end, in ms. */
const drainMs = 2_000;
