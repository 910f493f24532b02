/** Makes a hand-over of a pulled relay, by which the next run begins with its head, like one of a person's own session. */
import { hash, randomUUID } from "node:crypto";
import { attempt } from "../../core/error/attempt.ts";
import { MonocoError } from "../../core/error/error.ts";
import { sentences } from "../../core/language/handoff-words.ts";
import { loopPrefix } from "../../core/issue/name.ts";
import { parseIssue } from "../../core/issue/issue.ts";
import type { RelayState } from "../../core/journal/relay-state.ts";
import { heardIn } from "../../core/carry/heard.ts";
import { isOver } from "../../core/relay/phase.ts";
import type { HandedOver } from "../../core/handoff/handed-over.ts";
import { isAncestor } from "../../git/repository.ts";
import { systemClock } from "../../relay/clock.ts";
import { loadSettings } from "../settings.ts";
import { findIssueOnBase } from "../wire.ts";
import type { Carrier, Commits } from "./own.ts";
import { textsIn } from "./own.ts";

/**
 * Undefined if there is nothing to go on with: the relay is over, merged, or a loop, which nothing here asks for. `state` is
 * that of a pulled journal.
 */
export async function handOverOf(
  carrier: Carrier,
  issue: string,
  { there, state }: { there: Commits; state: RelayState | undefined },
): Promise<HandedOver | undefined> {
  const { here, remote, settings } = carrier;
  const { git } = here.repository;
  const head = there.get("head")!;
  const { base, language } = loadSettings(here);
  if (issue.startsWith(loopPrefix) || (state && isOverIn(state))) return undefined;
  if (await isMergedHere(carrier, { issue, head, base })) return undefined;
  const handoffs = settings.carry.includes("handoffs") ? there.get("handoffs") : undefined;
  const last = handoffs === undefined ? undefined : (await textsIn(git, handoffs)).at(-1);
  const generated = sentences.pulled[language](remote.name, head.slice(0, 12), base);
  const first = state?.opening?.handoff?.text ?? last ?? generated;
  const text = [first, ...(state?.opening ? heardIn(state.opening, language) : [])].join("\n\n");
  return {
    v: 1,
    id: randomUUID(),
    issue,
    branch: `monoco/${issue}`,
    worktree: "",
    head,
    leftOut: [],
    text,
    sha256: hash("sha256", text),
    lint: [],
    atMs: systemClock.nowMs(),
    remote: remote.name,
  };
}

function isOverIn({ opening }: RelayState): boolean {
  return opening === undefined || opening.cleared || isOver(opening);
}

/** Whether the work is on the base of this clone, or its issue closed there. */
async function isMergedHere(
  { here }: Carrier,
  { issue, head, base }: { issue: string; head: string; base: string },
): Promise<boolean> {
  if (await isAncestor(here.repository.git, head, `refs/heads/${base}`)) return true;
  try {
    const { text, path } = await findIssueOnBase(here, issue, base);
    return attempt(() => parseIssue(text, path).status === "closed", false);
  } catch (error) {
    // The issue's file comes with a pull of the base.
    if (error instanceof MonocoError) return false;
    throw error;
  }
}
