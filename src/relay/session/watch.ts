/** Watches a running session: passes its output, its messages and the time to the pure step, and does what the step returns. */
import { writeAtomically } from "../../store/durable.ts";
import type { Agent } from "../../agents/agent.ts";
import { wordsOf } from "../../core/error/error.ts";
import type { Seen } from "../../core/session/observations.ts";
import type { AgentUpdate } from "../../core/session/update.ts";
import { newWatch, step } from "../../core/session/watch.ts";
import type { Effect, Input, Watch, Watched } from "../../core/session/watch-step.ts";
import type { SessionPlaces } from "../../store/places.ts";
import { settingsOf } from "../relay.ts";
import type { Relay } from "../relay.ts";
import type { RunningAgent } from "./launch.ts";
import { watchLetters } from "./letters.ts";
import { ownHandoff } from "./own-handoff.ts";

export type Watcher = {
  onUpdates(updates: AgentUpdate[]): void;
  onFlood(): void;
  /** Begins watching; the child process exists. */
  begin(child: RunningAgent): void;
  /** Ends the session for an error, which `finish` then throws. */
  fail(error: unknown): void;
  /** Ends all watching. */
  finish(): Seen;
};

type Session = Pick<Watch, "session" | "live" | "seen"> &
  Pick<Watched, "windowTokens" | "allowance"> & { places: SessionPlaces; agent: Agent };

/** Makes the watcher of a session; it starts at `begin`. */
export function watchSession(relay: Relay, { places, agent, ...session }: Session): Watcher {
  const { limits, language } = settingsOf(relay);
  const templates = relay.templates(language);
  let watch = newWatch({ ...session, limits, templates, agent: agent.capabilities }, relay.nowMs());
  let child: RunningAgent | undefined;
  let broken: unknown;
  const timers: NodeJS.Timeout[] = [];
  const take = (input: Input, letter?: { take(): void }): void => {
    const [next, effects] = step(watch, input);
    watch = next;
    for (const effect of effects) perform(effect, letter);
  };
  /** Ends the session; `finish` throws the error to the runner afterwards. */
  const fail = (error: unknown): void => {
    broken ??= error;
    take({ type: "stop", reason: "failure", because: { rule: "went_wrong", said: wordsOf(error) } });
  };
  const guarded = (work: () => void): void => guard(work, fail);
  const perform = (effect: Effect, letter?: { take(): void }): unknown => {
    switch (effect.do) {
      case "record":
        return relay.record(effect.event);
      case "write_live":
        return writeView(places.live, watch.live);
      case "tell":
        return child?.tell(effect.text);
      case "show":
        return relay.onProgress({ ...effect.update, session: session.session });
      case "end_input":
        return child?.endInput();
      case "take":
        return letter?.take();
      case "stop":
        return void child?.stop(effect.graceMs);
      case "stop_later":
        return timers.push(setTimeout(() => take({ ...effect, type: "stop" }), effect.ms));
      case "look_for_handoff":
        return take({ type: "handoff", isThere: ownHandoff(watch.live) !== undefined, why: effect.why });
    }
  };

  const letters = watchLetters(relay, { outbox: places.outbox, role: session.live.role, take, guarded });
  const lookAround = (): void => {
    take({ type: "now", nowMs: relay.nowMs() });
    letters.read();
  };
  const interrupted = (): void => {
    const because = relay.control.because?.() ?? ({ rule: "interrupted" } as const);
    take({ type: "interrupted", because });
  };

  return {
    onUpdates: (updates) => guarded(() => take({ type: "updates", nowMs: relay.nowMs(), updates })),
    onFlood: () => take({ type: "flooded" }),
    begin: (started) => {
      child = started;
      letters.begin();
      timers.push(setInterval(() => guarded(lookAround), 1_000));
      relay.control.interrupt.addEventListener("abort", interrupted);
      if (relay.control.interrupt.aborted) interrupted();
    },
    fail,
    finish: () => {
      letters.end();
      for (const timer of timers) clearTimeout(timer);
      relay.control.interrupt.removeEventListener("abort", interrupted);
      if (broken !== undefined) throw broken;
      return watch.seen;
    },
  };
}

/** Catches errors of timers and streams, which would end the whole process. */
function guard(work: () => void, fail: (error: unknown) => void): void {
  try {
    work();
  } catch (error) {
    fail(error);
  }
}

/** Ignores errors: a full disk must not end the session, and the agent may have removed its folder. */
function writeView(path: string, live: Watch["live"]): void {
  try {
    writeAtomically(path, JSON.stringify(live));
  } catch {
    // The file is only a view.
  }
}
