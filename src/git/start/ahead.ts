/** What nearly every command asks of git first, asked while the rest of the program is still being loaded. */
import { spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import type { Readable } from "node:stream";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { gitMsMax } from "../../core/limits.ts";
import { io } from "../../io/io.ts";
import { needPipes } from "../../io/need-pipes.ts";
import { tryGuard } from "./launcher.ts";
import { openReader } from "./reader.ts";
import type { Reader } from "./reader.ts";
import type { Ran } from "./shells.ts";
import { config, environment } from "./trusted.ts";

/** The common git directory, this worktree's own, and the worktree. */
export const foldersQuestion =
  "rev-parse --path-format=absolute --git-common-dir --git-dir --show-toplevel".split(" ");

/** Whether a repository is bare, or a partial clone, and how it keeps its refs and objects. */
export const kindQuestion = [
  ..."config --null --get-regexp".split(" "),
  "^(core\\.(bare|sharedrepository|logallrefupdates|fsync.*)|extensions\\..*|remote\\..*\\.promisor)$",
];

/** Answers that nobody has taken yet: undefined where git could not be started, or did not end. */
const answers = new Map<string, Promise<Ran | undefined>>();
/** Ended with the command: one that fails early does not wait for a git that is slow. */
const alive = new Set<ChildProcess>();
let kept: { directory: string; env: string; reader: Reader } | undefined;

const keyOf = (directory: string, args: readonly string[]): string =>
  JSON.stringify([directory, args, environment()]);

/** Asks for the command that is given here, until what is returned is called; `runs`: it keeps a git, and may wait for others. */
export function askAhead({ runs }: { runs: boolean }): () => void {
  const { cwd } = io();
  // As in most repositories; elsewhere it is asked once git has said where that is.
  const usual = join(cwd, ".git");
  const isUsual = existsSync(join(usual, "HEAD"));
  ask(cwd, foldersQuestion);
  if (isUsual) ask(usual, kindQuestion);
  if (runs && isUsual) {
    const env = environment();
    kept = {
      directory: cwd,
      env: JSON.stringify(env),
      reader: openReader(["git", ...config], { cwd, env }),
    };
  }
  if (runs) tryGuard();
  return () => {
    answers.clear();
    for (const child of alive) child.kill("SIGKILL");
    kept?.reader.close();
    kept = undefined;
  };
}

/** The answer to what was asked ahead, once: a moment later it may be another. */
export function askedAhead(directory: string, args: readonly string[]): Promise<Ran | undefined> | undefined {
  if (answers.size === 0) return undefined;
  const key = keyOf(directory, args);
  const answer = answers.get(key);
  answers.delete(key);
  return answer;
}

/** The git that is kept ahead for `directory`, from now on the caller's. */
export function readerAhead(directory: string): Reader | undefined {
  const mine = kept?.directory === directory && kept.env === JSON.stringify(environment()) ? kept : undefined;
  if (mine) kept = undefined;
  return mine?.reader;
}

function ask(cwd: string, args: readonly string[]): void {
  answers.set(keyOf(cwd, args), ran(cwd, args));
}

/** In a session of its own: a terminal's Ctrl-C is for monoco alone. */
function ran(cwd: string, args: readonly string[]): Promise<Ran | undefined> {
  const { promise, resolve } = Promise.withResolvers<Ran | undefined>();
  needPipes();
  const child = spawn("git", [...config, ...args], {
    cwd,
    env: environment(),
    detached: true,
    stdio: ["ignore", "pipe", "pipe"],
  });
  alive.add(child);
  // Node's own time limit would keep the process alive where git cannot be started.
  const timer = setTimeout(() => child.kill("SIGKILL"), gitMsMax).unref();
  const end = (answer: Ran | undefined): void => {
    clearTimeout(timer);
    alive.delete(child);
    resolve(answer);
  };
  const [stdout, stderr] = [child.stdout, child.stderr].map(textOf);
  child.once("error", () => end(undefined));
  child.once("close", (exitCode) =>
    end(exitCode === null ? undefined : { exitCode, stdout: stdout!(), stderr: stderr!() }),
  );
  return promise;
}

function textOf(stream: Readable): () => string {
  const chunks: Buffer[] = [];
  stream.on("data", (chunk: Buffer) => chunks.push(chunk)).on("error", () => undefined);
  return () => Buffer.concat(chunks).toString();
}
