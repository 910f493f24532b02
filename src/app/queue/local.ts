/** The queue of one machine: a kernel lock for each relay. */
import { isLocked } from "../../store/lock.ts";
import type { Lock } from "../../store/lock.ts";
import { placesFor } from "../here.ts";
import type { Here } from "../here.ts";
import { heldByAnother, lockSoon } from "../runner-lock.ts";
import type { Claim, Queue } from "./port.ts";

export type LocalClaim = Claim & { lock: Lock };

export function localQueue(here: Here): Queue<LocalClaim> {
  const pathOf = (issue: string): string => placesFor(here, issue).runnerLock;
  return {
    isRemote: false,
    ready: async (issues) => issues.filter((issue) => !isLocked(pathOf(issue))),
    claim: async (issue) => {
      const lock = await lockSoon(pathOf(issue));
      if (!lock) return { heldBy: heldByAnother(pathOf(issue), issue) };
      // The kernel keeps the lock for as long as the process lives.
      return { issue, lock, lost: new AbortController().signal };
    },
    renew: async () => true,
    release: async ({ lock }) => lock.release(),
  };
}
