/**
 * Journals that version 0.1 wrote, of its demo and of the stories of its tests, and next to each what its own code told of
 * the relay. Today's code has to tell the same. In the files long texts are cut, the folder of a story is `/place`, and some
 * journals end where their story has made its point: the start of a journal is a journal.
 */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { eventSchema } from "../../src/core/journal/event.ts";
import type { RefusalKind, RelayEvent } from "../../src/core/journal/event.ts";
import type { BlockRule } from "../../src/core/journal/hint-schema.ts";
import { viewOf } from "./support/relay-view.ts";

const oldEvent = z.looseObject({
  type: z.string(),
  because: z.string().optional(),
  hint: z.string().optional(),
  why: z.unknown().optional(),
});
type OldEvent = z.infer<typeof oldEvent>;
const oldView = z.looseObject({ steps: z.array(z.string()) });

const folder = join(import.meta.dirname, "golden");
const stories = readdirSync(folder)
  .filter((file) => file.endsWith(".jsonl"))
  .map((file) => file.slice(0, -".jsonl".length));
const textOf = (file: string): string => readFileSync(join(folder, file), "utf8");
const journalOf = (story: string): OldEvent[] =>
  textOf(`${story}.jsonl`)
    .trimEnd()
    .split("\n")
    .map((line) => oldEvent.parse(JSON.parse(line)));

/** Version 0.1 wrote why a relay is blocked in words alone: the part of them that tells the rule. */
const rules: readonly (readonly [string, BlockRule])[] = [
  [" asks: ", "question"],
  [" is approved by the Reviewer: ", "human_gate"],
  [" do not count, the last because: ", "verdict_refused"],
  [" gave no verdict on submission ", "no_verdict"],
  [" was raised in ", "finding_repeated"],
  [" of requested changes (reviewRoundsMax ", "review_rounds"],
  ["the merge failed ", "merge_failed"],
  [" (sessionsMax ", "sessions_max"],
  ["no progress in ", "breaker_open"],
  [" needs a person: ", "needs_person"],
  ["the relay has used ", "budget"],
  ["setup failed: ", "setup_failed"],
  [" is gone", "base_gone"],
  [" checked out and ", "base_held"],
  [" times while submission ", "base_moving"],
  [" has changed on ", "issue_changed"],
];

/** The same for what is wrong with a submit. */
const kinds: readonly (readonly [string, RefusalKind])[] = [
  ["uncommitted changes: ", "uncommitted"],
  ["changes were requested on this very commit", "same_commit"],
];

function told<T>(table: readonly (readonly [string, T])[], words: unknown): T {
  const found = table.filter(([part]) => String(words).includes(part));
  expect(found, String(words)).toHaveLength(1);
  return found[0]![1];
}

const same = (event: OldEvent): object => event;

/** Each event that version 0.1 wrote, and what it is today; it also knew `relay.cancelled`, which no code of it wrote. */
const today: Readonly<Record<string, (event: OldEvent) => object>> = {
  "relay.opened": same,
  "session.started": same,
  "session.identified": same,
  "usage.measured": same,
  "extension.granted": same,
  "session.ended": same,
  "handoff.recorded": same,
  "question.asked": same,
  "question.answered": same,
  "note.said": same,
  "signal.scored": same,
  "submission.requested": same,
  "submission.refused": (event) => ({ ...event, kind: told(kinds, event.why) }),
  "contract.tampered": same,
  "submission.inspected": same,
  "checks.ran": same,
  "review.given": same,
  "review.refused": same,
  "review.decided": same,
  "breaker.changed": same,
  "limit.hit": same,
  "agent.suspended": same,
  "rate.limited": same,
  "merge.prepared": same,
  "merge.done": same,
  "merge.conflicted": same,
  "merge.rejected": same,
  "relay.finished": same,
  "relay.paused": same,
  "relay.resumed": same,
  "relay.blocked": (event) => ({
    ...event,
    rule: told(rules, event.because),
    hint: [[{ do: "by_hand", what: event.hint }]],
  }),
  "relay.cleared": same,
};

function converted(event: OldEvent): RelayEvent {
  const convert = today[event.type];
  if (!convert) throw new Error(`version 0.1 wrote ${event.type}: say in the map what it is today`);
  return eventSchema.parse(convert(event));
}

/** Where today's code means to do something else than version 0.1 did: the story, and its steps by the number of their event. */
const changes: Readonly<Record<string, { because: string; steps: Readonly<Record<number, string>> }>> = {
  "checks-red": {
    because: "Red checks go back to an Executor: no Reviewer is asked.",
    steps: Object.fromEntries([6, 10, 11, 15, 16].map((seq) => [seq, "reviewing, then settle"])),
  },
};

function expectedOf(story: string): object {
  const old = oldView.parse(JSON.parse(textOf(`${story}.json`)));
  const { because, steps } = changes[story] ?? { because: "", steps: {} };
  const now = old.steps.map((step, index) => steps[index + 1] ?? step);
  if (because !== "") expect(now, `${because} No step differs: take this change away`).not.toEqual(old.steps);
  return { ...old, steps: now };
}

describe("a journal of version 0.1 replays to what version 0.1 told of its relay", () => {
  test.for(stories)("%s", (story) => {
    const view: unknown = JSON.parse(JSON.stringify(viewOf(journalOf(story).map(converted))));
    expect(view).toEqual(expectedOf(story));
  });
});

test("each event and each sentence that the map converts is in some journal of version 0.1", () => {
  const events = stories.flatMap(journalOf);
  expect(Object.keys(today).toSorted()).toEqual([...new Set(events.map(({ type }) => type))].toSorted());
  const words = events.map(({ because, why }) => `${because} ${String(why)}`);
  const unused = [...rules, ...kinds].filter(([part]) => !words.some((one) => one.includes(part)));
  expect(unused).toEqual([]);
  expect(Object.keys(changes).filter((story) => !stories.includes(story))).toEqual([]);
});
