/** Runs git and gh as the person: with their environment, configuration and credentials, and never with a prompt. */
import { spawn } from "node:child_process";
import { importBytesMax, publishMsMax } from "../core/limits.ts";
import { needPipes } from "../io/need-pipes.ts";

export type PersonRun = {
  cwd: string;
  env: Readonly<Record<string, string | undefined>>;
  input?: string;
};

/** `missing`: the program does not exist. `exitCode` is null if the program was killed because it took too long. */
export type PersonRan = { exitCode: number | null; stdout: string; stderr: string; missing: boolean };

/** The variables that git sets for its hooks: they may name another repository. */
const othersGit =
  /^GIT_(DIR|WORK_TREE|INDEX_FILE|PREFIX|OBJECT_DIRECTORY|COMMON_DIR|NAMESPACE|QUARANTINE_PATH)$/;

/** Rejects only if too many files are open. A program that would ask a question fails instead. */
export async function runAsPerson(
  program: string,
  args: readonly string[],
  { cwd, env, input = "" }: PersonRun,
): Promise<PersonRan> {
  const own = Object.entries(env).filter(([name]) => !othersGit.test(name));
  const quiet = {
    GIT_TERMINAL_PROMPT: "0",
    GH_PROMPT_DISABLED: "1",
    GH_NO_UPDATE_NOTIFIER: "1",
    NO_COLOR: "1",
  };
  needPipes();
  const child = spawn(program, args, {
    cwd,
    env: { ...Object.fromEntries(own), ...quiet },
    stdio: ["pipe", "pipe", "pipe"],
    // A process in a session of its own has no terminal, so ssh cannot wait for a password there.
    detached: true,
  });
  const read = { stdout: "", stderr: "" };
  for (const name of ["stdout", "stderr"] as const) {
    child[name].setEncoding("utf8").on("data", (text: string) => {
      if (read[name].length < importBytesMax) read[name] += text;
    });
  }
  // spawn's own timeout keeps running if the program did not start, and keeps the process alive.
  let timer = setTimeout(() => child.kill("SIGKILL"), publishMsMax);
  // The program may end without reading its input.
  child.stdin.on("error", () => undefined).end(input);
  return new Promise((resolve) => {
    child.on("error", (error: NodeJS.ErrnoException) => {
      if (child.pid !== undefined) return;
      clearTimeout(timer);
      const missing = error.code === "ENOENT";
      resolve({ exitCode: null, ...read, stderr: error.message, missing });
    });
    // A background process of the program (a credential cache) may keep the pipes open.
    child.on("exit", () => {
      clearTimeout(timer);
      timer = setTimeout(() => [child.stdout, child.stderr].map((pipe) => pipe.destroy()), drainMs);
    });
    child.on("close", (exitCode) => {
      clearTimeout(timer);
      resolve({ exitCode, ...read, missing: false });
    });
  });
}

/** The time for which the pipes are read after the program's end, in ms. */
const drainMs = 2_000;
