/** What the pages are sent: ages that go on while nothing happens, and commands that work where they are pasted. */
import { expect, test, vi } from "vitest";
import { Readers } from "../../src/commands/dashboard/readers.ts";
import { inboxFacts } from "../../src/commands/dashboard/inbox-facts.ts";
import type { Item } from "../../src/core/overview/item.ts";
import { joined } from "../../src/core/overview/overview.ts";
import type { RepositoryView } from "../../src/app/live/feed.ts";

const item: Item = {
  id: "FEAT-0001",
  title: "Write a file",
  kind: "idle",
  group: "needs_you",
  why: { because: "its question is answered", rule: null },
  hint: [[{ do: "resume" }]],
  priority: null,
  sinceMs: 1_000,
  untilMs: null,
  fresh: false,
  running: null,
  last: null,
  costUsd: null,
  pullRequest: null,
};

/** A repository as the feed has it: its git directory is no folder of files. */
const view = (name: string): RepositoryView => ({
  here: { repository: { root: `/w/${name}/.bare`, checkout: `/w/${name}/main` } } as RepositoryView["here"],
  root: `/w/${name}/.bare`,
  name,
  overview: { ...joined([]), items: [item] },
  states: new Map(),
});

test("a command of one of several repositories begins in its files, also where git's directory is bare", () => {
  const { rows } = inboxFacts([view("a"), view("b")]);
  expect(rows.map(({ command }) => command)).toEqual([
    "cd /w/a/main && monoco resume FEAT-0001",
    "cd /w/b/main && monoco resume FEAT-0001",
  ]);
});

test("in a quiet night the inbox is sent again each minute, so that its ages go on", async () => {
  vi.useFakeTimers();
  try {
    const readers = new Readers();
    const repositories = [view("a")];
    const [{ overview }] = repositories as [RepositoryView];
    Object.assign(overview, { lastLookMs: Date.now(), mergedSince: 1, atMs: Date.now() });
    overview.counts.merged = 1;
    await readers.read([{ seq: 1, repositories }] as unknown as AsyncIterable<never>);
    const abort = new AbortController();
    const sent = readers.snapshots(abort.signal);
    const next = async (ms: number): Promise<[number, string | undefined]> => {
      const got = sent.next();
      await vi.advanceTimersByTimeAsync(ms);
      const { atMs, repositories: shown } = inboxFacts((await got).value.repositories);
      return [atMs, shown[0]?.head.find(([word]) => word === "done")?.[1]];
    };
    const [firstMs] = await next(0);
    const [secondMs, done] = await next(61_000);
    expect(secondMs - firstMs).toBeGreaterThanOrEqual(60_000);
    expect(done).toContain("1 since your last look 1 min ago");
    abort.abort();
  } finally {
    vi.useRealTimers();
  }
});
