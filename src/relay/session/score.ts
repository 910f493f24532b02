/** Scores a session that ended without a submit: gathers the input of exit detection and journals the score. */
import { namesBetween } from "../../git/snapshot.ts";
import { scoreExit } from "../../core/exit/detection.ts";
import type { SessionRecord } from "../../core/journal/relay-state.ts";
import { refusalGone, scoredBefore } from "../../core/journal/counts.ts";
import { leftBefore } from "./work.ts";
import { resolvedOf } from "./facts.ts";
import type { Facts } from "./facts.ts";
import { openingOf, settingsOf } from "../relay.ts";
import type { Relay } from "../relay.ts";

/** Records `signal.scored`, once for each ended Executor session. */
export async function scoreSession(
  relay: Relay,
  record: SessionRecord,
  { facts, answer }: { facts: Facts; answer: string },
): Promise<void> {
  const ended = record.ended!;
  const opening = openingOf(relay);
  const { contract } = opening;
  const before = leftBefore(relay, record.session, record.started.head);
  const now = ended.wip ?? ended.head;
  const submitted = opening.submissions.at(-1)?.head;
  // Files of an earlier submission do not show that the work is finished.
  const changed =
    submitted === undefined
      ? [...facts.files, ...facts.uncommitted]
      : await namesBetween(relay.repository.root, submitted, now);
  const boxes = [...facts.issue.criteria, ...facts.issue.tasks];
  const score = scoreExit(
    {
      answer,
      boxes: {
        resolved: resolvedOf(facts.issue),
        total: boxes.length,
      },
      files: await namesBetween(relay.repository.root, before, now),
      changed: changed.filter((name) => name !== contract.path).length,
      checksOk: facts.checksOk,
      before: scoredBefore(opening, record.session),
      closing: ended.closing,
      refusalGone: refusalGone(opening, record),
    },
    { ...settingsOf(relay).exit, promise: opening.loop?.promise },
  );
  relay.record({ type: "signal.scored", session: record.session, ...score });
}
