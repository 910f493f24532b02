/** The queue of `monoco run`: hands each issue of its plan to a free slot when what the issue needs is done. */
import { setTimeout as sleep } from "node:timers/promises";
import { nextOf } from "../../core/backlog/backlog.ts";
import type { Progress, Work } from "../../core/backlog/backlog.ts";
import { MonocoError, exitCodes } from "../../core/error/error.ts";
import { commitOf } from "../../git/repository.ts";
import { baseReader } from "../base-issues.ts";
import type { BaseReader } from "../base-issues.ts";
import { mayHaveRelay } from "../here.ts";
import type { Here } from "../here.ts";
import { planOf } from "./plan.ts";
import type { Plan, PlanFlags, Refused } from "./plan.ts";
import { leftToPerson, rests, wordOn } from "./rested.ts";
import { t } from "../../core/language/translate.ts";

export type RunQueue = {
  /**
   * The next issue that a free slot is for: one whose wait is over, one that can be begun, else one that still waits.
   * Undefined when nothing is left that could be run, and when the run is interrupted.
   */
  take(interrupt: AbortSignal): Promise<Taken | undefined>;
  /** Its relay waits, and has given its slot back. */
  comesBack(id: string, wait: Wait): void;
  /** Whether there is anything else to do for the slot of a relay that waits. */
  slotWanted(): boolean;
  /** Rejects where the base cannot be read: what needs the issue is not begun then. */
  ended(id: string, exitCode: number): Promise<void>;
  /** What cannot be begun, whatever comes of the others, each once. */
  refused(): Refused[];
  /** What could not be begun because of what became of others, and of which. */
  left(): { id: string; by: string[] }[];
  /** Once nothing runs any more: whether something is left that could be run. */
  hasMore(): boolean;
  /** The order in which issues would begin, for a look ahead: `becomes` says of each what is supposed to come of it. Uses the queue up. */
  order(becomes: (id: string, after: string[]) => Promise<Ended>): Promise<void>;
  /** It is begun though something that it needs is not done. */
  waives(id: string): boolean;
};

/** `again`: it comes back from a wait, or a person has dealt with it since this run left it. */
export type Taken = { id: string; again?: "back" | "asked" };

/** `held`: another process runs it. `unbegun`: it was new, and no session could start: those behind it would do no better. */
export type Wait = { untilMs: number; held?: boolean; unbegun?: boolean };

export type Ended = Extract<Progress, "done" | "failed">;

export type QueueFlags = PlanFlags & {
  /** Wait for new work where none is left; called each time that begins. */
  onIdle?: (() => void) | undefined;
};

/** Relays that are open already, one after the other, as they were named. */
export function resumed(here: Here, ids: readonly string[], base: string): RunQueue {
  const works = ids.map((id, place): Work => ({ id, place, needs: [], stands: "open" }));
  const plan = { works, blobOf: () => undefined, asked: ids, refused: [], waived: [] };
  return new Queue(here, baseReader(here, base), { base, plan, look: async () => plan });
}

/** The queue of `monoco run`. Throws `input` if no issue is named or the base does not exist. */
export async function queueOf(here: Here, named: readonly string[], flags: QueueFlags): Promise<RunQueue> {
  if (named.length === 0 && !flags.all) {
    throw new MonocoError("input", t`which issue? No id was given`, {
      hint: t`monoco run FEAT-0001, or monoco run --all for the whole backlog`,
    });
  }
  const { base } = flags;
  const reader = baseReader(here, base);
  const look = async (): Promise<Plan> => planOf(here, named, { flags, onBase: await reader.read() });
  const plan = await look();
  // What was named was meant as it was then.
  const { onIdle } = flags;
  const hasRelay = mayHaveRelay(here);
  const left = (flags.all ? plan.asked.filter(hasRelay) : []).flatMap((id) => {
    const error = leftToPerson(here, id);
    return error ? [{ id, error }] : [];
  });
  const again = flags.all ? look : async () => plan;
  return new Queue(here, reader, { base, plan, look: again, onIdle, left });
}

/** How often the base and the relays are looked at while a slot is free, ms. */
const lookMs = 1_000;

/** `look` reads the base again: new issues are taken up while others run. */
class Queue implements RunQueue {
  #here: Here;
  #base: string;
  #reader: BaseReader;
  #plan: Plan;
  #look: () => Promise<Plan>;
  #progress = new Map<string, Progress>();
  #told = new Set<string>();
  /** Relays that wait, and when they come back. */
  #back = new Map<string, Wait>();
  /** Relays that need a person. */
  #rested = new Set<string>();
  /** The last word of a person's that this run has acted on, by the number of its event. */
  #heard = new Map<string, number>();
  #asked = new Set<string>();
  /** Those that could not be begun because of what their files said. */
  #refused = new Map<string, string | undefined>();
  /** Until then nothing new is begun: where an account is used up, a whole backlog would be opened for nothing. */
  #closedUntilMs = 0;
  #changed = Promise.withResolvers<void>();
  #lookedAtMs = Date.now();
  #looking: Promise<void> | undefined;
  #seen = "";
  #onIdle: (() => void) | undefined;
  /** Of these, those that were so before this run. */
  readonly #left: readonly Refused[];
  #isIdle = false;

  constructor(
    here: Here,
    reader: BaseReader,
    of: { plan: Plan; look(): Promise<Plan>; left?: readonly Refused[] } & Pick<
      QueueFlags,
      "base" | "onIdle"
    >,
  ) {
    this.#here = here;
    this.#reader = reader;
    this.#base = of.base;
    this.#plan = of.plan;
    this.#look = of.look;
    this.#onIdle = of.onIdle;
    this.#left = of.left ?? [];
    for (const { id } of this.#left) {
      this.#progress.set(id, "failed");
      this.#rested.add(id);
    }
  }

  async take(interrupt: AbortSignal): Promise<Taken | undefined> {
    for (let sure = false; ;) {
      if (interrupt.aborted) return undefined;
      await this.#refresh(sure);
      const due = this.#comingBack(false);
      if (due !== undefined) return this.#begin(due);
      const step = this.#next();
      if ("start" in step) return this.#begin(step.start);
      const waiting = this.#comingBack(true);
      if (waiting !== undefined) return this.#begin(waiting);
      // What came since the last look is not left behind.
      const isLast = "blocked" in step && sure;
      if (isLast && !this.#onIdle) return undefined;
      if (isLast && !this.#isIdle) {
        this.#isIdle = true;
        this.#onIdle?.();
      }
      sure = "blocked" in step;
      if (!sure || isLast) await over(this.#changed.promise, interrupt);
    }
  }

  comesBack(id: string, wait: Wait): void {
    this.#back.set(id, wait);
    if (wait.unbegun) this.#closedUntilMs = Math.max(this.#closedUntilMs, wait.untilMs);
  }

  slotWanted(): boolean {
    void this.#refresh();
    return this.#comingBack(false) !== undefined || "start" in this.#next();
  }

  async ended(id: string, exitCode: number): Promise<void> {
    let became: Progress = "failed";
    try {
      // Done is what the base has: work that was left on a branch is not there for those that need it.
      const { sound } = exitCode === 0 ? await this.#reader.read() : { sound: undefined };
      if (sound?.get(id)?.card.status === "closed") became = "done";
      else if (rests(this.#here, id)) this.#rested.add(id);
      else if (exitCode === exitCodes.input) this.#refused.set(id, this.#plan.blobOf(id));
    } finally {
      this.#progress.set(id, became);
      this.#changed.resolve();
      this.#changed = Promise.withResolvers();
    }
  }

  refused(): Refused[] {
    const fresh = [...this.#plan.refused, ...this.#left].filter(({ id }) => !this.#told.has(id));
    for (const { id } of fresh) this.#told.add(id);
    return fresh;
  }

  left(): { id: string; by: string[] }[] {
    const step = this.#next();
    return "blocked" in step ? step.blocked : [];
  }

  hasMore(): boolean {
    return this.#back.size > 0 || !("blocked" in this.#next());
  }

  async order(becomes: (id: string, after: string[]) => Promise<Ended>): Promise<void> {
    for (let step = this.#next(); "start" in step; step = this.#next()) {
      const { start: id } = step;
      const needs = this.#plan.works.find((work) => work.id === id)?.needs ?? [];
      const after = needs.filter((other) => this.#progress.get(other) === "done");
      this.#progress.set(id, await becomes(id, after));
    }
  }

  waives(id: string): boolean {
    return this.#plan.waived.includes(id);
  }

  #next(): ReturnType<typeof nextOf> {
    const { works, refused } = this.#plan;
    const asked = new Set(this.#plan.asked);
    const now = new Map<string, Progress>();
    // What is not run here is nobody's to wait for.
    for (const { id, stands } of works) if (stands === "open" && !asked.has(id)) now.set(id, "failed");
    for (const { id } of refused) now.set(id, "failed");
    for (const [id, how] of this.#progress) now.set(id, how);
    // What this run is at is done when it says so, though the base may have it already.
    const ours = works.map((work) =>
      (this.#progress.get(work.id) ?? "done") === "done" ? work : { ...work, stands: "open" as const },
    );
    const step = nextOf(ours, now);
    const closed = "start" in step && !this.#asked.has(step.start) && Date.now() < this.#closedUntilMs;
    return closed ? { wait: true } : step;
  }

  /** The one that comes back first: its time has come, or, with nothing else to do, that it waits for here. */
  #comingBack(idle: boolean): string | undefined {
    const ready = [...this.#back].filter(([, wait]) => wait.untilMs <= Date.now() || (idle && !wait.held));
    return ready.toSorted(([, one], [, other]) => one.untilMs - other.untilMs)[0]?.[0];
  }

  #begin(id: string): Taken {
    this.#isIdle = false;
    const wait = this.#back.get(id);
    const word = wordOn(this.#here, id);
    // One that another process held may have got its answer there, or may have been resumed and goes on.
    const answered = wait ? wait.held && word?.resumed === false : this.#asked.has(id);
    const again = answered ? "asked" : wait ? "back" : undefined;
    this.#back.delete(id);
    this.#asked.delete(id);
    if (again !== "back") this.#heard.set(id, word?.seq ?? 0);
    this.#progress.set(id, "running");
    return { id, ...(again ? { again } : {}) };
  }

  #refresh(now = false): Promise<void> {
    if (!this.#looking && (now || Date.now() - this.#lookedAtMs >= lookMs)) {
      this.#looking = this.#lookAgain()
        .catch(() => undefined)
        .finally(() => {
          this.#lookedAtMs = Date.now();
          this.#looking = undefined;
        });
    }
    return this.#looking ?? Promise.resolve();
  }

  async #lookAgain(): Promise<void> {
    const head = (await commitOf(this.#here.repository.git, `refs/heads/${this.#base}`)) ?? "";
    // A base that is gone for a moment is reported by the relay that needs it.
    if (head !== this.#seen && head !== "") this.#plan = await this.#look();
    this.#seen = head;
    for (const [id, blob] of this.#refused) {
      if (this.#plan.blobOf(id) === blob) continue;
      this.#refused.delete(id);
      this.#progress.delete(id);
    }
    for (const id of this.#rested) {
      const word = wordOn(this.#here, id, this.#heard.get(id));
      if (!word) continue;
      this.#rested.delete(id);
      if (word.resumed) {
        this.#progress.set(id, "running");
        this.#back.set(id, { untilMs: Date.now(), held: true });
      } else {
        this.#progress.delete(id);
        this.#asked.add(id);
      }
    }
  }
}

/** Until something has changed, the run is interrupted, or it is time to look again. No timer outlives it. */
async function over(change: Promise<void>, interrupt: AbortSignal): Promise<void> {
  const done = new AbortController();
  const signal = AbortSignal.any([interrupt, done.signal]);
  await Promise.race([change, sleep(lookMs, undefined, { signal }).catch(() => undefined)]);
  done.abort();
}
