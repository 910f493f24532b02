/** The queue of `monoco run`: reads the base and the journals for the core's queue, and hands out issues to free slots. */
import { setTimeout as sleep } from "node:timers/promises";
import type { Word } from "../../core/backlog/word.ts";
import { begin, look, newQueue, next, put, wantsSlot } from "../../core/backlog/queue.ts";
import type { Queue, Standing, Taken, Wait } from "../../core/backlog/queue.ts";
import { MonocoError, exitCodes } from "../../core/error/error.ts";
import { commitOf } from "../../git/repository.ts";
import { systemClock } from "../../relay/clock.ts";
import { baseReader } from "../base-issues.ts";
import type { BaseReader } from "../base-issues.ts";
import { mayHaveRelay } from "../here.ts";
import type { Here } from "../here.ts";
import type { Follow } from "../lease/base.ts";
import { planOf } from "./plan.ts";
import type { Plan, PlanFlags, Refused } from "./plan.ts";
import { leftToPerson, relaysSeen, rests } from "./rested.ts";
import type { Seen } from "./rested.ts";
import { t } from "../../core/language/translate.ts";

export type QueueFlags = PlanFlags & {
  /** Wait for new work when none is left; called whenever that wait begins. */
  onIdle?: (() => void) | undefined;
  /** Brings the base up to the remote's, at times. */
  follow?: Follow | undefined;
};

/** The supposed end of an issue, for a look ahead. */
export type Ended = "done" | "failed";

/** A queue of relays that are open already, in the given order. */
export function resumed(here: Here, ids: readonly string[], base: string): RunQueue {
  const works = ids.map((id, place) => ({ id, place, needs: [], stands: "open" as const }));
  const plan: Plan = { works, blobOf: () => undefined, asked: ids, refused: [], waived: [] };
  const seen = relaysSeen(here);
  return new RunQueue(here, { base, reader: baseReader(here, base), plan, look: async () => plan, seen });
}

/** The queue of `monoco run`. Throws `input` if no issue is named or the base does not exist. */
export async function queueOf(here: Here, ids: readonly string[], flags: QueueFlags): Promise<RunQueue> {
  if (ids.length === 0 && !flags.all) {
    throw new MonocoError("input", t`which issue? No id was given`, {
      hint: t`monoco run FEAT-0001, or monoco run --all for the whole backlog`,
    });
  }
  const { base, onIdle, follow } = flags;
  const reader = baseReader(here, base);
  const plans = async (): Promise<Plan> => planOf(here, ids, { flags, onBase: await reader.read() });
  const plan = await plans();
  const seen = relaysSeen(here);
  const hasRelay = mayHaveRelay(here);
  const left = (flags.all ? plan.asked.filter(hasRelay) : []).flatMap((id) => {
    const error = leftToPerson(id, seen(id));
    return error ? [{ id, error }] : [];
  });
  // Issues that were named are not read again.
  const again = flags.all ? plans : async () => plan;
  const followed = flags.all ? follow : undefined;
  return new RunQueue(here, { base, reader, plan, look: again, seen, onIdle, follow: followed, left });
}

/** How often to read the base and the relays while a slot is free, ms. */
const lookMs = 1_000;

type Of = Pick<QueueFlags, "base" | "onIdle" | "follow"> & {
  reader: BaseReader;
  plan: Plan;
  /** Reads the base again: new issues are taken up while others run. */
  look(): Promise<Plan>;
  seen(issue: string): Seen;
  /** Issues that needed a person before this run began. */
  left?: readonly Refused[];
};

export class RunQueue {
  readonly #here: Here;
  readonly #of: Of;
  readonly #told = new Set<string>();
  #plan: Plan;
  #queue: Queue;
  #isIdle = false;
  #changed = Promise.withResolvers<void>();
  /** When an issue last began or ended here. */
  #actedAtMs = systemClock.nowMs();
  /** The last look: its end and its commit of the base; `now` is a look under way. */
  #looked: { atMs: number; head: string; now?: Promise<void> | undefined };

  constructor(here: Here, of: Of) {
    this.#here = here;
    this.#of = of;
    this.#plan = of.plan;
    const left = of.left?.map(({ id }) => id);
    this.#queue = newQueue(of.plan, left);
    this.#looked = { atMs: systemClock.nowMs(), head: "" };
  }

  /** The next issue for a free slot. Undefined if nothing is left to run, or the run is interrupted. */
  async take(interrupt: AbortSignal): Promise<Taken | undefined> {
    for (let sure = false; ;) {
      if (interrupt.aborted) return undefined;
      await this.#refresh(sure);
      const step = next(this.#queue, systemClock.nowMs());
      if ("start" in step) return this.#begin(step.start);
      // Looks once more, for issues that arrived since the last look.
      const isLast = "blocked" in step && sure;
      if (isLast && !this.#of.onIdle) return undefined;
      if (isLast && !this.#isIdle) {
        this.#isIdle = true;
        this.#of.onIdle?.();
      }
      sure = "blocked" in step;
      if (!sure || isLast) await over(this.#changed.promise, interrupt);
    }
  }

  /** Records that the issue's relay waits, and has given its slot back. */
  comesBack(id: string, wait: Wait): void {
    this.#queue = put(this.#queue, id, { is: "back", wait });
  }

  /** Whether another issue could use the slot of a waiting relay. */
  slotWanted(): boolean {
    void this.#refresh();
    return wantsSlot(this.#queue, systemClock.nowMs());
  }

  /** Records the end of an issue. Rejects if the base cannot be read: issues that depend on it do not begin then. */
  async ended(id: string, exitCode: number): Promise<void> {
    let became: Standing = { is: "failed" };
    try {
      // An issue is done when the base has it: work on a branch does not help the issues that depend on it.
      const { sound } = exitCode === 0 ? await this.#of.reader.read() : { sound: undefined };
      if (sound?.get(id)?.card.status === "closed") became = { is: "done" };
      else if (rests(this.#of.seen(id))) became = { is: "rests" };
      else if (exitCode === exitCodes.input) became = { is: "refused", blob: this.#plan.blobOf(id) };
    } finally {
      this.#queue = put(this.#queue, id, became);
      this.#actedAtMs = systemClock.nowMs();
      this.#changed.resolve();
      this.#changed = Promise.withResolvers();
    }
  }

  /** Issues that cannot begin even if all others are done; each is returned once. */
  refused(): Refused[] {
    const all = [...this.#plan.refused, ...(this.#of.left ?? [])];
    const fresh = all.filter(({ id }) => !this.#told.has(id));
    for (const { id } of fresh) this.#told.add(id);
    return fresh;
  }

  /** Issues that could not begin, each with the issues that blocked it. */
  left(): { id: string; by: string[] }[] {
    const step = next(this.#queue, systemClock.nowMs());
    return "blocked" in step ? step.blocked : [];
  }

  /** Whether something is left to run; call this when nothing runs any more. */
  hasMore(): boolean {
    return !("blocked" in next(this.#queue, systemClock.nowMs()));
  }

  /** Looks ahead at the order in which issues would begin: `becomes` supposes the end of each. Uses the queue up. */
  async order(becomes: (id: string, after: string[]) => Promise<Ended>): Promise<void> {
    for (let step = next(this.#queue, 0); "start" in step; step = next(this.#queue, 0)) {
      const { start: id } = step;
      const needs = this.#plan.works.find((work) => work.id === id)?.needs ?? [];
      const after = needs.filter((other) => this.#queue.standing.get(other)?.is === "done");
      this.#queue = put(this.#queue, id, { is: await becomes(id, after) });
    }
  }

  /** Whether an issue begins although a dependency is not done. */
  waives(id: string): boolean {
    return this.#plan.waived.includes(id);
  }

  #begin(id: string): Taken {
    this.#isIdle = false;
    const [queue, taken] = begin(this.#queue, id, this.#of.seen(id).word);
    this.#queue = queue;
    if (taken.again !== "back") this.#actedAtMs = systemClock.nowMs();
    return taken;
  }

  #refresh(now = false): Promise<void> {
    const { atMs, now: underWay } = this.#looked;
    if (underWay) return underWay;
    if (!now && systemClock.nowMs() - atMs < lookMs) return Promise.resolve();
    const looking = this.#look()
      .catch(() => undefined)
      .finally(() => {
        this.#looked = { atMs: systemClock.nowMs(), head: this.#looked.head };
      });
    this.#looked.now = looking;
    return looking;
  }

  async #look(): Promise<void> {
    const nowMs = systemClock.nowMs();
    const idleMs = "start" in next(this.#queue, nowMs) ? undefined : nowMs - this.#actedAtMs;
    // Without an answer of the remote the run goes on with the base as it is.
    await this.#of.follow?.(idleMs).catch(() => undefined);
    const head = (await commitOf(this.#here.repository.git, `refs/heads/${this.#of.base}`)) ?? "";
    // A missing base is reported by the relay that needs it.
    if (head !== this.#looked.head && head !== "") this.#plan = await this.#of.look();
    this.#looked.head = head;
    const wordOf = new Map<string, Word>();
    for (const [id, { is }] of this.#queue.standing) {
      const word = is === "rests" ? this.#of.seen(id).word : undefined;
      if (word) wordOf.set(id, word);
    }
    this.#queue = look(this.#queue, { plan: this.#plan, wordOf, nowMs: systemClock.nowMs() });
  }
}

/** Resolves when something has changed, the run is interrupted, or the next look is due. Leaves no timer. */
async function over(change: Promise<void>, interrupt: AbortSignal): Promise<void> {
  const done = new AbortController();
  const signal = AbortSignal.any([interrupt, done.signal]);
  await Promise.race([change, sleep(lookMs, undefined, { signal }).catch(() => undefined)]);
  done.abort();
}
