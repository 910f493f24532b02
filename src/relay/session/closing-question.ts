/**
 * Asks a session that ended without a submission, in its own conversation, whether the work is done. Skipped if facts, or the
 * session itself, have answered no.
 */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { closingIn } from "../../core/exit/closing.ts";
import { isUndecided } from "../../core/exit/detection.ts";
import { parseIssue } from "../../core/issue/issue.ts";
import { closingMs, documentBytesMax } from "../../core/limits.ts";
import { parseLive } from "../../core/session/live.ts";
import { outboxMessageSchema } from "../../core/session/message.ts";
import type { Seen } from "../../core/session/observations.ts";
import { writeAtomically } from "../../store/durable.ts";
import { readMailbox } from "../../store/mailbox.ts";
import { readInside } from "../read-inside.ts";
import { openingOf, settingsOf } from "../relay.ts";
import type { Relay } from "../relay.ts";
import { contractNow } from "../contract.ts";
import { resolvedOf } from "./facts.ts";
import { isHandedOver } from "./own-handoff.ts";
import type { Starting } from "./launch.ts";
import { oneMoreTurn } from "./one-more-turn.ts";
import { t } from "../../core/language/translate.ts";

/** `before` with the answer and the turn's cost; unchanged if the session was not asked. */
export async function askWhetherDone(relay: Relay, starting: Starting, before: Seen): Promise<Seen> {
  if (!isToBeAsked(relay, starting, before)) return before;
  relay.onProgress({ type: "step", text: t`asking the ended session whether the work is done` });
  letItStop(starting.places.live);
  const stream = join(starting.places.folder, "closing.jsonl");
  const asked = await oneMoreTurn(
    relay,
    { ...starting, places: { ...starting.places, stream } },
    {
      prompt: relay.templates(settingsOf(relay).language).closing,
      seen: { ...before, answer: "" },
      msMax: closingMs,
      answer: "closing",
    },
  );
  const closing = closingIn(asked.answer);
  const { answer, messages, outputChars, question } = before;
  const own = { ...asked, answer, messages, outputChars, ...(question === undefined ? {} : { question }) };
  return closing ? { ...own, closing } : own;
}

function isToBeAsked(relay: Relay, starting: Starting, seen: Seen): boolean {
  const { agent, role, places } = starting;
  const { ask, submit } = settingsOf(relay).exit;
  const { loop } = openingOf(relay);
  const may = ask && submit && role === "executor" && agent.capabilities.resume && loop === undefined;
  if (!may || relay.control.interrupt.aborted) return false;
  const byItself = seen.agent?.ending === "completed" && seen.stoppedBy === undefined && !seen.compacted;
  // With another id, the ended conversation may not be the session's own.
  const foreign = agent.capabilities.takesSessionId && seen.agentSessionId !== starting.agentSessionId;
  if (!byItself || foreign || seen.question !== undefined || seen.limit !== undefined) return false;
  const letters = readMailbox(places.outbox, outboxMessageSchema);
  if (letters.some(({ message }) => message.type !== "refused") || isHandedOver(relay, starting))
    return false;
  return isUndecided(seen.answer, boxesIn(relay, starting.folder), willBeChecked(relay));
}

/** Tells the stop hook to ask for nothing in this turn. */
function letItStop(path: string): void {
  const live = existsSync(path) ? parseLive(readFileSync(path, "utf8")) : undefined;
  if (live) writeAtomically(path, JSON.stringify({ ...live, letStop: "asked whether the work is done" }));
}

/** The boxes in the agent's copy of the contract. */
function boxesIn(relay: Relay, folder: string): { resolved: number; total: number } {
  const { path } = openingOf(relay).contract;
  const text = readInside(folder, path, documentBytesMax);
  if (text === undefined) return { resolved: 0, total: 0 };
  try {
    const issue = parseIssue(text, path);
    return { resolved: resolvedOf(issue), total: issue.criteria.length + issue.tasks.length };
  } catch {
    // The agent left a file that is no issue.
    return { resolved: 0, total: 0 };
  }
}

function willBeChecked(relay: Relay): boolean {
  return settingsOf(relay).checkAfterSession && contractNow(relay).checks.length > 0;
}
