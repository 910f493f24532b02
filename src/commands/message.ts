/** A person's message to a relay: dropped into its inbox; taken by the living runner, or by this command itself. */
import { existsSync, watch } from "node:fs";
import { acknowledgeMs } from "../core/limits.ts";
import { drainInbox } from "../relay/inbox.ts";
import { openRelay } from "../relay/relay.ts";
import type { Relay } from "../relay/relay.ts";
import { dropMessage } from "../store/mailbox.ts";
import { tryRunnerLock } from "./runner-lock.ts";
import { setUpRelay } from "./wire.ts";
import type { Here } from "./here.ts";

/** `taken`: by this command. `runner`: by the living one. `left`: it lies there until the runner looks. */
export type Delivery = { by: "taken"; refused: string[] } | { by: "runner" } | { by: "left" };

/** Drops the message; without a runner, `before` may prepare the relay, then the inbox is drained under the lock. */
export async function deliver(
  here: Here,
  issue: string,
  body: { type: string } & Record<string, unknown>,
  before: (relay: Relay) => Promise<void> = async () => undefined,
): Promise<Delivery> {
  const setup = setUpRelay(here, issue, {
    control: { interrupt: new AbortController().signal },
    onProgress: () => undefined,
  });
  const path = dropMessage(setup.places.inbox, body);
  let lock = tryRunnerLock(setup.places.runnerLock);
  if (!lock) {
    if (await takenWithin(setup.places.inbox, path)) return { by: "runner" };
    // The runner may have ended between its last look and now: left lying, a stop would stop the next run.
    lock = tryRunnerLock(setup.places.runnerLock);
    if (!lock) return { by: "left" };
  }
  try {
    const relay = openRelay(setup);
    await before(relay);
    return { by: "taken", refused: await drainInbox(relay) };
  } finally {
    lock.release();
  }
}

/** Waits for the runner's acknowledgement: the message is gone from the inbox. */
async function takenWithin(folder: string, path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const settle = (taken: boolean): void => {
      clearTimeout(timer);
      watcher.close();
      resolve(taken);
    };
    const timer = setTimeout(() => settle(!existsSync(path)), acknowledgeMs);
    const watcher = watch(folder, () => {
      if (!existsSync(path)) settle(true);
    });
    if (!existsSync(path)) settle(true);
  });
}
