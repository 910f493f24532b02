/** The session of a relay that runs at this moment, as the process table and the kept output tell it. */
export type Current = {
  session: number;
  role: string;
  agent: string;
  elapsedMs: number;
  processAlive: boolean;
  /** Of its processes, where one is stopped (SIGSTOP): it lives, and does nothing. */
  stoppedProcess: { pid: number; group: number } | null;
  lastOutputMsAgo: number | null;
  contextTokens: number | null;
  windowTokens: number | null;
  /** Neither the agent nor the settings tell the window. */
  windowAssumed: boolean;
};
