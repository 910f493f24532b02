/** One feed for many readers: each gets the last snapshot at once, and then every later one. */
import { MonocoError } from "../../core/error/error.ts";
import type { RelayState } from "../../core/journal/relay-state.ts";
import { t } from "../../core/language/translate.ts";
import type { Here } from "../../app/here.ts";
import type { RepositoryView, Snapshot } from "../../app/live/feed.ts";
import { rememberLook } from "../../app/overview/overview-here.ts";
import type { Row } from "../../views/page/facts.ts";
import { rowOf } from "./inbox-facts.ts";

/** An issue as last seen. Its row is missing where the issue's file knows better than its relay. */
export type Place = {
  here: Here;
  issue: string;
  state: RelayState | undefined;
  row: Row | null;
};

/** What a running session prints changes no snapshot. */
const everyMs = 1_000;

/** A person who goes from page to page leaves none for longer, ms. */
const leftMs = 2_000;

export class Readers {
  #open = 0;
  #shown: Snapshot | undefined;
  #last: Snapshot | undefined;
  #changed = Promise.withResolvers<void>();

  /** The first snapshot. */
  get first(): Promise<void> {
    return this.#last ? Promise.resolve() : this.#changed.promise;
  }

  /** Reads the feed to its end. */
  async read(feed: AsyncIterable<Snapshot>): Promise<void> {
    for await (const snapshot of feed) {
      this.#last = snapshot;
      this.#changed.resolve();
      this.#changed = Promise.withResolvers<void>();
    }
  }

  /** The repositories as last seen. */
  get repositories(): readonly RepositoryView[] {
    return this.#last?.repositories ?? [];
  }

  /** A link of a notice names no repository: the first that knows the issue is meant. */
  placeOf(issue: string, root: string | undefined): Place {
    const found = this.repositories.find((view) =>
      root ? view.root === root : view.overview.items.some(({ id }) => id === issue),
    );
    if (!found) throw new MonocoError("input", t`no such issue: ${issue}`);
    const item = found.overview.items.find(({ id }) => id === issue);
    const row = item ? rowOf(item, { ...found, isAlone: this.repositories.length === 1 }) : null;
    return { here: found.here, issue, state: found.states.get(issue), row };
  }

  /** The snapshots after number `since`, until the reader is gone. */
  async *after(since: number, gone: AbortSignal): AsyncGenerator<Snapshot> {
    let seen = since;
    for await (const snapshot of this.ticks(gone)) {
      if (snapshot.seq !== seen) yield (this.#shown = snapshot);
      seen = snapshot.seq;
    }
  }

  /** The last snapshot, whenever it has changed, and once a second. */
  async *ticks(gone: AbortSignal): AsyncGenerator<Snapshot> {
    this.#open += 1;
    const { promise: ended, resolve } = Promise.withResolvers<void>();
    gone.addEventListener("abort", () => resolve(), { once: true });
    try {
      while (!gone.aborted) {
        if (this.#last) yield this.#last;
        const { promise: passed, resolve: pass } = Promise.withResolvers<void>();
        const timer = setTimeout(pass, everyMs);
        await Promise.race([this.#changed.promise, passed, ended]);
        clearTimeout(timer);
      }
    } finally {
      this.#open -= 1;
      setTimeout(() => this.#open === 0 && this.looked(), leftMs).unref();
    }
  }

  /** What the inbox has shown is no news at the next look. */
  looked(): void {
    for (const { here, overview } of this.#shown?.repositories ?? []) rememberLook(here, overview.atMs);
  }
}
