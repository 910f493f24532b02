/**
 * Starts a program, reads its lines, and ends it together with everything it started: for agents and checks alike.
 *
 * On Linux the process tree lives in a PID namespace whose first process is a small shell: signals reach the program beneath
 * the shell (as PID 1 the program would ignore TERM), the namespace ends with the program, and the tree ends with its runner
 * (`--pdeathsig`, `--kill-child`; `--die-with-parent`), even on SIGKILL. The program starts once that is in force
 * (go-ahead.ts). Elsewhere: a process group and a sweep by the session's marker, best effort.
 */
import { attempt } from "../core/error/attempt.ts";
import { isSandbox } from "../core/report/sandbox.ts";
import { execa } from "execa";
import { pidNamespace } from "./containment.ts";
import type { Containment } from "./containment.ts";
import { askingAt, goAhead } from "./go-ahead.ts";
import { openFiles, takeOutput } from "./output.ts";
import type { OutputOptions } from "./output.ts";
import { bootId, identityOf, onlyChildOf } from "./process-identity.ts";
import type { ProcessIdentity } from "./process-identity.ts";
import { bubblewrap, closeInherited } from "./sandbox.ts";
import type { View } from "./mounts.ts";
import { sweep } from "./sweep.ts";
import { needPipes } from "../io/need-pipes.ts";
import { statOf } from "../io/process-stat.ts";

export type Exit = { exitCode: number | null; signal: string | null; spawnError?: string };

export type ChildOptions = OutputOptions & {
  argv: readonly string[];
  cwd: string;
  /** The whole environment: nothing is inherited. */
  env: Readonly<Record<string, string>>;
  stdin?: string;
  keepStdinOpen?: boolean;
  /** A locked descriptor that the wrapper holds while the tree may live; `reserveStatus` has reserved space in its file. */
  lockFd?: number;
  /** `NAME=value` that every process of the tree has in its environment. */
  marker: string;
  containment: Containment;
  /** The sandbox's view; without one, the whole system, read-only. */
  view?: View | undefined;
};

export type Child = {
  identity: ProcessIdentity | undefined;
  /** Resolves when the whole tree is gone and its output is read. Never rejects. */
  exited: Promise<Exit>;
  write(text: string): void;
  endInput(): void;
  /** TERM to the group, `graceMs`, KILL to the group. Resolves with `exited`. */
  stop(graceMs: number): Promise<Exit>;
  stderrTail(): string;
};

/** Living process groups, for `killAllNow`. */
const groups = new Set<number>();

/** Kills every tree that this process has started, without waiting: the last step before an exit. */
export function killAllNow(): void {
  for (const pid of groups) signalGroup(pid, "SIGKILL");
}

/** Starts the program. A program that cannot be started gives an Exit with `spawnError`. Throws only when no file can be opened. */
export function spawnChild(options: ChildOptions): Child {
  needPipes();
  const contained = options.containment !== "process-group";
  if (isSandbox(options.containment)) closeInherited();
  const argv = [...heldBy(options), ...options.argv];
  const files = openFiles(options);
  const subprocess = start(argv, options);
  const processOf = subprocess.nodeChildProcess;
  if (processOf.pid !== undefined) groups.add(processOf.pid);
  const identity = subprocess.pid === undefined ? undefined : identityOf(subprocess.pid);
  const since = startTimeOf(subprocess.pid);
  const { stdin, stdout, stderr } = processOf;
  if (!stdin || !stdout || !stderr) throw new Error("a child without pipes");
  const asking = contained ? goAhead(processOf.stdio[askingAt]) : undefined;
  stdin.on("error", () => undefined);
  const output = takeOutput(options, files, { stdout, stderr });
  stdin.write(options.stdin ?? "");
  if (!options.keepStdinOpen) stdin.end();
  const streamsClosed = Promise.all([closed(stdout), closed(stderr)]);

  const exited = (async (): Promise<Exit> => {
    const exit = await exitOf(subprocess);
    if (subprocess.pid !== undefined) {
      signalGroup(subprocess.pid, "SIGKILL");
      groups.delete(subprocess.pid);
    }
    // The kernel ends a namespace before its wrapper exits, unless the wrapper was killed or failed itself.
    const isOver = contained && exit.signal === null && !exit.spawnError && !/^bwrap: /m.test(output.tail());
    if (!isOver) await sweep(options.marker, { except: subprocess.pid, since, contained });
    await within(1_000, streamsClosed);
    stdout.destroy();
    stderr.destroy();
    output.end();
    await subprocess.catch(() => undefined);
    return contained ? (spawnFailure(exit, output.tail()) ?? killedFirst(exit, output.tail()) ?? exit) : exit;
  })();

  return {
    identity,
    exited,
    write: (text) => void stdin.write(text),
    endInput: () => void stdin.end(),
    stop: async (graceMs) => {
      const { pid } = subprocess;
      if (pid === undefined) return exited;
      if (asking?.isRefused()) signalGroup(pid, "SIGKILL");
      else askToEnd(pid, options.containment);
      if (asking?.isYoung() && !(await within(Math.min(graceMs, againMs), exited)))
        askToEnd(pid, options.containment);
      if (!(await within(graceMs, exited))) signalGroup(pid, "SIGKILL");
      return exited;
    },
    stderrTail: () => output.tail().replace(killedFirstWords, "").trim().split("\n").slice(-5).join("\n"),
  };
}

/** How long to wait before a second TERM to a program that had only just been started, ms. */
const againMs = 100;

const everything: View = { hidden: [], scratch: [], read: [], write: [] };

/** The wrapper's command line, which comes before the program's own. */
function heldBy({ containment, view = everything, cwd, lockFd }: ChildOptions): readonly string[] {
  const lent = lockFd === undefined ? "socket" : "socket and lock";
  if (containment === "bubblewrap") return bubblewrap(view, cwd, lent);
  return containment === "pid-namespace" ? pidNamespace(lent) : [];
}

function start([program = "", ...args]: readonly string[], { cwd, env, lockFd, containment }: ChildOptions) {
  const asking = containment === "process-group" ? [] : ["pipe" as const];
  const lock = lockFd === undefined ? [] : [{ value: lockFd as 3, input: true as const }];
  return execa(program, args, {
    cwd,
    env: { ...env },
    extendEnv: false,
    detached: true,
    cleanup: false,
    reject: false,
    buffer: false,
    stripFinalNewline: false,
    stdio: ["pipe", "pipe", "pipe", ...asking, ...lock],
  });
}

/** The exit of the program itself; programs that it started may still live. */
function exitOf(subprocess: ReturnType<typeof start>): Promise<Exit> {
  const processOf = subprocess.nodeChildProcess;
  const failed = (spawnError: string): Exit => ({ exitCode: null, signal: null, spawnError });
  return new Promise<Exit>((resolve) => {
    processOf.once("exit", (exitCode, signal) => resolve({ exitCode, signal }));
    processOf.once("error", (error) => resolve(failed(error.message)));
    // A spawn that the kernel refuses at once (a command line that is too long) emits no event.
    void subprocess.then(({ originalMessage }) => {
      if (subprocess.pid === undefined) resolve(failed(originalMessage ?? "could not be spawned"));
    });
  });
}

/** The start time of a child, even one that has ended: nobody has collected its exit yet. */
function startTimeOf(pid: number | undefined): string | undefined {
  return attempt(() => statOf(`/proc/${pid}/stat`).startTime, undefined);
}

/** Kills what is left of a tree whose runner died: by identity if it still matches, then by marker. */
export async function killTree(identity: ProcessIdentity | undefined, marker: string): Promise<void> {
  if (
    identity &&
    identity.pid > 1 &&
    identityOf(identity.pid)?.startTime === identity.startTime &&
    bootId() === identity.bootId
  ) {
    signalGroup(identity.pid, "SIGKILL");
  }
  // Without a start time: the identity comes from a file.
  await sweep(marker);
}

/** The spawn error behind a wrapper shell's exit status 127 or 126. */
function spawnFailure(exit: Exit, tail: string): Exit | undefined {
  if (exit.exitCode !== 127 && exit.exitCode !== 126) return undefined;
  const failure = tail.match(/^monoco-session: .*?(not found|Permission denied|No such file.*)$/m);
  return failure ? { ...exit, spawnError: failure[0] } : undefined;
}

/** The message of `unshare` when the namespace's first process was killed: `unshare` cannot end by the same signal. */
const killedFirstWords = /^unshare: sigprocmask unblock failed.*\n?/m;

function killedFirst(exit: Exit, tail: string): Exit | undefined {
  return exit.exitCode === 1 && killedFirstWords.test(tail)
    ? { exitCode: null, signal: "SIGKILL" }
    : undefined;
}

/** Sends TERM. TERM to bubblewrap would end everything at once, so it goes to the group of bubblewrap's only child. */
function askToEnd(pid: number, containment: Containment): void {
  const group = containment === "bubblewrap" ? onlyChildOf(pid) : pid;
  if (group !== undefined) signalGroup(group, "SIGTERM");
}

function signalGroup(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-pid, signal);
  } catch {
    // The group is gone already.
  }
}

function closed(stream: NodeJS.ReadableStream): Promise<void> {
  return new Promise((resolve) => stream.once("close", () => resolve()));
}

/** The value of `promise`, or undefined after `ms`. Leaves no timer that would keep a command from ending. */
export async function within<T>(ms: number, promise: Promise<T>): Promise<T | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(resolve, ms, undefined);
  });
  const first = await Promise.race([promise, late]);
  clearTimeout(timer);
  return first;
}
