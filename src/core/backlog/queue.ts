/**
 * The queue of a run as a pure step: `next` picks the issue for a free slot, by the plan, the results of the other issues, the answers
 * of people, and the time.
 */
import { nextOf } from "./backlog.ts";
import type { Next, Progress, Work } from "./backlog.ts";
import type { Word } from "./word.ts";

/** The work of a run, by the base as it is. */
export type Planned = {
  works: readonly Work[];
  /** The blob of an issue's text as the base has it. */
  blobOf(id: string): string | undefined;
  /** The ids of the issues that the run is for. */
  asked: readonly string[];
  /** Issues that cannot begin, whatever the results of the others. */
  refused: readonly { id: string }[];
};

/** `held`: another process runs it. `unbegun`: no session of this new relay could start, so a further issue could not start one either. */
export type Wait = { untilMs: number; held?: boolean; unbegun?: boolean };

/**
 * The standing of an issue in a run; undefined before it begins. `back`: its relay waits, and its slot is free.
 * `rests`: its relay needs a person. `asked`: a person has acted on it. `refused`: its file, with the text of `blob`, cannot
 * be run.
 */
export type Standing =
  | { is: "running" | "done" | "failed" | "rests" | "asked" }
  | { is: "back"; wait: Wait }
  | { is: "refused"; blob: string | undefined };

export type Queue = {
  plan: Planned;
  standing: ReadonlyMap<string, Standing>;
  /** By issue, the number of the last event by a person that this run has acted on. */
  heard: ReadonlyMap<string, number>;
  /** The time until which no issue begins: with a used-up account, each would open a relay for nothing. */
  closedUntilMs: number;
};

/** `again`: it comes back from a wait, or a person has acted on it since this run left it. */
export type Taken = { id: string; again?: "back" | "asked" };

/** A queue at its start; issues in `rests` are left to a person. */
export function newQueue(plan: Planned, rests: readonly string[] = []): Queue {
  const standing = new Map(rests.map((id): [string, Standing] => [id, { is: "rests" }]));
  return { plan, standing, heard: new Map(), closedUntilMs: 0 };
}

/** The next step: an issue whose wait is over, an issue that can begin, or else one that still waits in this run. */
export function next(queue: Queue, nowMs: number): Next {
  const [due] = waiting(queue, ({ untilMs }) => untilMs <= nowMs);
  if (due !== undefined) return { start: due };
  const step = unlessClosed(queue, nowMs);
  if ("start" in step) return step;
  const [early] = waiting(queue, ({ held }) => !held);
  return early === undefined ? step : { start: early };
}

/** Whether another issue could use the slot of a relay that waits. */
export function wantsSlot(queue: Queue, nowMs: number): boolean {
  const due = waiting(queue, ({ untilMs }) => untilMs <= nowMs);
  return due.length > 0 || "start" in unlessClosed(queue, nowMs);
}

/** Gives a slot to issue `id`; `word` is the last action of a person on its relay. */
export function begin(queue: Queue, id: string, word: Word | undefined): [Queue, Taken] {
  const was = queue.standing.get(id);
  // Another process may have answered or resumed the relay that it held.
  const isAnswered = was?.is === "back" ? was.wait.held && word?.resumed === false : was?.is === "asked";
  const again = isAnswered ? "asked" : was?.is === "back" ? "back" : undefined;
  const heard = again === "back" ? queue.heard : new Map(queue.heard).set(id, word?.seq ?? 0);
  return [
    { ...put(queue, id, { is: "running" }), heard },
    { id, ...(again && { again }) },
  ];
}

/** The queue with a new standing of issue `id`. */
export function put(queue: Queue, id: string, now: Standing): Queue {
  const closedUntilMs = now.is === "back" && now.wait.unbegun ? now.wait.untilMs : 0;
  return {
    ...queue,
    standing: new Map(queue.standing).set(id, now),
    closedUntilMs: Math.max(queue.closedUntilMs, closedUntilMs),
  };
}

/**
 * The queue after the base and the journals are read again: a refused issue begins if its file has changed, one that
 * rests goes on if a person has acted on it since, and one that another process holds is done if the base has it.
 */
export function look(
  queue: Queue,
  { plan, wordOf, nowMs }: { plan: Planned; wordOf: ReadonlyMap<string, Word>; nowMs: number },
): Queue {
  const standing = new Map(queue.standing);
  const done = new Set(plan.works.flatMap(({ id, stands }) => (stands === "done" ? [id] : [])));
  for (const [id, was] of queue.standing) {
    if (was.is === "back" && was.wait.held && done.has(id)) standing.set(id, { is: "done" });
    if (was.is === "refused" && plan.blobOf(id) !== was.blob) standing.delete(id);
    const word = was.is === "rests" ? wordOf.get(id) : undefined;
    if (!word || word.seq <= (queue.heard.get(id) ?? 0)) continue;
    const wait = { untilMs: nowMs, held: true };
    standing.set(id, word.resumed ? { is: "back", wait } : { is: "asked" });
  }
  return { ...queue, plan, standing };
}

/** The waiting issues for which `comes` is true, the earliest first. */
function waiting({ standing }: Queue, comes: (wait: Wait) => boolean | undefined): string[] {
  return [...standing]
    .flatMap(([id, one]) => (one.is === "back" && comes(one.wait) ? [{ id, ...one.wait }] : []))
    .toSorted((one, other) => one.untilMs - other.untilMs)
    .map(({ id }) => id);
}

/** The next step among issues that wait for no time of their own; no new issue while the queue is closed. */
function unlessClosed(queue: Queue, nowMs: number): Next {
  const { plan, standing, closedUntilMs } = queue;
  const progress = progressOf(queue);
  // An issue of this run is done only when the run says so, though the base may have its merge already.
  const ours = plan.works.map((work) => {
    const how = standing.get(work.id)?.is ?? "asked";
    return how === "asked" || how === "done" ? work : { ...work, stands: "open" as const };
  });
  const step = nextOf(ours, progress);
  const isNew = "start" in step && standing.get(step.start)?.is !== "asked";
  return isNew && nowMs < closedUntilMs ? { wait: true } : step;
}

function progressOf({ plan, standing }: Queue): Map<string, Progress> {
  const asked = new Set(plan.asked);
  const now = new Map<string, Progress>();
  // An issue outside this run counts as failed: no other issue waits for it.
  for (const { id, stands } of plan.works) if (stands === "open" && !asked.has(id)) now.set(id, "failed");
  for (const { id } of plan.refused) now.set(id, "failed");
  for (const [id, { is }] of standing) if (is !== "asked") now.set(id, progressBy[is]);
  return now;
}

const progressBy = {
  running: "running",
  back: "running",
  done: "done",
  failed: "failed",
  rests: "failed",
  refused: "failed",
} as const satisfies Partial<Record<Standing["is"], Progress>>;
