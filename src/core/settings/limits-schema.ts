/** The numbers under `limits:` in monoco.yaml: unit, default, reason, source. */
import { z } from "zod";

/** A mark: up to 100 it is percent of the window, above it is tokens. */
const mark = z.number().positive();

export const limitsSchema = z.strictObject({
  /** Sessions a relay may use, both roles. 30 is the preset for medium work (protocol article: 10 / 30 / 50). */
  sessionsMax: z.number().int().positive().default(30),
  /** Wall time of a session, minutes; extendable by `monoco relay extend` up to twice this. */
  sessionMinutes: z.number().positive().default(30),
  /**
   * Seconds from a session's start to the agent's first sign, for agents that give one as soon as they have started. The slowest
   * start that was measured took 19 s (OpenCode's first on a machine), and MCP servers may take 15 s more; the rest is for a busy machine.
   */
  startSeconds: z.number().positive().default(120),
  /** Minutes without a line of output before a session counts as hung. Real CLIs hang for ever by default. */
  silenceMinutes: z.number().positive().default(10),
  /** Context use at which to plan to wrap up, to wrap up, to be stopped. Quality rots long before the window is full. */
  contextMarks: z.tuple([mark, mark, mark]).default([60, 75, 85]),
  /** Requested changes before a person is asked. Endless reviews were seen elsewhere: 27 rounds in 8 hours. */
  reviewRoundsMax: z.number().int().positive().default(3),
  /** Executor sessions in a row without progress before the relay is blocked (circuit breaker: 3). */
  stalledMax: z.number().int().positive().default(3),
  /** Sessions in a row that only ask, before the relay waits for the answer: the first may find that it can decide. */
  questionsMax: z.number().int().positive().default(2),
  /** Times that the same command may fail in the same way in one session before it has to wrap up: it is locked on. */
  sameFailureMax: z.number().int().positive().default(4),
  /** Pause after a failed session that made no progress, seconds; doubles with each one in a row. Stops fork bombs. */
  backoffSeconds: z.number().nonnegative().default(15),
  /** Sessions that all relays of the repository together may start within an hour (protocol article: 100). */
  sessionsPerHour: z.number().int().positive().default(100),
  /** Tokens that they may use within an hour, in and out; no limit by default: providers have their own. */
  tokensPerHour: z.number().int().positive().optional(),
  /** A check's time-out, minutes. */
  checkMinutes: z.number().positive().default(10),
  /** Time for a whole `setup`, each command, minutes. */
  setupMinutes: z.number().positive().default(20),
  /** Wait after a usage limit that names no reset time, minutes. */
  usageLimitMinutes: z.number().positive().default(60),
});
export type Limits = z.infer<typeof limitsSchema>;
