/** The one error that a command throws when it cannot go on: a kind (which fixes the exit code), words, a hint. */

/** Exit codes: 0 done, 1 needs a person, 2 bad input, 3 conflict, 4 agent, 75 try later, 130 interrupted, 70 a bug. */
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

/** `message` says what is wrong and where (file, line); `hint` says what to do next. */
export class MonocoError extends Error {
  readonly kind: ErrorKind;
  readonly hint: string | undefined;

  constructor(kind: ErrorKind, message: string, options: { hint?: string; cause?: unknown } = {}) {
    super(message, { cause: options.cause });
    this.name = "MonocoError";
    this.kind = kind;
    this.hint = options.hint;
  }
}

/** The words of any thrown thing, for evidence and logs. */
export function wordsOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
