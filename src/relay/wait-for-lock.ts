/** Waits for a lock that others hold briefly. */
import { tryLock } from "../store/lock.ts";
import { MonocoError } from "../core/error/error.ts";
import type { Lock } from "../store/lock.ts";
import type { Relay } from "./relay.ts";
import { t } from "../core/language/translate.ts";

/** Takes the repository's lock `name`, for itself or to share it. On Ctrl-C throws `interrupted` with the message `said`. */
export async function waitForLock(
  relay: { repositoryPlaces: Pick<Relay["repositoryPlaces"], "locks">; control: Relay["control"] },
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

/** Moves a branch, and the checkout of it, while no other relay of this clone does: git's own merge would take a half-done one for changes. */
export async function movingBranch<T>(
  relay: Parameters<typeof waitForLock>[0],
  branch: string,
  act: () => Promise<T>,
): Promise<T> {
  const said = t`interrupted while waiting to merge`;
  const lock = await waitForLock(relay, `move.${encodeURIComponent(branch)}`, said);
  try {
    return await act();
  } finally {
    lock.release();
  }
}

/** The lock that commands share while they run, so that one can run alone. */
const commandsLock = "commands";

/** Runs a command while other relays' may run; `beside`: one did, at its start or its end. */
export async function sharingCommands<T>(
  relay: Relay,
  once: () => Promise<T>,
): Promise<{ value: T; beside: boolean }> {
  const isFree = (): boolean => {
    const lock = tryLock(`${relay.repositoryPlaces.locks}/${commandsLock}`);
    lock?.release();
    return lock !== undefined;
  };
  const startsAlone = isFree();
  const value = await holdingCommands(relay, "shared", once);
  return { value, beside: !startsAlone || !isFree() };
}

/** Runs a command while no other relay's runs. */
export const aloneOfCommands = <T>(relay: Relay, once: () => Promise<T>): Promise<T> =>
  holdingCommands(relay, "alone", once);

async function holdingCommands<T>(relay: Relay, how: "alone" | "shared", once: () => Promise<T>): Promise<T> {
  const lock = await waitForLock(
    relay,
    commandsLock,
    t`interrupted while waiting for another relay's check`,
    how,
  );
  try {
    return await once();
  } finally {
    lock.release();
  }
}
