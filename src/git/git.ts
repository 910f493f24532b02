/** Runs git, and only trusted git: no hooks, no monitors, no external programs, local files as the only transport. */
import { statSync } from "node:fs";
import { resolve } from "node:path";
import { MonocoError } from "../core/error/error.ts";
import { gitMsMax, vanishedWaitMsMax, vanishedWaitMsMin } from "../core/limits.ts";
import { launcher } from "./start/launcher.ts";
import { io } from "../io/io.ts";
import { goneWhileYoung, indexLockIn } from "./start/young-lock.ts";
import { openReader } from "./start/reader.ts";
import type { Reader } from "./start/reader.ts";
import { config, environment } from "./start/trusted.ts";
import { t } from "../core/language/translate.ts";
import { needPipes } from "../io/need-pipes.ts";

/** A git command that failed, with its exit status and standard output: some callers take a failure for an answer. */
export class GitError extends MonocoError {
  readonly exitCode: number;
  readonly stdout: string;
  /** A file was missing or locked because another git is at work; a retry may succeed. */
  readonly vanished: boolean;
  /** The lock of the index on which git failed. */
  readonly indexLock: string | undefined;
  /** Git printed no error, as when it was killed. */
  readonly wordless: boolean;

  constructor(args: readonly string[], exitCode: number, stdout: string, stderr: string) {
    super("person", `git ${args.slice(0, 3).join(" ")}: ${reasonIn(stderr) || `exit status ${exitCode}`}`, {
      hint: t`fix what git refuses, then run the same command again; nothing is lost`,
    });
    this.name = "GitError";
    this.exitCode = exitCode;
    this.stdout = stdout;
    this.vanished = vanished.test(stderr);
    this.indexLock = indexLockIn(stderr);
    this.wordless = stderr.trim() === "";
  }
}

/** The error line and the files listed below it: the last line is often only "Aborting". */
function reasonIn(stderr: string): string | undefined {
  const lines = stderr.trim().split("\n");
  const at = lines.findIndex((line) => /^(fatal|error): /.test(line));
  if (at === -1) return lines.at(-1);
  const below = lines.slice(at + 1);
  const end = below.findIndex((line) => !line.startsWith("\t"));
  const files = below.slice(0, end === -1 ? below.length : end).map((line) => line.trim());
  return [lines[at], files.slice(0, 10).join(", ")].filter(Boolean).join(" ");
}

/**
 * An aborted `stop` ends the command and all processes that it started within a second (`stopAfterMs` later, if given), and
 * rejects with an `interrupted` error. A command that takes longer than `msMax` fails.
 */
export type GitOptions = {
  input?: string | Buffer;
  env?: Readonly<Record<string, string>>;
  stop?: AbortSignal | undefined;
  stopAfterMs?: number;
  msMax?: number;
};
/**
 * Runs `git ARGS` in one folder; resolves to standard output, rejects with a GitError. `ask` queries the reader of `keepGit`.
 */
export type Git = ((args: readonly string[], options?: GitOptions) => Promise<string>) & {
  ask?: Reader["ask"];
};

/** The exit status of a git that timed out, as in timeout(1). */
export const timedOutExit = 124;

const unsafe = {
  allowUnsafeHooksPath: true,
  allowUnsafeFsMonitor: true,
  allowUnsafeProtocolOverride: true,
  allowUnsafeTemplateDir: true,
  // The uploading side of a fetch runs in a sandbox (see clone/fetch-session.ts).
  allowUnsafePack: true,
};

/**
 * A git for the folder `directory`, which must exist. Retries a command that failed because another git was at work
 * (`vanished`); the lock of an index is waited for by its age. `within` is the sandbox command that git runs under.
 */
export function gitIn(directory: string, within: readonly string[] = []): Git {
  const run = runIn(directory, within);
  const git: Git = async (args, options) => {
    for (let waitMs = vanishedWaitMsMin; ; waitMs *= 2) {
      try {
        return await run(args, options);
      } catch (error) {
        if (!(error instanceof GitError) || options?.stop?.aborted) throw error;
        // Once: an index that others lock again and again is retried like any other lock.
        if (error.indexLock !== undefined && waitMs === vanishedWaitMsMin) {
          if (!(await goneWhileYoung(resolve(directory, error.indexLock)))) throw error;
          continue;
        }
        if (!error.vanished || waitMs > vanishedWaitMsMax) throw error;
        await new Promise((resolve) => setTimeout(resolve, waitMs));
      }
    }
  };
  return Object.assign(git, {
    ask: async (...question: Parameters<Reader["ask"]>) => readers.get(directory)?.reader.ask(...question),
  });
}

/** Git with this git directory and worktree, whatever its configuration says. */
export function gitAt(gitDir: string, folder: string): Git {
  const env = { GIT_DIR: gitDir, GIT_WORK_TREE: folder };
  return (args, options) => gitIn(folder)(args, { ...options, env: { ...env, ...options?.env } });
}

const readers = new Map<string, { reader: Reader; users: number }>();

/** Keeps a reader process for `directory` until the returned function is called; callers share one process. */
export function keepGit(directory: string): () => void {
  const open = (): Reader => openReader(["git", ...config], { cwd: directory, env: environment() });
  const kept = readers.get(directory) ?? { reader: open(), users: 0 };
  readers.set(directory, kept);
  kept.users += 1;
  return () => {
    kept.users -= 1;
    if (kept.users > 0) return;
    readers.delete(directory);
    kept.reader.close();
  };
}

/**
 * Git's messages when another git (a person's `gc`, `repack` or `fetch`) has just packed an object, deleted a pack or a folder,
 * or held a lock. Git reports an object that never existed in other words.
 */
const vanished =
  /(?:tmp_(?:obj|pack|idx|rev)_|unable to (?:create temporary file|read tree|read sha1 file)|failed to copy file|packfile \S+ cannot be accessed|\.lock': File exists)/;

function runIn(folder: string, within: readonly string[]): Git {
  const directory = resolve(io().cwd, folder);
  return async (args, options = {}) => {
    const { input, msMax = gitMsMax } = options;
    const env = { ...environment(), ...options.env };
    const own: { stdout: string; exitCode: number } = { stdout: "", exitCode: 0 };
    const stop = delayed(options.stop, options.stopAfterMs);
    needPipes();
    // Throws ENOENT if the folder is gone.
    statSync(directory);
    const late = AbortSignal.timeout(msMax);
    const lasting = options.stop !== undefined || msMax < gitMsMax;
    const [program, ...before] = launcher({ lasting, msMax, path: env["PATH"] ?? "", within });
    const { simpleGit } = await import("simple-git");
    const git = simpleGit({
      baseDir: directory,
      binary: program,
      abort: stop ? AbortSignal.any([stop, late]) : late,
      unsafe,
      allowEnvironment: Object.keys(env),
      completion: { onClose: true, onExit: false },
      // Passes a buffer: an empty string would leave standard input open, and git would wait for it.
      ...(input === undefined ? {} : { input: () => Buffer.from(input) }),
      errors: (error, result) => {
        own.exitCode = result.exitCode;
        own.stdout = Buffer.concat(result.stdOut).toString("utf8");
        if (result.exitCode === 0 && !(error instanceof Error)) return undefined;
        return error ?? Buffer.concat(result.stdErr);
      },
    });
    // simple-git waits 50 ms after a command that printed nothing, and a relay makes dozens of such calls between two sessions;
    // an empty chunk counts as output.
    git.outputHandler((_command, stdout) => setImmediate(() => stdout.emit("data", Buffer.alloc(0))));
    try {
      return await git.env(env).raw([...before, ...config, ...args]);
    } catch (error) {
      if (!(error instanceof Error)) throw error;
      if (stop?.aborted) throw stopped(args, error);
      if (late.aborted) throw new GitError(args, timedOutExit, own.stdout, lateWords(msMax));
      const missing = own.exitCode === 127 || (/ENOENT/.test(error.message) && /spawn/.test(error.message));
      if (missing) throw isMissing(error);
      throw new GitError(args, own.exitCode || 128, own.stdout, error.message);
    }
  };
}

function stopped(args: readonly string[], cause: unknown): MonocoError {
  return new MonocoError("interrupted", t`git ${args.slice(0, 3).join(" ")}: stopped`, { cause });
}

function lateWords(msMax: number): string {
  return t`no answer in ${msMax / 1_000} s`;
}

function isMissing(cause: unknown): MonocoError {
  return new MonocoError("input", t`git is not on the PATH`, { hint: t`install git 2.38 or newer`, cause });
}

/** A signal that aborts `ms` after `signal` does. Its timer does not keep the process alive. */
function delayed(signal: AbortSignal | undefined, ms: number | undefined): AbortSignal | undefined {
  if (!signal || ms === undefined) return signal;
  const controller = new AbortController();
  const begin = (): void => void setTimeout(() => controller.abort(), ms).unref();
  if (signal.aborted) begin();
  else AbortSignal.any([signal]).addEventListener("abort", begin, { once: true });
  return controller.signal;
}

/** The output of a command, or `otherwise` if the command fails. */
export async function gitOr<T>(run: Promise<string>, otherwise: T): Promise<string | T> {
  try {
    return await run;
  } catch (error) {
    if (error instanceof GitError) return otherwise;
    throw error;
  }
}

/** Splits the output of a `-z` command. */
export function zeroed(output: string): string[] {
  return output.split("\0").filter((part) => part !== "");
}
