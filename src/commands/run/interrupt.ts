/** Ctrl-C: the first one stops in order, the second at once. */
import { exitCodes } from "../../core/error/error.ts";
import { runningSession } from "../../core/relay/phase.ts";
import type { Relay } from "../../relay/relay.ts";
import { killAllNow } from "../../agents/child.ts";
import { io } from "../../io/io.ts";
import type { Screen } from "../../views/terminal.ts";
import { t } from "../../core/language/translate.ts";

/**
 * Stops in order at the first Ctrl-C, keeping the handoff; at once at the second. `stopWords` names the effect of the stop. A
 * live line is erased before anything is printed.
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
    // The terminal has printed ^C.
    const { isTTY } = io().stderr;
    if (isTTY) io().stderr.write("\r\u001b[2K");
    io().stderr.write(t`stopping: ${stopWords()}; again to stop at once\n`);
    controller.abort();
  };
  return { interrupt: controller.signal, unlisten: io().onStop(onSignal) };
}

/** The effect of a stop on these relays. */
export function stopWords(relays: Iterable<Relay>): string {
  const roles = [...relays].flatMap(({ state }) => runningSession(state)?.role ?? []);
  if (roles.length === 0) return t`nothing is lost`;
  if (roles.includes("executor"))
    return roles.length === 1
      ? t`the session is ended and handed over`
      : t`${roles.length} sessions are ended and handed over`;
  return roles.length === 1 ? t`the session is ended` : t`${roles.length} sessions are ended`;
}
