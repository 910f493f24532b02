/** One feed for many readers: each gets the last snapshot at once, and then every later one. */
import { MonocoError } from "../../core/error/error.ts";
import type { RelayState } from "../../core/journal/relay-state.ts";
import { t } from "../../core/language/translate.ts";
import type { Here } from "../../app/here.ts";
import type { RepositoryView, Snapshot } from "../../app/live/feed.ts";
import { rememberLook } from "../../app/overview/overview-here.ts";
import type { Row } from "../../views/page/facts.ts";
import { rowOf } from "./inbox-facts.ts";

/** An issue as last seen. It has no row if the inbox does not list it. */
export type Place = {
  here: Here;
  issue: string;
  state: RelayState | undefined;
  row: Row | null;
  fault: string;
};

/** What a running session prints changes no snapshot. */
const everyMs = 1_000;

/** Ages are told again at least this often, ms. */
const agesMs = 60_000;

/** Who opens no other page within this time has left, ms. */
const leftMs = 2_000;

export class Readers {
  #open = 0;
  #shown: Snapshot | undefined;
  #last: Snapshot | undefined;
  readonly #begun = Promise.withResolvers<void>();
  /** Wakes those who wait for the next snapshot. */
  readonly #waiting = new Set<() => void>();

  /** The first snapshot. */
  get first(): Promise<void> {
    return this.#begun.promise;
  }

  /** Reads the feed to its end. */
  async read(feed: AsyncIterable<Snapshot>): Promise<void> {
    for await (const snapshot of feed) {
      this.#last = snapshot;
      this.#begun.resolve();
      for (const wake of this.#waiting) wake();
    }
  }

  /** The repositories as last seen. */
  get repositories(): readonly RepositoryView[] {
    return this.#last?.repositories ?? [];
  }

  /** An address without a repository means the only one that knows the issue. */
  placeOf(issue: string, root: string | undefined): Place {
    const [found, another] = this.repositories.filter((view) =>
      root ? view.root === root : view.overview.items.some(({ id }) => id === issue),
    );
    if (another)
      throw new MonocoError("input", t`several repositories have ${issue}: open it from the inbox`);
    if (!found) throw new MonocoError("input", t`no such issue: ${issue}`);
    const item = found.overview.items.find(({ id }) => id === issue);
    const row = item ? rowOf(item, { ...found, isAlone: this.repositories.length === 1 }) : null;
    return { here: found.here, issue, state: found.states.get(issue), row, fault: found.fault ?? "" };
  }

  /** The last snapshot, then each later one, and the last one again as it ages, until the reader is gone. */
  async *snapshots(gone: AbortSignal): AsyncGenerator<Snapshot> {
    let [seen, toldMs] = [0, 0];
    for await (const snapshot of this.ticks(gone)) {
      if (snapshot.seq === seen && performance.now() - toldMs < agesMs) continue;
      [seen, toldMs] = [snapshot.seq, performance.now()];
      yield (this.#shown = snapshot);
    }
  }

  /** The last snapshot, whenever it has changed, and once a second. */
  async *ticks(gone: AbortSignal): AsyncGenerator<Snapshot> {
    this.#open += 1;
    let wake = (): void => undefined;
    const end = (): void => wake();
    this.#waiting.add(end);
    gone.addEventListener("abort", end, { once: true });
    try {
      for (let shown: Snapshot | undefined; !gone.aborted;) {
        shown = this.#last;
        if (shown) yield shown;
        // A slow reader may have missed one meanwhile.
        if (gone.aborted || this.#last !== shown) continue;
        await new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, everyMs);
          wake = () => {
            clearTimeout(timer);
            resolve();
          };
        });
      }
    } finally {
      this.#waiting.delete(end);
      this.#open -= 1;
      setTimeout(() => this.#open === 0 && this.looked(), leftMs).unref();
    }
  }

  /** What the inbox has shown is no news at the next look. */
  looked(): void {
    for (const { here, overview } of this.#shown?.repositories ?? []) rememberLook(here, overview.atMs);
  }
}
