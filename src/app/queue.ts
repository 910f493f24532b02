/** What `monoco run` takes next: the issues that were named, or the open ones of the base, each when what it needs is done. */
import { setTimeout as sleep } from "node:timers/promises";
import { byId, circleThrough, missingOf, nextOf, pathTo } from "../core/backlog/backlog.ts";
import type { Progress, Work } from "../core/backlog/backlog.ts";
import { MonocoError, exitCodes } from "../core/error/error.ts";
import type { Card } from "../core/issue/card.ts";
import { commitOf } from "../git/repository.ts";
import { baseReader, linesIn, openPhase, worksOnBase } from "./base-issues.ts";
import type { BaseIssue, BaseIssues, BaseReader } from "./base-issues.ts";
import { mayHaveRelay } from "./here.ts";
import type { Here } from "./here.ts";
import { leftToPerson, rests, wordOn } from "./rested.ts";
import { t } from "../core/language/translate.ts";

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

export type Refused = { id: string; error: MonocoError };

export type QueueFlags = {
  base: string;
  /** Every open issue of the base; with `named`, those of them that are named. */
  all: boolean;
  /** Begin what waits for others all the same. */
  ignoreDependencies: boolean;
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

/** What there is to do by the base as it is now. */
async function planOf(
  here: Here,
  named: readonly string[],
  { flags, onBase }: { flags: QueueFlags; onBase: BaseIssues },
): Promise<Plan> {
  const works = worksOnBase(onBase);
  const backlog = byId(works);
  // What is named and not found, or not readable, is told by the run of that issue.
  const runs = ({ id }: Work): boolean =>
    flags.all
      ? (named.length === 0 || named.includes(id)) && isWork(onBase.sound.get(id)?.card)
      : named.includes(id) && onBase.sound.has(id);
  const asked = new Set(works.filter((work) => work.stands === "open" && runs(work)).map(({ id }) => id));
  const hasRelay = mayHaveRelay(here);
  const goesOn = (id: string): boolean => hasRelay(id) && openPhase(here, id) !== undefined;
  const free = new Set([...asked].filter((id) => flags.ignoreDependencies || goesOn(id)));
  const reasons = [...asked].flatMap((id) => {
    const why = free.has(id) ? undefined : whyNot(here, id, { onBase, backlog, asked, flags });
    return why ? [{ id, why }] : [];
  });
  const found = reasons.flatMap(({ why }) => (why instanceof MonocoError ? [] : [why.found]));
  const lines = await linesIn(here, found, "dependencies");
  const refused = reasons.map(({ id, why }): Refused => {
    if (why instanceof MonocoError) return { id, error: why };
    const { path } = why.found;
    return { id, error: why.errorAt(`${path}:${lines.get(path)}`) };
  });
  const lost = flags.all ? [] : named.filter((id) => !asked.has(id));
  const others = flags.all ? [...onBase.broken].filter(([id]) => !asked.has(id)) : [];
  const planned = works
    .filter(({ id }) => !lost.includes(id))
    .map((work) => ({ ...work, needs: free.has(work.id) ? [] : work.needs }))
    .concat(lost.map((id) => ({ id, needs: [], stands: "open" })));
  return {
    works: flags.all ? planned : planned.map((work) => ({ ...work, place: named.indexOf(work.id) })),
    blobOf: (id) => onBase.sound.get(id)?.object,
    asked: [...asked, ...lost],
    refused: [...refused, ...others.map(([id, error]) => ({ id, error }))],
    waived: flags.ignoreDependencies
      ? works.filter((work) => hasMissing(backlog, work)).map(({ id }) => id)
      : [],
  };
}

/** Epics and what is put off are no work of `--all`; what cannot be read is asked for, and told. */
function isWork(issue: Card | undefined): boolean {
  return (
    issue === undefined || (issue.status === "open" && issue.stage !== "freezed" && issue.type !== "epic")
  );
}

function hasMissing(backlog: Backlog, work: Work): boolean {
  return Object.values(missingOf(backlog, work)).some((ids) => ids.length > 0);
}

type Backlog = ReadonlyMap<string, Work>;

type Plan = {
  works: Work[];
  /** The blob of an issue's text as the base has it. */
  blobOf(id: string): string | undefined;
  asked: readonly string[];
  refused: Refused[];
  waived: readonly string[];
};

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

type Asked = { onBase: BaseIssues; backlog: Backlog; asked: ReadonlySet<string>; flags: QueueFlags };

/** A fault of the issue's file: the line is looked up for all of them at once. */
type Misled = { found: BaseIssue; errorAt(place: string): MonocoError };

/** Why an issue can never be begun in this run, if so: it cannot be read, goes round in a circle, or waits for what does not come. */
function whyNot(
  here: Here,
  id: string,
  { onBase, backlog, asked, flags }: Asked,
): MonocoError | Misled | undefined {
  const found = onBase.sound.get(id);
  const work = backlog.get(id);
  if (!found || !work) return onBase.broken.get(id);
  if (work.needs.length === 0) return undefined;
  const anyway = t`or go on all the same: monoco run ${id} --ignore-dependencies`;
  const misled = (errorAt: Misled["errorAt"]): Misled => ({ found, errorAt });
  const circle = circleThrough(backlog, id)?.join(" → ");
  if (circle !== undefined) {
    const hint = t`take one of them out of the other's dependencies (a parent waits for its open children), and commit that`;
    return misled(
      (at) => new MonocoError("input", t`${at}: these issues wait for each other: ${circle}`, { hint }),
    );
  }
  const { open, dropped, unknown } = missingOf(backlog, work);
  if (unknown.length > 0) {
    const ids = unknown.join(", ");
    const hint = t`fix the id, or commit that issue on ${flags.base}; ${anyway}`;
    return misled(
      (at) =>
        new MonocoError("input", t`${at}: ${id} depends on ${ids}, which ${flags.base} does not have`, {
          hint,
        }),
    );
  }
  if (dropped.length > 0) {
    const how = dropped.map((other) => `${other} (${onBase.sound.get(other)?.card.solution})`).join(", ");
    const hint = t`take it out of the dependencies, or name what replaces it, and commit that; ${anyway}`;
    return misled(
      (at) => new MonocoError("input", t`${at}: ${id} waits for ${how}: closed, and never done`, { hint }),
    );
  }
  const alone = open.filter((other) => !asked.has(other));
  if (alone.length === 0 || flags.all) return undefined;
  const how = alone.map((other) => `${other} (${standing(here, onBase, other)})`);
  return new MonocoError("input", t`${id} waits for ${how.join(", ")}`, {
    hint: `${wayTo(id, { onBase, backlog })}; ${anyway}`,
  });
}

function standing(here: Here, onBase: BaseIssues, id: string): string {
  const issue = onBase.sound.get(id)?.card;
  const phase = openPhase(here, id);
  const stands = issue ? `${issue.status}, ${issue.stage}` : t`cannot be read`;
  return phase === undefined ? stands : t`${stands}, its relay: ${phase}`;
}

/** What to run, or to pull out of the backlog first. */
function wayTo(id: string, { onBase, backlog }: Pick<Asked, "onBase" | "backlog">): string {
  const path = pathTo(backlog, id);
  const away = path.filter((other) => onBase.sound.get(other)?.card.status === "backlog");
  const run = t`monoco run ${path.join(" ")} runs them in order`;
  return away.length > 0 ? t`monoco issue pull ${away.join(" ")}, commit that; then ${run}` : run;
}
