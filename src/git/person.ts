/** Runs git and gh as the person does: their environment, configuration and credentials, never a prompt. For what is the person's own act. */
import { spawn } from "node:child_process";
import { importBytesMax, publishMsMax } from "../core/limits.ts";
import { needPipes } from "../io/need-pipes.ts";

export type PersonRun = {
  cwd: string;
  env: Readonly<Record<string, string | undefined>>;
  input?: string;
};

/** `missing`: the program does not exist. Without an exit status it was killed: it took too long. */
export type PersonRan = { exitCode: number | null; stdout: string; stderr: string; missing: boolean };

/** What a git that runs a hook tells its children of itself: of another repository, maybe. */
const othersGit =
  /^GIT_(DIR|WORK_TREE|INDEX_FILE|PREFIX|OBJECT_DIRECTORY|COMMON_DIR|NAMESPACE|QUARANTINE_PATH)$/;

/** Rejects only where too many files are open. Nobody is there to answer: a program that would ask fails instead. */
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
    // A session of its own has no terminal: ssh cannot ask for a password there, and wait for ever.
    detached: true,
  });
  const read = { stdout: "", stderr: "" };
  for (const name of ["stdout", "stderr"] as const) {
    child[name].setEncoding("utf8").on("data", (text: string) => {
      if (read[name].length < importBytesMax) read[name] += text;
    });
  }
  // Not by spawn's own: that one goes on where the program could not be started, and holds the process for as long.
  let timer = setTimeout(() => child.kill("SIGKILL"), publishMsMax);
  // It may end without reading.
  child.stdin.on("error", () => undefined).end(input);
  return new Promise((resolve) => {
    child.on("error", (error: NodeJS.ErrnoException) => {
      if (child.pid !== undefined) return;
      clearTimeout(timer);
      const missing = error.code === "ENOENT";
      resolve({ exitCode: null, ...read, stderr: error.message, missing });
    });
    // What it has started in the background (a cache for credentials) may hold its pipes open.
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

/** How long its pipes are read after its end, ms. */
const drainMs = 2_000;
