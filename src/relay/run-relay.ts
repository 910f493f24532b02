/** The loop of a relay: read the state, decide, perform, until nothing can be done now. */
import { keepGit } from "../git/git.ts";
import type { Action } from "../core/relay/action.ts";
import { isOver, runningSession } from "../core/relay/phase.ts";
import { decideNow } from "./around.ts";
import type { Reason } from "../core/reason/reason-schema.ts";
import { drainInbox } from "./people/inbox.ts";
import { perform } from "./perform.ts";
import type { Relay } from "./relay.ts";

export type Rest = Extract<Action, { do: "rest" }>;

/** The ends of a run: at rest, interrupted, not waiting any longer, after one session, or closed to further sessions. */
export type RunEnd =
  | { end: "rest"; rest: Rest }
  | { end: "interrupted" }
  | { end: "later"; untilMs: number; reason: Reason }
  | { end: "once" }
  | { end: "closed" };

export type RunOptions = {
  /** Stops before a second session. */
  once: boolean;
  /** Aborted, no further session begins; the steps that end the last session are still done. */
  untilSignal?: AbortSignal;
  /** Whether to wait for `untilMs`, or to leave (false); asked again in each second of the wait. */
  wait(action: { untilMs: number; reason: Reason }): boolean;
  /** Called before each action: from the first one on, the run has begun. */
  begins?(): void;
};

/** Runs until the relay is done, blocked or paused, or the options end the run. The caller holds the runner's lock. */
export async function runRelay(relay: Relay, options: RunOptions): Promise<RunEnd> {
  const leave = keepGit(relay.repository.root);
  try {
    return await runActions(relay, options);
  } finally {
    leave();
  }
}

async function runActions(relay: Relay, options: RunOptions): Promise<RunEnd> {
  const before = relay.state.sessions.length;
  let pushedAfter: number | undefined;
  for (;;) {
    const { length } = relay.state.sessions;
    const hasRun = length > before;
    for (const { why } of await drainInbox(relay)) relay.onProgress({ type: "warning", text: why });
    if (relay.control.interrupt.aborted && !runningSession(relay.state)) {
      return finishInterrupted(relay);
    }
    const action = await decideNow(relay);
    if (action.do === "rest") return { end: "rest", rest: action };
    if (options.untilSignal?.aborted && (action.do === "start" || action.do === "wait"))
      return { end: "closed" };
    if (action.do === "start" && options.once && hasRun) return { end: "once" };
    options.begins?.();
    // Another machine goes on from here, with what the last session left: one push for each session.
    if ((action.do === "start" || action.do === "check") && length !== pushedAfter) {
      await relay.shared?.push();
      pushedAfter = length;
    }
    if (action.do === "wait") {
      // A run of one session does not wait for the next.
      if ((options.once && hasRun) || !options.wait(action))
        return { end: "later", untilMs: action.untilMs, reason: action.reason };
      // Sleeps a second at most, so that the inbox is read meanwhile.
      const ms = Math.min(1_000, action.untilMs - relay.nowMs());
      await relay.sleep(ms, relay.control.interrupt);
    } else if (!(await performed(relay, action)) && runningSession(relay.state)) {
      return { end: "interrupted" };
    }
  }
}

/** Whether an action was completed. A failure after a stop counts as the stop; the next run starts with that action. */
async function performed(relay: Relay, action: Parameters<typeof perform>[1]): Promise<boolean> {
  try {
    await perform(relay, action);
    return true;
  } catch (error) {
    if (!relay.control.interrupt.aborted) throw error;
    return false;
  }
}

/** On Ctrl-C, finishes quick steps (the handoff); the next run does the others. */
async function finishInterrupted(relay: Relay): Promise<RunEnd> {
  for (;;) {
    const action = await decideNow(relay);
    if (action.do === "rest" && isOver(relay.state.opening)) return { end: "rest", rest: action };
    const quick = action.do === "hand_over" || action.do === "accept";
    if (!quick || !(await performed(relay, action))) return { end: "interrupted" };
  }
}
