/** The running session of a relay, from the process table and the kept output. */
export type Current = {
  session: number;
  role: string;
  agent: string;
  elapsedMs: number;
  processAlive: boolean;
  /** A process of it that is stopped (SIGSTOP): alive but idle. */
  stoppedProcess: { pid: number; group: number } | null;
  lastOutputMsAgo: number | null;
  contextTokens: number | null;
  windowTokens: number | null;
  /** Whether neither the agent nor the settings report the window. */
  windowAssumed: boolean;
};
