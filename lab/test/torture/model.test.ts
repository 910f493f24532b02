/** A few hundred runs of the model, and that each law notices what breaks it; `npm run torture -w lab -- --only model` runs thousands. */
import { expect, test } from "vitest";
import { modelled, play } from "../../torture/model.ts";
import type { Played } from "../../torture/model.ts";
import { laws } from "../../torture/model/laws.ts";
import { replay } from "../../../src/index.ts";
import type { RelayEvent } from "../../../src/index.ts";
import { runs } from "../../../test/support/runs.ts";

const quiet = (): void => undefined;

test("the laws hold, and enough runs come to their end", () => {
  expect(modelled({ n: runs(1_000), seed: 1, say: quiet, play }).violations).toEqual([]);
});

test("the same seed plays the same story", () => {
  expect(play(7)).toEqual(play(7));
});

/** What the laws say of runs whose journals were changed. */
function brokenBy(change: (events: RelayEvent[]) => RelayEvent[]): string {
  const changed = (seed: number): Played => {
    const played = play(seed);
    const events = change(structuredClone(played.run.events));
    return { ...played, run: { ...played.run, events } };
  };
  return modelled({ n: 60, seed: 1, say: quiet, play: changed }).violations.join("\n");
}

const without = (type: RelayEvent["type"]) => (events: RelayEvent[]) =>
  events.filter((one) => one.type !== type);
const twice = (type: RelayEvent["type"]) => (events: RelayEvent[]) =>
  events.flatMap((one) => (one.type === type ? [one, one] : [one]));

test.for<[law: string, change: (events: RelayEvent[]) => RelayEvent[]]>([
  ["one session at a time, each number once", without("session.ended")],
  ["only an approved submission with green checks is merged", without("checks.ran")],
  [
    "what is merged was put up last",
    (events) =>
      events.map((one) => (one.type === "merge.prepared" ? { ...one, submission: one.submission - 1 } : one)),
  ],
  ["nothing starts while it is stopped, and nothing after its merge", without("relay.resumed")],
  ["no letter is taken twice", twice("note.said")],
  [
    "a person's verdict is on the submission under review",
    (events) =>
      events.map((one) =>
        one.type === "review.decided" ? { ...one, by: "person", submission: one.submission + 1 } : one,
      ),
  ],
  [
    "charged Executors stay within their limit",
    (events) =>
      events
        .filter(({ type }) => type !== "relay.resumed" && type !== "relay.opened")
        .flatMap((one): RelayEvent[] =>
          one.type === "session.started" ? [one, { ...one, session: one.session + 100 }] : [one],
        ),
  ],
  ["no hour has more sessions than it may", (events) => events.map((one) => ({ ...one, atMs: 0 }))],
  ["its state is its journal, and deciding changes nothing", without("note.said")],
  ["every event can be written and told", (events) => events.map((one) => ({ ...one, seq: -1 }))],
])("a journal that breaks it is found: %s", ([law, change]) => {
  expect(brokenBy(change)).toContain(`${law}: seed `);
});

test("a relay that never rests is found, and so are runs that come to nothing", () => {
  const stuck = (seed: number): Played => {
    const { run, delivered } = play(seed);
    return { run: { ...run, events: [], state: replay([]), steps: 1_000 }, delivered };
  };
  const found = modelled({ n: 20, seed: 1, say: quiet, play: stuck }).violations;
  expect(found).toEqual(
    expect.arrayContaining([
      expect.stringContaining(`${laws[0]!.name}: seed 1`),
      "runs come to their end: 0.0 % only",
    ]),
  );
});
