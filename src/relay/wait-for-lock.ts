/** Waits for a lock that others hold briefly. */
import { tryLock } from "../store/lock.ts";
import { MonocoError } from "../core/error/error.ts";
import type { Lock } from "../store/lock.ts";
import type { Relay } from "./relay.ts";

/** Takes the repository's lock `name`, for itself or to share it. On Ctrl-C throws `interrupted` with the message `said`. */
export async function waitForLock(
  relay: Relay,
  name: string,
  said: string,
  how: "alone" | "shared" = "alone",
): Promise<Lock> {
  const path = `${relay.repositoryPlaces.locks}/${name}`;
  for (;;) {
    const lock = tryLock(path, how);
    if (lock) return lock;
    if (relay.control.interrupt.aborted) throw new MonocoError("interrupted", said);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
