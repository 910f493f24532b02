/** The schema of `limits:` in monoco.yaml. */
import { z } from "zod";
import { setting } from "./setting.ts";

/** A mark: up to 100 percent of the window, above that tokens. */
const mark = z.number().positive();
const above0 = z.number().positive();
const whole = z.number().int().positive();

export const limitsSchema = z.strictObject({
  // The protocol article has 10, 30 and 50 for simple, medium and complex work.
  sessionsMax: setting(
    whole.default(30),
    "sessions that a relay may use, both roles together; medium work takes fewer. If you need more, split the issue",
    "sessions",
  ),
  sessionMinutes: setting(
    above0.default(30),
    "wall time of a session; the session may ask for up to twice this",
    "minutes",
  ),
  // The slowest measured start is OpenCode's first on a machine; MCP servers may add 15 s; the rest is for a busy machine.
  startSeconds: setting(
    above0.default(120),
    "an agent that shows no sign of life for so long after its start has not started, for example because an MCP server does not answer. Not for `command` and `scripted` agents, and not while the CLI reports that it tries again. The slowest start measured took 19 s",
    "seconds",
  ),
  silenceMinutes: setting(
    above0.default(10),
    "a session without a line of output for so long hangs. Agent CLIs can hang for ever",
    "minutes",
  ),
  contextMarks: setting(
    z.tuple([mark, mark, mark]).default([60, 75, 85]),
    "context use at which a session plans its end, wraps up, and is stopped. Given in percent, a mark is never above 120,000, 150,000 or 170,000 tokens: quality falls long before a large window is full",
    "percent of the window up to 100, tokens above",
  ),
  // Endless reviews occur elsewhere: 27 rounds in 8 hours.
  reviewRoundsMax: setting(
    whole.default(3),
    "rounds of requested changes before a person is asked; reviews can go on for ever",
    "rounds",
  ),
  redRoundsMax: setting(
    whole.default(5),
    "submissions in a row whose own checks fail, before a person is asked; at least `breaker.sameErrorMax`",
    "submissions",
  ),
  stalledMax: setting(
    whole.default(3),
    "Executor sessions in a row without progress before the circuit breaker opens",
    "sessions",
  ),
  // The agent may find at the first question that it can decide.
  questionsMax: setting(
    whole.default(2),
    "sessions in a row that only ask, before the relay waits for your answer",
    "sessions",
  ),
  sameFailureMax: setting(
    whole.default(4),
    "times that the same command may fail in the same way in one session; then the session is locked on and has to wrap up, and its handoff carries a post-mortem",
    "times",
  ),
  // In 70 turns of five published sessions of Claude Code, at most 2 in a row had no result, and at most 15 were within a minute.
  turnsPerMinute: setting(
    whole.default(30),
    "turns of the model in a row, within a minute, without a tool that succeeds; then the session is stopped, since a hook (yours, perhaps) refuses everything, or the model repeats itself. Without haste, it is stopped after five times as many. [docs/agents.md](agents.md#hooks-that-refuse-everything) says what counts",
    "turns",
  ),
  // Stops fork bombs.
  backoffSeconds: setting(
    z.number().nonnegative().default(15),
    "pause after a failed session without progress; it doubles with each further one, up to an hour",
    "seconds",
  ),
  sessionsPerHour: setting(
    whole.default(100),
    "sessions that all relays of the repository together may start within an hour; when the hour is full, they wait",
    "sessions",
  ),
  tokensPerHour: setting(
    whole.optional(),
    "tokens that all relays may use within an hour, in and out, as the agents report them (their context, where they report no more)",
    "tokens",
  ),
  checkMinutes: setting(above0.default(10), "time-out of one check", "minutes"),
  setupMinutes: setting(above0.default(20), "time-out of one set-up command", "minutes"),
  usageLimitMinutes: setting(
    above0.default(60),
    "wait after a usage limit that names no reset time; the journal then says that the time is a guess",
    "minutes",
  ),
});

export type Limits = z.infer<typeof limitsSchema>;
