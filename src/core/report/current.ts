/** The running session of a relay, from the process table and the kept output. */
export type Current = {
  session: number;
  role: string;
  agent: string;
  startedAtMs: number;
  elapsedMs: number;
  /** The time that it may take, with its extensions. */
  limitMs: number | null;
  processAlive: boolean;
  /** A process of it that is stopped (SIGSTOP): alive but idle. */
  stoppedProcess: { pid: number; group: number } | null;
  lastOutputMsAgo: number | null;
  contextTokens: number | null;
  windowTokens: number | null;
  /** Whether neither the agent nor the settings report the window. */
  windowAssumed: boolean;
  /** The marks of the context, in tokens: plan to wrap up, wrap up, stop. */
  contextMarks: readonly [number, number, number] | null;
  /** The last tool call, or the last words. */
  doing: string | null;
};
