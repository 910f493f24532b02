/**
 * Small shells that start git for as long as something runs: Node copies its whole memory map to start a process, on its only
 * thread, which takes longer than most of what git is asked for.
 */
import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import type { Readable } from "node:stream";
import { isGuardTried, shellWords } from "./launcher.ts";
import { needPipes } from "../../io/need-pipes.ts";
import { t } from "../../core/language/translate.ts";

/** `exitCode` as a shell has it: 124 where it took too long, 127 where the program is missing, 128 or more after a signal. */
export type Ran = { exitCode: number; stdout: string; stderr: string };

export type Command = {
  words: readonly string[];
  cwd: string;
  /** Beside what the shell itself was given. */
  env: Readonly<Record<string, string>>;
  input: string;
  /** In place of it a file, of any bytes. */
  inputPath?: string | undefined;
  /** After so long it is killed, with all that it started, ms. */
  msMax: number;
  /** Aborted, it does the same. */
  stop?: AbortSignal | undefined;
};

type Shell = { env: string; isFree: boolean; run(command: Command): Promise<Ran | undefined>; close(): void };

/** More commands at once than these wait for a shell: they would share the same few processors. */
const shellsMax = 4;
/** What waits for longer, since all shells are at something that lasts, starts as a process of the runner's own, ms. */
const shellWaitMsMax = 2_000;

const shells = new Set<Shell>();
const waiting = new Set<() => void>();
let users = 0;

/** From now on there may be shells, until what is returned is called by the last of several users. */
export function keepShells(): () => void {
  users += 1;
  return () => {
    users -= 1;
    if (users > 0) return;
    for (const shell of shells) shell.close();
    for (const come of waiting) come();
  };
}

/** Opens the first one beforehand: it has begun when it is needed. Not where the trial of what it is started by is not over. */
export function openShellAhead(env: Readonly<Record<string, string>>): void {
  if (users > 0 && shells.size === 0 && isGuardTried()) openShell(env);
}

/** Runs it in a shell whose whole environment is `env`; undefined where it was not begun, and has to be started in another way. */
export async function runInShell(
  command: Command,
  env: Readonly<Record<string, string>>,
  msMax = shellWaitMsMax,
): Promise<Ran | undefined> {
  if (
    users === 0 ||
    command.stop?.aborted ||
    [...command.words, command.cwd, command.input].some((text) => text.includes("\0"))
  )
    return undefined;
  const wanted = JSON.stringify(env);
  const free = [...shells].find((shell) => shell.isFree && shell.env === wanted);
  const shell = free ?? (shells.size < shellsMax ? openShell(env) : undefined);
  if (shell) return shell.run(command);
  // Those that are free are for another environment.
  if (msMax <= 0 || [...shells].some(({ isFree }) => isFree)) return undefined;
  const beganMs = Date.now();
  await turn(msMax, command.stop);
  return runInShell(command, env, Math.min(msMax - 1, msMax - (Date.now() - beganMs)));
}

/** Until a shell is free or gone, or it is time to wait no longer. */
function turn(ms: number, stop: AbortSignal | undefined): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const come = (): void => {
    clearTimeout(timer);
    stop?.removeEventListener("abort", come);
    waiting.delete(come);
    resolve();
  };
  const timer = setTimeout(come, ms);
  stop?.addEventListener("abort", come);
  waiting.add(come);
  return promise;
}

/** Whose turn it is. */
function next(): void {
  const [first] = waiting;
  first?.();
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
  const told = [output, errors].map((stream) => reading(stream, () => kill(child.pid!)));
  // What a program prints cannot have it; asked of the system once, since that takes as long as the rest of a command.
  const secret = randomBytes(16).toString("hex");
  let commands = 0;
  const shell: Shell = {
    env: JSON.stringify(env),
    isFree: true,
    close: () => {
      shells.delete(shell);
      // By a signal if it may: whoever looks a moment later finds nobody.
      if (shell.isFree) kill(child.pid!);
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
      // Another for each command: what a program has left running may still print after the mark of its end.
      const mark = `${secret}x${++commands}`;
      const both = Promise.all(told.map((stream) => stream.until(mark)));
      input.write(scriptOf(command, mark));
      const [stdout, stderr] = (await both) as [Told, Told];
      clearTimeout(late);
      command.stop?.removeEventListener("abort", end);
      shell.isFree = true;
      if (stdout.isMixed || stderr.isMixed) shell.close();
      next();
      if (stdout.isTooLong || stderr.isTooLong)
        return { exitCode: 128, stdout: "", stderr: t`it printed more than ${outputBytesMax / 1e6} MB` };
      // Somebody killed the shell before it read the command, or the folder is gone.
      if (!stdout.isBegun && !stderr.isBegun) return undefined;
      if (stderr.text === mark) return undefined;
      const exitCode = isLate ? timedOutExit : (stdout.status ?? 128);
      return { exitCode, stdout: stdout.text, stderr: stderr.text };
    },
  };
  const gone = (): void => {
    shells.delete(shell);
    next();
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

type Told = {
  text: string;
  status?: number;
  isBegun: boolean;
  /** It has words of a program before it. */
  isMixed: boolean;
  isTooLong: boolean;
};

/** Less than the longest string. */
const outputBytesMax = 400_000_000;
const markBytesMax = 64;

/** What a stream says between the lines of a mark that tell of the beginning and, with the status, of the end. */
function reading(stream: Readable, stop: () => void): { until(mark: string): Promise<Told>; end(): void } {
  let chunks: Buffer[] = [];
  let size = 0;
  let tail: Buffer = Buffer.alloc(0);
  let ended = false;
  let waiting: { mark: string; settle(told: Told): void } | undefined;
  const take = (): void => {
    const asked = waiting;
    const [all, isTooLong] = [Buffer.concat(chunks), size > outputBytesMax];
    [chunks, size, tail, waiting] = [[], 0, Buffer.alloc(0), undefined];
    asked?.settle(toldIn(all, asked.mark, isTooLong));
  };
  stream.on("data", (chunk: Buffer) => {
    size += chunk.length;
    if (size > outputBytesMax) {
      chunks = [];
      return stop();
    }
    chunks.push(chunk);
    // The mark may come in pieces.
    const last = Buffer.concat([tail, chunk]);
    tail = last.subarray(-markBytesMax);
    if (waiting && hasEnd(last, waiting.mark)) take();
  });
  stream.on("error", () => undefined);
  return {
    until: (mark) => {
      const { promise, resolve } = Promise.withResolvers<Told>();
      waiting = { mark, settle: resolve };
      if (ended) take();
      return promise;
    },
    end: () => {
      ended = true;
      take();
    },
  };
}

/** The line that a command ends with. A regular expression would be compiled anew for each mark. */
function hasEnd(bytes: Buffer, mark: string): boolean {
  const begin = bytes.lastIndexOf(`\n${mark} `);
  return begin !== -1 && bytes.includes("\n", begin + 1);
}

function toldIn(all: Buffer, mark: string, isTooLong: boolean): Told {
  const begin = all.indexOf(`${mark}\n`);
  const isBegun = begin !== -1;
  const from = isBegun ? begin + mark.length + 1 : all.length;
  const end = all.indexOf(`\n${mark} `, from);
  const status =
    end === -1 ? undefined : /^\n\w+ (\d+)\n/.exec(all.toString("latin1", end, end + markBytesMax));
  return {
    text: all.toString("utf8", from, end === -1 ? all.length : end),
    ...(status ? { status: Number(status[1]) } : {}),
    isBegun,
    isMixed: begin > 0,
    isTooLong,
  };
}

/** The third pipe is the program's standard error: the subshell becomes the program, or says the mark where the folder is gone. */
function scriptOf({ words, cwd, env, input, inputPath }: Command, mark: string): string {
  const exports = Object.entries(env).map(([name, value]) => `export ${name}=${quoted(value)}; `);
  const program = `( cd -P -- ${quoted(cwd)} 2>/dev/null || { printf ${mark} >&2; exit 128; }; ${exports.join("")}exec ${words.map(quoted).join(" ")} )`;
  const fed =
    input === ""
      ? `${program} <${quoted(inputPath ?? "/dev/null")}`
      : `printf %s ${quoted(input)} | ${program}`;
  return `echo ${mark} >&3; echo ${mark}; ${fed} 2>&3 3>&-; set -- $?; printf '\\n%s %s\\n' ${mark} $1; printf '\\n%s %s\\n' ${mark} $1 >&3\n`;
}

function quoted(word: string): string {
  return `'${word.replaceAll("'", `'\\''`)}'`;
}
