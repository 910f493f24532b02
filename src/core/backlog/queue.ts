/**
 * The queue of a run as a pure step: `next` says which issue a free slot begins, by the plan, by what came of the other issues, by
 * a person's words, and by the time.
 */
import { nextOf } from "./backlog.ts";
import type { Next, Progress, Work } from "./backlog.ts";
import type { Word } from "./word.ts";

/** What a run has to do by the base as it is. */
export type Planned = {
  works: readonly Work[];
  /** The blob of an issue's text as the base has it. */
  blobOf(id: string): string | undefined;
  /** The issues that the run is for. */
  asked: readonly string[];
  /** Those that cannot be begun, whatever comes of the others. */
  refused: readonly { id: string }[];
};

/** `held`: another process runs it. `unbegun`: it was new, and no session could start: those behind it would do no better. */
export type Wait = { untilMs: number; held?: boolean; unbegun?: boolean };

/**
 * How far a run is with an issue; without one, the issue has not been begun. `back`: its relay waits, and has given its slot back.
 * `rests`: its relay needs a person. `asked`: a person has dealt with it. `refused`: its file, of which `blob` is the text, cannot
 * be run.
 */
export type Standing =
  | { is: "running" | "done" | "failed" | "rests" | "asked" }
  | { is: "back"; wait: Wait }
  | { is: "refused"; blob: string | undefined };

export type Queue = {
  plan: Planned;
  standing: ReadonlyMap<string, Standing>;
  /** The last word of a person's that this run has acted on, by the number of its event. */
  heard: ReadonlyMap<string, number>;
  /** Nothing new is begun until then: where an account is used up, a whole backlog would be opened for nothing. */
  closedUntilMs: number;
};

/** `again`: it comes back from a wait, or a person has dealt with it since this run left it. */
export type Taken = { id: string; again?: "back" | "asked" };

/** `rests` are issues that are left to a person from the beginning. */
export function newQueue(plan: Planned, rests: readonly string[] = []): Queue {
  const standing = new Map(rests.map((id): [string, Standing] => [id, { is: "rests" }]));
  return { plan, standing, heard: new Map(), closedUntilMs: 0 };
}

/** One whose wait is over, one that can be begun, else one that still waits here. */
export function next(queue: Queue, nowMs: number): Next {
  const [due] = waiting(queue, ({ untilMs }) => untilMs <= nowMs);
  if (due !== undefined) return { start: due };
  const step = unlessClosed(queue, nowMs);
  if ("start" in step) return step;
  const [early] = waiting(queue, ({ held }) => !held);
  return early === undefined ? step : { start: early };
}

/** Whether there is anything else to do for the slot of a relay that waits. */
export function wantsSlot(queue: Queue, nowMs: number): boolean {
  const due = waiting(queue, ({ untilMs }) => untilMs <= nowMs);
  return due.length > 0 || "start" in unlessClosed(queue, nowMs);
}

/** A slot is at issue `id` now; `word` is the last one of a person's on its relay. */
export function begin(queue: Queue, id: string, word: Word | undefined): [Queue, Taken] {
  const was = queue.standing.get(id);
  // One that another process held may have got its answer there, or may have been resumed and goes on.
  const isAnswered = was?.is === "back" ? was.wait.held && word?.resumed === false : was?.is === "asked";
  const again = isAnswered ? "asked" : was?.is === "back" ? "back" : undefined;
  const heard = again === "back" ? queue.heard : new Map(queue.heard).set(id, word?.seq ?? 0);
  return [
    { ...put(queue, id, { is: "running" }), heard },
    { id, ...(again && { again }) },
  ];
}

/** How far the run is with issue `id` now. */
export function put(queue: Queue, id: string, now: Standing): Queue {
  const closedUntilMs = now.is === "back" && now.wait.unbegun ? now.wait.untilMs : 0;
  return {
    ...queue,
    standing: new Map(queue.standing).set(id, now),
    closedUntilMs: Math.max(queue.closedUntilMs, closedUntilMs),
  };
}

/**
 * The base and the journals are read again: an issue that was refused is begun once its file says something else, and one that
 * rests goes on by a word of a person's that this run has not heard.
 */
export function look(
  queue: Queue,
  { plan, words, nowMs }: { plan: Planned; words: ReadonlyMap<string, Word>; nowMs: number },
): Queue {
  const standing = new Map(queue.standing);
  for (const [id, was] of queue.standing) {
    if (was.is === "refused" && plan.blobOf(id) !== was.blob) standing.delete(id);
    const word = was.is === "rests" ? words.get(id) : undefined;
    if (!word || word.seq <= (queue.heard.get(id) ?? 0)) continue;
    const wait = { untilMs: nowMs, held: true };
    standing.set(id, word.resumed ? { is: "back", wait } : { is: "asked" });
  }
  return { ...queue, plan, standing };
}

/** The relays that wait and that `comes` is true of: the one that comes back first is the first. */
function waiting({ standing }: Queue, comes: (wait: Wait) => boolean | undefined): string[] {
  return [...standing]
    .flatMap(([id, one]) => (one.is === "back" && comes(one.wait) ? [{ id, ...one.wait }] : []))
    .toSorted((one, other) => one.untilMs - other.untilMs)
    .map(({ id }) => id);
}

/** Of what waits for no time of its own; nothing new while the queue is closed. */
function unlessClosed(queue: Queue, nowMs: number): Next {
  const { plan, standing, closedUntilMs } = queue;
  const progress = progressOf(queue);
  // What this run is at is done when it says so, though the base may have it already.
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
  // What is not run here is nobody's to wait for.
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
