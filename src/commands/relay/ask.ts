/** monoco relay ask: a session asks a question that only a person can decide; its successor gets the answer. */
import { MonocoError } from "../../core/error/error.ts";
import { saidCharsMax } from "../../core/limits.ts";
import { dropMessage } from "../../store/mailbox.ts";
import { currentSession } from "../../app/session-context.ts";
import { io } from "../../io/io.ts";
import { t } from "../../core/language/translate.ts";

export function ask(question: string): number {
  const session = currentSession();
  if (!session || session.live.role !== "executor") {
    throw new MonocoError("input", t`only a running Executor session can ask`, {
      hint: t`people say things to a relay: monoco say ID "…"`,
    });
  }
  dropMessage(session.outbox, { type: "ask", text: sayable(question) });
  io().stdout.write(
    t`asked: a person is shown the question, and the answer comes to the next session\nnext: commit, monoco relay prepare, then stop\n`,
  );
  return 0;
}

/** The trimmed text. Throws `input` if it is empty, or too long for one message. */
export function sayable(text: string): string {
  const trimmed = text.trim();
  if (trimmed === "")
    throw new MonocoError("input", t`there are no words to say`, { hint: t`write them in quotes: "…"` });
  if (trimmed.length > saidCharsMax) {
    throw new MonocoError("input", t`${trimmed.length} characters are too many: at most ${saidCharsMax}`, {
      hint: t`write the long part into a file, commit it, and say where it is`,
    });
  }
  return trimmed;
}
