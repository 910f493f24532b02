/** Waiting at a terminal: a countdown, and for 30 s a choice to wait or to quit; without an answer monoco quits. */
import { becauseOf } from "../../core/reason/reason.ts";
import type { Reason } from "../../core/reason/reason-schema.ts";
import type { Readable } from "node:stream";
import { waitChoiceMs } from "../../core/limits.ts";
import { plainLine } from "../../core/text/sanitize.ts";
import { seconds } from "../../core/text/figures.ts";
import type { Screen } from "../../views/terminal.ts";
import { t } from "../../core/language/translate.ts";

type Wait = { untilMs: number; reason: Reason };

/** The waiter of a run: a person's choice counts for all its relays. */
export type Waiter = {
  /** Whether to go on waiting; called repeatedly while a relay waits. */
  goOn(issue: string, wait: Wait): boolean;
  end(): void;
};

export type Waiting = {
  /** Always wait, without asking: in an unattended run, or with `--wait` or `--all`. */
  always: boolean;
  /** The person's answers, a line at a time; undefined if nobody can answer. */
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
    // A wait that ends before the choice does, or soon after, needs no choice.
    if (wait.untilMs <= quitsAtMs + waitChoiceMs) return "";
    const leftMs = quitsAtMs - nowMs();
    return leftMs > 0 ? t` (w, Enter: wait; q, Enter: quit; quits in ${seconds(leftMs)})` : undefined;
  };
  return {
    goOn: (issue, wait) => {
      const choices = choice(issue, wait);
      if (choices === undefined) return false;
      const left = seconds(Math.max(0, wait.untilMs - nowMs()));
      screen.live(issue, t`${issue}  waits ${left}${choices}: ${plainLine(becauseOf(wait.reason), 120)}`);
      return true;
    },
    end: () => {
      input?.off("data", hear);
      input?.pause();
    },
  };
}
