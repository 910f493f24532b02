/** Waiting at a terminal: a countdown, and for 30 s the choice to go on waiting or to quit; then it quits, unless told before. */
import { becauseOf } from "../../core/reason/reason.ts";
import type { Reason } from "../../core/reason/reason-schema.ts";
import type { Readable } from "node:stream";
import { waitChoiceMs } from "../../core/limits.ts";
import { plainLine } from "../../core/text/sanitize.ts";
import { seconds } from "../../core/text/figures.ts";
import type { Screen } from "../../views/terminal.ts";
import { t } from "../../core/language/translate.ts";

type Wait = { untilMs: number; reason: Reason };

/** One for a run: what a person says counts for all its relays. */
export type Waiter = {
  /** Looked at again and again while a relay waits: whether to go on with that. */
  goOn(issue: string, wait: Wait): boolean;
  end(): void;
};

export type Waiting = {
  /** Nobody is asked: unattended, or told so by `--wait`. */
  always: boolean;
  /** Where a person's answer comes from, a line at a time; undefined where none can. */
  input: Readable | undefined;
  screen: Screen;
  nowMs(): number;
};

export function openWaiter({ always, input, screen, nowMs }: Waiting): Waiter {
  let said: "wait" | "quit" | undefined = always ? "wait" : undefined;
  const askedAtMs = new Map<string, number>();
  const hear = (text: unknown): void => {
    const word = String(text).trim().toLowerCase();
    if (word === "w" || word === "wait") said = "wait";
    if (word === "q" || word === "quit") said = "quit";
  };
  const askedFor = (issue: string, { untilMs }: Wait): number => {
    const name = `${issue} ${untilMs}`;
    const atMs = askedAtMs.get(name) ?? nowMs();
    if (askedAtMs.size === 0) input?.on("data", hear);
    askedAtMs.set(name, atMs);
    return atMs + waitChoiceMs;
  };
  const choice = (issue: string, wait: Wait): string | undefined => {
    if (said === "wait") return "";
    if (said === "quit") return undefined;
    const quitsAtMs = askedFor(issue, wait);
    // What is over before the choice is leaves nothing to choose.
    if (wait.untilMs <= quitsAtMs) return "";
    const leftMs = quitsAtMs - nowMs();
    return leftMs > 0 ? t` (w, Enter: wait; q, Enter: quit; quits in ${seconds(leftMs)})` : undefined;
  };
  return {
    goOn: (issue, wait) => {
      const words = choice(issue, wait);
      if (words === undefined) return false;
      const left = seconds(Math.max(0, wait.untilMs - nowMs()));
      screen.live(t`${issue}  waits ${left}${words}: ${plainLine(becauseOf(wait.reason), 120)}`);
      return true;
    },
    end: () => {
      input?.off("data", hear);
      input?.pause();
    },
  };
}
