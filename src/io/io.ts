/** The surroundings of a command: folder, environment and three streams. They are the process's own unless a caller gives others. */
import { AsyncLocalStorage } from "node:async_hooks";
import { fstatSync, readSync, writeSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { resolve } from "node:path";
import type { Readable, Writable } from "node:stream";

/** A stream for a person or a pipe; `columns` only exists for a terminal. */
export type Output = Writable & { isTTY?: boolean | undefined; columns?: number | undefined };
export type Input = Readable & { isTTY?: boolean | undefined };

export type Io = {
  /** The folder in which the command runs, absolute. */
  cwd: string;
  env: Readonly<Record<string, string | undefined>>;
  stdin: Input;
  stdout: Output;
  stderr: Output;
  /** Calls `listener` at each signal to stop, until the returned function is called. */
  onStop(listener: () => void): () => void;
};

/** Calls the listener at each of these signals, until the returned function is called. */
export function listenFor(signals: readonly NodeJS.Signals[], listener: () => void): () => void {
  for (const signal of signals) process.on(signal, listener);
  return () => {
    for (const signal of signals) process.off(signal, listener);
  };
}

/** Getters, since a program may change its folder and environment, and an unused stream should stay unopened. */
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
  onStop: (listener) => listenFor(["SIGINT", "SIGTERM", "SIGHUP"], listener),
};

const current = new AsyncLocalStorage<Io>();

/** The surroundings of the command that this code runs for. */
export function io(): Io {
  return current.getStore() ?? ofProcess;
}

/**
 * Standard input, up to about `charsMax` characters; empty for a terminal. Reads the process's own input, as `printAtOnce`
 * writes its output, without a stream: opening one takes a tenth of Node's own start.
 */
export async function wholeInput(charsMax: number): Promise<string> {
  const chunks: Buffer[] = [];
  if (current.getStore() === undefined && readAtOnce(chunks, charsMax)) return String(Buffer.concat(chunks));
  const { stdin } = io();
  if (stdin.isTTY) return "";
  let text = String(Buffer.concat(chunks));
  stdin.setEncoding("utf8");
  for await (const chunk of stdin) {
    text += String(chunk);
    if (text.length > charsMax) break;
  }
  return text;
}

/** Reads standard input; false if it did not end, as a descriptor that does not block may have no data yet (EAGAIN). */
function readAtOnce(into: Buffer[], bytesMax: number): boolean {
  try {
    // A character device is a terminal or /dev/null.
    if (fstatSync(0).isCharacterDevice()) return true;
    for (let bytes = 0; bytes <= bytesMax;) {
      const chunk = Buffer.alloc(65_536);
      const read = readSync(0, chunk);
      if (read === 0) break;
      into.push(chunk.subarray(0, read));
      bytes += read;
    }
    return true;
  } catch {
    return false;
  }
}

/** Writes a text to standard output. Throws if the reader is gone. */
export function printAtOnce(text: string): void {
  if (current.getStore() !== undefined) return void io().stdout.write(text);
  let rest = Buffer.from(text);
  while (rest.length > 0) {
    try {
      rest = rest.subarray(writeSync(1, rest));
    } catch (error) {
      if (!(error instanceof Error && "code" in error && error.code === "EAGAIN")) throw error;
      // The pipe is full, so the stream writes the rest.
      return void process.stdout.write(rest);
    }
  }
}

/** The person's home folder. */
export function homeFolder(): string {
  return io().env["HOME"] || homedir();
}

/** The folder for the command's temporary files. */
export function temporaryRoot(): string {
  return io().env["TMPDIR"] || tmpdir();
}

/** The absolute path of a path that a person gave. */
export function pathHere(path: string): string {
  return resolve(io().cwd, path);
}

/** Calls `command` with these surroundings; those left out stay the caller's. */
export function within<T>(surroundings: Partial<Io>, command: () => T): T {
  const { cwd, env, stdin, stdout, stderr, onStop } = io();
  return current.run({ cwd, env, stdin, stdout, stderr, onStop, ...surroundings }, command);
}
