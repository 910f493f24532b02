/** Counts repeated failures of one command: an agent that is stuck repeats what cannot work. */
import { errorSignature } from "../error/error-signature.ts";
import { oneLine } from "../text/one-line.ts";

/** The number of commands that are remembered, the newest: a session may run thousands. */
const commandsMax = 200;

/** By command, the newest last: its last error, and how often in a row it failed with it. */
export type SameFailures = ReadonlyMap<string, { signature: string; times: number }>;

/**
 * Records a command that ended, and returns how many times in a row it has now failed with the same error; 0 after a success.
 * A different error counts as progress, and restarts the count.
 */
export function countFailure(
  failures: SameFailures,
  { command, error }: { command: string; error?: string },
): { failures: SameFailures; times: number } {
  const key = oneLine(command);
  const before = failures.get(key);
  const others = [...failures].filter(([name]) => name !== key);
  if (error === undefined) return { failures: new Map(others), times: 0 };
  const signature = errorSignature(error);
  const times = before?.signature === signature ? before.times + 1 : 1;
  return { failures: new Map([...others.slice(1 - commandsMax), [key, { signature, times }]]), times };
}
