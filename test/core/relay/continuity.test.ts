import { conversationWords } from "../../../src/core/reason/conversation-rows.ts";
import { describe, expect, test } from "vitest";
import { continuityOf, costBefore, ownCost } from "../../../src/core/relay/continuity.ts";
import type { Continuity } from "../../../src/core/relay/continuity.ts";
import type { EventBody, EventOf, StopReason } from "../../../src/core/journal/event.ts";
import { stopReasons } from "../../../src/core/journal/events/session-schema.ts";
import { replay } from "../../../src/core/journal/state.ts";
import { blocked, cleared, ended, handoff, journal, openedWith, paused } from "../support/relays.ts";
import { requested, resumed, review, settingsWith, started, submitted } from "../support/relays.ts";
import type { Step } from "../support/relays.ts";

const opened = openedWith({}, { sessions: "continue" });
const hour = 3_600_000;

const say =
  (body: EventBody): Step =>
  () =>
    body;
const told =
  (agentSessionId: string): Step =>
  (state) => ({ type: "session.identified", session: state.sessions.length, agentSessionId });
/** A session in conversation `id`, that ended for `reason`. */
const talked = (
  id: string,
  reason: StopReason = "timeout",
  more: Partial<EventOf<"session.ended">> = {},
  given: Partial<EventOf<"session.started">> = {},
): Step[] => [
  (state) => ({ ...started("executor")(state), ...given }),
  told(id),
  ended(reason, more),
  handoff,
];
const next = { agent: "claude", resume: true, reserveTokens: 0 };

const after = (
  steps: readonly Step[],
  more: Partial<typeof next> = {},
  nowMs = hour,
): (Omit<Continuity, "reason"> & { because: string }) | undefined => {
  const found = continuityOf(replay(journal(steps)).opening!, { ...next, ...more, nowMs });
  if (!found) return undefined;
  const { reason, ...rest } = found;
  return { ...rest, because: conversationWords(reason) };
};
const goesOn = { session: 1, agentSessionId: "a", because: "going on with the conversation of session 1" };
const fresh = (because: string): object => ({ because: `in a fresh conversation: ${because}` });

type Row = [string, Step[], Partial<typeof next>, object | undefined];

// TRAP 10
describe("the next Executor session", () => {
  test.for<Row>([
    ["is the first: there is nothing to go on with", [opened], {}, undefined],
    ["goes on with the last one's conversation", [opened, ...talked("a")], {}, goesOn],
    ["is fresh by default, and nothing is said of it", [openedWith(), ...talked("a")], {}, undefined],
    [
      "is fresh where another agent plays",
      [opened, ...talked("a")],
      { agent: "mine" },
      fresh("session 1 was claude's"),
    ],
    [
      "is fresh where its agent cannot go on",
      [opened, ...talked("a")],
      { resume: false },
      fresh("claude cannot go on with one"),
    ],
    [
      "is fresh where the agent never said whose conversation it was",
      [opened, started("executor"), ended("timeout"), handoff],
      {},
      fresh("whose conversation session 1 was is not certain"),
    ],
    [
      "is fresh where it said two things",
      [opened, started("executor"), told("b"), told("a"), ended("timeout"), handoff],
      {},
      fresh("whose conversation session 1 was is not certain"),
    ],
    [
      "is fresh where it said another id than it was given: that may be anybody's",
      [opened, ...talked("a", "timeout", {}, { agentSessionId: "mine" })],
      {},
      fresh("whose conversation session 1 was is not certain"),
    ],
    [
      "goes on where it said the one that it was given",
      [opened, ...talked("a", "timeout", {}, { agentSessionId: "a" })],
      {},
      goesOn,
    ],
    [
      "is fresh after the breaker opened",
      [
        opened,
        ...talked("a"),
        say({
          type: "breaker.changed",
          to: "open",
          reason: { rule: "no_progress", sessions: 3, max: 3 },
        }),
      ],
      {},
      fresh("the relay was paused"),
    ],
    [
      "is fresh after a person's stop",
      [opened, ...talked("a"), paused, resumed],
      {},
      fresh("a person stopped it"),
    ],
    [
      "goes on after a block that a person has settled",
      [opened, ...talked("a", "question"), blocked, resumed],
      {},
      goesOn,
    ],
    [
      "is fresh after a person's submission",
      [opened, ...talked("a"), requested("person")],
      {},
      fresh("the work was submitted"),
    ],
    [
      "is fresh after a review",
      [opened, ...submitted, ...review("request_changes"), handoff],
      {},
      fresh("the work was reviewed"),
    ],
    [
      "is fresh when a person has changed the agents: the login may be another",
      [
        opened,
        ...talked("a"),
        blocked,
        say({
          type: "relay.resumed",
          by: "person",
          settings: settingsWith({}, { sessions: "continue", agents: {} }),
        }),
      ],
      {},
      fresh("the agents' settings have changed"),
    ],
    [
      "is fresh where the last context has passed its first mark",
      [opened, ...talked("a", "timeout", { contextTokens: 120_000, windowTokens: 200_000 })],
      {},
      fresh("the last one has 120000 tokens of context in use"),
    ],
    [
      "goes on below it",
      [opened, ...talked("a", "timeout", { contextTokens: 119_999, windowTokens: 200_000 })],
      {},
      goesOn,
    ],
    ["is fresh in a relay opened anew", [opened, ...talked("a"), cleared, opened], {}, undefined],
  ])("%s", ([, steps, more, expected]) => {
    const found = after(steps, more);
    if (expected) expect(found).toEqual(expected);
    else expect(found).toBeUndefined();
  });

  test("goes on for 24 hours from a conversation's first session on, not from its last", () => {
    const twice = [
      opened,
      ...talked("a"),
      20 * hour,
      ...talked("a", "timeout", {}, { agentSessionId: "a", continues: 1 }),
    ];
    expect(after(twice, {}, 24 * hour)).toMatchObject({ session: 2, agentSessionId: "a" });
    expect(after(twice, {}, 24 * hour + 1)).toEqual(fresh("the last one is more than 24 hours old"));
  });

  const goesOnAfter = ["timeout", "usage_limit", "budget", "question", "completed_without_submit"];
  test.for(stopReasons.map((reason) => [reason] as const))("after %s", ([reason]) => {
    const found = after([opened, ...talked("a", reason)]);
    expect(found).toEqual(goesOnAfter.includes(reason) ? goesOn : fresh(`session 1 ended: ${reason}`));
  });
});

describe("a cost that an agent tells as a sum over its conversation", () => {
  const state = replay(
    journal([
      opened,
      ...talked("a", "timeout", { costUsd: 1 }),
      ...talked("a", "timeout", { costUsd: 0.5 }, { agentSessionId: "a", continues: 1 }),
      ...talked("b", "timeout", { costUsd: 9 }),
      ...talked("a", "timeout", {}, { agentSessionId: "a", continues: 2 }),
    ]),
  );

  test.for([
    [1, 0],
    [2, 1],
    [3, 0],
    [4, 1.5],
  ])("before session %d it had come to $%d", ([session, usd]) => {
    expect(costBefore(state, session!)).toBe(usd);
  });

  test.for<[string, number, number, number]>([
    ["the difference is the session's own", 1.75, 1.5, 0.25],
    ["without what floating point adds to it", 0.3, 0.1, 0.2],
    ["an agent that counts from nothing again has told its own", 0.25, 1.5, 0.25],
    ["nothing new is nothing", 1.5, 1.5, 0],
  ])("%s", ([, toldUsd, before, own]) => expect(ownCost(toldUsd, before)).toBe(own));
});
