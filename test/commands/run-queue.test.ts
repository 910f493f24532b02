/** The queue of a run, in process: a person's word on a relay is taken up once, whenever it came. */
import { describe, expect, it } from "vitest";
import { queueOf } from "../../src/app/queue/queue.ts";
import { exitCodes } from "../../src/core/error/error.ts";
import { byHand } from "../../src/core/journal/steps.ts";
import { requested } from "../core/support/relays.ts";
import { relayHere } from "../support/open-relay.ts";
import { issuePath } from "../support/place.ts";
import { full as test } from "../support/full.ts";

const interrupt = new AbortController().signal;
const byQuestion = {
  reason: { rule: "question", session: 1, text: "Which port?" },
  hint: [byHand("answer")],
} as const;

const byProbes = {
  reason: { rule: "probes_max", probes: 3, max: 3 },
  hint: [byHand("look at it")],
} as const;

const flags = { base: "main", all: true, ignoreDependencies: false };

type Queue = Awaited<ReturnType<typeof queueOf>>;

/** A queue that has taken its only issue, whose relay is blocked by a question then; `say` answers that. */
async function blockedInRun(): Promise<{ queue: Queue; say(): void }> {
  const { here, relay } = await placed();
  const queue = await queueOf(here, [], flags);
  expect(await queue.take(interrupt)).toEqual({ id: "FEAT-0001" });
  await relay.open();
  relay.record({ type: "relay.blocked", ...byQuestion });
  const say = (): void =>
    void relay.record({ type: "question.answered", session: 1, by: "person", text: "8080" });
  return { queue, say };
}

async function placed() {
  const { place, here, relay, open } = await relayHere(interrupt);
  return { here, place, relay: { open, record: relay.record.bind(relay), state: () => relay.state } };
}

it("an issue that was refused is begun once its file says something else", async () => {
  const { here, place } = await placed();
  const queue = await queueOf(here, [], flags);
  expect(await queue.take(interrupt)).toEqual({ id: "FEAT-0001" });
  await queue.ended("FEAT-0001", exitCodes.input);
  await place.sh("git commit -q --allow-empty -m Elsewhere");
  expect(await queue.take(interrupt)).toBeUndefined();
  await place.sh(`echo "More." >> ${issuePath("FEAT-0001")} && git commit -qam Fixed`);
  expect(await queue.take(interrupt)).toEqual({ id: "FEAT-0001" });
});

it("a relay that would only spend more is left to a person, and goes on by their word", async () => {
  const { here, relay } = await placed();
  await relay.open();
  relay.record({ type: "relay.blocked", ...byProbes });
  const queue = await queueOf(here, [], flags);
  expect(await queue.take(interrupt)).toBeUndefined();
  expect(queue.refused()).toEqual([
    {
      id: "FEAT-0001",
      error: expect.objectContaining({
        kind: "person",
        message: "left to a person: 3 sessions in a row got nowhere, each after a pause",
        hint: [[{ do: "resume", issue: "FEAT-0001" }]],
      }),
    },
  ]);
  expect(queue.refused()).toEqual([]);
  const named = await queueOf(here, ["FEAT-0001"], { ...flags, all: false });
  expect(await named.take(interrupt)).toEqual({ id: "FEAT-0001" });
  const next = queue.take(interrupt);
  relay.record(requested("person")(relay.state()));
  expect(await next).toEqual({ id: "FEAT-0001", again: "asked" });
});

describe("an answer is taken up, once,", () => {
  it("though it came before the run had left the relay", async () => {
    const { queue, say } = await blockedInRun();
    say();
    await queue.ended("FEAT-0001", 1);
    expect(await queue.take(interrupt)).toEqual({ id: "FEAT-0001", again: "asked" });
    // It could not be resumed.
    await queue.ended("FEAT-0001", 2);
    expect(await queue.take(interrupt)).toBeUndefined();
  });

  test("though it came a moment before the run would have ended", async () => {
    const { queue, say } = await blockedInRun();
    await queue.ended("FEAT-0001", 1);
    const next = queue.take(interrupt);
    say();
    expect(await next).toEqual({ id: "FEAT-0001", again: "asked" });
  });

  test("though the command that delivers it holds the relay at that moment", async () => {
    const { queue, say } = await blockedInRun();
    await queue.ended("FEAT-0001", 1);
    say();
    expect(await queue.take(interrupt)).toEqual({ id: "FEAT-0001", again: "asked" });
    queue.comesBack("FEAT-0001", { untilMs: Date.now(), held: true });
    expect(await queue.take(interrupt)).toEqual({ id: "FEAT-0001", again: "asked" });
  });
});
