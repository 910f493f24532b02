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
import { becauseOf } from "../../src/core/reason/reason.ts";
import { reasonSchema } from "../../src/core/reason/reason-schema.ts";
import type { Reason } from "../../src/core/reason/reason-schema.ts";
import { viewOf } from "./support/relay-view.ts";

const oldEvent = z.looseObject({
  type: z.string(),
  because: z.string().optional(),
  hint: z.string().optional(),
  why: z.unknown().optional(),
  preset: z.object({ name: z.string(), because: z.string() }).optional(),
  signals: z.array(z.looseObject({ because: z.string() })).optional(),
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

/** Version 0.1 wrote its reasons as sentences: what each of them is as data, by the groups of its pattern. */
const reasons: readonly (readonly [RegExp, (...groups: string[]) => object])[] = [
  [/^a new relay$/, () => ({ rule: "new_relay" })],
  [/^session (\d+) handed over$/, (n) => ({ rule: "handed_over", session: Number(n) })],
  [/^the submission was refused$/, () => ({ rule: "submission_refused" })],
  [/^the merge conflicted$/, () => ({ rule: "merge_trouble", what: "conflict" })],
  [/^the merged tree fails its checks$/, () => ({ rule: "merge_trouble", what: "checks" })],
  [/^submission (\d+) is checked$/, (n) => ({ rule: "checked", submission: Number(n) })],
  [
    /^changes were requested on submission (\d+)$/,
    (n) => ({ rule: "changes_requested", submission: Number(n) }),
  ],
  [/^the last verdict does not count$/, () => ({ rule: "verdict_not_counted" })],
  [/^the last Reviewer gave no verdict$/, () => ({ rule: "verdict_missing" })],
  [
    /^(.*); (usage limit of .*)$/,
    (first = "", account = "") => ({ ...told(first), passedOver: [told(account)] }),
  ],
  [
    /^(.*); going on with the conversation of session (\d+)$/,
    (first = "", n) => ({ ...told(first), conversation: { rule: "goes_on", session: Number(n) } }),
  ],
  [/^usage limit of ([^;]*)$/, (agent) => ({ rule: "usage_limit", agent })],
  [
    /^(\d+) of (\d+) boxes resolved$/,
    (resolved, total) => ({ rule: "boxes_resolved", resolved: Number(resolved), total: Number(total) }),
  ],
  [
    /^(\d+) of (\d+) sessions? in a row said done$/,
    (n, of) => ({ rule: "said_done", streak: Number(n), of: Number(of) }),
  ],
  [
    /^(\d+) of (\d+) sessions? in a row changed tests only$/,
    (n, of) => ({ rule: "changed_tests_only", streak: Number(n), of: Number(of) }),
  ],
  [/^none$/, () => ({ rule: "strong_none" })],
  [/^documentation only$/, () => ({ rule: "strong_documentation" })],
  [/^the completion promise$/, () => ({ rule: "strong_promise" })],
  [/^the completion promise is given$/, () => ({ rule: "exit_promise", given: true })],
  [/^the last checks failed$/, () => ({ rule: "exit_checks_failed" })],
  [
    /^the vote is ([\d.]+) \(threshold ([\d.]+)\)$/,
    (total, threshold) => ({ rule: "exit_vote", total: Number(total), threshold: Number(threshold) }),
  ],
  [
    /^EXIT_SIGNAL is true, and (\d+) completion indicators stand behind it$/,
    (n) => ({ rule: "exit_signal", indicators: Number(n), min: 2 }),
  ],
  [
    /^no progress in (\d+) sessions? in a row \(stalledMax (\d+)\)$/,
    (n, max) => ({ rule: "no_progress", sessions: Number(n), max: Number(max) }),
  ],
  [/^its cool-down is over: one session probes$/, () => ({ rule: "cool_down_over" })],
  [/^session (\d+) made progress$/, (n) => ({ rule: "probe_succeeded", session: Number(n) })],
  [
    /^(\d+) sessions were started within an hour \(limits.sessionsPerHour (\d+)\)$/,
    (used, max) => ({ rule: "sessions_per_hour", used: Number(used), max: Number(max) }),
  ],
  [/^a person asked it to stop$/, () => ({ rule: "person", asked: "stop" })],
  [
    /^\$([\d.]+) of its budget of \$([\d.]+) used$/,
    (used, max) => ({ rule: "budget_mark", unit: "costUsd", used: Number(used), max: Number(max) }),
  ],
  [
    /^(\d+) criterion and (\d+) tasks make it simple$/,
    (criteria, tasks) => ({
      rule: "preset_size",
      criteria: Number(criteria),
      tasks: Number(tasks),
      size: "simple",
    }),
  ],
  [/^session (\d+) asks: ([^]*)$/, (n, text) => ({ rule: "question", session: Number(n), text })],
  [
    /^submission (\d+) is approved by the Reviewer: a person has to approve, too \(gates\.(\w+) human\)$/,
    (n, criticality) => ({ rule: "human_gate", submission: Number(n), criticality }),
  ],
  [
    /^(\d+) verdicts on submission (\d+) do not count, the last because: (.*)$/,
    (verdicts, n, last = "") => ({
      rule: "verdict_refused",
      verdicts: Number(verdicts),
      submission: Number(n),
      last: last.split("; "),
    }),
  ],
  [
    /^(\d+) Reviewer sessions gave no verdict on submission (\d+)$/,
    (sessions, n) => ({ rule: "no_verdict", sessions: Number(sessions), submission: Number(n) }),
  ],
  [
    /^finding (\w+) was raised in (\d+) rounds: (.*)$/,
    (finding, rounds, title) => ({ rule: "finding_repeated", finding, rounds: Number(rounds), title }),
  ],
  [
    /^(\d+) round of requested changes \(reviewRoundsMax (\d+)\)$/,
    (rounds, max) => ({ rule: "review_rounds", rounds: Number(rounds), max: Number(max) }),
  ],
  [
    /^the merge failed (\d+) times, last by conflicts in (.*)$/,
    (times, path) => ({ rule: "merge_failed", times: Number(times), paths: [path] }),
  ],
  [
    /^spent (\d+) sessions \(sessionsMax (\d+)\)$/,
    (sessions, max) => ({ rule: "sessions_max", sessions: Number(sessions), max: Number(max) }),
  ],
  [
    /^(\w+) needs a person: (.*)$/,
    (account, said) => ({ rule: "needs_person", accounts: [account], of: [{ rule: "needs_login", said }] }),
  ],
  [
    /^the relay has used \$([\d.]+) of \$([\d.]+), and a session takes about \$([\d.]+) \(budgets.relay.costUsd\)$/,
    (used, max, reserve) => ({
      rule: "budget",
      span: "relay",
      unit: "costUsd",
      used: Number(used),
      reserve: Number(reserve),
      max: Number(max),
    }),
  ],
  [
    /^setup failed: (.*) \(exit status (\d+)\)$/,
    (command, exitCode) => ({
      rule: "setup_failed",
      command,
      exitCode: Number(exitCode),
      timedOut: false,
    }),
  ],
  [/^branch (\w+) is gone$/, (base) => ({ rule: "base_gone", base })],
  [
    /^the merge is ready, but (.*) has (\w+) checked out and (.*)$/,
    (worktree, base, said) => ({ rule: "base_held", base, worktree, said }),
  ],
  [
    /^(\w+) moved (\d+) times while submission (\d+) was being merged$/,
    (base, times, n) => ({ rule: "base_moving", base, times: Number(times), submission: Number(n) }),
  ],
  [
    /^(\S+) has changed on (\w+) since the relay opened: (.*)$/,
    (path, base, change) => ({ rule: "issue_changed", path, base, changes: [change] }),
  ],
];

/** The reason that version 0.1 told in `words`: today's code tells it in the same. */
function told(words: unknown): Reason {
  const found = reasons.flatMap(([pattern, reason]) => {
    const match = pattern.exec(String(words));
    return match ? [reason(...match.slice(1))] : [];
  });
  expect(found, String(words)).toHaveLength(1);
  const reason = reasonSchema.parse(found[0]);
  expect(becauseOf(reason)).toBe(words);
  return reason;
}

const withReason = ({ because, ...event }: OldEvent): object => ({ ...event, reason: told(because) });

/** The same for what is wrong with a submit. */
const kinds: readonly (readonly [string, RefusalKind])[] = [
  ["uncommitted changes: ", "uncommitted"],
  ["changes were requested on this very commit", "same_commit"],
];

function kindOf(words: unknown): RefusalKind {
  const found = kinds.filter(([part]) => String(words).includes(part));
  expect(found, String(words)).toHaveLength(1);
  return found[0]![1];
}

const same = (event: OldEvent): object => event;

const withPreset = ({ preset, ...event }: OldEvent): object => ({
  ...event,
  ...(preset ? { preset: { name: preset.name, reason: told(preset.because) } } : {}),
});

/** Each event that version 0.1 wrote, and what it is today; it also knew `relay.cancelled`, which no code of it wrote. */
const today: Readonly<Record<string, (event: OldEvent) => object>> = {
  "relay.opened": withPreset,
  "session.started": withReason,
  "session.identified": same,
  "usage.measured": ({ why, ...event }) => ({ ...event, ...(why ? { reason: told(why) } : {}) }),
  "extension.granted": same,
  "session.ended": same,
  "handoff.recorded": same,
  "question.asked": same,
  "question.answered": same,
  "note.said": same,
  "signal.scored": ({ signals = [], ...event }) => ({
    ...withReason(event),
    signals: signals.map(({ because, ...signal }) => ({ ...signal, reason: told(because) })),
  }),
  "submission.requested": same,
  "submission.refused": (event) => ({ ...event, kind: kindOf(event.why) }),
  "contract.tampered": same,
  "submission.inspected": same,
  "checks.ran": same,
  "review.given": same,
  "review.refused": same,
  "review.decided": same,
  "breaker.changed": withReason,
  "limit.hit": same,
  "agent.suspended": withReason,
  "rate.limited": withReason,
  "merge.prepared": same,
  "merge.done": same,
  "merge.conflicted": same,
  "merge.rejected": same,
  "relay.finished": same,
  "relay.paused": withReason,
  "relay.resumed": withPreset,
  "relay.blocked": ({ because, hint, ...event }) => {
    const reason = told(because);
    const by = reason.rule === "no_progress";
    return {
      ...event,
      reason: by ? { rule: "breaker_open", by: reason } : reason,
      hint: [[{ do: "by_hand", what: hint }]],
    };
  },
  "relay.cleared": same,
};

function converted(event: OldEvent): RelayEvent {
  const convert = today[event.type];
  if (!convert) throw new Error(`version 0.1 wrote ${event.type}: say in the map what it is today`);
  return eventSchema.parse(convert(event));
}

/** Where today's code means to do something else than version 0.1 did: the story, and its steps by the number of their event. */
type Change = { because: string; steps: Readonly<Record<number, string>>; phase?: string };
const changes: Readonly<Record<string, Change>> = {
  "checks-red": {
    because: "Red checks go back to an Executor: no Reviewer is asked.",
    steps: Object.fromEntries([6, 10, 11, 15, 16].map((seq) => [seq, "reviewing, then settle"])),
  },
  "contract-tampered": {
    because: "A change of the contract needs a person's approval.",
    steps: { 13: "approved, then block", 14: "merging, then block +mergePrepared" },
  },
  "pull-request": {
    because: "A relay whose pull request is open waits for it, and is not done.",
    steps: { 13: "pull_request, then rest +leftOnBranch" },
    phase: "pull_request",
  },
};

function expectedOf(story: string): object {
  const old = oldView.parse(JSON.parse(textOf(`${story}.json`)));
  const { because, steps, ...rest } = changes[story] ?? { because: "", steps: {} };
  const now = old.steps.map((step, index) => steps[index + 1] ?? step);
  if (because !== "") expect(now, `${because} No step differs: take this change away`).not.toEqual(old.steps);
  return { ...old, ...rest, steps: now };
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
  const words = events.flatMap(({ because, why, preset, signals = [] }) => [
    ...signals.map((signal) => signal.because),
    ...[because, why, preset?.because].map(String),
  ]);
  const patterns = [...reasons.map(([pattern]) => pattern), ...kinds.map(([part]) => new RegExp(part))];
  const unused = patterns.filter((pattern) => !words.some((one) => pattern.test(one)));
  expect(unused).toEqual([]);
  expect(Object.keys(changes).filter((story) => !stories.includes(story))).toEqual([]);
});
