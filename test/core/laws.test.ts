import { becauseOf } from "../../src/core/reason/reason.ts";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { decide } from "../../src/core/relay/decide.ts";
import { eventSchema } from "../../src/core/journal/event.ts";
import type { EventOf, RelayEvent } from "../../src/core/journal/event.ts";
import { noVerdictMax, usageLimitMsMin } from "../../src/core/limits.ts";
import { evolve, replay } from "../../src/core/journal/state.ts";
import { settingsWith } from "./support/relays.ts";
import { diceFrom, limits, runToRest, stepsMax } from "./support/simulation.ts";
import type { Run } from "./support/simulation.ts";
import { runs } from "../support/runs.ts";

/** `crash`: after which event the runner dies, and the seed of what becomes of it then. */
type Story = { seed: number; crash?: { after: number; seed: number } };
const stories: fc.Arbitrary<Story> = fc.record(
  { seed: fc.integer(), crash: fc.record({ after: fc.nat({ max: 200 }), seed: fc.integer() }) },
  { requiredKeys: ["seed"] },
);

function runOf({ seed, crash }: Story): Run {
  const run = runToRest(diceFrom(seed));
  if (!crash) return run;
  const left = run.events.slice(0, 1 + (crash.after % run.events.length));
  return runToRest(diceFrom(crash.seed), left);
}

function holds(law: (run: Run) => void, all = 400): void {
  fc.assert(
    fc.property(stories, (story) => law(runOf(story))),
    { numRuns: runs(all) },
  );
}

const ofType = <T extends RelayEvent["type"]>(
  events: readonly RelayEvent[],
  type: T,
): (RelayEvent & EventOf<T>)[] =>
  events.filter((event): event is RelayEvent & EventOf<T> => event.type === type);

test("whatever agents and people do, and wherever it crashes, a relay comes to rest", () => {
  holds(({ last, steps }) => {
    expect(last.do).toBe("rest");
    expect(steps).toBeLessThan(stepsMax);
  });
});

test("many runs reach the merge: the laws are not kept by doing nothing", () => {
  const ran = Array.from({ length: 300 }, (_, number) => runToRest(diceFrom(number)));
  const reached = ran.filter(({ events }) => ofType(events, "merge.done").length > 0);
  expect(reached.length).toBeGreaterThan(40);
  const late = ran.filter(({ events }) => {
    const steps = events
      .map(({ type }) => type)
      .filter((type) => /^(submission.requested|merge.prepared)$/.test(type));
    return steps.join().includes("merge.prepared,submission.requested");
  });
  expect(late.length, "submitted over a merge that stood prepared").toBeGreaterThan(0);
});

test("at most one session is running at any time, and no number is used twice", () => {
  holds(({ events }) => {
    let running = 0;
    const numbers = new Set<number>();
    for (const event of events) {
      if (event.type === "session.started") {
        running += 1;
        expect(numbers).not.toContain(event.session);
        numbers.add(event.session);
      }
      if (event.type === "session.ended") running -= 1;
      expect(running).toBeLessThanOrEqual(1);
    }
  });
});

// TRAP 25, DESIGN 14
test("nothing is merged without green checks and an approval of that very submission, in this opening", () => {
  holds(({ events }) => {
    for (const [index, event] of events.entries()) {
      if (event.type !== "merge.prepared" && event.type !== "merge.done") continue;
      const before = events.slice(
        events.findLastIndex((it, at) => at < index && it.type === "relay.opened"),
        index,
      );
      const all = ofType(before, "review.decided").filter((it) => it.submission === event.submission);
      const asked = ofType(before, "merge.questioned").filter((it) => it.submission === event.submission);
      expect(all.map(({ onto }) => onto)).toEqual(
        expect.arrayContaining(asked.slice(-1).map(({ baseCommit }) => baseCommit)),
      );
      // A confirmation adds nothing to an approval.
      const reviews = all.filter((it) => it.by === "person" || it.verdict !== "approve" || !it.onto);
      const checks = ofType(before, "checks.ran").filter(
        (it) => it.target === "submission" && it.n === event.submission,
      );
      const last = reviews.at(-1);
      expect(last?.verdict).toBe("approve");
      const { settings } = ofType(before, "relay.opened").at(-1)!;
      if (last?.by === "reviewer") {
        expect(settings.gates.medium ?? "reviewer").toBe("reviewer");
        const since = reviews.slice(reviews.findLastIndex((it) => it.verdict !== "approve") + 1);
        expect(since.length).toBeGreaterThanOrEqual(settings.reviewers.medium ?? 1);
        expect(new Set(since.map((it) => it.session)).size).toBe(since.length);
      }
      expect(checks.map((it) => it.ok)).toEqual([true]);
      const failed = [...ofType(before, "merge.conflicted"), ...ofType(before, "merge.rejected")];
      expect(failed.filter((it) => it.submission === event.submission)).toEqual([]);
    }
  });
});

test("an approved submission is merged before another Executor works", () => {
  holds(({ events }) => {
    let approved: number | undefined;
    const green = new Set<number>();
    for (const event of events) {
      if (event.type === "relay.opened") approved = undefined;
      if (event.type === "checks.ran" && event.ok) green.add(event.n);
      if (event.type === "review.decided" && event.verdict === "approve" && green.has(event.submission))
        approved = event.submission;
      if (event.type === "review.decided" && event.verdict !== "approve") approved = undefined;
      // A person may put up another one in its place, and then that one counts.
      if (event.type.startsWith("merge.") || event.type === "submission.requested") approved = undefined;
      if (event.type === "session.started" && event.role === "executor") expect(approved).toBeUndefined();
    }
  });
});

test("what lands is what was put up for review last", () => {
  holds(({ events }) => {
    let last = 0;
    for (const event of events) {
      if (event.type === "submission.requested") last = event.submission;
      if (event.type === "merge.prepared" || event.type === "merge.done") expect(event.submission).toBe(last);
    }
  });
});

test("sessions that are charged stay within their limit", () => {
  holds(({ events }) => {
    let charged = new Set<number>();
    for (const event of events) {
      if (event.type === "relay.opened" || event.type === "relay.resumed") charged = new Set();
      if (event.type === "session.started") {
        // A Reviewer's session comes on top: finished work is reviewed.
        if (event.role === "executor") expect(charged.size).toBeLessThan(limits.sessionsMax);
        charged.add(event.session);
      }
      if (event.type === "session.ended" && isOutside(event) && event.cause !== "runner_died")
        charged.delete(event.session);
    }
  });
});

// TRAP 25
test("Reviewers that give no verdict are not started for ever", () => {
  holds(({ events }) => {
    let reviewers = new Set<number>();
    for (const event of events) {
      if (["relay.opened", "relay.resumed", "submission.requested"].includes(event.type))
        reviewers = new Set();
      // The next one looks at the work for another reason: a second approval, a base that has moved.
      if (event.type === "review.decided" && event.by === "reviewer") reviewers = new Set();
      if (event.type === "session.started" && event.role === "reviewer") {
        expect(reviewers.size).toBeLessThan(noVerdictMax);
        reviewers.add(event.session);
      }
      const charged =
        event.type === "session.ended" &&
        ["no_verdict", "failure", "timeout"].includes(event.reason) &&
        event.cause === undefined;
      if (event.type === "session.ended" && !charged) reviewers.delete(event.session);
    }
  });
});

// TRAP 5
test("after a usage limit no session of that account starts before it is over, nor within a minute where it named none or came again, unless a person says so", () => {
  holds(({ events }) => {
    const until = new Map<string, number>();
    const limitedLast = new Set<string>();
    for (const event of events) {
      if (event.type === "relay.opened" || event.type === "relay.resumed") until.clear();
      if (event.type === "session.ended") {
        const agent = agentOf(events, event.session);
        const { reason, resetsAtMs = 0, atMs } = event;
        const least = limitedLast.has(agent) || resetsAtMs <= atMs ? atMs + usageLimitMsMin : 0;
        limitedLast.delete(agent);
        if (reason === "usage_limit") {
          until.set(agent, Math.max(resetsAtMs, least));
          limitedLast.add(agent);
        }
      }
      if (event.type === "session.started")
        expect(event.atMs).toBeGreaterThanOrEqual(until.get(event.agent) ?? 0);
    }
  });
});

// TRAP 21
test("sessions that only ask, one after the other, are not started for ever", () => {
  holds(({ events }) => {
    let inARow = 0;
    for (const event of events) {
      if (["relay.opened", "relay.resumed", "question.answered"].includes(event.type)) inARow = 0;
      if (event.type === "session.started" && event.role === "executor")
        expect(inARow).toBeLessThan(limits.questionsMax);
      if (event.type !== "session.ended" || isReviewers(events, event.session)) continue;
      if (isOutside(event)) continue;
      inARow = event.reason === "question" && !event.progress ? inARow + 1 : 0;
    }
  });
});

const anySettings = fc.record({
  limits: fc.record({
    sessionsMax: fc.integer({ min: 1, max: 100 }),
    reviewRoundsMax: fc.integer({ min: 1, max: 9 }),
    questionsMax: fc.integer({ min: 1, max: 9 }),
    sessionsPerHour: fc.integer({ min: 1, max: 100 }),
  }),
  budgets: fc.record({ relay: fc.record({ costUsd: fc.integer({ min: 1, max: 100 }) }) }),
  merge: fc.constantFrom("merge", "squash"),
  finish: fc.constantFrom("merge", "branch", "pr"),
  exit: fc.record({ threshold: fc.integer({ min: 0, max: 10 }).map((tenths) => tenths / 10) }),
});

test("no policy can merge: whatever the settings and the time, only an approved submission with green checks is", () => {
  let merges = 0;
  fc.assert(
    fc.property(stories, fc.nat(), anySettings, fc.nat(), (story, cut, set, nowMs) => {
      const { events } = runOf(story);
      const state = replay(events.slice(0, cut % (events.length + 1)));
      const { opening } = state;
      if (!opening) return;
      opening.settings = settingsWith(set.limits, {
        budgets: set.budgets,
        exit: set.exit,
        merge: set.merge,
        finish: set.finish,
      });
      const action = decide(state, opening.settings.limits, nowMs);
      if (action.do !== "merge") return;
      merges += 1;
      const submission = state.submissions.find((one) => one.submission === action.submission);
      expect(submission).toMatchObject({ review: { verdict: "approve" }, checks: { ok: true } });
    }),
    // All of them everywhere: few runs come to a merge.
    { numRuns: 1_000 },
  );
  expect(merges).toBeGreaterThan(5);
});

test("within any hour no more sessions are started than may be", () => {
  holds(({ events }) => {
    const starts = ofType(events, "session.started").map(({ atMs }) => atMs);
    for (const atMs of starts) {
      const within = starts.filter((other) => other > atMs - 3_600_000 && other <= atMs);
      expect(within.length).toBeLessThanOrEqual(limits.sessionsPerHour);
    }
  });
});

test("progress never trips the breaker, and an open one lets nobody through before its time", () => {
  holds(({ events }) => {
    let until = 0;
    for (const [index, event] of events.entries()) {
      if (event.type === "relay.opened" || event.type === "relay.resumed") until = 0;
      if (event.type === "session.started" && event.role === "executor")
        expect(event.atMs).toBeGreaterThanOrEqual(until);
      if (event.type !== "breaker.changed") continue;
      until = event.to === "open" ? (event.untilMs ?? 0) : 0;
      const last = ofType(events.slice(0, index), "session.ended").findLast(
        (one) => !isReviewers(events, one.session) && !isOutside(one),
      );
      // The same error again and again opens it, whatever else has changed.
      const { reason } = event;
      const isSameError =
        reason.rule === "same_error" || (reason.rule === "probe_failed" && reason.sameError);
      if (event.to === "open" && !isSameError) expect(last?.progress).toBe(false);
      if (event.to === "closed") expect(last?.progress).toBe(true);
    }
  });
});

const uncharged = ["usage_limit", "user_interrupt", "needs_login"];

/** An Executor's ending that says nothing of its work. */
function isOutside({ reason, cause, progress }: EventOf<"session.ended">): boolean {
  return uncharged.includes(reason) || (cause !== undefined && !progress);
}

test("after an outage no session of that account starts before its back-off, unless a person says so", () => {
  let outages = 0;
  holds(({ events }) => {
    const until = new Map<string, number>();
    for (const event of events) {
      if (event.type === "relay.opened" || event.type === "relay.resumed") until.clear();
      if (event.type === "session.ended" && event.cause === "outage") {
        outages += 1;
        until.set(agentOf(events, event.session), event.atMs + limits.backoffSeconds * 1000);
      }
      if (event.type === "session.started")
        expect(event.atMs).toBeGreaterThanOrEqual(until.get(event.agent) ?? 0);
    }
  });
  expect(outages).toBeGreaterThan(5);
});

test("a relay fails over: a limit of one account does not stop the other", () => {
  const runs = Array.from({ length: 300 }, (_, number) => runToRest(diceFrom(number)));
  const failedOver = runs.filter(({ events }) =>
    events.some(
      (event) => event.type === "session.started" && event.agent === "mine" && event.role === "executor",
    ),
  );
  expect(failedOver.length).toBeGreaterThan(30);
});

test("an agent that is not logged in is not started again before a person has said so", () => {
  holds(({ events }) => {
    const out = new Set<string>();
    for (const event of events) {
      if (event.type === "relay.opened" || event.type === "relay.resumed") out.clear();
      if (event.type === "session.ended" && event.reason === "needs_login")
        out.add(agentOf(events, event.session));
      if (event.type === "session.started") expect(out).not.toContain(event.agent);
    }
  });
});

test("failed sessions without progress, one after the other, stay apart: never a fork bomb", () => {
  holds(({ events }) => {
    let until = 0;
    for (const event of events) {
      if (event.type === "relay.opened" || event.type === "relay.resumed") until = 0;
      if (event.type === "session.started") expect(event.atMs).toBeGreaterThanOrEqual(until);
      const reviewed = event.type === "session.ended" && isReviewers(events, event.session);
      const failed = event.type === "session.ended" && event.reason === "failure" && !event.cause;
      if (failed && !event.progress && !reviewed) until = event.atMs + limits.backoffSeconds * 1000;
    }
  });
});

test("every Executor session that ended without a pending submission has its handoff before the next one starts", () => {
  holds(({ events }) => {
    let owing: number | undefined;
    for (const event of events) {
      if (event.type === "relay.opened") owing = undefined;
      if (event.type === "session.ended" && !isReviewers(events, event.session)) owing = event.session;
      if (event.type === "handoff.recorded" && event.session === owing) owing = undefined;
      if (event.type === "session.started" && event.role === "executor") expect(owing).toBeUndefined();
    }
  });
});

test("a state is its journal: replayed whole, one by one, or from any point on", () => {
  fc.assert(
    fc.property(stories, fc.nat(), (story, cut) => {
      const { events, state } = runOf(story);
      const at = cut % events.length;
      const early = replay(events.slice(0, at));
      for (const event of events.slice(at)) evolve(early, event);
      expect(early).toEqual(state);
      expect(replay(events)).toEqual(state);
    }),
    { numRuns: runs(200) },
  );
});

test("deciding changes nothing, and the same is decided again", () => {
  fc.assert(
    fc.property(stories, fc.nat(), fc.nat(), (story, cut, nowMs) => {
      const { events } = runOf(story);
      const state = replay(events.slice(0, cut % (events.length + 1)));
      const before = structuredClone(state);
      const action = decide(state, limits, nowMs);
      expect(decide(state, limits, nowMs)).toEqual(action);
      expect(state).toEqual(before);
      expect(becauseOf(action.reason)).not.toBe("");
    }),
    { numRuns: runs(200) },
  );
});

test("what is simulated could stand in a journal", () => {
  holds(({ events }) => {
    for (const event of events) expect(eventSchema.parse(event)).toEqual(event);
  }, 30);
});

function isReviewers(events: readonly RelayEvent[], session: number): boolean {
  return ofType(events, "session.started").some((it) => it.session === session && it.role === "reviewer");
}

function agentOf(events: readonly RelayEvent[], session: number): string {
  return ofType(events, "session.started").find((event) => event.session === session)!.agent;
}
