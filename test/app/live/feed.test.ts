/** The feed of live views: what it shows is what a fresh look at the same files shows, and a look without a change is cheap. */
import { appendFileSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { openHere } from "../../../src/app/here.ts";
import { openFeed } from "../../../src/app/live/feed.ts";
import type { Snapshot } from "../../../src/app/live/feed.ts";
import { openKnown } from "../../../src/app/overview/known.ts";
import { overviewHere } from "../../../src/app/overview/overview-here.ts";
import { within } from "../../../src/io/io.ts";
import { followJournal, viewJournal } from "../../../src/store/journal-view.ts";
import { replay } from "../../../src/core/journal/state.ts";
import { approves, openPlace, say, waitFor, works } from "../../support/place.ts";

/** The snapshots as they come. */
function follow(
  feed: AsyncGenerator<Snapshot, void>,
  abort: AbortController,
): { until(is: (snapshot: Snapshot) => boolean): Promise<Snapshot> } {
  onTestFinished(() => abort.abort());
  return {
    until: async (is) => {
      for (;;) {
        const { value } = await feed.next();
        if (!value) throw new Error("the feed has ended");
        if (is(value)) return value;
      }
    },
  };
}

test("a run is followed from its first session to its merge, and each snapshot is what a fresh look shows", async () => {
  const place = await openPlace({
    executor: [[{ say: "I begin." }, say("begun"), waitFor("go"), ...works]],
    reviewer: [approves],
  });
  await within({ cwd: place.project, env: place.sandbox.env }, async () => {
    const here = await openHere(place.project);
    const abort = new AbortController();
    const feed = follow(openFeed([here], { signal: abort.signal }), abort);
    const first = await feed.until(() => true);
    expect(first.repositories[0]!.overview.items).toMatchObject([
      { id: "FEAT-0001", kind: "ready", running: null, last: null },
    ]);

    const running = place.start("run", "FEAT-0001");
    await place.heard("begun");
    const working = await feed.until(
      ({ repositories: [one] }) => one!.overview.items[0]!.running?.doing != null,
    );
    const item = working.repositories[0]!.overview.items[0]!;
    expect(item).toMatchObject({
      kind: "working",
      running: {
        session: 1,
        role: "executor",
        agent: "a",
        doing: expect.stringMatching(/^(I begin\.|\$ f=)/) as string,
      },
      last: { session: 1, reason: null },
    });

    await place.go("go");
    await running;
    const merged = await feed.until(({ repositories: [one] }) => one!.overview.counts.merged === 1);
    const { atMs: _seen, ...seen } = merged.repositories[0]!.overview;
    const { atMs: _fresh, ...fresh } = (await overviewHere(here)).overview;
    expect(seen).toEqual(fresh);
    abort.abort();
    expect(await feed.until(() => true).catch(String)).toBe("Error: the feed has ended");
  });
});

test("a journal is read on from where it ended, and again as a whole when it was rewritten", async () => {
  const place = await openPlace({ executor: [works], reviewer: [approves] });
  await place.monoco("run", "FEAT-0001");
  const path = join(place.project, ".monoco/relays/FEAT-0001/journal.jsonl");
  const whole = readFileSync(path);
  const lines = whole.toString().trimEnd().split("\n");
  const copy = join(place.around, "journal.jsonl");
  writeFileSync(copy, "");
  const state = followJournal(copy);
  for (const [index, line] of lines.entries()) {
    // The line end comes later: a torn line does not count yet.
    appendFileSync(copy, line);
    expect(state().seq).toBe(index);
    appendFileSync(copy, "\n");
    expect(state()).toEqual(replay(viewJournal(copy)));
  }
  writeFileSync(copy, `${lines.slice(0, 3).join("\n")}\n`);
  expect(state()).toEqual(replay(viewJournal(copy)));
  writeFileSync(copy, whole);
  expect(state().seq).toBe(lines.length);
  writeFileSync(copy, whole.toString().replace(`"seq":2`, `"seq":7`));
  expect(state).toThrow(/damaged/);
  expect(state).toThrow(/damaged/);
  writeFileSync(copy, whole);
  expect(state().seq).toBe(lines.length);
});

test("a second look at a relay that is over asks neither its journal nor git", async () => {
  const place = await openPlace({ executor: [works], reviewer: [approves] });
  await place.monoco("run", "FEAT-0001");
  await within({ cwd: place.project, env: place.sandbox.env }, async () => {
    const here = await openHere(place.project);
    const known = openKnown();
    const first = await overviewHere(here, known);
    const again = await overviewHere(here, known);
    expect(again.overview.items).toEqual(first.overview.items);
    expect(known.over.get("FEAT-0001")!.relay.report).toBe([...known.over.values()][0]!.relay.report);
    expect(again.states.get("FEAT-0001")).toBe(first.states.get("FEAT-0001"));
  });
});
