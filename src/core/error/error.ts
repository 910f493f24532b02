/** The error that ends a command: a kind (which fixes the exit code), a message, and a hint. */
import type { Advice } from "./hint-schema.ts";

/** The exit code of each kind of error; 0 is success. */
export const exitCodes = {
  person: 1,
  input: 2,
  conflict: 3,
  agent: 4,
  later: 75,
  interrupted: 130,
  bug: 70,
} as const;

export type ErrorKind = keyof typeof exitCodes;

/** The meaning of each exit code, as docs/exit-codes.md prints it. */
export const exitMeanings: Readonly<Record<ErrorKind, string>> = {
  person: "stopped, and a person is needed: blocked, paused, a failing check, a merge that does not hold",
  input: "wrong usage, settings or input; a merge without a record",
  conflict: "another process holds the relay, or another clone went on with it",
  agent: "no agent of the role can be used, or it needs a person: no login, no credit, no such model",
  later:
    "a usage limit, a pause after a failed session, checks of a pull request that still run, or GitHub or the remote out of reach: try again later, or use `--wait`",
  interrupted: "Ctrl-C; nothing is lost",
  bug: "a mistake in monoco itself: please report it",
};

/** `message` says what is wrong and where (file, line); `hint` says what to do next. */
export class MonocoError extends Error {
  readonly kind: ErrorKind;
  readonly hint: Advice | undefined;

  constructor(kind: ErrorKind, message: string, options: { hint?: Advice; cause?: unknown } = {}) {
    super(message, { cause: options.cause });
    this.name = "MonocoError";
    this.kind = kind;
    this.hint = options.hint;
  }
}

/** The message of any thrown value, for evidence and logs. */
export function wordsOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const [first] = "issues" in error ? (error as Invalid).issues : [];
  return first ? `${first.path.join(".")}: ${first.message}` : error.message;
}

/** What zod throws: its message is JSON. */
type Invalid = Error & { issues: readonly { path: readonly PropertyKey[]; message: string }[] };
