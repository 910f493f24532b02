/** What a worker can begin now, by the lease of an issue's relay, by what its journal says, and by letters. */
import { expect, test } from "vitest";
import { whyNotNow } from "../../../src/core/lease/ready.ts";
import type { Seen } from "../../../src/core/lease/ready.ts";
import { replay } from "../../../src/core/journal/state.ts";
import type { Lease } from "../../../src/core/lease/lease.ts";
import {
  asked,
  blocked,
  cancelled,
  cleared,
  executor,
  journal,
  opened,
  paused,
  worked,
} from "../support/relays.ts";
import type { Step } from "../support/relays.ts";

const nowMs = Date.parse("2026-11-29T12:00:00Z");
const minute = 60_000;
const why = (seen: Partial<Seen>, isAsked = false): string | undefined =>
  whyNotNow({ letters: false, ...seen }, { issue: "FEAT-0001", nowMs, asked: isAsked });
const after = (...steps: Step[]): Partial<Seen> => ({ state: replay(journal([opened, ...steps])) });

const lease = (untilMs: number, slot = "clone 0123"): Lease => ({
  v: 1,
  issue: "FEAT-0001",
  slot,
  who: "maria",
  host: "laptop",
  attempt: 1,
  minutes: 45,
  untilMs,
});

test.for([
  ["that ends in 20 minutes", lease(nowMs + 20 * minute), "maria on laptop works on it"],
  ["that is just taken", lease(nowMs + 45 * minute), "maria on laptop works on it"],
  ["that is over by its holder's clock", lease(nowMs - minute), undefined],
  ["of a clock that is a day ahead", lease(nowMs + 24 * 60 * minute + 45 * minute), undefined],
  ["of a clock that is a day behind", lease(nowMs - 24 * 60 * minute + 45 * minute), undefined],
  ["of the issue's own CI job", lease(nowMs + 20 * minute, "named ci-FEAT-0001"), undefined],
  [
    "of another issue's CI job",
    lease(nowMs + 20 * minute, "named ci-FEAT-0002"),
    "maria on laptop works on it",
  ],
] as const)("a lease %s", ([, held, expected]) => {
  expect(why({ lease: held })).toBe(expected);
  // No letter and no person takes a relay from a live holder.
  expect(why({ lease: held, letters: true }, true)).toBe(expected);
});

test("what another process on this machine runs is left out", () => {
  expect(why({ running: true })).toBe("another process runs it");
});

test.for([
  ["no relay", {}, undefined],
  ["one that has begun", after(...worked), undefined],
  ["one whose machine was lost in a session", after(executor), undefined],
  ["one that is blocked", after(executor, asked, blocked), /^it waits for a person: setup failed: /],
  ["one that is stopped", after(paused), /^it waits for a person: /],
  ["one that is cancelled", after(cancelled), /^its relay is cancelled$/],
  ["one that was cleared", after(paused, cleared), undefined],
] as const)("%s", ([, seen, expected]) => {
  const said = why(seen);
  if (expected === undefined) expect(said).toBeUndefined();
  else {
    expect(said).toMatch(expected);
    expect(why({ ...seen, letters: true }), "a letter lies there").toBeUndefined();
    expect(why(seen, true), "a person named it").toBeUndefined();
  }
});
