/**
 * Small shells that start git for as long as something runs: Node copies its whole memory map to start a process, on its only
 * thread, which takes longer than most of what git is asked for.
 */
import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import type { Readable } from "node:stream";
import { shellWords } from "./launcher.ts";
import { needPipes } from "../io/need-pipes.ts";

/** `exitCode` as a shell has it: 124 where it took too long, 127 where the program is missing, 128 or more after a signal. */
export type Ran = { exitCode: number; stdout: string; stderr: string };

export type Command = {
  words: readonly string[];
  cwd: string;
  /** Beside what the shell itself was given. */
  env: Readonly<Record<string, string>>;
  input: string;
  /** After so long it is killed, with all that it started, ms. */
  msMax: number;
  /** Aborted, it does the same. */
  stop?: AbortSignal | undefined;
};

type Shell = { env: string; isFree: boolean; run(command: Command): Promise<Ran | undefined>; close(): void };

/** More commands at once than these start as processes of the runner's own. */
const shellsMax = 4;

const shells = new Set<Shell>();
let users = 0;

/** From now on there may be shells, until what is returned is called by the last of several users. */
export function keepShells(): () => void {
  users += 1;
  return () => {
    users -= 1;
    if (users === 0) for (const shell of shells) shell.close();
  };
}

/** Runs it in a shell whose whole environment is `env`; undefined where it was not begun, and has to be started in another way. */
export async function runInShell(
  command: Command,
  env: Readonly<Record<string, string>>,
): Promise<Ran | undefined> {
  if (
    users === 0 ||
    command.stop?.aborted ||
    [...command.words, command.cwd, command.input].some((text) => text.includes("\0"))
  )
    return undefined;
  const wanted = JSON.stringify(env);
  const free = [...shells].find((shell) => shell.isFree && shell.env === wanted);
  return (free ?? (shells.size < shellsMax ? openShell(env) : undefined))?.run(command);
}

/** In a session of its own: a terminal's Ctrl-C is for monoco alone. It ends with this process, whose end closes its input. */
function openShell(env: Readonly<Record<string, string>>): Shell | undefined {
  // What the shell itself has to say, as of a command that was killed, is in the exit status.
  const [program, ...words] = shellWords();
  needPipes();
  const child = spawn(program, words, {
    cwd: "/",
    env,
    detached: true,
    stdio: ["pipe", "pipe", "ignore", "pipe"],
  });
  const [input, output, errors] = [child.stdin!, child.stdout!, child.stdio[3] as Readable];
  const mark = randomBytes(16).toString("hex");
  const told = [output, errors].map((stream) => reading(stream, mark));
  const shell: Shell = {
    env: JSON.stringify(env),
    isFree: true,
    close: () => {
      shells.delete(shell);
      input.end();
    },
    run: async (command) => {
      shell.isFree = false;
      let isLate = false;
      const end = (): void => kill(child.pid!);
      const late = setTimeout(() => {
        isLate = true;
        end();
      }, command.msMax);
      command.stop?.addEventListener("abort", end, { once: true });
      input.write(scriptOf(command, mark));
      const [stdout, stderr] = await Promise.all(told.map((stream) => stream.next()));
      clearTimeout(late);
      command.stop?.removeEventListener("abort", end);
      shell.isFree = true;
      // Somebody killed the shell before it read the command.
      if (!stderr!.text.startsWith(`${mark}\n`)) return undefined;
      const exitCode = isLate ? timedOutExit : (stdout!.status ?? 128);
      return { exitCode, stdout: stdout!.text, stderr: stderr!.text.slice(mark.length + 1) };
    },
  };
  const gone = (): void => {
    shells.delete(shell);
    for (const stream of told) stream.end();
  };
  child.once("error", gone).once("close", gone);
  input.on("error", gone);
  if (child.pid === undefined) return undefined;
  shells.add(shell);
  return shell;
}

/** What has a process group of its own (see launcher.ts) hears of the shell's end. */
function kill(pid: number): void {
  try {
    process.kill(-pid, "SIGKILL");
  } catch {
    // It has ended just now.
  }
}

/** As the shell's `timeout` has it. */
export const timedOutExit = 124;

type Told = { text: string; status?: number };

/** What a stream says up to the line of the mark, which is the last that is said before the next command. */
function reading(stream: Readable, mark: string): { next(): Promise<Told>; end(): void } {
  const last = new RegExp(`\\n${mark} (\\d+)\\n$`);
  let chunks: Buffer[] = [];
  let tail = "";
  let settle: ((told: Told) => void) | undefined;
  let ended = false;
  const take = (bytes: number, status?: number): void => {
    const all = Buffer.concat(chunks);
    [chunks, tail] = [[], ""];
    settle?.({
      text: all.toString("utf8", 0, all.length - bytes),
      ...(status === undefined ? {} : { status }),
    });
    settle = undefined;
  };
  stream.on("data", (chunk: Buffer) => {
    chunks.push(chunk);
    // The mark may come in pieces.
    tail = (tail + chunk.toString("latin1", Math.max(0, chunk.length - markBytesMax))).slice(-markBytesMax);
    const found = last.exec(tail);
    if (found) take(found[0].length, Number(found[1]));
  });
  stream.on("error", () => undefined);
  return {
    next: () => {
      const { promise, resolve } = Promise.withResolvers<Told>();
      settle = resolve;
      if (ended) take(0);
      return promise;
    },
    end: () => {
      ended = true;
      take(0);
    },
  };
}

const markBytesMax = 64;

/** The third pipe says that it begins, and is the program's standard error: the subshell becomes the program. */
function scriptOf({ words, cwd, env, input }: Command, mark: string): string {
  const exports = Object.entries(env).map(([name, value]) => `export ${name}=${quoted(value)}; `);
  const program = `( cd -P -- ${quoted(cwd)} || exit 128; ${exports.join("")}exec ${words.map(quoted).join(" ")} )`;
  const fed = input === "" ? `${program} </dev/null` : `printf %s ${quoted(input)} | ${program}`;
  return `echo ${mark} >&3; ${fed} 2>&3 3>&-; set -- $?; printf '\\n%s %s\\n' ${mark} $1; printf '\\n%s %s\\n' ${mark} $1 >&3\n`;
}

function quoted(word: string): string {
  return `'${word.replaceAll("'", `'\\''`)}'`;
}
