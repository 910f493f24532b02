/** Watches one running session: brings what it says, what it is sent and the time to the pure step, and does what that answers. */
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
  /** Begins: the child is there. */
  begin(child: RunningAgent): void;
  /** Ends the session for an error beside it, which `finish` throws. */
  fail(error: unknown): void;
  /** Ends all watching. */
  finish(): Seen;
};

type Session = Pick<Watch, "session" | "live" | "seen"> &
  Pick<Watched, "windowTokens" | "allowance"> & { places: SessionPlaces; agent: Agent };

/** Makes the watcher of a session; nothing happens before `begin`. */
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
  /** The session is ended, and the runner told when it is over. */
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
  const interrupted = (): void => take({ type: "interrupted" });

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

/** What a timer or a stream calls would take the whole process down where it throws. */
function guard(work: () => void, fail: (error: unknown) => void): void {
  try {
    work();
  } catch (error) {
    fail(error);
  }
}

/** A full disk must not end the session, and the agent may have removed its folder. */
function writeView(path: string, live: Watch["live"]): void {
  try {
    writeAtomically(path, JSON.stringify(live));
  } catch {
    // Only a view.
  }
}
