/** monoco relay extend: a session asks for more time; the policy grants up to twice the session's limit in all. */
import { counted } from "../../core/language/counted.ts";
import { MonocoError } from "../../core/error/error.ts";
import { dropMessage } from "../../store/mailbox.ts";
import { currentSession } from "../../app/session-context.ts";
import { io } from "../../io/io.ts";
import { t } from "../../core/language/translate.ts";

export function extend(flags: { minutes: number; because: string }): number {
  const session = currentSession();
  if (!session) {
    throw new MonocoError("input", t`only a running session can ask for more time`, {
      hint: t`people set limits: { sessionMinutes: N } in monoco.yaml`,
    });
  }
  const { live } = session;
  const most = live.minutesMax ?? 2 * live.sessionMinutes;
  const longestMs = live.startedAtMs + most * 60_000;
  if (live.deadlineMs >= longestMs) {
    const message = t`this session has all the time that one may have (${counted(most, "minute")})`;
    throw new MonocoError("input", message, { hint: t`commit and hand over: monoco relay prepare` });
  }
  dropMessage(session.outbox, { type: "extend", minutes: flags.minutes, because: flags.because });
  io().stdout.write(t`asked for ${flags.minutes} more minutes (at most ${most} in all)\n`);
  return 0;
}
