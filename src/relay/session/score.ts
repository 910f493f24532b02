/** Scores a session that ended without a submit: gathers what exit detection looks at, and journals what it found. */
import { namesBetween } from "../../git/snapshot.ts";
import { scoreExit } from "../../core/exit/detection.ts";
import type { SessionRecord } from "../../core/journal/relay-state.ts";
import { scoredBefore } from "../../core/journal/counts.ts";
import { leftBefore } from "./collect.ts";
import { resolvedOf } from "./facts.ts";
import type { Facts } from "./facts.ts";
import { openingOf, settingsOf } from "../relay.ts";
import type { Relay } from "../relay.ts";

/** Records `signal.scored` for an ended Executor session: its own, once. */
export async function scoreSession(
  relay: Relay,
  record: SessionRecord,
  { facts, answer }: { facts: Facts; answer: string },
): Promise<void> {
  const ended = record.ended!;
  const before = leftBefore(relay, record.session, record.started.head);
  const boxes = [...facts.issue.criteria, ...facts.issue.tasks];
  const score = scoreExit(
    {
      answer,
      boxes: {
        resolved: resolvedOf(facts.issue),
        total: boxes.length,
      },
      files: await namesBetween(relay.repository.root, before, ended.wip ?? ended.head),
      checksOk: facts.checksOk,
      before: scoredBefore(openingOf(relay), record.session),
    },
    { ...settingsOf(relay).exit, promise: openingOf(relay).loop?.promise },
  );
  relay.record({ type: "signal.scored", session: record.session, ...score });
}
