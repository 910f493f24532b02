/** What a command has around it: a folder, an environment, three streams. It is the process's own unless a caller gives another. */
import { AsyncLocalStorage } from "node:async_hooks";
import { homedir, tmpdir } from "node:os";
import { resolve } from "node:path";
import type { Readable, Writable } from "node:stream";

/** A stream for a person or a pipe; `columns` only where it is a terminal. */
export type Output = Writable & { isTTY?: boolean | undefined; columns?: number | undefined };
export type Input = Readable & { isTTY?: boolean | undefined };

export type Io = {
  /** The folder that the command is given in, absolute. */
  cwd: string;
  env: Readonly<Record<string, string | undefined>>;
  stdin: Input;
  stdout: Output;
  stderr: Output;
  /** Calls `listener` at each signal to stop, until the function that it returns is called. */
  onStop(listener: () => void): () => void;
};

const stopSignals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/** Read when asked for: a program may change its folder and environment, and a stream that is not used stays closed. */
const ofProcess: Io = {
  get cwd() {
    return process.cwd();
  },
  get env() {
    return process.env;
  },
  get stdin() {
    return process.stdin;
  },
  get stdout() {
    return process.stdout;
  },
  get stderr() {
    return process.stderr;
  },
  onStop: (listener) => {
    for (const signal of stopSignals) process.on(signal, listener);
    return () => {
      for (const signal of stopSignals) process.off(signal, listener);
    };
  },
};

const current = new AsyncLocalStorage<Io>();

/** The surroundings of the command that this code runs for. */
export function io(): Io {
  return current.getStore() ?? ofProcess;
}

/** The person's home. */
export function homeFolder(): string {
  return io().env["HOME"] || homedir();
}

/** Where the command's temporary files go. */
export function temporaryRoot(): string {
  return io().env["TMPDIR"] || tmpdir();
}

/** The path that a person gave, from the folder that the command is given in. */
export function pathHere(path: string): string {
  return resolve(io().cwd, path);
}

/** Calls `command` with these surroundings; what is left out is as it is around the caller. */
export function within<T>(surroundings: Partial<Io>, command: () => T): T {
  const { cwd, env, stdin, stdout, stderr, onStop } = io();
  return current.run({ cwd, env, stdin, stdout, stderr, onStop, ...surroundings }, command);
}
