/** Work that is put off until the agent works, when nothing waits for the runner. */
import { pipesAfterMs } from "../../core/limits.ts";
import { removePipes } from "../../git/pipes.ts";
import { keepJournalCopy } from "../journal-copy.ts";
import type { Relay } from "../relay.ts";
import type { Watcher } from "./watch.ts";

/** Call `end` when the agent ends: work that has not begun is dropped. Errors go to `fail`. */
export function besideAgent(relay: Relay, fail: Watcher["fail"]): { done: Promise<unknown>; end(): void } {
  const { workspace } = relay.places;
  const copied = keepJournalCopy(relay);
  // Removes pipes of an earlier session that no git has met but the agent's git would.
  const late = setTimeout(() => void removePipes(workspace, "files").catch(() => undefined), pipesAfterMs);
  return { done: copied.catch(fail), end: () => clearTimeout(late) };
}
