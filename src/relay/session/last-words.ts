/**
 * A session that was ended at a mark and left no handoff: its conversation is opened once more, only to write RALPH.md. So is
 * that of an agent without a stop hook that ended by itself beyond its wrap-up mark: nothing could hold it until it had.
 */
import { hash } from "node:crypto";
import type { StopReason } from "../../core/journal/event.ts";
import { handoffBytesMax, lastWordsMs, termGraceMs } from "../../core/limits.ts";
import { outboxMessageSchema } from "../../core/session/message.ts";
import { hasPromise } from "../../core/exit/promise.ts";
import { findStatusBlock } from "../../core/exit/status-block.ts";
import { isValidHandoff } from "./collect.ts";
import { startAgent } from "./launch.ts";
import type { Starting } from "./launch.ts";
import { readInside } from "../read-inside.ts";
import { openingOf, settingsOf } from "../relay.ts";
import type { Relay } from "../relay.ts";
import { see } from "./observations.ts";
import type { Seen } from "./observations.ts";

const worthAsking: ReadonlySet<StopReason> = new Set(["context_limit", "timeout", "budget"]);

/** Time-boxed, where the agent can be resumed; whatever comes of it, the session ended for the reason that it did. */
export async function askForHandoff(relay: Relay, starting: Starting, seen: Seen): Promise<void> {
  const { agent, role } = starting;
  const { resume, stopHook } = agent.capabilities;
  const unheld = !stopHook && stoppedEarly(relay, starting, seen) ? seen.wrapUp : undefined;
  const at = seen.stoppedBy ?? unheld;
  const asked = role === "executor" && resume && at !== undefined && worthAsking.has(at.reason);
  if (!asked || relay.control.interrupt.aborted || isThere(relay, starting)) return;
  relay.onProgress({ type: "step", text: "asking the ended session for its handoff" });
  const prompt = relay.templates(settingsOf(relay).language).lastWords;
  // Not every agent takes the id that it is given: it is asked under the one that it told.
  const agentSessionId = seen.agentSessionId ?? starting.agentSessionId;
  const child = startAgent(
    relay,
    { ...starting, agentSessionId },
    {
      prompt,
      resume: true,
      onUpdates: (updates) => {
        for (const update of updates) {
          if (update.type === "ended") child.endInput();
          // Figures and words count; how this turn ends does not.
          else see(seen, update);
        }
      },
      onFlood: () => void child.stop(termGraceMs),
    },
  );
  const timer = setTimeout(() => void child.stop(termGraceMs), lastWordsMs);
  const interrupted = (): void => void child.stop(0);
  relay.control.interrupt.addEventListener("abort", interrupted);
  await child.exited;
  relay.control.interrupt.removeEventListener("abort", interrupted);
  clearTimeout(timer);
  const became = isThere(relay, starting) ? "it wrote its handoff" : "it left none";
  if (seen.stoppedBy) seen.stoppedBy.because += `; asked once more, ${became}`;
  else if (seen.wrapUp) seen.wrapUp.why += `; asked once more when it had ended, ${became}`;
}

/** By itself, without a submission, a question, or a word that the work is done: that one is scored as it stands. */
function stoppedEarly(relay: Relay, { places }: Starting, { agent, question, answer }: Seen): boolean {
  const said = answer.join("\n");
  const { loop } = openingOf(relay);
  const isDone = loop ? hasPromise(said, loop.promise) : findStatusBlock(said) !== undefined;
  const letters = relay.edges.mailbox.readMailbox(places.outbox, outboxMessageSchema);
  return agent?.ending === "completed" && question === undefined && !isDone && letters.length === 0;
}

function isThere(relay: Relay, { folder, session }: Starting): boolean {
  const text = readInside(folder, "RALPH.md", handoffBytesMax);
  const given = relay.state.sessions.at(-1)?.started.handoff;
  return (
    text !== undefined &&
    hash("sha256", text) !== given?.sha256 &&
    isValidHandoff(text, { issue: relay.issue, session })
  );
}
