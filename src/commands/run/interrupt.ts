/** Ctrl-C: once is an orderly stop, twice ends at once. */
import { exitCodes } from "../../core/error/error.ts";
import { runningSession } from "../../core/relay/phase.ts";
import type { Relay } from "../../relay/relay.ts";
import { killAllNow } from "../../agents/child.ts";
import { io } from "../../io/io.ts";
import type { Screen } from "../../views/terminal.ts";
import { t } from "../../core/language/translate.ts";

/**
 * Once: an orderly stop, the handoff kept. Twice: at once. `stopWords` names what the stop does; a live line is erased before
 * anything is said.
 */
export function listenForInterrupt(
  screen: Screen,
  stopWords: () => string,
): { interrupt: AbortSignal; unlisten(): void } {
  const controller = new AbortController();
  const onSignal = (): void => {
    screen.end();
    if (controller.signal.aborted) {
      killAllNow();
      process.exit(exitCodes.interrupted);
    }
    // A terminal has shown ^C.
    const { isTTY } = io().stderr;
    if (isTTY) io().stderr.write("\r\u001b[2K");
    io().stderr.write(t`stopping: ${stopWords()}; again to stop at once\n`);
    controller.abort();
  };
  return { interrupt: controller.signal, unlisten: io().onStop(onSignal) };
}

/** What a stop does to what these relays are at. */
export function stopWords(relays: Iterable<Relay>): string {
  const roles = [...relays].flatMap(({ state }) => runningSession(state)?.role ?? []);
  if (roles.length === 0) return t`nothing is lost`;
  if (roles.includes("executor"))
    return roles.length === 1
      ? t`the session is ended and handed over`
      : t`${roles.length} sessions are ended and handed over`;
  return roles.length === 1 ? t`the session is ended` : t`${roles.length} sessions are ended`;
}
