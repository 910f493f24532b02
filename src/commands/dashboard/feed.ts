/** The overviews of repositories for many readers: looked at once a second while somebody reads, and told when something changed. */
import { setTimeout as sleep } from "node:timers/promises";
import { attempt } from "../../core/error/attempt.ts";
import { overviewHere } from "../../app/overview/overview-here.ts";
import type { OverviewHere } from "../../app/overview/overview-here.ts";
import type { Here } from "../../app/here.ts";

export type Snapshot = { seq: number; repositories: ({ name: string; here: Here } & OverviewHere)[] };

const everyMs = 1_000;

export class Feed {
  #seq = 0;
  #last: { snapshot: Snapshot; text: string; atMs: number } | undefined;
  #looking: Promise<Snapshot> | undefined;
  readonly #heres: ReadonlyMap<string, Here>;

  constructor(heres: ReadonlyMap<string, Here>) {
    this.#heres = heres;
  }

  /** Each snapshot after `since`, until the reader is gone. */
  async *after(since: number, gone: AbortSignal): AsyncGenerator<Snapshot> {
    let seen = since;
    for await (const snapshot of this.ticks(gone)) {
      if (snapshot.seq !== seen) yield snapshot;
      seen = snapshot.seq;
    }
  }

  /** The snapshot of each interval, changed or not. */
  async *ticks(gone: AbortSignal): AsyncGenerator<Snapshot> {
    while (!gone.aborted) {
      yield await this.now();
      await sleep(everyMs, undefined, { signal: gone }).catch(() => undefined);
    }
  }

  /** A snapshot that is no older than the interval. Readers share one look. */
  now(): Promise<Snapshot> {
    if (this.#last && Date.now() - this.#last.atMs < everyMs / 2) return Promise.resolve(this.#last.snapshot);
    return (this.#looking ??= this.#look().finally(() => (this.#looking = undefined)));
  }

  async #look(): Promise<Snapshot> {
    const repositories: Snapshot["repositories"] = [];
    for (const [name, here] of this.#heres) repositories.push({ name, here, ...(await overviewHere(here)) });
    const text = attempt(
      () =>
        JSON.stringify(
          repositories.map(({ overview }) => overview),
          changing,
        ),
      "",
    );
    if (this.#last?.text !== text) this.#seq += 1;
    const snapshot = { seq: this.#seq, repositories };
    this.#last = { snapshot, text, atMs: Date.now() };
    return snapshot;
  }
}

/** Clocks run on by themselves. */
function changing(key: string, value: unknown): unknown {
  return key === "atMs" || key === "elapsedMs" || key === "lastOutputMsAgo" ? undefined : value;
}
