/** Counts how often one command has failed in one way: an agent that is locked on repeats what cannot work. */
import { errorSignature } from "../error/error-signature.ts";
import { oneLine } from "../text/one-line.ts";

/** Commands that are remembered, the newest: a session may run thousands. */
const commandsMax = 200;

/**
 * A counter for one session. Each call takes a command that ended and returns how many times in a row it has now failed
 * with the same error; 0 after a success. A different error is progress, and starts the count again.
 */
export function countSameFailures(): (ended: { command: string; error?: string }) => number {
  const known = new Map<string, { signature: string; times: number }>();
  return ({ command, error }) => {
    const key = oneLine(command);
    const before = known.get(key);
    known.delete(key);
    if (error === undefined) return 0;
    const signature = errorSignature(error);
    const times = before?.signature === signature ? before.times + 1 : 1;
    known.set(key, { signature, times });
    if (known.size > commandsMax) known.delete(known.keys().next().value!);
    return times;
  };
}
