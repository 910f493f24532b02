/** What is put off until an agent is at work, and nothing waits for the runner. */
import { pipesAfterMs } from "../../core/limits.ts";
import { removePipes } from "../../git/pipes.ts";
import { keepJournalCopy } from "../journal-copy.ts";
import type { Relay } from "../relay.ts";
import type { Watcher } from "./watch.ts";

/** `end` is for the agent's end: what has not begun is left out. `fail` is told what goes wrong. */
export function besideAgent(relay: Relay, fail: Watcher["fail"]): { done: Promise<unknown>; end(): void } {
  const { workspace } = relay.places;
  const copied = keepJournalCopy(relay);
  // Those of an earlier session that were in no git's way: they would be in this agent's.
  const late = setTimeout(() => void removePipes(workspace, "files").catch(() => undefined), pipesAfterMs);
  return { done: copied.catch(fail), end: () => clearTimeout(late) };
}
